"""Keys of names: what counts as the same name, and what must never be taken for one."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.knowledge.naming import (
    abbreviates,
    canonical_key,
    is_acronym,
    key_without_spaces,
    lemma_key,
    merge_veto,
    split_qualifier,
)

NAMES = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)


@given(NAMES)
def test_the_key_of_a_key_is_itself(name: str) -> None:
    assert canonical_key(canonical_key(name)) == canonical_key(name)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyzäöüßéèABCÄÖÜÉ .-", max_size=40))
def test_unicode_form_and_case_do_not_count(name: str) -> None:
    key = canonical_key(name)
    assert canonical_key(unicodedata.normalize("NFD", name)) == key
    assert canonical_key(unicodedata.normalize("NFC", name)) == key
    assert canonical_key(name.upper()) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prof. Dr. Carl R. Rogers", "Carl R. Rogers"),
        ("ROGERS, Carl", "Carl Rogers"),
        ("Rogers, C. R.", "C. R. Rogers"),
        ("Schulz von Thun, Friedemann", "Friedemann Schulz von Thun"),
        ("Herr Müller", "Mueller"),
        ("Frau Dr. Straßer", "Strasser"),
        ("Coaching-Prozess", "Coaching Prozess"),
        ("  Coaching\u00a0Prozess ", "Coaching Prozess"),
        ("Varga von Kibéd", "Varga von Kibed"),
        ("„Soziale Systeme“", "Soziale Systeme"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert canonical_key(one) == canonical_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Herr der Ringe", "der Ringe"),
        ("Angst, Wut", "Wut Angst"),
        ("C++", "C"),
        ("Teil 1", "Teil 2"),
        ("=HYPERLINK(1)", "=SUM(1)"),
        ("Konstruktivismus", "Konstruktionismus"),
    ],
)
def test_names_that_stay_apart(one: str, other: str) -> None:
    assert canonical_key(one) != canonical_key(other)


def test_signs_alone_are_a_name_and_nothing_stays_nothing() -> None:
    assert canonical_key("-+-") == "-+-"
    assert canonical_key("") == canonical_key("  ") == ""


@pytest.mark.parametrize(
    "forms",
    [
        ["Systemtheorie", "Systemtheorien"],
        ["Bedürfnis", "Bedürfnisse", "Bedürfnissen", "Bedürfnisses"],
        ["Prozess", "Prozesse", "Prozesses", "Prozessen"],
        ["zirkuläre Frage", "zirkulären Fragen", "Zirkulärer Frage"],
        ["Luhmann", "Luhmanns"],
        ["Lernen", "Lernens"],
        ["Berater", "Beratern", "Beraters"],
        ["Ansatz", "Ansatzes"],
    ],
)
def test_inflected_forms_share_a_lemma(forms: list[str]) -> None:
    assert len({lemma_key(canonical_key(form)) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kurs", "Kur"),
        ("Berater", "Beratung"),
        ("Leiter", "Leitung"),
        ("Konstruktivismus", "Konstrukt"),
        ("Test", "Text"),
    ],
)
def test_different_words_keep_different_lemmas(one: str, other: str) -> None:
    assert lemma_key(canonical_key(one)) != lemma_key(canonical_key(other))


def test_spacing_key() -> None:
    assert key_without_spaces(canonical_key("Coaching-Prozess")) == canonical_key("Coachingprozess")


@pytest.mark.parametrize(
    ("short", "long", "expected"),
    [
        ("GFK", "Gewaltfreie Kommunikation", True),
        ("DSGVO", "Datenschutz-Grundverordnung", True),
        ("TZI", "Themenzentrierte Interaktion", True),
        ("NVC", "Nonviolent Communication", True),
        ("GFK", "Große Fachkonferenz", True),
        ("TZI", "Gewaltfreie Kommunikation", False),
        ("GFK", "Kommunikation", False),
        ("AB", "Ab", False),
    ],
)
def test_abbreviations_give_the_initials_of_their_long_form(short: str, long: str, expected: bool) -> None:
    assert abbreviates(short, long) is expected


def test_acronyms() -> None:
    assert all(is_acronym(name) for name in ("GFK", "DSGVO", "SySt"))
    assert not any(is_acronym(name) for name in ("Empathie", "A", "GROW-Modell", "Carl Rogers"))


def test_qualifiers() -> None:
    assert split_qualifier("Aufstellung (Methode)") == ("Aufstellung", "Methode")
    assert split_qualifier("Aufstellung") == ("Aufstellung", None)


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Erste Sitzung", "Zweite Sitzung", "number"),
        ("Teil II", "Teil III", "number"),
        ("Modul 1", "Modul 12", "number"),
        ("Bewusstes Lernen", "Unbewusstes Lernen", "negation"),
        ("offene Frage", "geschlossene Frage", "negation"),
        ("Kommunikation", "Metakommunikation", "negation"),
        ("Herr Rogers", "Frau Rogers", "salutation"),
        ("Aufstellung (Methode)", "Aufstellung (Liste)", "qualifier"),
        ("Systemtheorie", "Systemtheorien", None),
        ("Carl Rogers", "Karl Rogers", None),
    ],
)
def test_vetoes(one: str, other: str, reason: str | None) -> None:
    assert merge_veto(one, other) == reason
    assert merge_veto(other, one) == reason
