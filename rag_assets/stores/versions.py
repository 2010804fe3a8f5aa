"""The immutable contents of documents: one row for each content of each document, and what was read from it.

Which of a document's versions answers is a matter of the document (`documents.flip_current`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256 as sha256_of
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, update

from rag_assets.errors import StoreError
from rag_assets.knowledge import ids
from rag_assets.stores.installation import namespace
from rag_assets.stores.schema.sources import Document, DocumentVersion
from rag_assets.stores.tables import table_of

_DOCUMENTS: Final = table_of(Document)
_VERSIONS: Final = table_of(DocumentVersion)
_COLUMNS: Final = [column for column in _VERSIONS.columns if column.name not in {"text", "layout"}]

TITLE_LENGTH: Final = 500
AUTHORS_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One content of a document, without its text (see `reading_of`). `text_sha256` is None until it was read."""

    id: int
    uid: str
    document_id: int
    number: int
    sha256: str
    archive_path: str | None
    mime_type: str | None
    byte_size: int
    title: str | None
    authors: tuple[str, ...]
    language: str | None
    published_on: date | None
    page_count: int | None
    needs_ocr_pages: int
    text_sha256: str | None
    repairs: Mapping[str, int]
    """Name of a repair of the cleaning step → how often."""
    warnings: tuple[str, ...]
    """Codes."""
    reader: str | None
    erased_at: datetime | None
    created_at: datetime


def add_version(
    connection: Connection,
    document_id: int,
    sha256: str,
    *,
    byte_size: int,
    archive_path: str | None = None,
    mime_type: str | None = None,
    now: datetime | None = None,
) -> VersionRow:
    """The version of a document with this content, made with the next number when there is none.

    Content that comes back (A → B → A) takes its old row up again, with its number and its evidence; `archive_path`
    and `mime_type` then correct what the row knows.
    """
    # The document is held: of two processes that take in the same content, the second finds the first one's version.
    document_uid = connection.scalar(select(Document.uid).where(Document.id == document_id).with_for_update())
    known = version_by_sha(connection, document_id, sha256)
    if known is None:
        highest = connection.scalar(select(func.max(_VERSIONS.c.number)).where(_VERSIONS.c.document_id == document_id))
        connection.execute(
            insert(_VERSIONS).values(
                uid=ids.uid(namespace(connection), "document_version", f"{document_uid}:{sha256}"),
                document_id=document_id,
                number=(highest or 0) + 1,
                sha256=sha256,
                archive_path=archive_path,
                mime_type=mime_type,
                byte_size=byte_size,
                needs_ocr_pages=0,
                created_at=now or datetime.now(UTC),
            )
        )
    else:
        news = {"archive_path": archive_path, "mime_type": mime_type}
        changes = {name: value for name, value in news.items() if value is not None and value != getattr(known, name)}
        if not changes:
            return known
        connection.execute(update(_VERSIONS).where(_VERSIONS.c.id == known.id).values(**changes))
    added = version_by_sha(connection, document_id, sha256)
    assert added is not None
    return added


def version_by_sha(connection: Connection, document_id: int, sha256: str) -> VersionRow | None:
    """The version of a document with this content, if it was ever taken in."""
    query = select(*_COLUMNS).where(_VERSIONS.c.document_id == document_id, _VERSIONS.c.sha256 == sha256)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _version(row)


def latest_version(connection: Connection, document_id: int) -> VersionRow | None:
    """The version with the highest number: the newest content, not necessarily the one that answers."""
    query = select(*_COLUMNS).where(_VERSIONS.c.document_id == document_id)
    row = connection.execute(query.order_by(_VERSIONS.c.number.desc()).limit(1)).mappings().one_or_none()
    return None if row is None else _version(row)


def versions(connection: Connection, document_id: int) -> list[VersionRow]:
    """All versions of a document, oldest first."""
    query = select(*_COLUMNS).where(_VERSIONS.c.document_id == document_id).order_by(_VERSIONS.c.number)
    return [_version(row) for row in connection.execute(query).mappings()]


def get_version(connection: Connection, version_id: int) -> VersionRow:
    """The version of a row that points to it.

    Raises:
        StoreError: `database_damaged`, when there is no such version.
    """
    row = connection.execute(select(*_COLUMNS).where(_VERSIONS.c.id == version_id)).mappings().one_or_none()
    if row is None:
        raise StoreError("database_damaged", "a version is missing", version_id=version_id)
    return _version(row)


