"""What every adapter of a language model must do, checked over real HTTP against a double of its service."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rag_assets.errors import ModelError, RagError, ServiceError, SettingsError
from rag_assets.models.language.base import LanguageModel, LanguageReply, LanguageRequest, Message, StopReason
from rag_assets.models.retrying import ATTEMPTS
from rag_assets_tests.models.wire import DROPPED, Answer, WireDouble

SECRET = "Das Geheimnis der Wunderfrage"
REQUEST = LanguageRequest(
    system="Antworte knapp.",
    messages=(
        Message(role="user", text="Was ist Feedback?"),
        Message(role="assistant", text="Eine Rückmeldung."),
        Message(role="user", text=f"Und was ist {SECRET}?"),
    ),
    schema={
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    },
    max_output_tokens=300,
)


class LanguageModelContract:
    """Subclass it; give `double` and `model`, and what differs on the wire."""

    #: An answer that says that the request is too long, as the service words it.
    too_long: Answer
    #: Value of the double's field that makes a reply end by length.
    length: str = "length"

    @pytest.fixture
    def pauses(self) -> list[float]:
        return []

    @pytest.fixture
    @abstractmethod
    def double(self) -> Iterator[Any]: ...

    @pytest.fixture
    @abstractmethod
    def model(self, double: Any, pauses: list[float]) -> Iterator[LanguageModel]: ...

    @abstractmethod
    def texts_sent(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """(role, text) of everything in a request's body, the system's first."""

    @abstractmethod
    def schema_sent(self, body: dict[str, Any]) -> Any: ...

    def failing(self, status: int, **headers: str) -> Answer:
        """An error of the service; it quotes the request, as services do."""
        return Answer(status=status, body={"error": {"message": f"bad: {SECRET}", "type": "x"}}, headers=headers)

    def test_it_is_a_language_model(self, model: LanguageModel) -> None:
        assert isinstance(model, LanguageModel)
        assert model.context_tokens > 1000
        assert len(model.fingerprint) == 64
        assert model.leaves_machine is False  # the double is on the loopback

    def test_everything_of_a_request_travels(self, model: LanguageModel, double: WireDouble) -> None:
        reply = model.complete(REQUEST)
        assert reply.text == "Ja."
        assert reply.stop is StopReason.END
        ((_, body, _),) = double.requests
        expected = [("system", REQUEST.system), *((m.role, m.text) for m in REQUEST.messages)]
        assert self.texts_sent(body) == expected
        assert self.schema_sent(body) == REQUEST.schema
        assert "300" in json.dumps(body)

    def test_free_text_is_asked_for_without_a_schema(self, model: LanguageModel, double: WireDouble) -> None:
        model.complete(replace(REQUEST, schema=None))
        assert self.schema_sent(double.requests[0][1]) is None

    def test_a_stream_gives_pieces_and_then_the_whole(self, model: LanguageModel, double: Any) -> None:
        double.says = lambda _: "Feedback ist eine Rückmeldung."
        *pieces, whole = model.stream(REQUEST)
        assert isinstance(whole, LanguageReply)
        assert len(pieces) == 2
        assert "".join(str(piece) for piece in pieces) == whole.text == "Feedback ist eine Rückmeldung."
        assert whole.usage.output_tokens == 7

    def test_a_stream_that_breaks_is_out_of_reach(self, model: LanguageModel, double: Any) -> None:
        double.broken_stream = True
        with pytest.raises(RagError) as caught:
            list(model.stream(REQUEST))
        assert caught.value.code in {"model_unreachable", "model_reply"}

    def test_a_reply_that_reached_its_limit_says_so(self, model: LanguageModel, double: Any) -> None:
        self.end_by_length(double)
        assert model.complete(REQUEST).stop is StopReason.LENGTH

    @abstractmethod
    def end_by_length(self, double: Any) -> None: ...

    @pytest.mark.parametrize("status", [429, 503, 500])
    def test_what_may_pass_is_tried_again(
        self, model: LanguageModel, double: WireDouble, pauses: list[float], status: int
    ) -> None:
        double.faults = [self.failing(status), DROPPED]
        assert model.complete(REQUEST).text == "Ja."
        assert len(double.requests) == 3
        assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1

    def test_a_pause_asked_for_is_kept(self, model: LanguageModel, double: WireDouble, pauses: list[float]) -> None:
        double.faults = [self.failing(429, **{"Retry-After": "2"})]
        model.complete(REQUEST)
        assert len(double.requests) == 2
        assert pauses[0] >= self.least_pause

    least_pause: float = 2.0

    def test_a_service_that_stays_busy_is_given_up(
        self, model: LanguageModel, double: WireDouble, pauses: list[float]
    ) -> None:
        double.faults = [self.failing(529 if self.least_pause else 503)] * 20
        with pytest.raises(ServiceError) as caught:
            model.complete(REQUEST)
        assert caught.value.transient
        assert len(double.requests) == ATTEMPTS
        assert sum(pauses) < 10

    def test_a_request_that_is_too_long_is_not_sent_again(self, model: LanguageModel, double: WireDouble) -> None:
        double.faults = [self.too_long]
        with pytest.raises(ModelError) as caught:
            model.complete(REQUEST)
        assert caught.value.code == "text_too_long"
        assert len(double.requests) == 1

    def test_a_refused_request_is_not_sent_again(self, model: LanguageModel, double: WireDouble) -> None:
        double.faults = [self.failing(400)]
        with pytest.raises(ModelError) as caught:
            model.complete(REQUEST)
        assert caught.value.code == "model_reply"
        assert len(double.requests) == 1

    def test_an_unknown_model_is_named(self, model: LanguageModel, double: WireDouble) -> None:
        double.faults = [self.failing(404)]
        with pytest.raises(ModelError) as caught:
            model.complete(REQUEST)
        assert caught.value.code == "model_missing"
        assert model.name in str(caught.value)

    def test_a_refused_key_is_a_matter_of_settings(self, model: LanguageModel, double: WireDouble) -> None:
        if not self.has_keys:
            pytest.skip("the service takes no key")
        double.faults = [self.failing(401)]
        with pytest.raises(SettingsError) as caught:
            model.complete(REQUEST)
        assert "API_KEY" in caught.value.hint
        assert len(double.requests) == 1

    has_keys = True

    @pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"choices": 3}', b"[]", b"null", b""])
    def test_a_reply_that_is_none_is_an_error(self, model: LanguageModel, double: WireDouble, body: bytes) -> None:
        double.faults = [Answer(body=body)]
        with pytest.raises(ModelError) as caught:
            model.complete(REQUEST)
        assert caught.value.code == "model_reply"

    def test_a_slow_service_is_given_up_in_time(self, model: LanguageModel, double: WireDouble) -> None:
        double.faults = [Answer(after_s=1.0, body={})] * ATTEMPTS
        with pytest.raises(ServiceError):
            model.complete(REQUEST)

    @pytest.mark.parametrize("status", [400, 401, 404, 413, 429, 500])
    def test_no_text_of_a_request_gets_into_an_error(
        self, model: LanguageModel, double: WireDouble, status: int
    ) -> None:
        double.faults = [self.failing(status)] * ATTEMPTS
        with pytest.raises(RagError) as caught:
            model.complete(REQUEST)
        assert SECRET not in str(caught.value)
        assert SECRET not in repr(caught.value)
