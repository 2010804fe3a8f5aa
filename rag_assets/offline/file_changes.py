"""What changed between what the database knows of the files and what a scan saw: a pure comparison.

A document keeps its identity where it lies, and when its file is moved. A move is known by equal content:

- the old path is gone, or the file there arrived by a move itself (two files exchanged, a whole row passed on), or
- the old path has other content and the file at the new one is the very same (inode): it was moved away and a
  newcomer took its place. A copy made before the original was edited has another inode: the original changed.

A move never ends at a path that another living document holds, unless that one moved away as well: a file that is
written over by another one has changed. Empty files are never taken for each other. Moves stay within a source: every
source may be scanned alone, and from another one a document takes another place in the collections.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from rag_assets.offline.folder_walk import FoundFile
from rag_assets.stores.documents import DocumentRow

EMPTY_SHA256: Final = sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file as a scan saw it: its content's hash, or the code that says why there is none."""

    file: FoundFile
    sha256: str | None
    error: str | None = None

    @property
    def path(self) -> str:
        """Its source path."""
        return self.file.source_path


@dataclass(slots=True)
class FileChanges:
    """What happened to which document. Each document that is there stands in one list, beside `vacated`."""

    unchanged: list[tuple[DocumentRow, SeenFile]] = field(default_factory=list)
    """The same content at the same path; size, time or inode may differ."""
    changed: list[tuple[DocumentRow, SeenFile]] = field(default_factory=list)
    moved: list[tuple[DocumentRow, SeenFile]] = field(default_factory=list)
    """Also documents that had been removed and now lie elsewhere."""
    returned: list[tuple[DocumentRow, SeenFile]] = field(default_factory=list)
    """Files at the path of a removed document, with its content or another."""
    failed: list[tuple[DocumentRow, SeenFile]] = field(default_factory=list)
    """Files that could not be hashed."""
    added: list[SeenFile] = field(default_factory=list)
    removed: list[DocumentRow] = field(default_factory=list)
    vacated: list[DocumentRow] = field(default_factory=list)
    """Removed documents whose path a moved one takes."""

    def present(self) -> Iterable[tuple[DocumentRow, SeenFile]]:
        """All documents that have a file now, with it."""
        for group in (self.unchanged, self.changed, self.moved, self.returned, self.failed):
            yield from group


def compare(known: Sequence[DocumentRow], seen: Sequence[SeenFile], *, is_unseen: Callable[[str], bool]) -> FileChanges:
    """Compare all documents of some sources, removed ones included, with all files seen in them.

    `is_unseen` tells the paths of which nothing is known (a folder that could not be read): their documents stay as
    they are.
    """
    changes = FileChanges()
    rows = {row.source_path: row for row in known}
    files = {file.path: file for file in seen}
    gone = [row for path, row in rows.items() if row.removed_at is None and path not in files and not is_unseen(path)]
    # Files that lay elsewhere: one that now lies where a removed document had the same content was moved there.
    left = {
        (row.seen_sha256, row.seen_inode)
        for path, row in rows.items()
        if row.removed_at is None and path in files and files[path].sha256 not in (None, row.seen_sha256)
    }
    left |= {(row.seen_sha256, row.seen_inode) for row in gone}
    arrived: list[SeenFile] = []
    for file in sorted(seen, key=lambda file: file.path):
        row = rows.get(file.path)
        if row is None:
            arrived.append(file)
        elif file.error is not None:
            changes.failed.append((row, file))
        elif file.sha256 == row.seen_sha256 and row.removed_at is None:
            changes.unchanged.append((row, file))
        elif file.sha256 == row.seen_sha256 and (file.sha256, file.file.inode) not in left:
            changes.returned.append((row, file))
        else:
            arrived.append(file)

    moves = _moves(rows, files, arrived, is_unseen)
    moved = {row.id for row in moves.values()}
    for file in arrived:
        row = rows.get(file.path)
        mover = moves.get(file.path)
        if mover is not None:
            changes.moved.append((mover, file))
            if row is not None and row.id not in moved:
                changes.vacated.append(row)
        elif row is None or row.id in moved:
            changes.added.append(file)
        elif row.removed_at is None:
            changes.changed.append((row, file))
        else:
            changes.returned.append((row, file))
    changes.removed = [row for row in gone if row.id not in moved]
    return changes


