"""What people decided, what happened, and which states of the knowledge were sealed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Code,
    Key,
    LongText,
    Name,
    Sha,
    Uid,
    UtcDateTime,
    primary_key,
    reference,
)


class ReviewDecision(Base):
    """A person's decision, keyed by uid, superseded but never deleted; replayed after every automatic run."""

    __tablename__ = "review_decisions"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    subject_type: Mapped[str] = mapped_column(Code)
    subject_key: Mapped[str] = mapped_column(Key, index=True, info=PERSONAL)
    decision: Mapped[str] = mapped_column(Code)
    payload: Mapped[str] = mapped_column(LongText, info=PERSONAL)  # JSON
    reviewer: Mapped[str] = mapped_column(Name, info=PERSONAL)
    reason: Mapped[str | None] = mapped_column(LongText, info=PERSONAL)
    superseded_by_id: Mapped[int | None] = reference("review_decisions.id", nullable=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class AuditLog(Base):
    """One critical operation or transition of a fact: ids only. Written unchained, sealed in batches."""

    __tablename__ = "audit_log"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    actor: Mapped[str] = mapped_column(Name)
    action: Mapped[str] = mapped_column(Code)
    subject_type: Mapped[str] = mapped_column(Code)
    subject_uid: Mapped[str] = mapped_column(Name, index=True)
    from_state: Mapped[str | None] = mapped_column(Code)
    to_state: Mapped[str | None] = mapped_column(Code)
    activity_id: Mapped[int | None] = mapped_column(index=True)
    seal_id: Mapped[int | None] = reference("audit_seals.id", nullable=True)


class AuditSeal(Base):
    """The hash of a batch of audit rows and of the seal before it."""

    __tablename__ = "audit_seals"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    number: Mapped[int] = mapped_column(unique=True)
    row_count: Mapped[int]
    previous_hash: Mapped[str] = mapped_column(Sha)
    hash: Mapped[str] = mapped_column(Sha)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class KnowledgeVersion(Base):
    """`[content].[structure].[pipeline]`: a named state; the difference of two is the audit slice between them."""

    __tablename__ = "knowledge_versions"
    __table_args__ = (UniqueConstraint("content", "structure", "pipeline"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    content: Mapped[int]
    structure: Mapped[int]
    pipeline: Mapped[int]
    # What the three numbers stand for; equal hashes seal nothing new.
    content_hash: Mapped[str] = mapped_column(Sha)
    structure_hash: Mapped[str] = mapped_column(Sha)
    pipeline_hash: Mapped[str] = mapped_column(Sha)
    seal_id: Mapped[int | None] = reference("audit_seals.id", nullable=True)
    published_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    note: Mapped[str | None] = mapped_column(String(1000))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ErasureTombstone(Base):
    """Stops the return of what was erased: HMAC digests, never bare hashes of a name."""

    __tablename__ = "erasure_tombstones"
    __table_args__ = (TABLE_OPTIONS,)
    digest: Mapped[str] = mapped_column(Sha, primary_key=True)
    kind: Mapped[str] = mapped_column(Code)  # content_sha256 | source_path | entity_key
    request: Mapped[str] = mapped_column(Uid)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
