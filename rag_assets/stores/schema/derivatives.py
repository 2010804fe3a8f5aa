"""What is computed from a version and may be thrown away and made again: chunks, windows, embeddings, index points."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Blob,
    Code,
    LongText,
    Name,
    Sha,
    Uid,
    primary_key,
    reference,
)


class Chunk(Base):
    """What is read: 500–800 tokens of one version, with its place."""

    __tablename__ = "chunks"
    __table_args__ = (
        UniqueConstraint("document_version_id", "chunker", "ordinal"),
        CheckConstraint("char_start < char_end", name="span"),
        CheckConstraint("token_count > 0", name="tokens"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    document_version_id: Mapped[int] = reference("document_versions.id", ondelete="CASCADE", index=False)
    section_id: Mapped[int | None] = reference("document_sections.id", ondelete="SET NULL", nullable=True)
    ordinal: Mapped[int]
    content: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    content_sha256: Mapped[str] = mapped_column(Sha, index=True)
    title_path: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    # Header row of the table in which the chunk begins, when the row itself stands before it; no part of the content.
    table_header: Mapped[str | None] = mapped_column(LongText, info=PERSONAL)
    # Fingerprint of chunker and limits: another one makes new chunks beside the old.
    chunker: Mapped[str] = mapped_column(Sha)
    char_start: Mapped[int]
    char_end: Mapped[int]
    overlap: Mapped[int]
    page_start: Mapped[int | None]
    page_end: Mapped[int | None]
    token_count: Mapped[int]
    status: Mapped[str] = mapped_column(Code, index=True)  # knowledge.lifecycle.ChunkStatus
    error_code: Mapped[str | None] = mapped_column(Code)
    # True from before its vectors are written until after they are dropped: what a sweep has to look at.
    indexed: Mapped[bool] = mapped_column(default=False, index=True)


class ChunkWindow(Base):
    """What is embedded: at most 800 characters, context (title path, repeated table header) included."""

    __tablename__ = "chunk_windows"
    __table_args__ = (UniqueConstraint("chunk_id", "ordinal"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, index=True)
    chunk_id: Mapped[int] = reference("chunks.id", ondelete="CASCADE", index=False)
    ordinal: Mapped[int]
    char_start: Mapped[int]
    char_end: Mapped[int]
    context: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    text_sha256: Mapped[str] = mapped_column(Sha, index=True)  # of the embedded text


class Model(Base):
    """A model that was used, as exactly as its provider tells."""

    __tablename__ = "models"
    __table_args__ = (UniqueConstraint("provider", "name", "digest", "kind"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    provider: Mapped[str] = mapped_column(Code)
    name: Mapped[str] = mapped_column(Name)
    digest: Mapped[str] = mapped_column(Sha)
    kind: Mapped[str] = mapped_column(Code)  # embedding | generation | extraction | reranking
    dimension: Mapped[int | None]


class Embedding(Base):
    """Vector and terms of one embedded text under one model; shared by all windows with that text."""

    __tablename__ = "embeddings"
    __table_args__ = (UniqueConstraint("model_id", "text_sha256"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    model_id: Mapped[int] = reference("models.id", index=False)
    text_sha256: Mapped[str] = mapped_column(Sha, index=True)
    vector: Mapped[bytes] = mapped_column(Blob, info=PERSONAL)  # float32, little endian; can be inverted to text
    terms: Mapped[bytes] = mapped_column(Blob, info=PERSONAL)  # stores.vectors.terms: zlib of "term\tcount\n"


class VectorPoint(Base):
    """One window in the embedded index; the id only grows, so that a snapshot plus what came later is the whole."""

    __tablename__ = "vector_points"
    __table_args__ = (TABLE_OPTIONS | {"sqlite_autoincrement": True},)
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    collection: Mapped[str] = mapped_column(Code, index=True)
    model_id: Mapped[int] = reference("models.id")
    chunk_id: Mapped[int] = mapped_column(index=True)
    document_id: Mapped[int] = mapped_column(index=True)
    language: Mapped[str] = mapped_column(Code)
    type: Mapped[str] = mapped_column(Code)
    text_sha256: Mapped[str] = mapped_column(Sha)


class IndexGeneration(Base):
    """Which model a collection was built with, and a counter that every change of its points moves."""

    __tablename__ = "index_generations"
    __table_args__ = (TABLE_OPTIONS,)
    collection: Mapped[str] = mapped_column(Code, primary_key=True)
    model_id: Mapped[int] = reference("models.id")
    generation: Mapped[int]
