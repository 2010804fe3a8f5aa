"""Where things stand: pages and sections of a version, spans of a chunk's windows, collections that may answer.

What answering looks up beside the chunks themselves. Spans point into the canonical text of the version; pages are
1-based, as a viewer counts them.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, select

from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.derivatives import ChunkWindow
from rag_assets.stores.schema.sources import Document, DocumentVersion
from rag_assets.stores.sections import SectionRow, sections_of


@dataclass(frozen=True, slots=True)
class Places:
    """Pages (number, label, start, end) in the order of the text, and sections in pre-order."""

    pages: tuple[tuple[int, str | None, int, int], ...]
    sections: tuple[SectionRow, ...]

    def page(self, offset: int) -> tuple[int | None, str | None]:
        """Number and printed label of the page that holds the character; (None, None) without pages."""
        before = bisect_right([start for _, _, start, _ in self.pages], offset)
        return self.pages[before - 1][:2] if before else (None, None)

    def section(self, offset: int) -> str | None:
        """Heading of the deepest section around the character that has one; None when only the document has."""
        around = [row for row in self.sections if row.start <= offset < row.end and row.level > 0 and row.heading]
        return around[-1].heading if around else None


def places(connection: Connection, version_ids: Collection[int]) -> dict[int, Places]:
    """Version id → its places, for the versions that exist."""
    found: dict[int, Places] = {}
    for some in batches(sorted(set(version_ids))):
        query = select(DocumentVersion.id, DocumentVersion.layout).where(DocumentVersion.id.in_(some))
        for version_id, layout in connection.execute(query):
            pages = sorted((tuple(page) for page in json.loads(layout or "{}").get("pages", ())), key=lambda p: p[2])
            found[version_id] = Places(tuple(pages), tuple(sections_of(connection, version_id)))
    return found


def window_spans(connection: Connection, chunk_ids: Collection[int]) -> dict[int, list[tuple[str, int, int]]]:
    """Chunk id → uid, start and end of its windows, in order."""
    found: dict[int, list[tuple[str, int, int]]] = {}
    for some in batches(sorted(set(chunk_ids))):
        query = (
            select(ChunkWindow.chunk_id, ChunkWindow.uid, ChunkWindow.char_start, ChunkWindow.char_end)
            .where(ChunkWindow.chunk_id.in_(some))
            .order_by(ChunkWindow.chunk_id, ChunkWindow.ordinal)
        )
        for chunk_id, uid, start, end in connection.execute(query):
            found.setdefault(chunk_id, []).append((uid, start, end))
    return found


def collections(connection: Connection) -> tuple[str, ...]:
    """Names of the collections that hold documents which may answer, sorted."""
    query = (
        select(Document.collection)
        .where(Document.current_version_id.is_not(None), Document.removed_at.is_(None))
        .distinct()
        .order_by(Document.collection)
    )
    return tuple(connection.scalars(query))
