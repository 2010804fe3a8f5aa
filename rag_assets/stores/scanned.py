"""What a scan of the folders writes: newcomers, changed columns, moves, paths with their times, skipped files.

Here lives the writing in bulk, and the minting of ids. What a scan concludes from what it saw lives in
`offline.file_changes`. Every function writes only rows that it was given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, select

from rag_assets.knowledge import ids
from rag_assets.knowledge.lifecycle import DocumentStatus
from rag_assets.stores.bulk import batches, ids_by_key, insert_rows, update_by_id, update_each
from rag_assets.stores.documents import DocumentRow
from rag_assets.stores.installation import namespace
from rag_assets.stores.schema.sources import Document, DocumentPath, SkippedFile
from rag_assets.stores.tables import table_of

_DOCUMENTS: Final = table_of(Document)
_PATHS: Final = table_of(DocumentPath)
_SKIPPED: Final = table_of(SkippedFile)

PATH_LENGTH: Final = 700
"""Longest source path, in characters."""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be added. What is personal keeps its name out of the partition key."""

    source_path: str
    source: str
    collection: str
    type: str
    authority: float
    half_life_years: float
    audience: str
    personal: bool
    local_only: bool
    status: str = DocumentStatus.PENDING.value
    error_code: str | None = None
    seen_size: int | None = None
    seen_mtime_ns: int | None = None
    seen_inode: int | None = None
    seen_sha256: str | None = None


def add_documents(connection: Connection, new: Sequence[NewDocument], *, now: datetime) -> list[str]:
    """Add documents and their paths; returns their uids, in the order given.

    A path that another document was first seen at (and left) gives the next generation: another uid, another key.
    """
    minted = _mint(connection, new)
    rows = [
        asdict(document) | {"uid": uid, "partition_key": key, "language": "und", "created_at": now}
        for document, (uid, key) in zip(new, minted, strict=True)
    ]
    insert_rows(connection, _DOCUMENTS, rows)
    uids = [uid for uid, _ in minted]
    row_ids = ids_by_key(connection, _DOCUMENTS, "uid", uids)
    record_paths(
        connection, [(row_ids[uid], document.source_path) for uid, document in zip(uids, new, strict=True)], now=now
    )
    return uids


def change_documents(connection: Connection, changes: Mapping[int, Mapping[str, Any]]) -> None:
    """Give documents (by id) new values of some columns."""
    by_columns: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for document_id, values in changes.items():
        if values:
            by_columns.setdefault(tuple(sorted(values)), []).append({"row_id": document_id, **values})
    for rows in by_columns.values():
        update_each(connection, _DOCUMENTS, rows)


def move_documents(
    connection: Connection, moves: Mapping[int, tuple[str, str]], vacated: Sequence[DocumentRow], *, now: datetime
) -> None:
    """Give documents (id → old and new path) their new paths, also when they exchange them.

    `vacated` are removed documents whose path another one takes; they keep a path that tells what they were.
    """
    change_documents(connection, {row.id: {"source_path": vacated_path(row)} for row in vacated})
    # Through a path that nobody else has: two that exchange their paths would break the unique key.
    change_documents(connection, {document_id: {"source_path": f"?{document_id}"} for document_id in moves})
    change_documents(connection, {document_id: {"source_path": new} for document_id, (_, new) in moves.items()})
    both = [(document_id, path) for document_id, paths in moves.items() for path in paths]
    record_paths(connection, both, now=now)


def vacated_path(row: DocumentRow) -> str:
    """The path of a removed document after another one took its place."""
    mark = f" (removed {row.uid[:8]})"
    return row.source_path[: PATH_LENGTH - len(mark)] + mark


def record_paths(connection: Connection, seen: Sequence[tuple[int, str]], *, now: datetime) -> None:
    """Note that documents (by id) were seen at, or just left, these paths."""
    known = _known_paths(connection, {document_id for document_id, _ in seen})
    update_by_id(connection, _PATHS, [known[entry] for entry in seen if entry in known], last_seen=now)
    insert_rows(
        connection,
        _PATHS,
        [
            {"document_id": document_id, "path": path, "first_seen": now, "last_seen": now}
            for document_id, path in seen
            if (document_id, path) not in known
        ],
    )


def paths_of(connection: Connection, document_id: int) -> list[tuple[str, datetime, datetime]]:
    """All paths that a document was seen at, with the first and the last time, oldest first."""
    query = (
        select(_PATHS.c.path, _PATHS.c.first_seen, _PATHS.c.last_seen)
        .where(_PATHS.c.document_id == document_id)
        .order_by(_PATHS.c.id)
    )
    return [(path, first, last) for path, first, last in connection.execute(query)]


def skipped_files(connection: Connection, *, sources: Sequence[str] | None = None) -> dict[str, str]:
    """Files that are not documents: source path → reason; all, or those of some sources."""
    query = select(_SKIPPED.c.source_path, _SKIPPED.c.reason).order_by(_SKIPPED.c.source_path)
    if sources is not None:
        query = query.where(_SKIPPED.c.source.in_(list(sources)))
    return {row.source_path: row.reason for row in connection.execute(query)}


def change_skipped(connection: Connection, *, gone: Collection[str], new: Sequence[tuple[str, str, str]]) -> None:
    """Take out the rows of these paths, add those of (source, source path, reason)."""
    for batch in batches(sorted(gone)):
        connection.execute(delete(_SKIPPED).where(_SKIPPED.c.source_path.in_(batch)))
    rows = [{"source": source, "source_path": path, "reason": reason} for source, path, reason in new]
    insert_rows(connection, _SKIPPED, rows)


def _known_paths(connection: Connection, document_ids: Collection[int]) -> dict[tuple[int, str], int]:
    known: dict[tuple[int, str], int] = {}
    for batch in batches(sorted(document_ids)):
        query = select(_PATHS.c.document_id, _PATHS.c.path, _PATHS.c.id).where(_PATHS.c.document_id.in_(batch))
        known.update({(document_id, path): row_id for document_id, path, row_id in connection.execute(query)})
    return known


def _mint(connection: Connection, new: Sequence[NewDocument]) -> list[tuple[str, str]]:
    """Uid and partition key for each newcomer, in the lowest generation in which both are free."""
    space = namespace(connection)
    minted: dict[int, tuple[str, str]] = {}
    open_ = dict.fromkeys(range(len(new)), 0)  # index → generation to try
    used: set[str] = set()
    while open_:
        tried = {
            index: (
                ids.uid(space, "document", new[index].source_path, generation),
                ids.partition_key(space, new[index].source_path, opaque=new[index].personal, generation=generation),
            )
            for index, generation in open_.items()
        }
        used |= _taken(connection, _DOCUMENTS, "uid", [uid for uid, _ in tried.values()])
        used |= _taken(connection, _DOCUMENTS, "partition_key", [key for _, key in tried.values()])
        for index, (uid, key) in tried.items():
            if uid in used or key in used:
                open_[index] += 1
            else:
                minted[index] = (uid, key)
                used |= {uid, key}
                del open_[index]
    return [minted[index] for index in range(len(new))]


def _taken(connection: Connection, table: Table, column: str, values: Sequence[str]) -> set[str]:
    return set(ids_by_key(connection, table, column, values))
