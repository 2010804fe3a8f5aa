"""Claude's adapter: the official SDK over real HTTP against a double of the Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_assets.errors import SettingsError
from rag_assets.models.language.base import BatchItem, BatchLanguageModel, StopReason
from rag_assets.models.language.claude import ClaudeModel
from rag_assets_tests.models.language.contract import REQUEST, LanguageModelContract
from rag_assets_tests.models.language.doubles import ClaudeDouble, error
from rag_assets_tests.models.wire import Answer

pytest.importorskip("anthropic")


class TestClaude(LanguageModelContract):
    too_long = Answer(status=400, body=error("invalid_request_error", "prompt is too long: 250000 tokens > 200000"))

    @pytest.fixture
    def double(self) -> Iterator[ClaudeDouble]:
        with ClaudeDouble() as running:
            yield running

    @pytest.fixture
    def model(self, double: ClaudeDouble, pauses: list[float]) -> Iterator[ClaudeModel]:
        model = ClaudeModel(
            "claude-sonnet-5-5", api_key="k", url=double.url, effort="low", timeout_s=0.5, sleep=pauses.append
        )
        yield model
        model.close()

    def texts_sent(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        return [("system", body["system"][0]["text"]), *((m["role"], m["content"]) for m in body["messages"])]

    def schema_sent(self, body: dict[str, Any]) -> Any:
        return body["output_config"].get("format", {}).get("schema")

    def end_by_length(self, double: ClaudeDouble) -> None:
        double.stop_reason = "max_tokens"

    def test_instructions_are_marked_for_the_prompt_cache(self, model: ClaudeModel, double: ClaudeDouble) -> None:
        reply = model.complete(REQUEST)
        _, body, headers = double.requests[0]
        assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
        assert headers["authorization"] == "Bearer k"
        assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (131, 100, 7)
        assert reply.model_version == "claude-sonnet-5-5-20260901"

    def test_it_sets_effort_and_no_temperature(self, model: ClaudeModel, double: ClaudeDouble) -> None:
        model.complete(REQUEST)
        body = double.requests[0][1]
        assert body["output_config"]["effort"] == "low"
        assert not {"temperature", "top_p", "top_k"} & body.keys()

    @pytest.mark.parametrize(
        ("reason", "stop"),
        [("refusal", StopReason.REFUSED), ("model_context_window_exceeded", StopReason.CONTEXT)],
    )
    def test_a_refusal_and_a_full_window_are_told_apart(
        self, model: ClaudeModel, double: ClaudeDouble, reason: str, stop: StopReason
    ) -> None:
        double.stop_reason = reason
        assert model.complete(REQUEST).stop is stop

    def test_a_pause_of_an_hour_is_not_waited_for(
        self, model: ClaudeModel, double: ClaudeDouble, pauses: list[float]
    ) -> None:
        double.faults = [Answer(status=429, body=error("rate_limit_error", "x"), headers={"Retry-After": "3600"})]
        with pytest.raises(Exception, match="model_busy"):
            model.complete(REQUEST)
        assert pauses == []

    def test_without_a_key_nothing_is_sent(self, double: ClaudeDouble) -> None:
        with pytest.raises(SettingsError, match="key"):
            ClaudeModel("claude-sonnet-5-5", api_key="", url=double.url).complete(REQUEST)
        assert double.requests == []

    def test_what_leaves_the_house_says_so(self) -> None:
        assert ClaudeModel("m", api_key="k", url="https://api.anthropic.com").leaves_machine


def _model(double: ClaudeDouble) -> ClaudeModel:
    return ClaudeModel("claude-haiku-5-5", api_key="k", url=double.url, timeout_s=2)


def test_many_requests_go_in_one_batch_and_come_back_by_key() -> None:
    """Each outcome is told from the others: a whole reply, a refused request, one that was never asked."""
    keys = [letter * 64 for letter in "abcd"]
    with ClaudeDouble(lambda _: '{"ok": true}') as double:
        model = _model(double)
        assert isinstance(model, BatchLanguageModel)
        batch = model.submit(dict.fromkeys(keys, REQUEST))
        assert len(double.requests) == 1
        assert not model.ready(batch)
        double.batches_end = True
        assert model.ready(batch)
        double.batch_faults = {
            keys[1]: {"type": "errored", "error": error("invalid_request_error", "x")},
            keys[2]: {"type": "expired"},
            keys[3]: {"type": "errored", "error": error("overloaded_error", "x")},
        }
        found = {item.request_sha256: item for item in model.collect(batch)}
    whole = found[keys[0]].reply
    assert whole is not None
    assert whole.text == '{"ok": true}'
    assert found[keys[1]] == BatchItem(request_sha256=keys[1], reply=None, error_code="model_reply")
    assert found[keys[2]].error_code == found[keys[3]].error_code == "model_busy"
    sent = double.requests[0][1]["requests"]
    assert [entry["custom_id"] for entry in sent] == keys
    assert sent[0]["params"]["output_config"]["format"]["schema"] == REQUEST.schema
