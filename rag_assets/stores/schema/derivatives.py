"""What is computed from a version and may be thrown away and made again: chunks, windows, embeddings, index points."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ColumnClause, UniqueConstraint

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
    column,
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
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, unique=True)
    document_version_id: ColumnClause[int] = reference("document_versions.id", ondelete="CASCADE", index=False)
    section_id: ColumnClause[int | None] = reference("document_sections.id", ondelete="SET NULL")
    ordinal: ColumnClause[int]
    content: ColumnClause[str] = column(LongText, info=PERSONAL)
    content_sha256: ColumnClause[str] = column(Sha, index=True)
    title_path: ColumnClause[str] = column(LongText, info=PERSONAL)
    # Fingerprint of chunker and limits: another one makes new chunks beside the old.
    chunker: ColumnClause[str] = column(Sha)
    char_start: ColumnClause[int]
    char_end: ColumnClause[int]
    overlap: ColumnClause[int]
    page_start: ColumnClause[int | None]
    page_end: ColumnClause[int | None]
    token_count: ColumnClause[int]
    status: ColumnClause[str] = column(Code, index=True)  # knowledge.lifecycle.ChunkStatus
    error_code: ColumnClause[str | None] = column(Code)
    # True from before its vectors are written until after they are dropped: what a sweep has to look at.
    indexed: ColumnClause[bool] = column(default=False, index=True)


class ChunkWindow(Base):
    """What is embedded: at most 800 characters, context (title path, repeated table header) included."""

    __tablename__ = "chunk_windows"
    __table_args__ = (UniqueConstraint("chunk_id", "ordinal"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, index=True)
    chunk_id: ColumnClause[int] = reference("chunks.id", ondelete="CASCADE", index=False)
    ordinal: ColumnClause[int]
    char_start: ColumnClause[int]
    char_end: ColumnClause[int]
    context: ColumnClause[str] = column(LongText, info=PERSONAL)
    text_sha256: ColumnClause[str] = column(Sha, index=True)  # of the embedded text


class Model(Base):
    """A model that was used, as exactly as its provider tells."""

    __tablename__ = "models"
    __table_args__ = (UniqueConstraint("provider", "name", "digest", "kind"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    provider: ColumnClause[str] = column(Code)
    name: ColumnClause[str] = column(Name)
    digest: ColumnClause[str] = column(Sha)
    kind: ColumnClause[str] = column(Code)  # embedding | generation | extraction | reranking
    dimension: ColumnClause[int | None]


class Embedding(Base):
    """Vector and terms of one embedded text under one model; shared by all windows with that text."""

    __tablename__ = "embeddings"
    __table_args__ = (UniqueConstraint("model_id", "text_sha256"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    model_id: ColumnClause[int] = reference("models.id", index=False)
    text_sha256: ColumnClause[str] = column(Sha, index=True)
    vector: ColumnClause[bytes] = column(Blob, info=PERSONAL)  # float32, little endian; can be inverted to text
    terms: ColumnClause[bytes] = column(Blob, info=PERSONAL)  # stores.vectors.terms: zlib of "term\tcount\n"


class VectorPoint(Base):
    """One window in the embedded index; the id only grows, so that a snapshot plus what came later is the whole."""

    __tablename__ = "vector_points"
    __table_args__ = (TABLE_OPTIONS | {"sqlite_autoincrement": True},)
    id: ColumnClause[int] = primary_key()
    uid: ColumnClause[str] = column(Uid, unique=True)
    collection: ColumnClause[str] = column(Code, index=True)
    model_id: ColumnClause[int] = reference("models.id")
    chunk_id: ColumnClause[int] = column(index=True)
    document_id: ColumnClause[int] = column(index=True)
    language: ColumnClause[str] = column(Code)
    type: ColumnClause[str] = column(Code)
    text_sha256: ColumnClause[str] = column(Sha)


class IndexGeneration(Base):
    """Which model a collection was built with, and a counter that every change of its points moves."""

    __tablename__ = "index_generations"
    __table_args__ = (TABLE_OPTIONS,)
    collection: ColumnClause[str] = column(Code, primary_key=True)
    model_id: ColumnClause[int] = reference("models.id")
    generation: ColumnClause[int]
