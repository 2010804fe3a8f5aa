"""Reading in a process of its own, with limits of time and memory.

A document that hangs, eats memory or brings a library down costs its process, never the one that asked; the next
document gets a fresh one. Between such events one process reads many documents, so that small ones stay cheap.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import rag_assets
from rag_assets.errors import CODES, DocumentError
from rag_assets.readers.base import PagePicture, ReadLimits, ReadResult
from rag_assets.readers.files import check_size
from rag_assets.readers.wire import HEADER, decode_picture, decode_result, frame, parse

_START_S = 120.0
"""A loaded machine may take long to start an interpreter; that is not the document's fault."""

_CLOSE_S = 2.0
_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONHOME", "TZ")
"""No key or password in the environment reaches the process that works on foreign files."""


class _ProcessEnded(Exception):
    """The process went away without an answer."""


class ReadingWorker:
    """Reads documents in one separate process at a time.

    A context manager; the process starts with the first document and ends with `close`, or with this process, however
    that ends. Safe to use from several threads, which then wait for each other. No fork: threads and locks of this
    process never reach the other.

    >>> with ReadingWorker(ReadLimits()) as worker:  # doctest: +SKIP
    ...     result = worker.read(Path("Handbuch.pdf"))
    """

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """Id of the reading process, None while there is none."""
        return self._process.pid if self._process else None

    def read(self, path: Path, *, name: str | None = None) -> ReadResult:
        """Read the file at `path`; `name` is what it is called where `path` does not say so, as in an archive.

        Raises:
            DocumentError: with the code that says why: `locked`, `damaged`, `empty`, `too_large`, `timeout`,
                `out_of_memory`, `unsupported`, `unsafe_archive`, `unreadable`, `vanished`, or `internal`.
        """
        check_size(path, self._limits)
        with self._lock:
            return decode_result(self._ask(path, name or path.name))

    def picture(self, path: Path, page: int) -> PagePicture:
        """The page of a PDF, counted from 1, as a picture.

        Raises:
            DocumentError: as `read`.
        """
        with self._lock:
            return decode_picture(self._ask(path, path.name, page=page))

    def close(self) -> None:
        """End the process; a later `read` starts another."""
        with self._lock:
            self._end(patience_s=_CLOSE_S)

    def _ask(self, path: Path, name: str, *, page: int | None = None) -> dict[str, Any]:
        """What the process answers: the whole document, or one page as a picture."""
        limits = asdict(self._limits)
        request = {"path": os.fsencode(path.absolute()).hex(), "name": name, "limits": limits, "page": page}
        began = time.monotonic()
        try:
            process = self._running()
            began = time.monotonic()
            deadline = began + self._limits.timeout_s
            _write(process, frame(request), deadline)
            answer = _receive(process, deadline)
        except TimeoutError:
            self._end(patience_s=0)
            seconds = round(time.monotonic() - began, 1)
            raise DocumentError("timeout", seconds=seconds, limit_s=self._limits.timeout_s) from None
        except (_ProcessEnded, BrokenPipeError):
            raise self._died() from None
        except BaseException:
            # Interrupted in the middle: what the process would still send is no answer to the next request.
            self._end(patience_s=0)
            raise
        if answer.get("error") == "out_of_memory" or answer.get("rss_bytes", 0) > self._limits.memory_mb * 2**20 // 2:
            # Memory that a library does not give back would be charged to the next document.
            self._end(patience_s=0)
        if "error" in answer:
            code = answer["error"] if answer["error"] in CODES else "internal"
            raise DocumentError(code, answer["message"], **answer["ids"])
        result: dict[str, Any] = answer["result"]
        return result

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._end(patience_s=0)
        if self._process is None:
            self._process = _start()
            _receive(self._process, time.monotonic() + _START_S)
        return self._process

    def _died(self) -> DocumentError:
        """The error for a process that ended by itself: memory, if it had used up most of what it may."""
        process, self._process = self._process, None
        if process is None:
            return DocumentError("internal", "the reading process could not be started")
        _close_pipes(process)
        status, used_kib = _wait(process)
        used_mb = used_kib // 1024
        if used_mb > 0.6 * self._limits.memory_mb:
            return DocumentError("out_of_memory", used_mb=used_mb, limit_mb=self._limits.memory_mb)
        return DocumentError("damaged", "the document brought the reading process down", status=status)

    def _end(self, *, patience_s: float) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        _close_pipes(process)
        try:
            process.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start() -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    environment["PYTHONPATH"] = str(Path(rag_assets.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-m", "rag_assets.readers.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        # Ctrl-C in the terminal is for the parent, which then ends this one in order.
        start_new_session=True,
        bufsize=0,
    )


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """Wait for the end; exit status and the most memory ever used, in KiB (0 when somebody else waited first)."""
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:
        return process.wait(), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue


def _write(process: subprocess.Popen[bytes], data: bytes, deadline: float) -> None:
    assert process.stdin is not None
    view, stream = memoryview(data), process.stdin.fileno()
    poller = select.poll()  # unlike select, it takes any number of open files
    poller.register(stream, select.POLLOUT | select.POLLERR)
    while view:
        if not poller.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        view = view[os.write(stream, view[:65_536]) :]


def _receive(process: subprocess.Popen[bytes], deadline: float) -> dict[str, Any]:
    assert process.stdout is not None
    stream = process.stdout.fileno()
    head = _exactly(stream, HEADER.size, deadline)
    return parse(_exactly(stream, HEADER.unpack(head)[0], deadline))


def _exactly(stream: int, count: int, deadline: float) -> bytes:
    data = bytearray()
    poller = select.poll()
    poller.register(stream, select.POLLIN | select.POLLHUP)
    while len(data) < count:
        left_s = deadline - time.monotonic()
        if left_s <= 0 or not poller.poll(left_s * 1000):
            raise TimeoutError
        piece = os.read(stream, min(count - len(data), 1 << 20))
        if not piece:
            raise _ProcessEnded
        data += piece
    return bytes(data)
