"""Checks on what models return, and the isolation of texts that a model cannot embed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_assets.errors import ModelError, ServiceError
from rag_assets.models.embedding.base import Vectors, embed_each, unit_rows
from rag_assets.models.embedding.hashing import HashingEmbedder


def test_rows_are_brought_to_unit_length() -> None:
    """(3, 4) has length 5."""
    np.testing.assert_allclose(unit_rows([[3.0, 4.0]], expected=1, dimension=2, model="m"), [[0.6, 0.8]], atol=1e-7)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param([[1.0, 0.0]], id="too-few"),
        pytest.param([[1.0, 0.0]] * 3, id="too-many"),
        pytest.param([[1.0, 0.0], [1.0]], id="ragged"),
        pytest.param([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], id="other-dimension"),
        pytest.param([[1.0, float("nan")], [1.0, 0.0]], id="nan"),
        pytest.param([[1.0, float("inf")], [1.0, 0.0]], id="infinity"),
        pytest.param([[0.0, 0.0], [1.0, 0.0]], id="zero"),
        pytest.param([["a", "b"], ["c", "d"]], id="words"),
        pytest.param(None, id="nothing"),
        pytest.param([], id="empty"),
    ],
)
def test_unusable_vectors_are_refused(reply: object) -> None:
    """Two vectors of two numbers were asked for; anything else must not reach a store."""
    with pytest.raises(ModelError) as caught:
        unit_rows(reply, expected=2, dimension=2, model="m")
    assert caught.value.code == "model_reply"
    assert not caught.value.transient


class _Picky(HashingEmbedder):
    """Refuses some texts, as a server does whose model computes NaN for them; counts its calls."""

    def __init__(self, refused: set[str], error: Exception) -> None:
        super().__init__(dimension=32)
        self.refused, self.error, self.calls = refused, error, 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.refused & set(texts):
            raise self.error
        return super().embed_passages(texts)


@pytest.mark.parametrize("refused", [set(), {"t3"}, {"t0", "t15"}, {f"t{i}" for i in range(16)}], ids=len)
def test_bad_texts_cost_only_themselves(refused: set[str]) -> None:
    """Each good text gets exactly its own vector, each bad one its error."""
    texts = [f"t{i}" for i in range(16)]
    result = embed_each(_Picky(refused, ModelError("model_reply")), texts)
    plain = HashingEmbedder(dimension=32).embed_passages(texts)
    for text, outcome, vector in zip(texts, result, plain, strict=True):
        if text in refused:
            assert isinstance(outcome, ModelError)
        else:
            assert not isinstance(outcome, ModelError)
            np.testing.assert_array_equal(outcome, vector)


def test_one_bad_text_among_many_costs_few_calls() -> None:
    """Halving: 1 + 2·log2(64) calls, not 64."""
    embedder = _Picky({"t40"}, ModelError("text_too_long"))
    embed_each(embedder, [f"t{i}" for i in range(64)])
    assert embedder.calls <= 13


@pytest.mark.parametrize("error", [ServiceError("model_unreachable"), ModelError("model_missing")], ids=str)
def test_a_missing_server_or_model_is_nobodys_text(error: Exception) -> None:
    """It must not be booked on the texts: they would be marked bad for ever."""
    with pytest.raises(type(error)):
        embed_each(_Picky({"a"}, error), ["a", "b"])
