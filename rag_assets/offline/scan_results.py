"""Writing what a scan concluded: rows of documents, paths, skipped files, audit; and the lines for the manifest.

The rows that a file's place gives (type, authority, …) follow sources.yaml here, on every scan. Only differences are
written; `is_needed` tells beforehand whether there are any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rag_assets.knowledge.lifecycle import DocumentStatus, Kind, StageStatus, check_transition
from rag_assets.ledger import audit, stages
from rag_assets.ledger.audit import AuditEntry
from rag_assets.offline.file_changes import FileChanges, SeenFile
from rag_assets.stores import documents, scanned
from rag_assets.stores.database import Connection
from rag_assets.stores.documents import DocumentRow
from rag_assets.stores.manifest import Event
from rag_assets.stores.scanned import NewDocument

FILE_ERRORS: Final = frozenset({"unreadable", "vanished", "changed_while_read", "too_large"})
"""Codes that say something of the file, not of its content: the next scan may find it mended."""

_PROCESSING: Final = DocumentStatus.PROCESSING.value
_ERROR: Final = DocumentStatus.ERROR.value


def is_needed(
    connection: Connection,
    names: Sequence[str],
    changes: FileChanges,
    skipped: Mapping[str, tuple[str, str]],
    unseen: Sequence[str],
) -> bool:
    """Whether `write` would write anything."""
    if changes.added or changes.changed or changes.moved or changes.removed or changes.returned:
        return True
    if any(row.removed_at is not None or _columns(row, file) for row, file in changes.present()):
        return True
    if any(_status_after(connection, row, file) != (row.status, row.error_code) for row, file in changes.present()):
        return True
    gone, new = _skipped_changes(connection, names, skipped, unseen)
    return bool(gone or new)


def write(
    connection: Connection,
    names: Sequence[str],
    changes: FileChanges,
    skipped: Mapping[str, tuple[str, str]],
    unseen: Sequence[str],
    *,
    now: datetime,
) -> dict[str, str]:
    """Write all differences in the caller's transaction; returns the uids of the newcomers by source path."""
    entries: list[AuditEntry] = []
    moves = {row.id: (row.source_path, file.path) for row, file in changes.moved}
    scanned.move_documents(connection, moves, changes.vacated, now=now)

    columns: dict[int, dict[str, Any]] = {row.id: {"removed_at": now} for row in changes.removed}
    for row, file in changes.present():
        values = _columns(row, file)
        if row.removed_at is not None:
            values["removed_at"] = None
        status, error_code = _status_after(connection, row, file)
        if (status, error_code) != (row.status, row.error_code):
            entries += _status_entries(row, status)
            values |= {"status": status, "error_code": error_code}
        if values:
            columns[row.id] = values
    scanned.change_documents(connection, columns)
    left = [(row.id, row.source_path) for row in changes.removed]
    back = [(row.id, file.path) for row, file in changes.returned]
    scanned.record_paths(connection, left + back, now=now)

    entries += _file_entries(changes, columns)
    uids = scanned.add_documents(connection, [_newcomer(file) for file in changes.added], now=now)
    for uid, file in zip(uids, changes.added, strict=True):
        entries += _newcomer_entries(uid, file)
    gone, new = _skipped_changes(connection, names, skipped, unseen)
    scanned.change_skipped(connection, gone=gone, new=new)
    audit.record(connection, entries, at=now)
    return {file.path: uid for uid, file in zip(uids, changes.added, strict=True)}


def events(connection: Connection, changes: FileChanges, *, now: datetime) -> list[Event]:
    """What the archive's manifest has to know. A content that is new is noted when it is archived."""

    def event(kind: Any, row: DocumentRow, path: str, sha256: str | None, moved_from: str | None = None) -> Event:
        return Event(kind, path, sha256 or row.seen_sha256 or "", row.uid, now, moved_from)

    found = [event("moved", row, file.path, file.sha256, row.source_path) for row, file in changes.moved]
    found += [event("removed", row, row.source_path, None) for row in changes.removed]
    found += [event("returned", row, file.path, file.sha256) for row, file in changes.returned]
    for row, file in changes.changed:
        # A content of earlier comes back: it lies in the archive already, and nobody else would note it.
        if file.sha256 and documents.version_by_sha(connection, row.id, file.sha256) is not None:
            found.append(event("seen", row, file.path, file.sha256))
    return found


