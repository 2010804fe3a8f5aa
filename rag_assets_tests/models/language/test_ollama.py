"""Ollama's adapter: the official client over real HTTP against a double of `/api/chat`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rag_assets.errors import ModelError
from rag_assets.models.language.ollama import OllamaModel
from rag_assets_tests.models.language.contract import REQUEST, SECRET, LanguageModelContract
from rag_assets_tests.models.language.doubles import OllamaChatDouble
from rag_assets_tests.models.wire import Answer

pytest.importorskip("ollama")


class TestOllama(LanguageModelContract):
    too_long = Answer(status=400, body={"error": "the input length exceeds the context length"})
    has_keys = False
    least_pause = 0.0  # the client keeps no headers of an error

    @pytest.fixture
    def double(self) -> Iterator[OllamaChatDouble]:
        with OllamaChatDouble() as running:
            yield running

    @pytest.fixture
    def model(self, double: OllamaChatDouble, pauses: list[float]) -> Iterator[OllamaModel]:
        model = OllamaModel("llama3.1", url=double.url, timeout_s=0.5, sleep=pauses.append)
        yield model
        model.close()

    def failing(self, status: int, **headers: str) -> Answer:
        return Answer(status=status, body={"error": f"bad: {SECRET}"}, headers=headers)

    def texts_sent(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        return [(m["role"], m["content"]) for m in body["messages"]]

    def schema_sent(self, body: dict[str, Any]) -> Any:
        return body.get("format")

    def end_by_length(self, double: OllamaChatDouble) -> None:
        double.done_reason = "length"

    def test_the_window_is_made_to_fit_in_steps(self, model: OllamaModel, double: OllamaChatDouble) -> None:
        """Ollama's own default would cut the beginning of a long request in silence."""
        model.complete(REQUEST)
        model.complete(replace(REQUEST, system="Wort " * 3000))
        windows = [body["options"]["num_ctx"] for _, body, _ in double.requests]
        assert windows == [4096, 8192]
        assert double.requests[0][1]["options"]["num_predict"] == 300

    def test_what_no_window_holds_is_not_sent(self, double: OllamaChatDouble) -> None:
        model = OllamaModel("llama3.1", url=double.url, context_tokens=4096)
        with pytest.raises(ModelError) as caught:
            model.complete(replace(REQUEST, system="Wort " * 3000))
        assert caught.value.code == "text_too_long"
        assert double.requests == []
