"""The signs by which it is decided whether to answer."""

from __future__ import annotations

import pytest

from rag_assets.online.abstention import strangers, support
from rag_assets.text.lexical import content_words


def _stems(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def test_support_is_the_share_of_words_found() -> None:
    """Two equally rare words, one of them there."""
    pool = [_stems("Feedback im Team"), _stems("Regeln der Bienen"), _stems("Musik")]
    assert support(_stems("Feedback Bienen"), pool[:1], pool) == pytest.approx(0.5)
    assert support(_stems("Feedback"), pool[:1], pool) == 1.0
    assert support(_stems("Opernhaus"), pool[:1], pool) == 0.0
    assert support(frozenset(), pool[:1], pool) == 0.0


def test_rare_words_weigh_more_than_common_ones() -> None:
    """What stands everywhere proves nothing."""
    pool = [_stems(f"Campus Thema{n}") for n in range(20)] + [_stems("Campus Logo")]
    assert support(_stems("Logo Campus"), pool[:1], pool) < 0.1
    assert support(_stems("Logo Campus"), pool[-1:], pool) == 1.0


@pytest.mark.parametrize(
    ("word", "text", "low", "high"),
    [
        ("Phasen", "Das Phasenmodell", 0.7, 0.9),
        ("Tuckmann", "Tuckman beschreibt", 0.7, 0.9),
        ("Parkplatz", "Ein Platz", 0.0, 0.4),
        ("Rechtsform", "Das Recht", 0.0, 0.4),
        ("Mensa", "Der Mensch", 0.0, 0.0),
    ],
)
def test_compounds_and_typos_count_in_part(word: str, text: str, low: float, high: float) -> None:
    """A word within a longer one is nearly the word; a part of the question's compound is not."""
    pool = [_stems(text), _stems("anderes")]
    assert low <= support(_stems(word), pool[:1], pool) <= high


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Was ist EMDR?", "Coaching und Beratung", 1),
        ("Was ist GFK?", "Die GFK nach Rosenberg", 0),
        ("Wer entwickelte das Riemann-Thomann-Modell?", "Das GROW-Modell", 1),
        ("Wer entwickelte das Riemann-Thomann-Modell?", "Riemann und Thomann beschrieben vier Richtungen", 0),
        ("Welches Buch schrieb Sigmund Freud?", "Ein Buch von Carl Rogers", 1),
        ("Welches Buch schrieb Carl Rogers?", "Ein Buch von Carl Rogers", 0),
        ("Was geschah 1954?", "Im Jahr 1951 erschien es", 1),
        ("Wie viele Stunden Bedenkzeit habe ich?", "Termine", 0),
        ("Was ist Team-Entwicklung?", "Gruppen", 0),
    ],
)
def test_strangers(question: str, text: str, expected: int) -> None:
    """Names, abbreviations and figures of the question that stand nowhere; ordinary nouns are none."""
    assert strangers(question, _stems(text)) == expected
