"""What people decided, what happened, and which states of the knowledge were sealed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnClause, String, UniqueConstraint

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
    column,
    primary_key,
    reference,
)


class ReviewDecision(Base):
    """A person's decision, keyed by uid, superseded but never deleted; replayed after every automatic run."""

    __tablename__ = "review_decisions"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    subject_type: ColumnClause[str] = column(Code)
    subject_key: ColumnClause[str] = column(Key, index=True, info=PERSONAL)
    decision: ColumnClause[str] = column(Code)
    payload: ColumnClause[str] = column(LongText, info=PERSONAL)  # JSON
    reviewer: ColumnClause[str] = column(Name, info=PERSONAL)
    reason: ColumnClause[str | None] = column(LongText, info=PERSONAL)
    superseded_by_id: ColumnClause[int | None] = reference("review_decisions.id")
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class AuditLog(Base):
    """One critical operation or transition of a fact: ids only. Written unchained, sealed in batches."""

    __tablename__ = "audit_log"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    at: ColumnClause[datetime] = column(UtcDateTime)
    actor: ColumnClause[str] = column(Name)
    action: ColumnClause[str] = column(Code)
    subject_type: ColumnClause[str] = column(Code)
    subject_uid: ColumnClause[str] = column(Name, index=True)
    from_state: ColumnClause[str | None] = column(Code)
    to_state: ColumnClause[str | None] = column(Code)
    activity_id: ColumnClause[int | None] = column(index=True)
    seal_id: ColumnClause[int | None] = reference("audit_seals.id")


class AuditSeal(Base):
    """The hash of a batch of audit rows and of the seal before it."""

    __tablename__ = "audit_seals"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    number: ColumnClause[int] = column(unique=True)
    row_count: ColumnClause[int]
    previous_hash: ColumnClause[str] = column(Sha)
    hash: ColumnClause[str] = column(Sha)
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class KnowledgeVersion(Base):
    """`[content].[structure].[pipeline]`: a named state; the difference of two is the audit slice between them."""

    __tablename__ = "knowledge_versions"
    __table_args__ = (UniqueConstraint("content", "structure", "pipeline"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    content: ColumnClause[int]
    structure: ColumnClause[int]
    pipeline: ColumnClause[int]
    # What the three numbers stand for; equal hashes seal nothing new.
    content_hash: ColumnClause[str] = column(Sha)
    structure_hash: ColumnClause[str] = column(Sha)
    pipeline_hash: ColumnClause[str] = column(Sha)
    seal_id: ColumnClause[int | None] = reference("audit_seals.id")
    published_at: ColumnClause[datetime | None] = column(UtcDateTime)
    note: ColumnClause[str | None] = column(String(1000))
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class ErasureTombstone(Base):
    """Stops the return of what was erased: HMAC digests, never bare hashes of a name."""

    __tablename__ = "erasure_tombstones"
    __table_args__ = (TABLE_OPTIONS,)
    digest: ColumnClause[str] = column(Sha, primary_key=True)
    kind: ColumnClause[str] = column(Code)  # content_sha256 | source_path | entity_key
    request: ColumnClause[str] = column(Uid)
    created_at: ColumnClause[datetime] = column(UtcDateTime)
