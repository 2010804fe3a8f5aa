"""The chunks that may answer, with everything that ranking, the context and the source list need.

Only chunks that are `embedded`, of the current version of a document that is still there, leave this module: a stale
vector can never surface. How chunks come to be so lives in `stores.chunks`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from rag_assets.knowledge.lifecycle import ChunkStatus
from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.derivatives import Chunk
from rag_assets.stores.schema.sources import Document, DocumentSection, DocumentVersion


@dataclass(frozen=True, slots=True)
class LoadedChunk:
    """A chunk that may answer, with everything that ranking, the context and the source list need."""

    id: int
    content: str
    content_sha256: str
    title_path: str
    heading: str
    ordinal: int
    char_start: int
    char_end: int
    overlap: int
    page_start: int | None
    page_end: int | None
    token_count: int
    document_id: int
    document_uid: str
    version_id: int
    title: str | None
    source_path: str
    collection: str
    type: str
    language: str
    authority: float
    half_life_years: float
    audience: tuple[str, ...]
    local_only: bool
    published_on: date | None
    version_created_at: datetime
    table_header: str = ""
    """Header row of the table that the chunk goes on with."""

    @property
    def file_name(self) -> str:
        """Last part of the source path."""
        return self.source_path.rsplit("/", 1)[-1]


def living_ids(connection: Connection) -> dict[str, set[int]]:
    """Ids of the chunks that may answer, by collection: what the index must hold, no more and no less."""
    found: dict[str, set[int]] = {}
    for collection, chunk_id in connection.execute(_answering(select(Document.collection, Chunk.id))):
        found.setdefault(collection, set()).add(chunk_id)
    return found


def load(connection: Connection, chunk_ids: Iterable[int]) -> list[LoadedChunk]:
    """The chunks among `chunk_ids` that may answer, ordered by id."""
    columns = select(
        Chunk.id,
        Chunk.content,
        Chunk.content_sha256,
        Chunk.title_path,
        DocumentSection.heading,
        Chunk.ordinal,
        Chunk.char_start,
        Chunk.char_end,
        Chunk.overlap,
        Chunk.page_start,
        Chunk.page_end,
        Chunk.token_count,
        Document.id.label("document_id"),
        Document.uid.label("document_uid"),
        Chunk.document_version_id,
        Document.title,
        Document.source_path,
        Document.collection,
        Document.type,
        Document.language,
        Document.authority,
        Document.half_life_years,
        Document.audience,
        Document.local_only,
        Document.published_on,
        DocumentVersion.created_at,
        func.coalesce(Chunk.table_header, ""),
    )
    query = _answering(columns).outerjoin(DocumentSection, DocumentSection.id == Chunk.section_id)
    loaded = []
    for ids in batches(sorted(set(chunk_ids))):
        for row in connection.execute(query.where(Chunk.id.in_(ids))):
            values: list[Any] = list(row)
            values[4] = values[4] or ""
            values[22] = tuple(values[22].split(","))
            loaded.append(LoadedChunk(*values))
    return loaded


def _answering(query: Any) -> Select[Any]:
    joined: Select[Any] = (
        query.select_from(Chunk)
        .join(DocumentVersion, DocumentVersion.id == Chunk.document_version_id)
        .join(
            Document,
            (Document.id == DocumentVersion.document_id) & (Document.current_version_id == DocumentVersion.id),
        )
        .where(Chunk.status == ChunkStatus.EMBEDDED, Document.removed_at.is_(None))
        .order_by(Chunk.id)
    )
    return joined
