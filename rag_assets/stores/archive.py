"""The archive of originals: every content that was ever taken in, by its SHA-256, read-only, verified when it is read.

Objects lie at `ab/cd/<sha256>` and are never changed or renamed; what happened to which path stands in the manifest
beside them (`stores.manifest`), the installation's namespace in a file of its own. Together they are what a rebuild
of the knowledge starts from. Copying is safe under kill -9 and with any number of processes: an object appears whole,
by a rename, or not at all.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from rag_assets.errors import DocumentError, RagError, StoreError
from rag_assets.stores import failures
from rag_assets.stores.manifest import Event, EventKind, Manifest

BLOCK: Final = 1 << 20
# What a killed process left behind is cleared away when it is certainly not being written any more.
STALE_S: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class ArchiveObject:
    """An archived content: its hash (hex), its place below the archive's folder, its size in bytes."""

    sha256: str
    path: str
    size: int


class Archive:
    """The archive in one folder, which is made at the first use.

    ```python
    archive = Archive(home / "archive")
    original = archive.put(Path("examples/documents/skript.pdf"))
    archive.verified(original.sha256)  # the path of the copy, its content checked
    ```
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest(folder / "manifest.jsonl")

    def put(self, source: Path) -> ArchiveObject:
        """Copy a file into the archive; read once, hashed on the way.

        Content that is there already is not written again, unless the archived copy is damaged.

        Raises:
            DocumentError: `vanished`, `unreadable`, `changed_while_read`.
            ServiceError: `disk_full`.
            StoreError: `no_permission`, the archive's folder cannot be written.
        """
        with _open_source(source) as original:
            before = os.fstat(original.fileno())
            with self._temporary() as (copy, temporary):
                digest, size = _copy(original, copy)
                _refuse_change(source, before, os.fstat(original.fileno()), size)
                target = self._path(digest)
                if not _holds(target, digest, size):
                    with _archive_errors():
                        os.fsync(copy.fileno())
                        os.fchmod(copy.fileno(), 0o444)
                        self._make_folder(target.parent)
                        temporary.replace(target)
                        _sync_folder(target.parent)
        return ArchiveObject(digest, target.relative_to(self.folder).as_posix(), size)

    def verified(self, sha256: str) -> Path:
        """Path of an archived content, after its bytes were checked.

        Raises:
            StoreError: `archive_corrupt`, the object is missing or damaged.
        """
        if not self.is_intact(sha256):
            raise StoreError("archive_corrupt", sha256=sha256)
        return self._path(sha256)

    def is_intact(self, sha256: str) -> bool:
        """Whether there is an object of this hash whose bytes have it."""
        try:
            with self._path(sha256).open("rb") as stored:
                return hashlib.file_digest(stored, "sha256").hexdigest() == sha256
        except OSError:
            return False

    def has(self, sha256: str, *, size: int | None = None) -> bool:
        """Whether there is an object of this hash, and of this size; its bytes are not checked."""
        try:
            found = self._path(sha256).stat()
        except OSError:
            return False
        return stat.S_ISREG(found.st_mode) and size in (None, found.st_size)

    def objects(self) -> Iterator[str]:
        """Hashes of all archived contents, in order."""
        for path in sorted(self.folder.glob("[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]/*")):
            if _is_hash(path.name):
                yield path.name

    def record(
        self,
        kind: EventKind,
        path: str,
        *,
        sha256: str,
        document_uid: str,
        at: datetime,
        moved_from: str | None = None,
    ) -> None:
        """Add one event to the manifest; see `Event`.

        Raises:
            ServiceError, StoreError: as with `put`.
        """
        self.record_all([Event(kind, path, sha256, document_uid, at, moved_from)])

    def record_all(self, events: Iterable[Event]) -> None:
        """Add several events at once, all of them or none."""
        with _archive_errors():
            self.folder.mkdir(parents=True, exist_ok=True)
            self.manifest.append(events)

    def events(self) -> list[Event]:
        """All events of the manifest, oldest first; a line that a crash tore off is cut away.

        Raises:
            StoreError: `archive_corrupt`, a line in the middle is damaged.
        """
        return self.manifest.read()

    def namespace(self) -> UUID | None:
        """The installation's namespace as kept beside the originals; None when none was kept yet.

        Raises:
            StoreError: `archive_corrupt`, the file does not hold one; `no_permission`, it cannot be read.
        """
        try:
            return UUID((self.folder / "namespace").read_text(encoding="ascii").strip())
        except FileNotFoundError:
            return None
        except OSError as error:
            hint = "RAG_HOME must be a folder that the user who runs this may read and write."
            raise StoreError("no_permission", "the archive cannot be read", hint=hint) from error
        except ValueError:
            hint = "Restore the file `namespace` of the archive from a backup."
            raise StoreError("archive_corrupt", "the file `namespace` does not hold a UUID", hint=hint) from None

    def keep_namespace(self, namespace: UUID) -> None:
        """Keep the namespace beside the originals, so that a rebuild mints the same uids."""
        if self.namespace() == namespace:
            return
        with _archive_errors(), self._temporary() as (file, temporary):
            _write(file, f"{namespace}\n".encode())
            os.fsync(file.fileno())
            temporary.replace(self.folder / "namespace")
            _sync_folder(self.folder)

    def _path(self, sha256: str) -> Path:
        if not _is_hash(sha256):
            raise ValueError("not a SHA-256 in hexadecimal")
        return self.folder / sha256[:2] / sha256[2:4] / sha256

    @contextmanager
    def _temporary(self) -> Iterator[tuple[FileIO, Path]]:
        """A new file on the same disk; gone at the end unless it was renamed."""
        folder = self.folder / "tmp"
        with _archive_errors():
            self._make_folder(folder)
            _clear_stale(folder)
            handle, name = tempfile.mkstemp(dir=folder)
        path = Path(name)
        try:
            # Unbuffered: a full disk shows at the write, not once more at closing.
            with os.fdopen(handle, "wb", buffering=0) as file:
                yield file, path
        finally:
            path.unlink(missing_ok=True)

    def _make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        folder.mkdir(parents=True, exist_ok=True)
        # The names of new folders must be on the disk before the object counts as archived.
        for parent in (folder.parent, folder.parent.parent):
            _sync_folder(parent)


def _is_hash(name: str) -> bool:
    return len(name) == 64 and set(name) <= set("0123456789abcdef")


def _open_source(path: Path) -> BinaryIO:
    """Open a regular file; a link or a pipe put in its place is not followed and does not block."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise DocumentError("vanished") from None
    except OSError as error:
        raise DocumentError("unreadable", reason=errno.errorcode.get(error.errno or 0, "unknown")) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise DocumentError("unreadable", "not a file")
    return os.fdopen(handle, "rb")


