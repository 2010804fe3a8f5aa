"""Documents: found, listed, and moved on by the stages. The one door to a document's rows for the layers above.

Versions and sections have modules of their own (`versions`, `sections`) and are offered here too. What a scan of the
folders writes (newcomers, moves, removals, skipped files) lives in `scanned`; how far a document is in
`ledger.stages`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, insert, select, update

from rag_assets.errors import UsageError
from rag_assets.knowledge.lifecycle import DocumentStatus, Kind, check_transition
from rag_assets.stores.installation import namespace
from rag_assets.stores.schema.governance import AuditLog
from rag_assets.stores.schema.sources import Document
from rag_assets.stores.sections import SectionRow, replace_sections, sections_of
from rag_assets.stores.tables import table_of
from rag_assets.stores.versions import (
    VersionRow,
    add_version,
    get_version,
    has_text,
    latest_version,
    note_pages,
    reading_of,
    store_reading,
    version_by_sha,
    versions,
)

__all__ = [
    "DocumentRow",
    "SectionRow",
    "VersionRow",
    "add_version",
    "by_partition_key",
    "current_version_id",
    "flip_current",
    "get",
    "get_by_id",
    "get_version",
    "has_text",
    "latest_version",
    "list_all",
    "namespace",
    "note_pages",
    "reading_of",
    "replace_sections",
    "resolve",
    "sections_of",
    "set_seen",
    "set_status",
    "store_reading",
    "version_by_sha",
    "versions",
]

_DOCUMENTS: Final = table_of(Document)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as stored; its columns are explained at `stores.schema.sources.Document`."""

    id: int
    uid: str
    source_path: str
    source: str
    title: str | None
    collection: str
    type: str
    language: str
    partition_key: str
    authority: float
    half_life_years: float
    audience: str
    published_on: date | None
    personal: bool
    local_only: bool
    status: str
    error_code: str | None
    current_version_id: int | None
    seen_size: int | None
    seen_mtime_ns: int | None
    seen_inode: int | None
    seen_sha256: str | None
    removed_at: datetime | None
    created_at: datetime

    @property
    def file_name(self) -> str:
        """Last part of the source path."""
        return self.source_path.rsplit("/", 1)[-1]


def get(connection: Connection, uid: str) -> DocumentRow:
    """The document with this uid, also when it was removed.

    Raises:
        UsageError: `unknown_document`.
    """
    found = _select(connection, _DOCUMENTS.c.uid == uid)
    if not found:
        raise UsageError("unknown_document", uid=uid)
    return found[0]


def get_by_id(connection: Connection, document_id: int) -> DocumentRow:
    """The document of a row that points to it.

    Raises:
        UsageError: `unknown_document`.
    """
    found = _select(connection, _DOCUMENTS.c.id == document_id)
    if not found:
        raise UsageError("unknown_document", id=document_id)
    return found[0]


def by_partition_key(connection: Connection, key: str) -> DocumentRow | None:
    """The document that Dagster knows by this key, also when it was removed."""
    found = _select(connection, _DOCUMENTS.c.partition_key == key)
    return found[0] if found else None


def resolve(connection: Connection, text: str) -> DocumentRow:
    """The document that a person means: its uid, its source path, or the unambiguous end of its path.

    An end that begins at a `/` goes before one that does not, and a document that is there before one that was
    removed: "coaching.md" is `campus/coaching.md` though `campus/lehrcoaching.md` exists too.

    Raises:
        UsageError: `unknown_document`, or `ambiguous_document` with the number of documents that fit.
    """
    wanted = unicodedata.normalize("NFC", text)
    found = _select(connection, (_DOCUMENTS.c.uid == wanted.lower()) | (_DOCUMENTS.c.source_path == wanted))
    if not found and wanted.strip("/ "):
        ending = _select(connection, _DOCUMENTS.c.source_path.endswith(wanted, autoescape=True))
        # SQLite's LIKE takes no notice of case.
        ending = [row for row in ending if row.source_path.endswith(wanted)]
        whole = [row for row in ending if row.source_path.endswith("/" + wanted.lstrip("/"))]
        found = whole or ending
        found = [row for row in found if row.removed_at is None] or found
    if not found:
        raise UsageError("unknown_document", "no document has this uid, path or end of a path")
    if len(found) > 1:
        raise UsageError("ambiguous_document", "the end of the path fits several documents", count=len(found))
    return found[0]


def list_all(
    connection: Connection, *, include_removed: bool = False, sources: Sequence[str] | None = None
) -> list[DocumentRow]:
    """All documents, or those of some sources, ordered by source path (by code point)."""
    conditions: list[ColumnElement[bool]] = []
    if not include_removed:
        conditions.append(_DOCUMENTS.c.removed_at.is_(None))
    if sources is not None:
        conditions.append(_DOCUMENTS.c.source.in_(list(sources)))
    return sorted(_select(connection, *conditions), key=lambda row: row.source_path)


def set_status(
    connection: Connection,
    document_id: int,
    status: DocumentStatus | str,
    error_code: str | None = None,
    *,
    now: datetime | None = None,
) -> bool:
    """Move a document's status and audit the move; writes nothing when it is already so.

    Returns whether something was written.

    Raises:
        IllegalTransition: the life cycle does not know this move.
        UsageError: `unknown_document`.
    """
    row = get_by_id(connection, document_id)
    after = DocumentStatus(status).value
    operation = check_transition(Kind.DOCUMENT, row.status, after)
    if (row.status, row.error_code) == (after, error_code):
        return False
    _update(connection, document_id, status=after, error_code=error_code)
    if operation is not None:
        connection.execute(
            insert(AuditLog).values(
                at=now or datetime.now(UTC),
                actor="machine",
                action=operation,
                subject_type=Kind.DOCUMENT.value,
                subject_uid=row.uid,
                from_state=row.status,
                to_state=after,
            )
        )
    return True


def set_seen(connection: Connection, document_id: int, *, sha256: str) -> DocumentRow:
    """Correct the content last seen: the file changed between the scan and its archiving.

    Size and times stay unknown, so that the next scan looks at the file again.
    """
    _update(connection, document_id, seen_sha256=sha256, seen_size=None, seen_mtime_ns=None, seen_inode=None)
    return get_by_id(connection, document_id)


def current_version_id(connection: Connection, document_id: int) -> int | None:
    """Id of the version that answers; None before the first was taken in."""
    return connection.scalar(select(_DOCUMENTS.c.current_version_id).where(_DOCUMENTS.c.id == document_id))


def flip_current(connection: Connection, document_id: int, version_id: int) -> None:
    """Let this version answer from now on: title, language and date of the document become the version's."""
    document = get_by_id(connection, document_id)
    version = get_version(connection, version_id)
    wanted = {
        "current_version_id": version_id,
        "title": version.title,
        "language": version.language or document.language,
        "published_on": version.published_on,
    }
    changes = {name: value for name, value in wanted.items() if value != getattr(document, name)}
    if changes:
        _update(connection, document_id, **changes)


def _select(connection: Connection, *conditions: ColumnElement[bool]) -> list[DocumentRow]:
    query = select(_DOCUMENTS).where(*conditions).order_by(_DOCUMENTS.c.id)
    return [DocumentRow(**row) for row in connection.execute(query).mappings()]


def _update(connection: Connection, document_id: int, **values: object) -> None:
    connection.execute(update(_DOCUMENTS).where(_DOCUMENTS.c.id == document_id).values(**values))
