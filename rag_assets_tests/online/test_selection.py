"""Windows become chunks, collections come together, models are not mixed."""

from __future__ import annotations

import pytest

from rag_assets.errors import UsageError
from rag_assets.ledger.spaces import model_ref
from rag_assets.online import selection
from rag_assets.online.intake import take
from rag_assets.stores.vectors.base import VectorPoint
from rag_assets_tests.online.desk import Desk


def _point(desk: Desk, uid: str, chunk_id: int, text: str) -> VectorPoint:
    vector = desk.embedder.embed_passages([text])[0]
    return VectorPoint(uid.ljust(36, "0"), chunk_id, 1, "de", "text", uid.rjust(64, "0"), vector, {})


@pytest.fixture
def many(empty: Desk) -> Desk:
    """Chunk 1 has 30 windows that all fit, chunks 2 to 9 have one that fits less."""
    empty.index.ensure("documents", model_ref(empty.embedder))
    fitting = [_point(empty, f"a{n}", 1, f"Feedback Regel {n}") for n in range(30)]
    others = [_point(empty, f"b{n}", n, f"Feedback und Thema{n} und Bereich{n}") for n in range(2, 10)]
    empty.index.upsert("documents", fitting + others)
    return empty


def test_a_chunk_is_found_once_by_its_best_window(many: Desk) -> None:
    """Thirty windows of one chunk must not crowd the others out."""
    question = take("Feedback Regel 7", many.embedder)
    found = selection.select(many.index, question, ["documents"], wanted=5, lexical_weight=0.0)
    assert len(found) == len({candidate.chunk_id for candidate in found}) == 5
    assert found[0].chunk_id == 1
    assert found[0].uid.startswith("a7")
    assert [c.relevance for c in found] == sorted((c.relevance for c in found), reverse=True)


def test_collections_that_do_not_exist_are_left_out(desk: Desk) -> None:
    """`system_docs` may be empty; all of them missing is an error that says what to do."""
    model = model_ref(desk.embedder)
    assert selection.refuse_another_model(desk.index, ["documents", "system_docs"], model) == ("documents",)
    with pytest.raises(UsageError) as caught:
        selection.refuse_another_model(desk.index, ["system_docs"], model)
    assert caught.value.code == "nothing_to_answer_from"


def test_the_background_is_the_models_own_or_measured(desk: Desk) -> None:
    """Without a known figure, the mean cosine with the passages there are."""
    question = take("Was ist Feedback?", desk.embedder)
    assert selection.background(desk.index, question, ["documents"], 0.79) == 0.79
    rows = desk.index.sample("documents", 100)
    expected = float((rows @ question.vector).mean())
    assert selection.background(desk.index, question, ["documents"], None) == pytest.approx(expected, abs=1e-6)
    assert selection.background(desk.index, question, ["nowhere"], None) == 0.0
