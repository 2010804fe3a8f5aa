"""What was run, with what, at what cost: activities, prompts, model calls (never their text) and cached replies."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Code,
    LongText,
    Name,
    Sha,
    UtcDateTime,
    primary_key,
    reference,
)


class Activity(Base):
    """One piece of work on one document version (PROV: Activity)."""

    __tablename__ = "activities"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    kind: Mapped[str] = mapped_column(Code)
    document_version_id: Mapped[int | None] = reference("document_versions.id", ondelete="SET NULL", nullable=True)
    run_id: Mapped[str | None] = mapped_column(Name)
    code_version: Mapped[str] = mapped_column(Name)
    prompt_id: Mapped[int | None] = reference("prompts.id", nullable=True)
    model: Mapped[str | None] = mapped_column(Name)
    agent: Mapped[str] = mapped_column(Name)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Prompt(Base):
    """A prompt as it was used; a changed text is a new version."""

    __tablename__ = "prompts"
    __table_args__ = (UniqueConstraint("name", "version"), UniqueConstraint("name", "template_sha256"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    name: Mapped[str] = mapped_column(Name)
    version: Mapped[int]
    template: Mapped[str] = mapped_column(LongText)
    template_sha256: Mapped[str] = mapped_column(Sha)
    active: Mapped[bool]


class ModelCall(Base):
    """One call to a model: counts, cost and time, never the text."""

    __tablename__ = "model_calls"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    purpose: Mapped[str] = mapped_column(Code)  # extraction | generation | embedding | vision
    model: Mapped[str] = mapped_column(Name)
    activity_id: Mapped[int | None] = reference("activities.id", nullable=True)
    message_id: Mapped[int | None] = reference("chat_messages.id", ondelete="SET NULL", nullable=True)
    prompt_id: Mapped[int | None] = reference("prompts.id", nullable=True)
    document_version_id: Mapped[int | None] = reference("document_versions.id", ondelete="SET NULL", nullable=True)
    run_id: Mapped[str | None] = mapped_column(Name, index=True)
    request_sha256: Mapped[str] = mapped_column(Sha, index=True)
    input_tokens: Mapped[int | None]
    output_tokens: Mapped[int | None]
    cost_micro_eur: Mapped[int] = mapped_column(BigInteger, default=0)
    latency_ms: Mapped[int]
    outcome: Mapped[str] = mapped_column(Code)  # ok | invalid_output | incomplete | refused | error | pending
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class ResponseCache(Base):
    """What an extractor made of one request; the same request is never worked on twice."""

    __tablename__ = "response_cache"
    __table_args__ = (TABLE_OPTIONS,)
    request_sha256: Mapped[str] = mapped_column(Sha, primary_key=True)
    document_version_id: Mapped[int] = reference("document_versions.id", ondelete="CASCADE")
    extractor: Mapped[str] = mapped_column(Name)
    response: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
