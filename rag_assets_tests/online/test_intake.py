"""The question as it is taken in."""

from __future__ import annotations

import pytest

from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.online.intake import take, tidy


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("  Was   ist\nFeedback? ", "Was ist Feedback?"),
        ("Was ist U\u0308bung?", "Was ist Übung?"),
        ("Was\0ist\x07das?", "Was ist das?"),
        ("Ist das \ud800 gut?", "Ist das gut?"),
    ],
)
def test_form_is_tidied_and_words_are_left_alone(typed: str, taken: str) -> None:
    """No interpretation in phase A0: no spelling is corrected, nothing is added."""
    assert tidy(typed) == taken


def test_a_question_carries_what_is_searched_for() -> None:
    """Terms for the lexical search, stems for support, the vector of its own words."""
    embedder = HashingEmbedder(dimension=32)
    question = take("Was ist Team-Entwicklung?", embedder)
    assert set(question.terms) == {"team", "entwickl", "teamentwickl"}
    assert question.words == {"team", "entwickl"}
    assert (question.vector == embedder.embed_query("Was ist Team-Entwicklung?")).all()
