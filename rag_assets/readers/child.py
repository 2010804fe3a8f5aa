"""The reading process: takes requests from its standard input, reads one file after the other, answers.

Started by `readers.worker` and by nobody else. It ends when its input closes, also in the middle of a document, so
that it never outlives its parent.
"""

from __future__ import annotations

import os
import queue
import resource
import sys
import threading
from pathlib import Path
from typing import Any

from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.wire import HEADER, encode_picture, encode_result, frame, parse


def main() -> None:
    """Serve until the input closes."""
    requests, answers = os.dup(0), os.dup(1)
    # Libraries write warnings, some with pieces of the document: away with them.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox), daemon=True).start()
    _send(answers, {"ready": os.getpid()})
    while True:
        request = inbox.get()
        answer = _answer(request)
        answer["rss_bytes"] = _rss_bytes()
        try:
            _send(answers, answer)
        except MemoryError:
            _send(answers, {"error": "out_of_memory", "message": "", "ids": {}, "rss_bytes": _rss_bytes()})


def _listen(requests: int, inbox: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Take requests; the parent is gone when the input ends."""
    while True:
        head = _receive(requests, HEADER.size)
        inbox.put(parse(_receive(requests, HEADER.unpack(head)[0])))


def _receive(stream: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = os.read(stream, count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def _send(stream: int, message: dict[str, Any]) -> None:
    data = memoryview(frame(message))
    try:
        while data:
            data = data[os.write(stream, data) :]
    except BrokenPipeError:
        os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    limits = ReadLimits(**request["limits"])
    path = Path(os.fsdecode(bytes.fromhex(request["path"])))
    _limit_memory(limits.memory_mb)
    try:
        if request["page"] is not None:
            # Imported when needed: it brings a library for pictures along.
            from rag_assets.readers.pdf_picture import page_picture

            return {"result": encode_picture(page_picture(path, request["page"]))}
        return {"result": encode_result(registry.read(path, limits, name=request["name"]))}
    except DocumentError as error:
        return {"error": error.code, "message": error.message, "ids": {k: str(v) for k, v in error.ids.items()}}
    except MemoryError:
        return {"error": "out_of_memory", "message": "", "ids": {"limit_mb": str(limits.memory_mb)}}
    except RecursionError:
        return {"error": "damaged", "message": "nested too deeply", "ids": {}}
    except Exception as error:  # noqa: BLE001 - whatever a library stumbles over concerns this document only
        return {"error": "internal", "message": "the reader failed", "ids": {"kind": type(error).__name__}}


def _limit_memory(memory_mb: int) -> None:
    # What a process allocates, not what it maps: libraries map far more than they use.
    limit = memory_mb * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _rss_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        # Without /proc: the highest it ever was, in KiB on Linux, in bytes on macOS.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
