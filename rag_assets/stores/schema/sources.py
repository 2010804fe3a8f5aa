"""Documents, where they lie, their immutable versions and sections, and how far each has come."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, ColumnClause, Date, ForeignKey, Integer, String, UniqueConstraint

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Code,
    Key,
    LongText,
    Name,
    Real,
    Sha,
    Uid,
    UtcDateTime,
    column,
    primary_key,
    reference,
)


class Installation(Base):
    """One row: the random namespace from which uids are minted, so that nobody can guess one from a name."""

    __tablename__ = "installation"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    namespace: ColumnClause[str] = column(Uid)
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class Document(Base):
    """A document of a source; `uid` and `partition_key` are minted once and kept through moves and returns."""

    __tablename__ = "documents"
    __table_args__ = (
        CheckConstraint("authority >= 0 AND authority <= 1", name="authority_range"),
        TABLE_OPTIONS,
    )
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, unique=True)
    # A removed document keeps its path (a return is recognised by it); only a move gives the path free.
    source_path: ColumnClause[str] = column(Key, unique=True, info=PERSONAL)
    source: ColumnClause[str] = column(Name, index=True)
    title: ColumnClause[str | None] = column(String(500), info=PERSONAL)
    collection: ColumnClause[str] = column(Name)
    type: ColumnClause[str] = column(Code)
    language: ColumnClause[str] = column(Code)
    partition_key: ColumnClause[str] = column(String(200), unique=True)
    authority: ColumnClause[float] = column(Real)
    half_life_years: ColumnClause[float] = column(Real)
    audience: ColumnClause[str] = column(Name)  # comma-separated; "all" = everybody
    published_on: ColumnClause[date | None] = column(Date)
    personal: ColumnClause[bool]
    local_only: ColumnClause[bool]
    status: ColumnClause[str] = column(Code, index=True)  # knowledge.lifecycle.DocumentStatus
    error_code: ColumnClause[str | None] = column(Code)
    current_version_id: ColumnClause[int | None] = column(
        ForeignKey("document_versions.id", use_alter=True), index=True
    )
    # What the last scan saw: size, mtime and inode decide whether the file is hashed again, the hash whether it
    # changed. The inode also tells a file that moved (and left its path to another) from a copy of it.
    seen_size: ColumnClause[int | None] = column(BigInteger)
    seen_mtime_ns: ColumnClause[int | None] = column(BigInteger)
    seen_inode: ColumnClause[int | None] = column(BigInteger)
    seen_sha256: ColumnClause[str | None] = column(Sha, index=True)
    removed_at: ColumnClause[datetime | None] = column(UtcDateTime)
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class DocumentPath(Base):
    """Every path a document was seen at, with the first and the last time."""

    __tablename__ = "document_paths"
    __table_args__ = (UniqueConstraint("document_id", "path"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    document_id: ColumnClause[int] = reference("documents.id", index=False)
    path: ColumnClause[str] = column(Key, index=True, info=PERSONAL)
    first_seen: ColumnClause[datetime] = column(UtcDateTime)
    last_seen: ColumnClause[datetime] = column(UtcDateTime)


class DocumentVersion(Base):
    """One content of a document, immutable; all evidence points into its canonical text."""

    __tablename__ = "document_versions"
    __table_args__ = (
        UniqueConstraint("document_id", "number"),
        UniqueConstraint("document_id", "sha256"),
        TABLE_OPTIONS,
    )
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, unique=True)
    document_id: ColumnClause[int] = reference("documents.id", index=False)
    number: ColumnClause[int]
    sha256: ColumnClause[str] = column(Sha, index=True)
    archive_path: ColumnClause[str | None] = column(Name)
    mime_type: ColumnClause[str | None] = column(Name)
    byte_size: ColumnClause[int] = column(BigInteger)
    title: ColumnClause[str | None] = column(String(500), info=PERSONAL)
    authors: ColumnClause[str | None] = column(String(1000), info=PERSONAL)
    language: ColumnClause[str | None] = column(Code)
    published_on: ColumnClause[date | None] = column(Date)
    page_count: ColumnClause[int | None]
    needs_ocr_pages: ColumnClause[int] = column(default=0)
    # The canonical text; NULL until it was read, and again after an erasure.
    text: ColumnClause[str | None] = column(LongText, info=PERSONAL)
    text_sha256: ColumnClause[str | None] = column(Sha)
    # What the cleaning step made of the blocks (kinds, spans, pages): offsets and codes, JSON.
    layout: ColumnClause[str | None] = column(LongText)
    repairs: ColumnClause[str | None] = column(LongText)  # JSON: name of the repair → how often
    warnings: ColumnClause[str | None] = column(LongText)  # JSON: list of codes
    reader: ColumnClause[str | None] = column(Name)
    erased_at: ColumnClause[datetime | None] = column(UtcDateTime)
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class DocumentSection(Base):
    """A node of the document's hierarchy; ordinal 0 is the whole document."""

    __tablename__ = "document_sections"
    __table_args__ = (UniqueConstraint("document_version_id", "ordinal"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    document_id: ColumnClause[int] = reference("documents.id")
    document_version_id: ColumnClause[int] = reference("document_versions.id", ondelete="CASCADE", index=False)
    parent_section_id: ColumnClause[int | None] = reference("document_sections.id", ondelete="CASCADE")
    ordinal: ColumnClause[int]
    level: ColumnClause[int]
    heading: ColumnClause[str] = column(String(1000), info=PERSONAL)
    char_start: ColumnClause[int]
    char_end: ColumnClause[int]
    page_start: ColumnClause[int | None]
    page_end: ColumnClause[int | None]


class DocumentStage(Base):
    """The spine: how far one version is in one stage, from what inputs, and who works on it now."""

    __tablename__ = "document_stages"
    __table_args__ = (UniqueConstraint("document_version_id", "stage"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    document_version_id: ColumnClause[int] = reference("document_versions.id", ondelete="CASCADE", index=False)
    stage: ColumnClause[str] = column(Code)
    fingerprint: ColumnClause[str | None] = column(Sha)
    status: ColumnClause[str] = column(Code, index=True)  # knowledge.lifecycle.StageStatus
    error_code: ColumnClause[str | None] = column(Code)
    counts: ColumnClause[str | None] = column(LongText)  # JSON: name → number
    data_version: ColumnClause[str | None] = column(Sha)
    owner: ColumnClause[str | None] = column(Name)
    lease_until: ColumnClause[datetime | None] = column(UtcDateTime)
    # Storage id of the Dagster event that reported this work; NULL = not reported yet.
    event: ColumnClause[int | None] = column(Integer)
    updated_at: ColumnClause[datetime] = column(UtcDateTime)


class SkippedFile(Base):
    """A file that is not a document, with the reason: lock files, links out of the source, pipes."""

    __tablename__ = "skipped_files"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    source: ColumnClause[str] = column(Name, index=True)
    source_path: ColumnClause[str] = column(Key, unique=True, info=PERSONAL)
    reason: ColumnClause[str] = column(Code)
