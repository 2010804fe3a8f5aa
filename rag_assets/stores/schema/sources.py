"""Documents, where they lie, their immutable versions and sections, and how far each has come."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Date, ForeignKey, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

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
    primary_key,
    reference,
)


class Installation(Base):
    """One row: the random namespace from which uids are minted, so that nobody can guess one from a name."""

    __tablename__ = "installation"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    namespace: Mapped[str] = mapped_column(Uid)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Document(Base):
    """A document of a source; `uid` and `partition_key` are minted once and kept through moves and returns."""

    __tablename__ = "documents"
    __table_args__ = (
        CheckConstraint("authority >= 0 AND authority <= 1", name="authority_range"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    # A removed document keeps its path (a return is recognised by it); only a move gives the path free.
    source_path: Mapped[str] = mapped_column(Key, unique=True, info=PERSONAL)
    source: Mapped[str] = mapped_column(Name, index=True)
    title: Mapped[str | None] = mapped_column(String(500), info=PERSONAL)
    collection: Mapped[str] = mapped_column(Name)
    type: Mapped[str] = mapped_column(Code)
    language: Mapped[str] = mapped_column(Code)
    partition_key: Mapped[str] = mapped_column(String(200), unique=True)
    authority: Mapped[float] = mapped_column(Real)
    half_life_years: Mapped[float] = mapped_column(Real)
    audience: Mapped[str] = mapped_column(Name)  # comma-separated; "all" = everybody
    published_on: Mapped[date | None] = mapped_column(Date)
    personal: Mapped[bool]
    local_only: Mapped[bool]
    status: Mapped[str] = mapped_column(Code, index=True)  # knowledge.lifecycle.DocumentStatus
    error_code: Mapped[str | None] = mapped_column(Code)
    current_version_id: Mapped[int | None] = mapped_column(
        ForeignKey("document_versions.id", use_alter=True), index=True
    )
    # What the last scan saw: size, mtime and inode decide whether the file is hashed again, the hash whether it
    # changed. The inode also tells a file that moved (and left its path to another) from a copy of it.
    seen_size: Mapped[int | None] = mapped_column(BigInteger)
    seen_mtime_ns: Mapped[int | None] = mapped_column(BigInteger)
    seen_inode: Mapped[int | None] = mapped_column(BigInteger)
    seen_sha256: Mapped[str | None] = mapped_column(Sha, index=True)
    removed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class DocumentPath(Base):
    """Every path a document was seen at, with the first and the last time."""

    __tablename__ = "document_paths"
    __table_args__ = (UniqueConstraint("document_id", "path"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    document_id: Mapped[int] = reference("documents.id", index=False)
    path: Mapped[str] = mapped_column(Key, index=True, info=PERSONAL)
    first_seen: Mapped[datetime] = mapped_column(UtcDateTime)
    last_seen: Mapped[datetime] = mapped_column(UtcDateTime)


class DocumentVersion(Base):
    """One content of a document, immutable; all evidence points into its canonical text."""

    __tablename__ = "document_versions"
    __table_args__ = (
        UniqueConstraint("document_id", "number"),
        UniqueConstraint("document_id", "sha256"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    document_id: Mapped[int] = reference("documents.id", index=False)
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(Sha, index=True)
    archive_path: Mapped[str | None] = mapped_column(Name)
    mime_type: Mapped[str | None] = mapped_column(Name)
    byte_size: Mapped[int] = mapped_column(BigInteger)
    title: Mapped[str | None] = mapped_column(String(500), info=PERSONAL)
    authors: Mapped[str | None] = mapped_column(String(1000), info=PERSONAL)
    language: Mapped[str | None] = mapped_column(Code)
    published_on: Mapped[date | None] = mapped_column(Date)
    page_count: Mapped[int | None]
    needs_ocr_pages: Mapped[int] = mapped_column(default=0)
    # The canonical text; NULL until it was read, and again after an erasure.
    text: Mapped[str | None] = mapped_column(LongText, info=PERSONAL)
    text_sha256: Mapped[str | None] = mapped_column(Sha)
    # What the cleaning step made of the blocks (kinds, spans, pages): offsets and codes, JSON.
    layout: Mapped[str | None] = mapped_column(LongText)
    repairs: Mapped[str | None] = mapped_column(LongText)  # JSON: name of the repair → how often
    warnings: Mapped[str | None] = mapped_column(LongText)  # JSON: list of codes
    reader: Mapped[str | None] = mapped_column(Name)
    erased_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class DocumentSection(Base):
    """A node of the document's hierarchy; ordinal 0 is the whole document."""

    __tablename__ = "document_sections"
    __table_args__ = (UniqueConstraint("document_version_id", "ordinal"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    document_id: Mapped[int] = reference("documents.id")
    document_version_id: Mapped[int] = reference("document_versions.id", ondelete="CASCADE", index=False)
    parent_section_id: Mapped[int | None] = reference("document_sections.id", ondelete="CASCADE", nullable=True)
    ordinal: Mapped[int]
    level: Mapped[int]
    heading: Mapped[str] = mapped_column(String(1000), info=PERSONAL)
    char_start: Mapped[int]
    char_end: Mapped[int]
    page_start: Mapped[int | None]
    page_end: Mapped[int | None]
    # Where it is told and is not the document's.
    language: Mapped[str | None] = mapped_column(Code)


class DocumentStage(Base):
    """The spine: how far one version is in one stage, from what inputs, and who works on it now."""

    __tablename__ = "document_stages"
    __table_args__ = (UniqueConstraint("document_version_id", "stage"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    document_version_id: Mapped[int] = reference("document_versions.id", ondelete="CASCADE", index=False)
    stage: Mapped[str] = mapped_column(Code)
    fingerprint: Mapped[str | None] = mapped_column(Sha)
    status: Mapped[str] = mapped_column(Code, index=True)  # knowledge.lifecycle.StageStatus
    error_code: Mapped[str | None] = mapped_column(Code)
    counts: Mapped[str | None] = mapped_column(LongText)  # JSON: name → number
    data_version: Mapped[str | None] = mapped_column(Sha)
    owner: Mapped[str | None] = mapped_column(Name)
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    # Storage id of the Dagster event that reported this work; NULL = not reported yet.
    event: Mapped[int | None] = mapped_column(Integer)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class SkippedFile(Base):
    """A file that is not a document, with the reason: lock files, links out of the source, pipes."""

    __tablename__ = "skipped_files"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    source: Mapped[str] = mapped_column(Name, index=True)
    source_path: Mapped[str] = mapped_column(Key, unique=True, info=PERSONAL)
    reason: Mapped[str] = mapped_column(Code)
