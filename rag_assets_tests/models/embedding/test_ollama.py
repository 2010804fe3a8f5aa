"""The Ollama adapter on the wire: contract, request form, prefixes, and every fault that a server was seen to have."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from rag_assets.errors import ModelError, ServiceError
from rag_assets.models.embedding.base import Embedder, embed_each
from rag_assets.models.embedding.ollama import BATCH, OllamaEmbedder
from rag_assets.models.retrying import ATTEMPTS
from rag_assets_tests.models.embedding.contract import EmbedderContract
from rag_assets_tests.models.ollama_double import OllamaDouble

pytest.importorskip("ollama")


@pytest.fixture
def double() -> Iterator[OllamaDouble]:
    with OllamaDouble() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def mxbai(double: OllamaDouble, pauses: list[float]) -> OllamaEmbedder:
    return OllamaEmbedder("mxbai-embed-large", url=double.url, timeout_s=5, sleep=pauses.append)


class TestOllamaEmbedder(EmbedderContract):
    """The contract over real HTTP requests."""

    @pytest.fixture
    def embedder(self, double: OllamaDouble) -> Embedder:
        double.models = ("bge-m3:latest",)
        return OllamaEmbedder("bge-m3", url=double.url, timeout_s=5)


def test_requests_refuse_silent_truncation(double: OllamaDouble, mxbai: OllamaEmbedder) -> None:
    """`truncate: false` travels with each request, else Ollama drops the end of a long text without a word."""
    mxbai.embed_passages(["a", "b"])
    sent = [body for path, body in double.requests if path == "/api/embed"]
    assert sent
    assert all(body["truncate"] is False for body in sent)
    assert sent[-1]["input"] == ["a", "b"]


def test_the_models_own_question_prefix_is_used(double: OllamaDouble, mxbai: OllamaEmbedder) -> None:
    """Mxbai's card asks for this sentence before questions and for nothing before passages."""
    mxbai.embed_query("Was ist Coaching?")
    assert double.requests[-1][1]["input"] == [
        "Represent this sentence for searching relevant passages: Was ist Coaching?"
    ]


def test_many_texts_go_in_batches(double: OllamaDouble, mxbai: OllamaEmbedder) -> None:
    """One request of thousands of texts would pass every time limit."""
    assert mxbai.embed_passages([f"Text {i}" for i in range(BATCH * 2 + 1)]).shape == (BATCH * 2 + 1, 64)
    assert [len(body["input"]) for _, body in double.requests[-3:]] == [BATCH, BATCH, 1]


def test_the_digest_is_the_servers_and_moves_with_the_model(double: OllamaDouble) -> None:
    """`ollama pull` may bring other weights under the same name."""
    before = OllamaEmbedder("mxbai-embed-large", url=double.url).digest
    assert OllamaEmbedder("mxbai-embed-large:latest", url=double.url).digest == before
    double.weights = "7" * 64
    assert OllamaEmbedder("mxbai-embed-large", url=double.url).digest != before


@pytest.mark.parametrize("use", ["digest", "embed"])
def test_a_model_that_was_not_pulled_is_named_with_the_command(double: OllamaDouble, use: str) -> None:
    """The person can mend that at once."""
    embedder = OllamaEmbedder("bge-m3", url=double.url)
    with pytest.raises(ModelError) as caught:
        embedder.digest if use == "digest" else embedder.embed_query("x")
    assert caught.value.code == "model_missing"
    assert "ollama pull bge-m3" in caught.value.hint


def test_a_server_that_is_down_is_named_with_its_address(pauses: list[float]) -> None:
    """One clear message, and the call may be repeated later."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(ServiceError) as caught:
        OllamaEmbedder("bge-m3", url=url, timeout_s=1, sleep=pauses.append).embed_query("x")
    assert url in str(caught.value)
    assert "ollama serve" in caught.value.hint
    assert caught.value.transient
    assert len(pauses) == ATTEMPTS - 1


@pytest.mark.parametrize(
    "fault",
    [(503, {"error": "server busy, please try again. maximum pending requests exceeded"}), (429, {"error": "x"}), None],
    ids=["busy", "too-many", "dropped"],
)
def test_what_may_pass_is_tried_again(
    double: OllamaDouble, mxbai: OllamaEmbedder, pauses: list[float], fault: tuple[int, object] | None
) -> None:
    """Twice bad, then good: the caller gets the vectors, after growing pauses."""
    assert mxbai.dimension == 64
    double.faults = [fault, fault]
    assert mxbai.embed_passages(["a"]).shape == (1, 64)
    assert len(pauses) == 2
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_a_server_that_stays_busy_is_given_up(double: OllamaDouble, mxbai: OllamaEmbedder, pauses: list[float]) -> None:
    """Bounded: attempts are counted, pauses are short, the error says that a retry can help."""
    double.faults = [(503, {"error": "busy"})] * 50
    with pytest.raises(ServiceError):
        mxbai.embed_query("x")
    assert len(double.requests) == ATTEMPTS
    assert sum(pauses) <= 4


def test_a_text_that_is_too_long_is_not_tried_again(double: OllamaDouble, mxbai: OllamaEmbedder) -> None:
    """The same text is as long the next time."""
    assert mxbai.dimension == 64
    double.context_chars, asked = 20, len(double.requests)
    with pytest.raises(ModelError) as caught:
        mxbai.embed_passages(["x" * 50])
    assert caught.value.code == "text_too_long"
    assert len(double.requests) == asked + 1


def test_a_text_with_nan_costs_only_itself(double: OllamaDouble, mxbai: OllamaEmbedder) -> None:
    """Ollama answers 500 for the whole batch when one vector is NaN."""
    double.poisoned = {"böse"}
    result = embed_each(mxbai, ["a", "b", "böse", "c", "d"])
    assert [isinstance(outcome, ModelError) for outcome in result] == [False, False, True, False, False]


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda reply: reply | {"embeddings": reply["embeddings"][:-1]}, id="one-vector-too-few"),
        pytest.param(lambda reply: reply | {"embeddings": [row[:32] for row in reply["embeddings"]]}, id="shorter"),
        pytest.param(lambda reply: {"something": "else"}, id="no-embeddings"),
        pytest.param(lambda reply: b"<html>proxy</html>", id="not-json"),
        pytest.param(lambda reply: reply | {"embeddings": [[0.0] * 64 for _ in reply["embeddings"]]}, id="zeros"),
    ],
)
def test_an_odd_reply_never_puts_a_vector_at_the_wrong_text(
    double: OllamaDouble, mxbai: OllamaEmbedder, edit: object
) -> None:
    """Refused as a whole, with no vector returned."""
    assert mxbai.dimension == 64
    double.edit = edit  # type: ignore[assignment]
    with pytest.raises(ModelError) as caught:
        mxbai.embed_passages(["a", "b", "c"])
    assert caught.value.code == "model_reply"


def test_errors_carry_no_text(double: OllamaDouble, mxbai: OllamaEmbedder) -> None:
    """They end up in logs, which know no text."""
    double.faults = [(500, {"error": "cannot tokenize GEHEIM"})] * ATTEMPTS
    with pytest.raises(ServiceError) as caught:
        mxbai.embed_passages(["GEHEIM"])
    assert "GEHEIM" not in str(caught.value)