def _columns(row: DocumentRow, file: SeenFile) -> dict[str, Any]:
    """The columns in which the document differs from the file and its place."""
    wanted = _placement(file)
    if file.error is None:
        wanted |= {
            "seen_size": file.file.size,
            "seen_mtime_ns": file.file.mtime_ns,
            "seen_inode": file.file.inode,
            "seen_sha256": file.sha256,
        }
    return {name: value for name, value in wanted.items() if value != getattr(row, name)}


def _placement(file: SeenFile) -> dict[str, Any]:
    source = file.file.source
    placement = source.placement_of(file.file.relative)
    return {
        "source": source.name,
        "collection": source.collection,
        "type": placement.type,
        "authority": float(placement.authority),
        "half_life_years": float(placement.half_life_years),
        "audience": ",".join(placement.audience),
        "personal": placement.personal,
        "local_only": placement.local_only,
    }


def _newcomer(file: SeenFile) -> NewDocument:
    return NewDocument(
        source_path=file.path,
        status=_ERROR if file.error else DocumentStatus.PENDING.value,
        error_code=file.error,
        seen_size=file.file.size,
        seen_mtime_ns=file.file.mtime_ns,
        seen_inode=file.file.inode,
        seen_sha256=file.sha256,
        **_placement(file),
    )


def _status_after(connection: Connection, row: DocumentRow, file: SeenFile) -> tuple[str, str | None]:
    """Status and error code that the document gets by this scan; mostly those it has."""
    if file.error is not None:
        return _ERROR, file.error
    if row.status != _ERROR or row.error_code not in FILE_ERRORS:
        return row.status, row.error_code
    # The file can be had again (or smaller): what the stages say of its content holds.
    version = documents.version_by_sha(connection, row.id, file.sha256 or "")
    done = stages.rows_of(connection, version.id) if version is not None else {}
    failed = next((done[stage] for stage in stages.STAGES if stage in done and done[stage].error_code), None)
    if failed is not None:
        return _ERROR, failed.error_code
    if "chunks" in done and done["chunks"].status == StageStatus.DONE:
        return DocumentStatus.DONE.value, None
    return DocumentStatus.PENDING.value, None


def _status_entries(row: DocumentRow, after: str) -> Iterator[AuditEntry]:
    """The legal way from the document's status to another: through `processing`."""
    before = row.status
    steps = [after] if before == _PROCESSING else [_PROCESSING, after]
    for step in steps:
        operation = check_transition(Kind.DOCUMENT, before, step)
        if operation is not None:
            yield _entry(operation, row.uid, before, step)
        before = step


def _newcomer_entries(uid: str, file: SeenFile) -> Iterator[AuditEntry]:
    before: str | None = None
    steps = [DocumentStatus.PENDING.value, *([_PROCESSING, _ERROR] if file.error else [])]
    for step in steps:
        operation = check_transition(Kind.DOCUMENT, before, step)
        assert operation is not None
        yield _entry(operation, uid, before, step)
        before = step


def _file_entries(changes: FileChanges, columns: Mapping[int, Mapping[str, Any]]) -> Iterator[AuditEntry]:
    """What happened to the files, which moves no status; and documents whose place says something else now."""

    def entry(action: str, row: DocumentRow) -> AuditEntry:
        status = columns.get(row.id, {}).get("status", row.status)
        return _entry(action, row.uid, status, status)

    for row in changes.removed:
        yield entry("remove", row)
    for action, pairs in (("move", changes.moved), ("change", changes.changed)):
        for row, _ in pairs:
            yield entry(action, row)
    placed = set(_PLACED)
    for row, _ in changes.present():
        if row.removed_at is not None:
            yield entry("return", row)
        if placed & columns.get(row.id, {}).keys():
            yield entry("place", row)


_PLACED: Final = ("collection", "type", "authority", "half_life_years", "audience", "personal", "local_only")


def _entry(action: str, uid: str, before: str | None, after: str) -> AuditEntry:
    return AuditEntry(audit.MACHINE, action, Kind.DOCUMENT.value, uid, before, after)


def _skipped_changes(
    connection: Connection, names: Sequence[str], skipped: Mapping[str, tuple[str, str]], unseen: Sequence[str]
) -> tuple[set[str], list[tuple[str, str, str]]]:
    """Rows to take out and rows to add; a changed reason is both. Under folders not seen all stays."""
    stored = scanned.skipped_files(connection, sources=names)
    gone = {
        path
        for path, reason in stored.items()
        if (path not in skipped or skipped[path][1] != reason)
        and not any(path.startswith(beginning) for beginning in unseen)
    }
    new = [
        (name, path, reason)
        for path, (name, reason) in sorted(skipped.items())
        if path not in stored or stored[path] != reason
    ]
    return gone, new
