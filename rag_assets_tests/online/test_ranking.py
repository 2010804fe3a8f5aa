"""Score, repeats, cap and diversity. Expected figures are worked out by hand."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.knowledge.scoring import Weights
from rag_assets.online.ranking import choose, rate, similarity_of
from rag_assets_tests.online.made import NOW, passage, ranked

TEXT = "Eins zwei drei vier fünf Hund Katze Maus Vogel Fisch Baum Blume Wiese Wald Berg"


def test_the_score_by_hand() -> None:
    """Distance .3 is similarity ½; one half-life old is recency ½: .7·.5 + .1·.5 + .2·.8 = .56."""
    old = passage(1, TEXT, 0.86, authority=0.8, half_life_years=5.0, published_on=date(2021, 1, 1))
    (item,) = rate([old], background=0.8, weights=Weights(), now=NOW)
    assert item.distance == pytest.approx(0.3)
    assert item.similarity == pytest.approx(0.5)
    assert item.recency == pytest.approx(0.5, abs=1e-3)
    assert item.score == pytest.approx(0.56, abs=1e-3)


def test_age_counts_from_publication_else_from_the_versions_arrival() -> None:
    """A book of 2016 that was imported today is ten years old."""
    items = [passage(1, TEXT, published_on=date(2016, 1, 1)), passage(2, TEXT, published_on=None)]
    by_id = {item.passage.chunk.id: item for item in rate(items, background=0.0, weights=Weights(), now=NOW)}
    assert by_id[1].recency == pytest.approx(0.25, abs=1e-3)
    assert by_id[2].recency == 1.0


def test_below_the_background_the_order_still_holds() -> None:
    """Clipping at 0 would tie them."""
    items = [passage(number, TEXT, relevance) for number, relevance in ((1, 0.70), (2, 0.74), (3, 0.72))]
    rated = rate(items, background=0.8, weights=Weights(), now=NOW)
    assert [item.passage.chunk.id for item in rated] == [2, 3, 1]
    assert all(0 < item.similarity < 0.2 for item in rated)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_similarity_grows_with_distance_within_bounds(one: float, other: float) -> None:
    """Monotone, 0..1, for any number."""
    low, high = sorted((one, other))
    assert 0.0 <= similarity_of(low) <= similarity_of(high) <= 1.0


def test_a_base_of_one_text_does_not_divide_by_zero() -> None:
    """Its background is 1."""
    (item,) = rate([passage(1, TEXT, 1.0)], background=1.0, weights=Weights(), now=NOW)
    assert 0 <= item.score <= 1


def _various(number: int) -> str:
    return " ".join(f"wort{number}x{place}" for place in range(12))


def test_repeats_collapse_to_the_best() -> None:
    """The same page in two documents, and one with a few words more."""
    items = [
        ranked(1, TEXT, 0.9),
        ranked(2, TEXT, 0.8),
        ranked(3, TEXT + " Nachsatz", 0.7),
        ranked(4, _various(4), 0.6),
    ]
    assert [item.passage.chunk.id for item in choose(items, {}, top_k=5)] == [1, 4]


def test_two_of_a_document_at_most() -> None:
    """A long handbook must not fill the whole context."""
    items = [ranked(n, _various(n), 1 - n / 100, document_id=70 if n < 5 else n) for n in range(1, 9)]
    assert [item.passage.chunk.id for item in choose(items, {}, top_k=5)] == [1, 2, 5, 6, 7]


def test_diversity_prefers_what_is_not_said_yet() -> None:
    """Of two nearly equal ones the one that is unlike the first; the result stays in the order of the scores."""
    items = [ranked(1, _various(1), 0.90), ranked(2, _various(2), 0.80), ranked(3, _various(3), 0.78)]
    vectors = {
        "u001": np.array([1, 0], dtype=np.float32),
        "u002": np.array([1, 0], dtype=np.float32),
        "u003": np.array([0, 1], dtype=np.float32),
    }
    assert [item.passage.chunk.id for item in choose(items, vectors, top_k=2)] == [1, 3]
    assert [item.passage.chunk.id for item in choose(items, vectors, top_k=3)] == [1, 2, 3]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), max_size=12), st.integers(1, 6))
def test_choosing_keeps_its_promises(given_items: list[tuple[float, int]], top_k: int) -> None:
    """A subset, no more than asked, two of a document at most, best first."""
    items = sorted(
        (ranked(n, _various(n), score, document_id=document) for n, (score, document) in enumerate(given_items)),
        key=lambda item: (-item.score, item.passage.candidate.uid),
    )
    chosen = choose(items, {}, top_k=top_k)
    assert len(chosen) <= top_k
    assert all(item in items for item in chosen)
    documents = [item.passage.chunk.document_id for item in chosen]
    assert all(documents.count(document) <= 2 for document in documents)
    assert [item.score for item in chosen] == sorted((item.score for item in chosen), reverse=True)
    possible = sum(min(2, [document for _, document in given_items].count(d)) for d in {d for _, d in given_items})
    assert len(chosen) == min(top_k, possible)
