"""Each sentence against the sources it names. The verdicts are those of a person who reads both."""

from __future__ import annotations

import pytest

from rag_assets.models.generation.base import NO_SOURCE
from rag_assets.online.citations import find_verbatim, keep_supported, verify
from rag_assets.online.context import ContextSource
from rag_assets_tests.online.made import ranked

TEXT_1 = "Feedback beschreibt ein Verhalten, z. B. eine Geste. Es bewertet die Person nicht. Es dauert 5 Minuten."
TEXT_2 = "Die Regeln lauten:\n\nErst fragen\n\nDann sprechen\n\nCarl Rogers prägte den Begriff 1951."


@pytest.fixture
def sources() -> list[ContextSource]:
    return [
        ContextSource(number, "T", text, 0, ranked(number, text)) for number, text in enumerate((TEXT_1, TEXT_2), 1)
    ]


@pytest.mark.parametrize(
    ("answer", "verdicts"),
    [
        pytest.param("Es bewertet die Person nicht. [Quelle 1]", ["verbatim"], id="verbatim"),
        pytest.param("Feedback beschreibt ein\nVerhalten, z. B. eine Geste. [Quelle 1]", ["verbatim"], id="white-space"),
        pytest.param("Es bewertet die Person nicht. [Quelle 2]", ["unsupported"], id="other-source"),
        pytest.param("Es bewertet die Person nicht. [Quelle 2] [Quelle 1]", ["verbatim"], id="one-of-two"),
        pytest.param("Es bewertet die Person nicht. [Quelle 7]", ["unknown_source"], id="no-such-number"),
        pytest.param("Es bewertet die Person nicht.", ["uncited"], id="no-number"),
        pytest.param("Feedback bewertet nicht die Person. [Quelle 1]", ["supported"], id="reworded"),
        pytest.param("Feedback bewertet die Person. [Quelle 1]", ["unsupported"], id="negation-lost"),
        pytest.param("Feedback dauert 50 Minuten. [Quelle 1]", ["unsupported"], id="other-figure"),
        pytest.param("Rogers prägte den Begriff 1951. [Quelle 2]", ["verbatim"], id="part-of-a-sentence"),
        pytest.param("Rogers sagt „Erst fragen“ zum Begriff, den er prägte. [Quelle 2]", ["supported"], id="quotes"),
        pytest.param("Rogers sagt „Nie fragen“ zum Begriff, den er prägte. [Quelle 2]", ["unsupported"], id="misquote"),
        pytest.param("Der Mond ist aus Käse. [Quelle 1]", ["unsupported"], id="invented"),
        pytest.param(
            "Das ist bekannt. Es bewertet die Person nicht. [Quelle 1] Es dauert 5 Minuten. [Quelle 1]",
            ["uncited", "verbatim", "verbatim"], id="each-sentence-its-own-number",
        ),
        pytest.param("Die Regeln lauten:\nErst fragen\nDann sprechen [Quelle 2]", ["verbatim"], id="a-list"),
        pytest.param("Es bewertet die Person nicht. [Quelle 1, 2]", ["verbatim"], id="two-numbers-in-one-mark"),
        pytest.param(NO_SOURCE, [], id="abstention"),
        pytest.param("", [], id="nothing"),
    ],
)  # fmt: skip
def test_verdicts(sources: list[ContextSource], answer: str, verdicts: list[str]) -> None:
    """Form is checked strictly, meaning by words, figures, quotations and negation."""
    assert [one.verdict for one in verify(answer, sources)] == verdicts


def test_a_verbatim_sentence_says_where_it_stands(sources: list[ContextSource]) -> None:
    """The span leads to the source's own words."""
    (verdict,) = verify("Es bewertet die Person nicht. [Quelle 1]", sources)
    ((number, start, end),) = verdict.quote
    assert (number, TEXT_1[start:end]) == (1, "Es bewertet die Person nicht.")


def test_only_supported_sentences_are_kept(sources: list[ContextSource]) -> None:
    """With their numbers; when none is left, the fixed words."""
    answer = "Es bewertet die Person nicht. [Quelle 1] Der Mond ist aus Käse. [Quelle 1]"
    assert keep_supported(answer, verify(answer, sources)) == "Es bewertet die Person nicht. [Quelle 1]"
    assert keep_supported("Unsinn. [Quelle 1]", verify("Unsinn. [Quelle 1]", sources)) == NO_SOURCE


def test_verbatim_means_the_words_in_their_order() -> None:
    """White space may differ, nothing else."""
    assert find_verbatim("eins  zwei", "null eins\nzwei drei") == (5, 14)
    assert find_verbatim("zwei eins", "null eins zwei drei") is None
    assert find_verbatim("(eins)", "null eins zwei") is None
    assert find_verbatim("", "null") is None
