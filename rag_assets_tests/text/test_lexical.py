"""German analysis: what must meet in the index meets, what must not stays apart. Expectations are linguistic, by hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.text import lexical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Straße", "STRASSE", id="sharp-s"),
        pytest.param("Übung", "Uebungen", id="umlaut-spelled-out"),
        pytest.param("Übung", "U\u0308bung", id="decomposed-umlaut"),
        pytest.param("Maßnahmen", "Massnahme", id="swiss-spelling"),
        pytest.param("Klientinnen", "Klienten", id="female-plural"),
        pytest.param("Klient*innen", "Klienten", id="gender-star"),
        pytest.param("Klient:innen", "Klienten", id="gender-colon"),
        pytest.param("KlientInnen", "Klienten", id="inner-capital"),
        pytest.param("Beraterin", "Berater", id="female-singular"),
        pytest.param("Gruppen", "Gruppe", id="plural"),
        pytest.param("systemischen", "systemische", id="adjective-ending"),
        pytest.param("Häuser", "Haus", id="plural-with-umlaut"),
        pytest.param("Rogers'", "Rogers", id="genitive-apostrophe"),
        pytest.param("z. B. U.S.A.", "USA", id="dotted-abbreviation"),
        pytest.param("Kompe\u00adtenz", "Kompetenz", id="soft-hyphen"),
        pytest.param("\ufb01nden", "finden", id="ligature"),
    ],
)
def test_spellings_of_the_same_word_give_the_same_terms(one: str, other: str) -> None:
    """A person types what the document does not spell; both must come out as one term."""
    assert lexical.analyse(one) == lexical.analyse(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("Coaching", "Coach"), ("gewinnen", "Gewicht"), ("Kunst", "Kunde"), ("2019", "2020"), ("Spinnen", "Spanien")],
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    """Stripping endings must not run words together that mean different things."""
    assert lexical.analyse(one) != lexical.analyse(other)


def test_a_hyphenated_word_meets_its_parts_and_its_joint_spelling() -> None:
    """Team-Entwicklung, Teamentwicklung and Entwicklung are three spellings that people mix."""
    terms = set(lexical.analyse("Team-Entwicklung"))
    assert set(lexical.analyse("Teamentwicklung")) <= terms
    assert set(lexical.analyse("Entwicklung")) <= terms


def test_content_words_count_a_hyphenated_word_by_its_parts_only() -> None:
    """A share of supported words must not change with the hyphen."""
    assert lexical.content_words("Team-Entwicklung") == lexical.content_words("Team Entwicklung")


def test_function_words_carry_no_topic() -> None:
    """A question of function words only has nothing to look up."""
    assert lexical.query_terms("Was ist das, und wie kann man es für sich tun?") == lexical.query_terms("tun")
    assert lexical.query_terms("What is this?") == []
    assert lexical.content_words("fuer ueber gemaess") == []


def test_passages_keep_repeats_and_questions_do_not() -> None:
    """Term frequency counts in a passage; a word said twice in a question weighs once."""
    assert len(lexical.analyse("Feedback, Feedback, Feedback")) == 3
    assert len(lexical.query_terms("Feedback, Feedback, Feedback")) == 1


def test_numbers_survive_whole() -> None:
    """Years, paragraphs and amounts are often what a question turns on."""
    assert {"2021", "3.200", "5"} <= set(lexical.analyse("2021 zahlte er 3.200 Euro nach § 5"))


def test_grams_are_marked_and_optional() -> None:
    """Grams find parts of compounds; a marked gram never collides with a word."""
    plain = set(lexical.analyse("Teamentwicklung"))
    with_grams = set(lexical.analyse("Teamentwicklung", grams=True))
    assert plain < with_grams
    assert all(term.startswith("#") and len(term) in {5, 6} for term in with_grams - plain)
    assert "#team" in with_grams


def test_threads_do_not_disturb_each_other() -> None:
    """The stemmer keeps the word it works on in itself: one shared between threads would mix words up."""
    words = [f"{stem}ungen" for stem in ("beobacht", "vereinbar", "entwickl", "begleit", "beratsch", "ermutig")] * 300
    expected = [lexical.analyse(word) for word in words[:6]] * 300
    lexical.stem.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lexical.analyse, words)) == expected


@given(st.text(max_size=80))
def test_any_text_gives_searchable_terms(text: str) -> None:
    """Never an empty term, never white space in one (terms are stored line by line), same result twice."""
    terms = lexical.analyse(text, grams=True)
    assert all(term and not any(sign.isspace() for sign in term) for term in terms)
    assert terms == lexical.analyse(text, grams=True)
    assert set(lexical.query_terms(text)) == set(lexical.analyse(text))
