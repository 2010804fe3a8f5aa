"""Scanning the watched folders: what was added, changed, moved, removed or came back, written in one transaction.

A scan looks at size, time and inode of every file and hashes only what differs from what was seen last. Reading and
hashing happen outside of any transaction; when another process has written a scan's results meanwhile, the whole is
done again on the new state. What is seen lives in `folder_walk`, what it means in `file_changes`; here the two meet
the database. Nothing is written when nothing changed. No document's text is read here.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from rag_assets.ledger.locks import hold_base
from rag_assets.offline import scan_results
from rag_assets.offline.file_changes import EMPTY_SHA256, FileChanges, SeenFile, compare
from rag_assets.offline.folder_walk import FoundFile, Walked, walk
from rag_assets.offline.source import Source
from rag_assets.stores import documents
from rag_assets.stores.archive import Archive
from rag_assets.stores.bulk import in_write
from rag_assets.stores.database import Connection, Database
from rag_assets.stores.documents import DocumentRow

# Another process that scans at the same time lets us begin again; then we scan while we hold the base.
ATTEMPTS: Final = 3
HASHING_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan found; uids of documents, in the order of their paths.

    `changed`, `moved`, `removed`, `returned` and `added` exclude each other. `duplicated` are documents that hold the
    same content as an older one. `skipped` (path, reason) are files that are no documents, `failed` (uid, code) those
    that could not be hashed, `oversize` (path, bytes) those that were not even tried. `restored` are documents whose
    archived original was damaged and copied again.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    duplicated: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    oversize: tuple[tuple[str, int], ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(slots=True)
class _View:
    """All that was seen of the sources, and the state of the database that it was compared with."""

    known: list[DocumentRow]
    seen: list[SeenFile]
    skipped: dict[str, tuple[str, str]] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    unsettled: set[str] = field(default_factory=set)
    """Paths of files that changed while they were hashed: the next scan will see them."""

    def is_unseen(self, path: str) -> bool:
        return path in self.unsettled or any(path.startswith(beginning) for beginning in self.unseen)


def scan(
    database: Database,
    sources: Sequence[Source],
    *,
    archive: Archive | None = None,
    max_bytes: int | None = None,
    full: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> ScanReport:
    """Bring the documents' rows in line with the folders of `sources`; documents of other sources are left alone.

    `archive` gets a line in its manifest for what moved, went or returned. Files of more than `max_bytes` are not
    hashed but noted as `too_large`. `full` hashes every file, also those that look unchanged.

    Raises:
        UsageError: `no_such_folder`, `no_permission`: the folder of a source cannot be looked into. Nothing is written
            then, for no source.
    """
    names = [source.name for source in sources]

    def look(connection_known: list[DocumentRow]) -> _View:
        return _look(sources, connection_known, max_bytes=max_bytes, full=full)

    for _ in range(ATTEMPTS):
        with database.read() as connection:
            known = documents.list_all(connection, include_removed=True, sources=names)
        view = look(known)
        changes = compare(view.known, view.seen, is_unseen=view.is_unseen)
        with database.read() as connection:
            if not scan_results.is_needed(connection, names, changes, view.skipped, view.unseen):
                return _report(changes, view, {})

        def write(connection: Connection, view: _View = view, changes: FileChanges = changes) -> ScanReport | None:
            hold_base(connection)
            present = documents.list_all(connection, include_removed=True, sources=names)
            if _state(present) != _state(view.known):
                return None
            return _write(connection, view, changes, names, archive, clock())

        report = in_write(database, write)
        if report is not None:
            return report

    def look_and_write(connection: Connection) -> ScanReport:
        hold_base(connection)
        view = look(documents.list_all(connection, include_removed=True, sources=names))
        changes = compare(view.known, view.seen, is_unseen=view.is_unseen)
        return _write(connection, view, changes, names, archive, clock())

    return in_write(database, look_and_write)


def _write(
    connection: Connection,
    view: _View,
    changes: FileChanges,
    names: Sequence[str],
    archive: Archive | None,
    now: datetime,
) -> ScanReport:
    added = scan_results.write(connection, names, changes, view.skipped, view.unseen, now=now)
    if archive is not None:
        # Before the commit: a crash in between repeats the lines, it never loses them.
        archive.record_all(scan_results.events(connection, changes, now=now))
    return _report(changes, view, added)


def _look(sources: Sequence[Source], known: list[DocumentRow], *, max_bytes: int | None, full: bool) -> _View:
    view = _View(known=known, seen=[])
    rows = {row.source_path: row for row in known}
    # All folders before the first hash: a missing one is told at once.
    walks: list[Walked] = [walk(source) for source in sources]
    for walked in walks:
        view.skipped |= walked.skipped
        view.unseen += walked.unseen
        for file in walked.files:
            row = rows.get(file.source_path)
            if max_bytes is not None and file.size > max_bytes:
                view.seen.append(SeenFile(file, None, "too_large"))
            elif row is not None and not full and _looks_unchanged(row, file):
                view.seen.append(SeenFile(file, row.seen_sha256))
            else:
                hashed = _hash(file)
                if hashed.error == "changed_while_read":
                    view.unsettled.add(file.source_path)
                elif hashed.error != "vanished":  # else it is gone, as if it had been so a moment earlier
                    view.seen.append(hashed)
    return view


def _looks_unchanged(row: DocumentRow, file: FoundFile) -> bool:
    return (
        row.seen_sha256 is not None
        and (row.seen_size, row.seen_mtime_ns, row.seen_inode) == (file.size, file.mtime_ns, file.inode)
        and row.error_code not in scan_results.FILE_ERRORS
    )


def _hash(file: FoundFile) -> SeenFile:
    """The file with its hash, or with the code that says why it has none."""
    path = file.source.folder / file.real
    for _ in range(HASHING_ATTEMPTS):
        try:
            # What was a file may be a pipe or a link by now: neither waits for a writer nor leads elsewhere.
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return SeenFile(file, None, "vanished")
        except OSError:
            return SeenFile(file, None, "unreadable")
        with os.fdopen(handle, "rb") as content:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                return SeenFile(file, None, "unreadable")
            try:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            except OSError:
                return SeenFile(file, None, "unreadable")
            after = os.fstat(handle)
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            inode = after.st_ino & 0x7FFF_FFFF_FFFF_FFFF
            now = FoundFile(
                file.source, file.source_path, file.relative, file.real, after.st_size, after.st_mtime_ns, inode
            )
            return SeenFile(now, digest)
    return SeenFile(file, None, "changed_while_read")


def _state(rows: Iterable[DocumentRow]) -> list[tuple[object, ...]]:
    """What a comparison depends on; the stages change other columns at any time."""
    return [
        (row.id, row.source_path, row.removed_at, row.seen_sha256, row.seen_size, row.seen_mtime_ns, row.seen_inode)
        for row in rows
    ]


def _report(changes: FileChanges, view: _View, added: Mapping[str, str]) -> ScanReport:
    def uids(pairs: Iterable[tuple[DocumentRow, SeenFile]]) -> tuple[str, ...]:
        return tuple(row.uid for row, _ in sorted(pairs, key=lambda pair: pair[1].path))

    failed = [(row.uid, file.error or "") for row, file in changes.failed]
    failed += [(added[file.path], file.error) for file in changes.added if file.error is not None]
    failed += [
        (row.uid, "changed_while_read")
        for row in view.known
        if row.source_path in view.unsettled and row.removed_at is None
    ]
    return ScanReport(
        added=tuple(added[file.path] for file in changes.added),
        changed=uids(changes.changed),
        moved=uids(changes.moved),
        removed=tuple(row.uid for row in changes.removed),
        returned=uids(changes.returned),
        duplicated=_duplicates(changes, added),
        unchanged=len(changes.unchanged),
        skipped=tuple((path, reason) for path, (_, reason) in sorted(view.skipped.items())),
        failed=tuple(sorted(failed)),
        oversize=tuple((file.path, file.file.size) for file in view.seen if file.error == "too_large"),
    )


def _duplicates(changes: FileChanges, added: Mapping[str, str]) -> tuple[str, ...]:
    newest = max((row.id for row, _ in changes.present()), default=0)
    present = [(row.id, file.path, row.uid, file.sha256) for row, file in changes.present()]
    present += [(newest + 1, file.path, added[file.path], file.sha256) for file in changes.added]
    contents: set[str] = set()
    found = []
    for _, path, uid, sha256 in sorted(present):
        if sha256 is None or sha256 == EMPTY_SHA256:
            continue
        if sha256 in contents:
            found.append((path, uid))
        contents.add(sha256)
    return tuple(uid for _, uid in sorted(found))