def _copy(original: BinaryIO, copy: FileIO) -> tuple[str, int]:
    """Hash and length of what was copied."""
    hashed = hashlib.sha256()
    size = 0
    while True:
        try:
            block = original.read(BLOCK)
        except OSError as error:
            raise DocumentError("unreadable", reason=errno.errorcode.get(error.errno or 0, "unknown")) from None
        if not block:
            break
        hashed.update(block)
        size += len(block)
        with _archive_errors():
            _write(copy, block)
    return hashed.hexdigest(), size


def _write(file: FileIO, block: bytes) -> None:
    left = memoryview(block)
    while left:
        left = left[file.write(left) :]


def _refuse_change(path: Path, before: os.stat_result, after: os.stat_result, size: int) -> None:
    """Another size or time means that the copy may mix two contents; another inode, that it is the old one's."""
    try:
        now = path.stat(follow_symlinks=False)
    except OSError:
        raise DocumentError("vanished") from None
    states = {(state.st_size, state.st_mtime_ns, state.st_ino) for state in (before, after, now)}
    if len(states) > 1 or size != before.st_size:
        raise DocumentError("changed_while_read")


def _holds(path: Path, sha256: str, size: int) -> bool:
    try:
        with path.open("rb") as stored:
            return os.fstat(stored.fileno()).st_size == size and (
                hashlib.file_digest(stored, "sha256").hexdigest() == sha256
            )
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _clear_stale(folder: Path) -> None:
    limit = time.time() - STALE_S
    for left in folder.iterdir():
        # Another process may clear the same file.
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < limit:
                left.unlink()


@contextmanager
def _archive_errors() -> Iterator[None]:
    try:
        yield
    except RagError:
        raise
    except OSError as error:
        meaning = failures.of_system(error)
        raise meaning or StoreError("disk_failed", "the archive's folder cannot be used") from error
