"""A small HTTP server on the loopback for doubles of model services: scripted faults first, then what a subclass says.

It speaks real HTTP to the official clients and holds no model. What each service sends is in the doubles themselves.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass
class Answer:
    """One HTTP answer: JSON, or `chunks` sent one after the other as a stream. `broken` cuts the connection at the end."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] | None = None
    content_type: str = "application/json"
    after_s: float = 0.0
    broken: bool = False


DROPPED = Answer(broken=True, chunks=())
"""The connection ends before a byte has come."""


class WireDouble:
    """Context manager; `url` is its address, `requests` what it was sent, `faults` what it answers first."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.faults: list[Answer] = []

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        """What the service says when nothing is wrong."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                double._serve(self, "GET", {})

            def do_POST(self) -> None:
                double._serve(self, "POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler, method: str, body: dict[str, Any]) -> None:
        self.requests.append((handler.path, body, {name.lower(): value for name, value in handler.headers.items()}))
        answer = self.faults.pop(0) if self.faults else self.answer(method, handler.path, body)
        time.sleep(answer.after_s)
        try:
            self._send(handler, answer)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True

    def _send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        if answer.chunks is None:
            data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            handler.send_response(answer.status)
            self._head(handler, answer, ("Content-Length", str(len(data))))
            handler.wfile.write(data)
            return
        if answer is not DROPPED:
            handler.send_response(answer.status)
            self._head(handler, answer, ("Connection", "close"))
            for chunk in answer.chunks:
                handler.wfile.write(chunk)
                handler.wfile.flush()
        handler.close_connection = True
        handler.connection.shutdown(2)

    def _head(self, handler: BaseHTTPRequestHandler, answer: Answer, *more: tuple[str, str]) -> None:
        handler.send_header("Content-Type", answer.content_type)
        for name, value in (*answer.headers.items(), *more):
            handler.send_header(name, value)
        handler.end_headers()
