"""The archive's manifest: what happened to which path, one JSON line an event, only ever added to.

Appending is one write under a lock, so that two processes never mix their lines. A process killed while writing leaves
at most a torn last line; the next reader or writer cuts it off. The same event may stand twice (a process died after
the manifest and before the database's commit): whoever replays it must not mind.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, cast, get_args

from rag_assets.errors import StoreError

EventKind = Literal["seen", "moved", "removed", "returned"]

_KINDS: Final = frozenset(get_args(EventKind))
_TAIL: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to a document at a path.

    `seen`: it has this content at this path. `moved`: it lies at `path` now and left `moved_from`. `removed`,
    `returned`: the file went away from `path`, or is there again. `sha256` is the content known then.
    """

    kind: EventKind
    path: str
    sha256: str
    document_uid: str
    at: datetime
    moved_from: str | None = None

    def to_line(self) -> bytes:
        """The event as one line."""
        values = {
            "event": self.kind,
            "path": self.path,
            "sha256": self.sha256,
            "document": self.document_uid,
            "at": self.at.astimezone(UTC).isoformat(),
        }
        if self.moved_from is not None:
            values["from"] = self.moved_from
        # ASCII only: a line feed in a file's name must not become one in the manifest.
        return json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Event:
        """Read an event back.

        Raises:
            ValueError: the line is not one.
        """
        values = json.loads(line)
        try:
            kind = values["event"]
            if kind not in _KINDS:
                raise ValueError("unknown event")
            return cls(
                cast("EventKind", kind),
                values["path"],
                values["sha256"],
                values["document"],
                datetime.fromisoformat(values["at"]),
                values.get("from"),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("not an event") from error


class Manifest:
    """The manifest in one file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def append(self, events: Iterable[Event]) -> None:
        """Add events, all of them or none, and wait until they are on the disk.

        Raises:
            OSError: the file cannot be written; what was written of the events is taken back.
        """
        data = b"".join(event.to_line() for event in events)
        if not data:
            return
        handle = os.open(self.file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            with _locked(handle):
                end = _cut_torn_line(handle)
                try:
                    written = os.write(handle, data)
                    while written < len(data):  # a full disk: the next write says so
                        written += os.write(handle, data[written:])
                    os.fsync(handle)
                except OSError:
                    os.ftruncate(handle, end)
                    raise
        finally:
            os.close(handle)

    def read(self) -> list[Event]:
        """All events, oldest first; a torn last line is cut off.

        Raises:
            StoreError: `archive_corrupt`, another line is damaged.
        """
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return []
        if content and not content.endswith(b"\n"):
            content = self._repaired()
        events = []
        for number, line in enumerate(content.splitlines(), start=1):
            try:
                events.append(Event.from_line(line))
            except ValueError:
                raise StoreError("archive_corrupt", "a line of the manifest is damaged", line=number) from None
        return events

    def _repaired(self) -> bytes:
        try:
            handle = os.open(self.file, os.O_RDWR | os.O_CLOEXEC)
        except PermissionError:
            # A reader without the right to write leaves the torn line to the next writer.
            return self.file.read_bytes().rpartition(b"\n")[0]
        try:
            # Under the lock: what looked torn may have been another process in the middle of its write.
            with _locked(handle):
                _cut_torn_line(handle)
                return self.file.read_bytes()
        finally:
            os.close(handle)


@contextmanager
def _locked(handle: int) -> Iterator[None]:
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)


def _cut_torn_line(handle: int) -> int:
    """Cut off what stands behind the last line feed; gives the length that is left."""
    end = os.fstat(handle).st_size
    position = end
    while position > 0:
        start = max(0, position - _TAIL)
        block = os.pread(handle, position - start, start)
        found = block.rfind(b"\n")
        if found >= 0:
            position = start + found + 1
            break
        position = start
    if position < end:
        os.ftruncate(handle, position)
    return position
