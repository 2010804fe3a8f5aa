"""Chunks and their windows: written by the chunking stage, moved through their life cycle.

What may answer is decided in `stores.answering`; vectors live in `stores.embeddings` and `stores.vectors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from rag_assets.knowledge.lifecycle import ChunkStatus, Kind, check_transition
from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.derivatives import Chunk, ChunkWindow
from rag_assets.stores.schema.sources import Document, DocumentSection, DocumentVersion


@dataclass(frozen=True, slots=True)
class NewWindow:
    """A window to be stored; offsets into the version's text."""

    uid: str
    ordinal: int
    char_start: int
    char_end: int
    context: str
    text_sha256: str


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be stored with its windows."""

    uid: str
    ordinal: int
    section_ordinal: int
    content: str
    content_sha256: str
    title_path: str
    char_start: int
    char_end: int
    overlap: int
    page_start: int | None
    page_end: int | None
    token_count: int
    table_header: str
    windows: tuple[NewWindow, ...]


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A stored chunk."""

    id: int
    uid: str
    ordinal: int
    content: str
    title_path: str
    char_start: int
    char_end: int
    token_count: int
    status: str


@dataclass(frozen=True, slots=True)
class WindowRow:
    """A stored window with what is needed to embed and index it; `embedded_text` is context and text."""

    uid: str
    chunk_id: int
    embedded_text: str
    text_sha256: str


def embedded_text(context: str, text: str) -> str:
    """What is embedded of a window: its context on a line of its own, then its text."""
    return f"{context}\n{text}" if context else text


def add(connection: Connection, version_id: int, chunker: str, new: Sequence[NewChunk]) -> None:
    """Store the chunks that `chunker` made of a version.

    Chunks of an earlier run of the same chunker are taken up again (deprecated ones go back to `created`); those of
    another chunker are deprecated.
    """
    existing = {
        row.uid: row
        for row in connection.execute(
            select(Chunk.id, Chunk.uid, Chunk.status, Chunk.chunker).where(Chunk.document_version_id == version_id)
        )
    }
    wanted = {chunk.uid for chunk in new}
    gone = [row.id for row in existing.values() if row.uid not in wanted and row.status != ChunkStatus.DEPRECATED]
    _set_status(connection, gone, ChunkStatus.DEPRECATED)
    revived = [row.id for uid, row in existing.items() if uid in wanted and row.status == ChunkStatus.DEPRECATED]
    _set_status(connection, revived, ChunkStatus.CREATED)

    sections = {
        ordinal: section_id
        for ordinal, section_id in connection.execute(
            select(DocumentSection.ordinal, DocumentSection.id).where(DocumentSection.document_version_id == version_id)
        )
    }
    # A new reading may have made new section rows: the kept chunks point to them again.
    for chunk in new:
        if chunk.uid in existing:
            connection.execute(
                update(Chunk)
                .where(Chunk.id == existing[chunk.uid].id)
                .values(section_id=sections.get(chunk.section_ordinal))
            )
    fresh = [chunk for chunk in new if chunk.uid not in existing]
    if not fresh:
        return
    check_transition(Kind.CHUNK, None, ChunkStatus.CREATED)
    connection.execute(
        insert(Chunk),
        [
            {
                "uid": chunk.uid,
                "document_version_id": version_id,
                "section_id": sections.get(chunk.section_ordinal),
                "ordinal": chunk.ordinal,
                "content": chunk.content,
                "content_sha256": chunk.content_sha256,
                "title_path": chunk.title_path,
                "table_header": chunk.table_header or None,
                "chunker": chunker,
                "char_start": chunk.char_start,
                "char_end": chunk.char_end,
                "overlap": chunk.overlap,
                "page_start": chunk.page_start,
                "page_end": chunk.page_end,
                "token_count": chunk.token_count,
                "status": ChunkStatus.CREATED.value,
                "indexed": False,
            }
            for chunk in fresh
        ],
    )
    ids = {
        uid: chunk_id
        for uid, chunk_id in connection.execute(
            select(Chunk.uid, Chunk.id).where(Chunk.document_version_id == version_id)
        )
    }
    connection.execute(
        insert(ChunkWindow),
        [
            {
                "uid": window.uid,
                "chunk_id": ids[chunk.uid],
                "ordinal": window.ordinal,
                "char_start": window.char_start,
                "char_end": window.char_end,
                "context": window.context,
                "text_sha256": window.text_sha256,
            }
            for chunk in fresh
            for window in chunk.windows
        ],
    )


