"""What was run, with what, at what cost: activities, prompts, model calls (never their text) and cached replies."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ColumnClause, UniqueConstraint

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Code,
    LongText,
    Name,
    Sha,
    UtcDateTime,
    column,
    primary_key,
    reference,
)


class Activity(Base):
    """One piece of work on one document version (PROV: Activity)."""

    __tablename__ = "activities"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    kind: ColumnClause[str] = column(Code)
    document_version_id: ColumnClause[int | None] = reference("document_versions.id", ondelete="SET NULL")
    run_id: ColumnClause[str | None] = column(Name)
    code_version: ColumnClause[str] = column(Name)
    prompt_id: ColumnClause[int | None] = reference("prompts.id")
    model: ColumnClause[str | None] = column(Name)
    agent: ColumnClause[str] = column(Name)
    started_at: ColumnClause[datetime] = column(UtcDateTime)
    ended_at: ColumnClause[datetime | None] = column(UtcDateTime)


class Prompt(Base):
    """A prompt as it was used; a changed text is a new version."""

    __tablename__ = "prompts"
    __table_args__ = (UniqueConstraint("name", "version"), UniqueConstraint("name", "template_sha256"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    name: ColumnClause[str] = column(Name)
    version: ColumnClause[int]
    template: ColumnClause[str] = column(LongText)
    template_sha256: ColumnClause[str] = column(Sha)
    active: ColumnClause[bool]


class ModelCall(Base):
    """One call to a model: counts, cost and time, never the text."""

    __tablename__ = "model_calls"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    purpose: ColumnClause[str] = column(Code)  # extraction | generation | embedding | vision
    model: ColumnClause[str] = column(Name)
    activity_id: ColumnClause[int | None] = reference("activities.id")
    message_id: ColumnClause[int | None] = reference("chat_messages.id", ondelete="SET NULL")
    prompt_id: ColumnClause[int | None] = reference("prompts.id")
    request_sha256: ColumnClause[str] = column(Sha, index=True)
    input_tokens: ColumnClause[int | None]
    output_tokens: ColumnClause[int | None]
    cost_micro_eur: ColumnClause[int] = column(BigInteger, default=0)
    latency_ms: ColumnClause[int]
    outcome: ColumnClause[str] = column(Code)  # ok | cached | invalid_output | refused | error
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class ResponseCache(Base):
    """What an extractor made of one request; the same request is never worked on twice."""

    __tablename__ = "response_cache"
    __table_args__ = (TABLE_OPTIONS,)
    request_sha256: ColumnClause[str] = column(Sha, primary_key=True)
    document_version_id: ColumnClause[int] = reference("document_versions.id", ondelete="CASCADE")
    extractor: ColumnClause[str] = column(Name)
    response: ColumnClause[str] = column(LongText, info=PERSONAL)
    created_at: ColumnClause[datetime] = column(UtcDateTime)