def has_text(connection: Connection, version_id: int) -> bool:
    """Whether the version was read (and not erased since)."""
    found = connection.scalar(select(_VERSIONS.c.id).where(_VERSIONS.c.id == version_id, _VERSIONS.c.text.is_not(None)))
    return found is not None


def reading_of(connection: Connection, version_id: int) -> tuple[str, str]:
    """Canonical text and layout (JSON) of a version that was read.

    Raises:
        StoreError: `database_damaged`, when the version is missing or has no text.
    """
    row = connection.execute(
        select(_VERSIONS.c.text, _VERSIONS.c.layout).where(_VERSIONS.c.id == version_id)
    ).one_or_none()
    if row is None or row.text is None:
        raise StoreError("database_damaged", "a version has no text", version_id=version_id)
    return row.text, row.layout or "{}"


@dataclass(frozen=True, slots=True)
class Original:
    """The archived original of a document that is there: the content that its source held at the last scan."""

    document_uid: str
    source: str
    source_path: str
    sha256: str
    byte_size: int


def present_originals(connection: Connection, *, sources: Sequence[str] | None = None) -> list[Original]:
    """The originals of all documents that are there, or of those of some sources, ordered by source path."""
    query = (
        select(
            _DOCUMENTS.c.uid, _DOCUMENTS.c.source, _DOCUMENTS.c.source_path, _VERSIONS.c.sha256, _VERSIONS.c.byte_size
        )
        .join(_VERSIONS, _VERSIONS.c.document_id == _DOCUMENTS.c.id)
        .where(_DOCUMENTS.c.removed_at.is_(None), _VERSIONS.c.sha256 == _DOCUMENTS.c.seen_sha256)
    )
    if sources is not None:
        query = query.where(_DOCUMENTS.c.source.in_(list(sources)))
    return sorted((Original(*row) for row in connection.execute(query)), key=lambda original: original.source_path)


def note_pages(connection: Connection, version_id: int, *, pages: int, needs_ocr_pages: int) -> None:
    """Keep of a version without text how many pages it has, and how many of them show something."""
    connection.execute(
        update(_VERSIONS)
        .where(_VERSIONS.c.id == version_id)
        .values(page_count=pages or None, needs_ocr_pages=needs_ocr_pages)
    )


def store_reading(
    connection: Connection,
    version_id: int,
    *,
    text: str,
    layout: str,
    repairs: str,
    warnings: str,
    reader: str,
    mime_type: str,
    title: str | None = None,
    authors: Sequence[str] = (),
    language: str | None = None,
    published_on: date | None = None,
    page_count: int | None = None,
    needs_ocr_pages: int = 0,
) -> None:
    """Write what a reader and the cleaning step made of a version.

    `layout`, `repairs` (name → count) and `warnings` (list of codes) are JSON. Title and authors are cut to what
    their columns hold.
    """
    connection.execute(
        update(_VERSIONS)
        .where(_VERSIONS.c.id == version_id)
        .values(
            text=text,
            text_sha256=sha256_of(text.encode()).hexdigest(),
            layout=layout,
            repairs=repairs,
            warnings=warnings,
            reader=reader,
            mime_type=mime_type,
            title=None if title is None else title[:TITLE_LENGTH],
            authors=_join_authors(authors),
            language=language,
            published_on=published_on,
            page_count=page_count,
            needs_ocr_pages=needs_ocr_pages,
        )
    )


def _version(row: Mapping[Any, Any]) -> VersionRow:
    values = dict(row)
    values["authors"] = tuple(values["authors"].split("; ")) if values["authors"] else ()
    values["repairs"] = json.loads(values["repairs"] or "{}")
    values["warnings"] = tuple(json.loads(values["warnings"] or "[]"))
    return VersionRow(**values)


def _join_authors(authors: Sequence[str]) -> str | None:
    # Whole names only: half a name would be another person.
    kept: list[str] = []
    for author in authors:
        name = author.replace("; ", ", ").strip()
        if name and len("; ".join([*kept, name])) <= AUTHORS_LENGTH:
            kept.append(name)
    return "; ".join(kept) or None
