"""Questions, answers and the sources that were shown; and what evaluations measured."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnClause, UniqueConstraint

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Code,
    LongText,
    Name,
    Real,
    Uid,
    UtcDateTime,
    column,
    primary_key,
    reference,
)


class ChatSession(Base):
    """One person's conversation, until it expires."""

    __tablename__ = "chat_sessions"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, unique=True)
    user_ref: ColumnClause[str | None] = column(Name, index=True, info=PERSONAL)  # a pseudonym
    created_at: ColumnClause[datetime] = column(UtcDateTime)
    expires_at: ColumnClause[datetime] = column(UtcDateTime, index=True)


class ChatMessage(Base):
    """A question or an answer."""

    __tablename__ = "chat_messages"
    __table_args__ = (UniqueConstraint("session_id", "ordinal"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, unique=True)
    session_id: ColumnClause[int] = reference("chat_sessions.id", ondelete="CASCADE", index=False)
    ordinal: ColumnClause[int]
    role: ColumnClause[str] = column(Code)  # user | assistant
    content: ColumnClause[str] = column(LongText, info=PERSONAL)
    outcome: ColumnClause[str | None] = column(Code)  # answered | no_source | conflicting | refused | error
    knowledge_version_id: ColumnClause[int | None] = reference("knowledge_versions.id")
    model: ColumnClause[str | None] = column(Name)
    prompt_id: ColumnClause[int | None] = reference("prompts.id")
    parameters: ColumnClause[str | None] = column(LongText)  # JSON
    verification: ColumnClause[str | None] = column(LongText)  # JSON: a verdict per sentence
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class ChatSource(Base):
    """One source of an answer as it was shown; number = [Quelle n]."""

    __tablename__ = "chat_sources"
    __table_args__ = (UniqueConstraint("message_id", "number"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    message_id: ColumnClause[int] = reference("chat_messages.id", ondelete="CASCADE", index=False)
    number: ColumnClause[int]
    chunk_id: ColumnClause[int | None] = reference("chunks.id", ondelete="SET NULL")
    document_version_id: ColumnClause[int] = reference("document_versions.id")
    char_start: ColumnClause[int]
    char_end: ColumnClause[int]
    page: ColumnClause[int | None]
    section: ColumnClause[str | None] = column(LongText, info=PERSONAL)
    similarity: ColumnClause[float] = column(Real)
    cosine: ColumnClause[float] = column(Real)
    recency: ColumnClause[float] = column(Real)
    authority: ColumnClause[float] = column(Real)
    score: ColumnClause[float] = column(Real)
    used: ColumnClause[bool]


class EvaluationResult(Base):
    """What one evaluation measured."""

    __tablename__ = "evaluation_results"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    at: ColumnClause[datetime] = column(UtcDateTime)
    kind: ColumnClause[str] = column(Code)
    set: ColumnClause[str] = column(Name)
    version: ColumnClause[str | None] = column(Name)
    metrics: ColumnClause[str] = column(LongText)  # JSON
