"""What the rules take for a name, and what they leave alone."""

from __future__ import annotations

import pytest

from rag_assets_tests.models.extraction.rules_runner import extract, mentions

CURATED = {
    "In der Gewaltfreien Kommunikation zählt das Bedürfnis.": (
        "Gewaltfreien Kommunikation",
        "Gewaltfreie Kommunikation",
    ),
    "Sie übt die gewaltfreie Kommunikation täglich.": ("gewaltfreie Kommunikation", "Gewaltfreie Kommunikation"),
    "Wir arbeiten mit Wunderfragen.": ("Wunderfragen", "Wunderfrage"),
    "Die Wunder-Frage überrascht.": ("Wunder-Frage", "Wunderfrage"),
    "Die GFK hilft.": ("GFK", "Gewaltfreie Kommunikation"),
    "Luhmanns Denken ist abstrakt.": ("Luhmanns", "Niklas Luhmann"),
    "So sah es V. Satir.": ("V. Satir", "Virginia Satir"),
    "Die Umdeutung gelang.": ("Umdeutung", "Reframing"),
}


@pytest.mark.parametrize(("text", "expected"), CURATED.items(), ids=[value[0] for value in CURATED.values()])
def test_curated_names_in_any_form(text: str, expected: tuple[str, str]) -> None:
    assert expected in [(item.surface, item.canonical) for item in extract(text).mentions]


@pytest.mark.parametrize(
    "text",
    [
        "Das GFK-Training beginnt um neun.",
        "Wir grow zusammen, sagte er.",
        "Es entstehen soziale Systeme aus Kommunikation.",
        "Das gfk kleine wort bleibt.",
        "Die Satirezeitschrift erschien.",
    ],
)
def test_what_only_looks_like_a_curated_name(text: str) -> None:
    assert not [item for item in extract(text).mentions if item.canonical]


def test_an_abbreviation_means_what_its_passage_says() -> None:
    found = extract("Die Große Fachkonferenz (GFK) tagt im Mai. Danach berichtet die GFK dem Campus.")
    assert {item.canonical for item in found.mentions if item.surface == "GFK"} == {"Große Fachkonferenz"}
    assert [(item.source, item.type, item.target) for item in found.relations] == [
        ("GFK", "SYNONYM_OF", "Große Fachkonferenz")
    ]


def test_a_book_called_like_a_method_is_a_homonym() -> None:
    found = extract("Sein Buch „Kollegiale Beratung“ erschien 2010. Die Kollegiale Beratung dauert 90 Minuten.")
    assert {(item.class_name, item.canonical) for item in found.mentions} == {
        ("Werk", "Kollegiale Beratung (Werk)"),
        ("Methode", "Kollegiale Beratung"),
    }


PERSONS = {
    "Annie Rogers leitet das Institut.": ["Annie Rogers"],
    "Frau Dr. Weber begrüßt Herrn Kunze.": ["Weber", "Kunze"],
    "ROGERS, Carl: Therapie.": ["ROGERS, Carl"],
    "Das schrieb A. Bandura über das Lernen.": ["A. Bandura"],
    "Die Psychologin Rosenthal widerspricht.": ["Rosenthal"],
    "Der Regisseur Hayao Miyazaki zeichnet.": ["Hayao Miyazaki"],
    "Peter Hans Kneubühl spricht mit Anna-Lena Weber.": ["Peter Hans Kneubühl", "Anna-Lena Weber"],
    "Johann Wolfgang von Goethe reiste.": ["Johann Wolfgang von Goethe"],
    "Kolbe entwickelte 1984 ein Modell.": ["Kolbe"],
    "Martin Buber lehrte. Später schrieb Buber darüber.": ["Martin Buber", "Buber"],
}


@pytest.mark.parametrize(("text", "names"), PERSONS.items(), ids=["+".join(names) for names in PERSONS.values()])
def test_persons(text: str, names: list[str]) -> None:
    assert mentions(text, "Person") == names


@pytest.mark.parametrize(
    "text",
    [
        "Das Carl Rogers Institut liegt in Bonn.",
        "Die Teilnahme Anfang Mai kostet nichts.",
        "Vitamin C. Danach folgt die Pause.",
        "Die Beratung beginnt. Kommunikation Lernen Haltung.",
        "Im August Regen, im Mai Sonne.",
        "Berlin, Hamburg und München liegen in Deutschland.",
        "Der Trainer Ausbildung folgt die Prüfung.",
        "Studien zeigten Erfolge.",
        "Z. B. Übungen und d. h. Pausen.",
    ],
)
def test_no_persons(text: str) -> None:
    assert mentions(text, "Person") == []


def test_works_need_a_cue() -> None:
    found = extract("1961 veröffentlichte Carl Rogers das Buch „Entwicklung der Persönlichkeit“.")
    assert mentions("Er sagte „Guten Morgen zusammen“ und ging.", "Werk") == []
    assert ("Entwicklung der Persönlichkeit", "Werk") in [(item.surface, item.class_name) for item in found.mentions]
    assert {(item.property, item.value) for item in found.properties} == {
        ("titel", "Entwicklung der Persönlichkeit"),
        ("jahr", "1961"),
        ("typ", "Buch"),
    }


def test_lists_of_literature() -> None:
    found = extract(
        "Literatur\n\nBuber, Martin (1923): Ich und Du. Leipzig: Insel.\n\n"
        "Meyerhof, Anna; Weber, K. (2004): Wege ins Gespräch. Bonn: Verlag am Fluss."
    )
    assert {(item.source, item.target) for item in found.relations if item.type == "AUTHORED_BY"} == {
        ("Ich und Du", "Buber, Martin"),
        ("Wege ins Gespräch", "Meyerhof, Anna"),
        ("Wege ins Gespräch", "Weber, K."),
    }
    assert {(item.entity, item.value) for item in found.properties if item.property == "jahr"} == {
        ("Ich und Du", "1923"),
        ("Wege ins Gespräch", "2004"),
    }


def test_terms_in_base_form() -> None:
    found = extract("Mit systemischer Beratung und Bindungstheorien kennt sie die Reframingtechniken.")
    assert [(item.surface, item.canonical, item.class_name) for item in found.mentions] == [
        ("systemischer Beratung", "Systemische Beratung", "Methode"),
        ("Bindungstheorien", "Bindungstheorie", "Konzept"),
        ("Reframingtechniken", "Reframingtechnik", "Methode"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Die Buchhaltung und die Veranstaltung kosten Zeit.",
        "Ein wichtiger Ansatz ist die gute Kommunikation.",
        "Der Lösungsansatz liegt in der Medizintechnik.",
        "Tische, Stühle und Fenster stehen offen.",
    ],
)
def test_ordinary_nouns_are_no_terms(text: str) -> None:
    assert mentions(text) == []


def test_another_language_gives_curated_names_only() -> None:
    found = extract("Carl Rogers met Peter Smith. Empathy is a skill that matters.", language="en")
    assert [item.surface for item in found.mentions] == ["Carl Rogers"]
    assert found.statements == ()
