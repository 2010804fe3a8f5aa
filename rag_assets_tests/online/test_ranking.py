"""Score, repeats, cap and diversity. Expected figures are worked out by hand."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.knowledge.scoring import Weights
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.online.intake import take
from rag_assets.online.ranking import choose, rate, similarity_of, weigh_words
from rag_assets_tests.online.made import NOW, passage, ranked

TEXT = "Eins zwei drei vier fünf Hund Katze Maus Vogel Fisch Baum Blume Wiese Wald Berg"


def test_the_score_by_hand() -> None:
    """Far above the background the best is 1; .02 behind it is 1/e; one half-life old is recency ½.

    .7·1 + .1·1 + .2·.5 = .90 and .7/e + .1·.5 + .2·.8 = .4675.
    """
    items = [
        passage(1, TEXT, 0.99),
        passage(2, TEXT, 0.97, authority=0.8, half_life_years=5.0, published_on=date(2021, 1, 1)),
    ]
    best, other = rate(items, background=0.0, weights=Weights(), now=NOW)
    assert best.similarity == pytest.approx(1.0, abs=1e-3)
    assert best.score == pytest.approx(0.9, abs=1e-3)
    assert other.similarity == pytest.approx(1 / math.e, abs=1e-3)
    assert other.recency == pytest.approx(0.5, abs=1e-3)
    assert other.score == pytest.approx(0.4675, abs=1e-3)


def test_the_best_of_what_does_not_fit_is_not_similar() -> None:
    """At the background, similarity is small also for the best."""
    (item,) = rate([passage(1, TEXT, 0.8)], background=0.8, weights=Weights(), now=NOW)
    assert item.distance == pytest.approx(0.0)
    assert item.similarity < 0.4


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
    assert all(0 < item.similarity < 0.1 for item in rated)


_ANY = st.floats(-1e6, 1e6)


@given(_ANY, _ANY, st.floats(0, 2), st.floats(0, 2))
def test_similarity_is_monotone_within_bounds(one: float, other: float, behind: float, further: float) -> None:
    """It grows with the distance of the best, falls with how far behind it one is, and lies in 0..1, for any number."""
    low, high = sorted((one, other))
    near, far = sorted((behind, further))
    assert 0.0 <= similarity_of(low, near) <= similarity_of(high, near) <= 1.0
    assert similarity_of(low, far) <= similarity_of(low, near)


def test_words_over_the_whole_passage_count() -> None:
    """Both have the same best window; one holds the question's words, and rare ones count more than common ones."""
    question = take("Probezeit Kündigung", HashingEmbedder(dimension=16))
    items = [
        passage(1, "Allgemeines zur Kündigung", 0.8),
        passage(2, "Kündigung in der Probezeit", 0.8),
        passage(3, "Kündigung allgemein", 0.8),
        passage(4, "Etwas anderes", 0.8),
    ]
    weighed = weigh_words(question, items, weight=0.05)
    assert [item.chunk.id for item in weighed] == [2, 1, 3, 4]
    # BM25 with k1 = .9 and a count of 1 reaches 1/1.9·1.9 = 1 of at most 1.9.
    assert weighed[0].candidate.lexical == pytest.approx(1 / 1.9, abs=1e-4)
    assert weighed[0].candidate.relevance == pytest.approx(0.8 + 0.05 / 1.9, abs=1e-4)
    assert weigh_words(question, items, weight=0.0) == items


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
