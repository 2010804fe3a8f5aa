"""Looking through a watched folder: which files are documents, which are left out and why. Nothing is opened here.

Links are never followed, so that no loop and no file outside of the folder is met; what is no regular file (pipes,
sockets, devices) and what programs leave beside documents is left out with a reason.
"""

from __future__ import annotations

import errno
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from rag_assets.errors import UsageError
from rag_assets.offline.source import Source, spelling
from rag_assets.stores.scanned import PATH_LENGTH

# Names that programs give to what is not a document, with the reason told.
_JUNK: Final = (
    ("lock_file", re.compile(r"~\$.*|\.~lock\..*#?|.*\.lck")),
    ("unfinished", re.compile(r".*\.(tmp|temp|part|partial|crdownload|download)|~.*\.tmp", re.IGNORECASE)),
    ("backup", re.compile(r".*~|#.*#|.*\.(bak|wbk|sw[op])", re.IGNORECASE)),
    (
        "system_file",
        re.compile(r"(thumbs|ehthumbs)\.db|desktop\.ini|\.ds_store|\._.*|\.nfs.*|\.fuse_hidden.*", re.IGNORECASE),
    ),
)
_JUNK_FOLDERS: Final = frozenset(
    {"__macosx", "$recycle.bin", "system volume information", "@eadir", "#recycle", "lost+found"}
)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that belongs to a source, as the folder shows it; `real` is its path with its real name."""

    source: Source
    source_path: str
    relative: str
    real: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(slots=True)
class Walked:
    """What a walk found. `unseen` are beginnings of source paths that could not be looked into."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Source path → source's name and reason."""
    unseen: list[str] = field(default_factory=list)

    def is_unseen(self, source_path: str) -> bool:
        """Whether nothing can be said about the file at this path."""
        return any(source_path.startswith(beginning) for beginning in self.unseen)


def junk_reason(name: str) -> str | None:
    """Why a file of this name is no document, or None when it may be one."""
    return next((reason for reason, pattern in _JUNK if pattern.fullmatch(name)), None)


def walk(source: Source) -> Walked:
    """Look through the folder of a source, in no particular order.

    Raises:
        UsageError: `no_such_folder`, `no_permission`; of the folder itself. A subfolder that cannot be looked into is
            listed as skipped, and its files count as unseen, not as gone.
    """
    found = Walked()
    waiting = [("", "")]
    while waiting:
        real, relative = waiting.pop()
        try:
            with os.scandir(source.folder / real) as entries:
                waiting += list(_look(source, real, relative, entries, found))
        except OSError as error:
            if not real:
                raise _root_error(source, error) from None
            if error.errno not in {errno.ENOENT, errno.ENOTDIR}:  # else it has just been removed
                found.unseen.append(source.source_path(relative) + "/")
                _skip(found, source, relative, "unreadable_folder")
    _leave_one_of_twins(found)
    return found


def _look(
    source: Source, real: str, relative: str, entries: Iterator[os.DirEntry[str]], found: Walked
) -> Iterator[tuple[str, str]]:
    """Sort the entries of one folder; yields its subfolders."""
    for entry in entries:
        name = entry.name
        real_below = f"{real}/{name}" if real else name
        if not name.isascii():
            if not _is_text(name):
                _skip(found, source, f"{relative}/{_shown(name)}" if relative else _shown(name), "name_not_utf8")
                continue
            name = unicodedata.normalize("NFC", name)
        below = f"{relative}/{name}" if relative else name
        try:
            if entry.is_symlink():
                if source.takes(below):
                    _skip(found, source, below, _link_reason(source.folder, entry.path))
            elif entry.is_dir(follow_symlinks=False):
                if name.casefold() in _JUNK_FOLDERS:
                    _skip(found, source, below, "system_file")
                elif source.enters(below):
                    yield real_below, below
            else:
                _take(source, entry, real_below, below, found)
        except FileNotFoundError:
            continue  # went away between listing and looking


def _take(source: Source, entry: os.DirEntry[str], real: str, relative: str, found: Walked) -> None:
    reason = junk_reason(entry.name)
    if reason is None:
        if not source.takes(relative):
            return
        if not entry.is_file(follow_symlinks=False):
            reason = "not_a_file"
    source_path = source.source_path(relative)
    if reason is None and len(source_path) > PATH_LENGTH:
        reason = "path_too_long"
    if reason is not None:
        _skip(found, source, relative, reason)
        return
    state = entry.stat(follow_symlinks=False)
    # File systems may use all 64 bits of an inode; the databases have a sign.
    inode = state.st_ino & 0x7FFF_FFFF_FFFF_FFFF
    found.files.append(FoundFile(source, source_path, relative, real, state.st_size, state.st_mtime_ns, inode))


def _leave_one_of_twins(found: Walked) -> None:
    """Of files whose names differ in their Unicode form only, take the one in NFC, else the first."""
    by_path: dict[str, FoundFile] = {}
    for file in found.files:
        twin = by_path.get(file.source_path)
        if twin is None or spelling(file.real) < spelling(twin.real):
            by_path[file.source_path] = file
    if len(by_path) == len(found.files):
        return
    for file in found.files:
        if by_path[file.source_path] is not file:
            _skip(found, file.source, f"{file.relative} ({file.real!a})", "same_name")
    found.files = list(by_path.values())


def _skip(found: Walked, source: Source, relative: str, reason: str) -> None:
    path = source.source_path(relative)
    if len(path) > PATH_LENGTH:
        mark = "… " + sha256(path.encode()).hexdigest()[:8]
        path = path[: PATH_LENGTH - len(mark)] + mark
    found.skipped[path] = (source.name, reason)


def _link_reason(folder: Path, path: str) -> str:
    root, target = os.path.realpath(folder), os.path.realpath(path)
    if target != root and not target.startswith(root.rstrip("/") + "/"):
        return "link_outside"
    return "link" if os.path.lexists(target) else "link_broken"


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _root_error(source: Source, error: OSError) -> UsageError:
    if error.errno in {errno.EACCES, errno.EPERM}:
        return UsageError("no_permission", "the folder of a source cannot be read", source=source.name)
    return UsageError("no_such_folder", "the folder of a source is not there", source=source.name)
