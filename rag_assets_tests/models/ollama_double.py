"""A double of Ollama's HTTP interface on the loopback: speaks the real wire format, holds no model.

Paths, bodies, status codes and error texts follow Ollama's published API description (`/api/embed`, `/api/tags`).
Vectors come from feature hashing. A script of faults can be put before the normal answers.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rag_assets.models.embedding.hashing import HashingEmbedder

#: What a scripted fault answers: (status, body), or None to drop the connection.
Fault = tuple[int, Any] | None


class OllamaDouble:
    """Context manager; `url` is its address, `requests` what it was sent, `faults` what it answers first."""

    def __init__(self, *, models: tuple[str, ...] = ("mxbai-embed-large:latest",), dimension: int = 64) -> None:
        self.models = models
        self.embedder = HashingEmbedder(dimension=dimension)
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.faults: list[Fault] = []
        self.weights = "468836162de7f81e041c43663fedbbba921dcea9b9fefea135685a39b2d83dd8"
        self.context_chars = 100_000
        self.poisoned: set[str] = set()
        self.edit: Callable[[dict[str, Any]], Any] = lambda reply: reply

    def __enter__(self) -> OllamaDouble:
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                double._answer(self, {})

            def do_POST(self) -> None:
                double._answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

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

    def _answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.requests.append((handler.path, body))
        fault: Fault = self.faults.pop(0) if self.faults else self._normal(handler.path, body)
        if fault is None:
            handler.close_connection = True
            handler.connection.shutdown(2)
            return
        status, reply = fault
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json; charset=utf-8")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def _normal(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/api/tags":
            listed = [
                {
                    "name": name, "model": name, "modified_at": "2025-05-10T08:06:48.639712648-07:00", "size": 669615493,
                    "digest": self.weights,
                    "details": {"parent_model": "", "format": "gguf", "family": "bert", "families": ["bert"],
                                "parameter_size": "334M", "quantization_level": "F16"},
                }
                for name in self.models
            ]  # fmt: skip
            return 200, {"models": listed}
        if path != "/api/embed":
            return 404, b"404 page not found"
        name = body["model"] if ":" in body["model"] else body["model"] + ":latest"
        if name not in self.models:
            return 404, {"error": f'model "{body["model"]}" not found, try pulling it first'}
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if body.get("truncate") is False and any(len(text) > self.context_chars for text in texts):
            return 400, {"error": "the input length exceeds the context length"}
        if self.poisoned & set(texts):
            return 500, {"error": "failed to encode response: json: unsupported value: NaN"}
        reply = {
            "model": body["model"],
            "embeddings": self.embedder.embed_passages(texts).tolist(),
            "total_duration": 14143917, "load_duration": 1019500, "prompt_eval_count": 8,
        }  # fmt: skip
        return 200, self.edit(reply)
