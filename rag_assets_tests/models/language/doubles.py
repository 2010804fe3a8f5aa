"""Doubles of the three services that language models are asked through. They speak each service's published wire format.

`says` gives the text of a reply from the request's body. The batches of Claude's double end when `batches_end` is set.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rag_assets_tests.models.wire import Answer, WireDouble

Says = Callable[[dict[str, Any]], str]


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


class ClaudeDouble(WireDouble):
    """Anthropic's Messages API and Message Batches."""

    def __init__(self, says: Says = lambda _: "Ja.") -> None:
        super().__init__()
        self.says = says
        self.stop_reason = "end_turn"
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.batches_end = False
        self.batch_faults: dict[str, dict[str, Any]] = {}
        self.broken_stream = False

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        if path == "/v1/messages":
            return self._stream(body) if body.get("stream") else Answer(body=self._message(body))
        if path == "/v1/messages/batches" and method == "POST":
            name = f"msgbatch_{len(self.batches) + 1:04d}"
            self.batches[name] = body["requests"]
            return Answer(body=self._batch(name))
        if path.endswith("/results"):
            name = path.split("/")[-2]
            lines = [json.dumps(self._result(entry)) + "\n" for entry in self.batches[name]]
            return Answer(body="".join(lines).encode(), content_type="application/x-jsonl")
        if path.startswith("/v1/messages/batches/"):
            return Answer(body=self._batch(path.split("/")[-1]))
        return Answer(status=404, body=error("not_found_error", "x"))

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": "msg_01", "type": "message", "role": "assistant", "model": f"{body['model']}-20260901",
            "content": [{"type": "text", "text": self.says(body)}],
            "stop_reason": self.stop_reason, "stop_sequence": None,
            "usage": {"input_tokens": 11, "output_tokens": 7, "cache_read_input_tokens": 100,
                      "cache_creation_input_tokens": 20},
        }  # fmt: skip

    def _stream(self, body: dict[str, Any]) -> Answer:
        message = self._message(body)
        text = message["content"][0]["text"]
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *(
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": half}}
                for half in _halves(text)
            ),
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": self.stop_reason, "stop_sequence": None},
                "usage": {"output_tokens": 7},
            },
            {"type": "message_stop"},
        ]
        sent = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
        return Answer(chunks=sent[:3] if self.broken_stream else sent, content_type="text/event-stream")

    def _batch(self, name: str) -> dict[str, Any]:
        ended = self.batches_end
        return {
            "id": name, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0 if ended else len(self.batches[name]), "succeeded": 0, "errored": 0,
                               "canceled": 0, "expired": 0},
            "created_at": "2026-11-30T12:00:00Z", "expires_at": "2026-12-01T12:00:00Z", "ended_at": None,
            "archived_at": None, "cancel_initiated_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{name}/results" if ended else None,
        }  # fmt: skip

    def _result(self, entry: dict[str, Any]) -> dict[str, Any]:
        key = entry["custom_id"]
        whole = {"type": "succeeded", "message": self._message(entry["params"])}
        return {"custom_id": key, "result": self.batch_faults.get(key, whole)}


class OpenAiDouble(WireDouble):
    """Chat completions; its address ends in `/v1`."""

    def __init__(self, says: Says = lambda _: "Ja.") -> None:
        super().__init__()
        self.says = says
        self.finish_reason = "stop"
        self.broken_stream = False

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        if path != "/v1/chat/completions":
            return Answer(status=404, body={"error": {"message": "x", "type": "not_found", "code": None}})
        text = self.says(body)
        head = {"id": "chatcmpl-1", "created": 1790000000, "model": f"{body['model']}-q4"}
        usage = {
            "prompt_tokens": 131, "completion_tokens": 7, "total_tokens": 138,
            "prompt_tokens_details": {"cached_tokens": 100},
        }  # fmt: skip
        if not body.get("stream"):
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": self.finish_reason, "logprobs": None}
            return Answer(body={**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        events: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": {"content": half}, "finish_reason": None}]} for half in _halves(text)
        ]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish_reason}]})
        events.append({"choices": [], "usage": usage})
        sent = [
            f"data: {json.dumps({**head, 'object': 'chat.completion.chunk', **event})}\n\n".encode() for event in events
        ]
        whole = [*sent, b"data: [DONE]\n\n"]
        return Answer(chunks=sent[:1] if self.broken_stream else whole, content_type="text/event-stream")


class OllamaChatDouble(WireDouble):
    """Ollama's `/api/chat`: newline-delimited JSON when streaming."""

    def __init__(self, says: Says = lambda _: "Ja.") -> None:
        super().__init__()
        self.says = says
        self.done_reason = "stop"
        self.broken_stream = False

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        if path != "/api/chat":
            return Answer(status=404, body=b"404 page not found", content_type="text/plain")
        text = self.says(body)
        head = {"model": body["model"], "created_at": "2026-11-30T12:00:00.000000Z"}
        counts = {"done": True, "done_reason": self.done_reason, "prompt_eval_count": 131, "eval_count": 7}
        if not body.get("stream"):
            return Answer(body={**head, "message": {"role": "assistant", "content": text}, **counts})
        events: list[dict[str, Any]] = [
            {"message": {"role": "assistant", "content": half}, "done": False} for half in _halves(text)
        ]
        events.append({"message": {"role": "assistant", "content": ""}, **counts})
        sent = [json.dumps({**head, **event}).encode() + b"\n" for event in events]
        return Answer(chunks=sent[:1] if self.broken_stream else sent, content_type="application/x-ndjson")


def error(kind: str, message: str) -> dict[str, Any]:
    """An error as Anthropic's API words it."""
    return {"type": "error", "error": {"type": kind, "message": message}}
