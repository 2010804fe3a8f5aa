"""Questions, answers and the sources that were shown; and what evaluations measured."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

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
    primary_key,
    reference,
)


class ChatSession(Base):
    """One person's conversation, until it expires."""

    __tablename__ = "chat_sessions"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    user_ref: Mapped[str | None] = mapped_column(Name, index=True, info=PERSONAL)  # a pseudonym
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class ChatMessage(Base):
    """A question or an answer."""

    __tablename__ = "chat_messages"
    __table_args__ = (UniqueConstraint("session_id", "ordinal"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    session_id: Mapped[int] = reference("chat_sessions.id", ondelete="CASCADE", index=False)
    ordinal: Mapped[int]
    role: Mapped[str] = mapped_column(Code)  # user | assistant
    content: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    outcome: Mapped[str | None] = mapped_column(Code)  # answered | no_source | conflicting | refused | error
    knowledge_version_id: Mapped[int | None] = reference("knowledge_versions.id", nullable=True)
    model: Mapped[str | None] = mapped_column(Name)
    prompt_id: Mapped[int | None] = reference("prompts.id", nullable=True)
    parameters: Mapped[str | None] = mapped_column(LongText)  # JSON
    verification: Mapped[str | None] = mapped_column(LongText)  # JSON: a verdict per sentence
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ChatSource(Base):
    """One source of an answer as it was shown; number = [Quelle n]."""

    __tablename__ = "chat_sources"
    __table_args__ = (UniqueConstraint("message_id", "number"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    message_id: Mapped[int] = reference("chat_messages.id", ondelete="CASCADE", index=False)
    number: Mapped[int]
    chunk_id: Mapped[int | None] = reference("chunks.id", ondelete="SET NULL", nullable=True)
    document_version_id: Mapped[int] = reference("document_versions.id")
    char_start: Mapped[int]
    char_end: Mapped[int]
    page: Mapped[int | None]
    section: Mapped[str | None] = mapped_column(LongText, info=PERSONAL)
    similarity: Mapped[float] = mapped_column(Real)
    cosine: Mapped[float] = mapped_column(Real)
    recency: Mapped[float] = mapped_column(Real)
    authority: Mapped[float] = mapped_column(Real)
    score: Mapped[float] = mapped_column(Real)
    used: Mapped[bool]


class EvaluationResult(Base):
    """What one evaluation measured."""

    __tablename__ = "evaluation_results"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    kind: Mapped[str] = mapped_column(Code)
    set: Mapped[str] = mapped_column(Name)
    version: Mapped[str | None] = mapped_column(Name)
    metrics: Mapped[str] = mapped_column(LongText)  # JSON