def of_version(connection: Connection, version_id: int) -> list[ChunkRow]:
    """The chunks of a version that are not deprecated, in order."""
    query = (
        select(
            Chunk.id,
            Chunk.uid,
            Chunk.ordinal,
            Chunk.content,
            Chunk.title_path,
            Chunk.char_start,
            Chunk.char_end,
            Chunk.token_count,
            Chunk.status,
        )
        .where(Chunk.document_version_id == version_id, Chunk.status != ChunkStatus.DEPRECATED)
        .order_by(Chunk.ordinal)
    )
    return [ChunkRow(*row) for row in connection.execute(query)]


def windows_of_version(connection: Connection, version_id: int) -> list[WindowRow]:
    """The windows of a version's living chunks, in order, with the text that is embedded."""
    query = (
        select(
            ChunkWindow.uid,
            ChunkWindow.chunk_id,
            ChunkWindow.context,
            ChunkWindow.char_start,
            ChunkWindow.char_end,
            ChunkWindow.text_sha256,
            Chunk.char_start,
            Chunk.content,
        )
        .join(Chunk, Chunk.id == ChunkWindow.chunk_id)
        .where(Chunk.document_version_id == version_id, Chunk.status != ChunkStatus.DEPRECATED)
        .order_by(Chunk.ordinal, ChunkWindow.ordinal)
    )
    return [
        WindowRow(uid, chunk_id, embedded_text(context, content[start - base : end - base]), sha)
        for uid, chunk_id, context, start, end, sha, base, content in connection.execute(query)
    ]


def start_embedding(connection: Connection, version_id: int) -> list[int]:
    """Mark the version's chunks as being embedded; from now on the index may hold points of them.

    Returns the ids of those that it may hold points of already.
    """
    rows = connection.execute(
        select(Chunk.id, Chunk.status, Chunk.indexed).where(
            Chunk.document_version_id == version_id, Chunk.status != ChunkStatus.DEPRECATED
        )
    ).all()
    for row in rows:
        check_transition(Kind.CHUNK, row.status, ChunkStatus.EMBEDDING)
    for ids in batches([row.id for row in rows]):
        connection.execute(
            update(Chunk).where(Chunk.id.in_(ids)).values(status=ChunkStatus.EMBEDDING.value, indexed=True)
        )
    return [row.id for row in rows if row.indexed]


def finish_embedding(connection: Connection, version_id: int, *, failed: str | None = None) -> None:
    """Mark the chunks being embedded as `embedded`, or as failed with this code."""
    after = ChunkStatus.EMBEDDED if failed is None else ChunkStatus.ERROR
    check_transition(Kind.CHUNK, ChunkStatus.EMBEDDING, after)
    connection.execute(
        update(Chunk)
        .where(Chunk.document_version_id == version_id, Chunk.status == ChunkStatus.EMBEDDING)
        .values(status=after.value, error_code=failed)
    )


def deprecate_version(connection: Connection, version_id: int) -> None:
    """Deprecate all chunks of a version that no longer answers."""
    ids = connection.scalars(
        select(Chunk.id).where(Chunk.document_version_id == version_id, Chunk.status != ChunkStatus.DEPRECATED)
    ).all()
    _set_status(connection, ids, ChunkStatus.DEPRECATED)


def versions_to_retire(connection: Connection) -> list[int]:
    """Versions that have living chunks although they must not answer: of documents that were removed."""
    query = (
        select(Chunk.document_version_id)
        .join(DocumentVersion, DocumentVersion.id == Chunk.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_id)
        .where(Document.removed_at.is_not(None), Chunk.status != ChunkStatus.DEPRECATED)
        .distinct()
    )
    return list(connection.scalars(query))


def to_unindex(connection: Connection) -> dict[str, list[int]]:
    """Deprecated chunks whose vectors may still be in the index, by collection."""
    query = (
        select(Document.collection, Chunk.id)
        .join(DocumentVersion, DocumentVersion.id == Chunk.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_id)
        .where(Chunk.status == ChunkStatus.DEPRECATED, Chunk.indexed.is_(True))
        .order_by(Chunk.id)
    )
    found: dict[str, list[int]] = {}
    for collection, chunk_id in connection.execute(query):
        found.setdefault(collection, []).append(chunk_id)
    return found


def mark_unindexed(connection: Connection, chunk_ids: Iterable[int]) -> None:
    """Say that the index holds nothing of these deprecated chunks any more."""
    for ids in batches(list(chunk_ids)):
        connection.execute(
            update(Chunk).where(Chunk.id.in_(ids), Chunk.status == ChunkStatus.DEPRECATED).values(indexed=False)
        )


def _set_status(connection: Connection, chunk_ids: Sequence[int], after: ChunkStatus) -> None:
    for ids in batches(chunk_ids):
        for before in connection.scalars(select(Chunk.status).where(Chunk.id.in_(ids)).distinct()):
            check_transition(Kind.CHUNK, before, after)
        connection.execute(update(Chunk).where(Chunk.id.in_(ids)).values(status=after.value, error_code=None))