def _moves(
    rows: Mapping[str, DocumentRow],
    files: Mapping[str, SeenFile],
    arrived: Sequence[SeenFile],
    is_unseen: Callable[[str], bool],
) -> dict[str, DocumentRow]:
    """The documents that moved, by their new path."""
    contents = {file.sha256 for file in arrived if file.error is None}
    displaced = [row for row in _displaced(rows, files, is_unseen) if row.seen_sha256 in contents]
    may_leave = {row.id for row in displaced}
    by_path = {file.path: file for file in arrived if _is_free(rows.get(file.path), may_leave)}
    refuted: set[tuple[str, int]] = set()
    # Moves may need each other (an exchange), so all are supposed to hold until one is refuted.
    while True:
        pairs = _pair(by_path.values(), displaced, refuted)
        leaving = {row.id for row in pairs.values()}
        wrong = {
            (path, row.id)
            for path, row in pairs.items()
            if not (_is_free(rows.get(path), leaving) and _has_left(row, by_path[path], files, pairs))
        }
        if not wrong:
            return pairs
        refuted |= wrong


def _is_free(holder: DocumentRow | None, leaving: set[int]) -> bool:
    return holder is None or holder.removed_at is not None or holder.id in leaving


def _has_left(
    row: DocumentRow, file: SeenFile, files: Mapping[str, SeenFile], pairs: Mapping[str, DocumentRow]
) -> bool:
    return (
        row.removed_at is not None
        or row.source_path not in files
        or row.source_path in pairs
        or (row.seen_inode is not None and row.seen_inode == file.file.inode)
    )


def _displaced(
    rows: Mapping[str, DocumentRow], files: Mapping[str, SeenFile], is_unseen: Callable[[str], bool]
) -> list[DocumentRow]:
    """Documents whose content is not at their path, those most likely to have moved first."""
    found = []
    for path, row in rows.items():
        if row.seen_sha256 is None or row.seen_sha256 == EMPTY_SHA256:
            continue
        file = files.get(path)
        if file is None:
            if row.removed_at is None and is_unseen(path):
                continue
        elif file.error is not None or file.sha256 == row.seen_sha256:
            continue
        found.append((row.removed_at is not None, file is not None, path, row))
    return [entry[-1] for entry in sorted(found, key=lambda entry: entry[:3])]


def _pair(
    arrived: Iterable[SeenFile], displaced: Sequence[DocumentRow], refuted: Set[tuple[str, int]]
) -> dict[str, DocumentRow]:
    """New path → document of the same content: the same file first, then the same name, then any, in order."""
    pairs: dict[str, DocumentRow] = {}
    taken: set[int] = set()
    likenesses: list[tuple[Callable[[SeenFile], Hashable], Callable[[DocumentRow], Hashable]]] = [
        (lambda file: file.file.inode, lambda row: row.seen_inode),
        (lambda file: file.path.rsplit("/", 1)[-1], lambda row: row.file_name),
        (lambda _file: None, lambda _row: None),
    ]
    for of_file, of_row in likenesses:
        waiting: defaultdict[Hashable, list[DocumentRow]] = defaultdict(list)
        for row in reversed(displaced):
            if row.id not in taken:
                waiting[row.source, row.seen_sha256, of_row(row)].append(row)
        for file in arrived:
            alike = waiting.get((file.file.source.name, file.sha256, of_file(file)))
            if file.path in pairs or file.error is not None or not alike:
                continue
            place = next((n for n in reversed(range(len(alike))) if (file.path, alike[n].id) not in refuted), None)
            if place is not None:
                pairs[file.path] = alike.pop(place)
                taken.add(pairs[file.path].id)
    return pairs
