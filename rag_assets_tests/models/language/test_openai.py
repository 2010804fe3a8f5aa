"""The adapter for chat-completions servers: the official SDK over real HTTP against a double."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_assets.models.language.base import StopReason
from rag_assets.models.language.openai import OpenAiModel
from rag_assets_tests.models.language.contract import REQUEST, LanguageModelContract
from rag_assets_tests.models.language.doubles import OpenAiDouble
from rag_assets_tests.models.wire import Answer

pytest.importorskip("openai")


class TestOpenAi(LanguageModelContract):
    too_long = Answer(
        status=400, body={"error": {"message": "This model's maximum context length is 8192 tokens.", "type": "x"}}
    )

    @pytest.fixture
    def double(self) -> Iterator[OpenAiDouble]:
        with OpenAiDouble() as running:
            yield running

    @pytest.fixture
    def model(self, double: OpenAiDouble, pauses: list[float]) -> Iterator[OpenAiModel]:
        model = OpenAiModel("teuken-7b", api_key="k", url=f"{double.url}/v1", timeout_s=0.5, sleep=pauses.append)
        yield model
        model.close()

    def texts_sent(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        return [(m["role"], m["content"]) for m in body["messages"]]

    def schema_sent(self, body: dict[str, Any]) -> Any:
        return body.get("response_format", {}).get("json_schema", {}).get("schema")

    def end_by_length(self, double: OpenAiDouble) -> None:
        double.finish_reason = "length"

    def test_usage_and_version_are_the_servers(self, model: OpenAiModel) -> None:
        reply = model.complete(REQUEST)
        assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (131, 100, 7)
        assert reply.model_version == "teuken-7b-q4"

    def test_filtered_content_is_a_refusal(self, model: OpenAiModel, double: OpenAiDouble) -> None:
        double.finish_reason = "content_filter"
        assert model.complete(REQUEST).stop is StopReason.REFUSED

    def test_a_server_without_keys_needs_none(self, double: OpenAiDouble) -> None:
        assert OpenAiModel("m", api_key="", url=f"{double.url}/v1").complete(REQUEST).text == "Ja."

    def test_a_server_of_ones_own_does_not_guess(self, model: OpenAiModel, double: OpenAiDouble) -> None:
        model.complete(REQUEST)
        assert double.requests[0][1]["temperature"] == 0
        assert "temperature" not in OpenAiModel("m", api_key="", url="https://api.openai.com/v1")._parameters(REQUEST)
