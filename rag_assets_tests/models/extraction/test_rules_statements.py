"""Statements: type, modality, polarity; limits and dates that can contradict each other."""

from __future__ import annotations

import pytest

from rag_assets_tests.models.extraction.rules_runner import extract, statements

FACT, RULE = "factual_claim", "rule"
ONE = {
    "Ein Coachingprozess umfasst höchstens zehn Sitzungen.": (
        "Coachingprozess", "umfassen höchstens", "zehn Sitzungen", FACT, "assertive", "affirmed"),
    "Ein Coachingprozess darf maximal zwölf Sitzungen umfassen.": (
        "Coachingprozess", "umfassen höchstens", "zwölf Sitzungen", RULE, "normative", "affirmed"),
    "Die Stornofrist beträgt 48 Stunden.": ("Stornofrist", "betragen", "48 Stunden", FACT, "assertive", "affirmed"),
    "Die Ausbildung kostet 6.480 Euro.": ("Ausbildung", "kosten", "6.480 Euro", FACT, "assertive", "affirmed"),
    "In der Regel dauert die Supervision 90 Minuten.": ("Supervision", "dauern", "90 Minuten", FACT, "assertive", "affirmed"),
    "Die Unterlagen werden zehn Jahre aufbewahrt.": ("Unterlagen", "aufbewahren", "zehn Jahre", FACT, "assertive", "affirmed"),
    "Der Lernzyklus besteht aus vier Schritten.": ("Lernzyklus", "bestehen aus", "vier Schritten", FACT, "assertive", "affirmed"),
    "Coaches dürfen keine Diagnosen stellen.": ("Coaches", "dürfen stellen", "Diagnosen", RULE, "normative", "negated"),
    "Die Teilnehmenden müssen den Vertrag unterschreiben.": (
        "Teilnehmenden", "müssen unterschreiben", "Vertrag", RULE, "normative", "affirmed"),
    "Supervision ist keine Therapie.": ("Supervision", "sein", "Therapie", FACT, "assertive", "negated"),
    "Supervision ersetzt nicht die Leitung.": ("Supervision", "ersetzen", "Leitung", FACT, "assertive", "negated"),
    "Vielleicht hilft Reframing bei Blockaden.": ("Reframing", "helfen", "bei Blockaden", FACT, "hypothetical", "affirmed"),
    "Laut Lewin umfasst die Feldtheorie vier Kräfte.": ("Feldtheorie", "umfassen", "vier Kräfte", FACT, "citing", "affirmed"),
    "Luhmann behauptet, dass Systeme aus Kommunikation bestehen.": (
        "Luhmann", "behaupten", "Systeme aus Kommunikation bestehen", FACT, "citing", "affirmed"),
    "Das Buch „Soziale Systeme“ erschien 1984.": ("Soziale Systeme", "erscheinen", "1984", FACT, "assertive", "affirmed"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ONE.items())
def test_one_statement(text: str, expected: tuple[str, ...]) -> None:
    assert statements(text) == [expected]


def test_years_of_life() -> None:
    assert [row[:3] for row in statements("Carl Rogers (1902–1987) lehrte in Chicago.")] == [
        ("Carl Rogers", "geboren", "1902"),
        ("Carl Rogers", "gestorben", "1987"),
    ]


def test_relations_are_statements_too_with_polarity_and_modality() -> None:
    assert statements("Marshall Rosenberg entwickelte die Gewaltfreie Kommunikation.") == [
        ("Marshall Rosenberg", "entwickeln", "Gewaltfreie Kommunikation", FACT, "assertive", "affirmed")
    ]
    assert statements("Die Systemtheorie widerspricht der Feldtheorie nicht.") == [
        ("Systemtheorie", "widersprechen", "Feldtheorie", FACT, "assertive", "negated")
    ]
    assert statements("Möglicherweise erweitert der Lernzyklus die Feldtheorie.") == [
        ("Lernzyklus", "erweitern", "Feldtheorie", FACT, "hypothetical", "affirmed")
    ]


def test_a_norm_or_hedge_colours_its_own_clause_only() -> None:
    text = "Das ist überall zu spüren: Carl Rogers beeinflusste Virginia Satir; vielleicht war es auch anders."
    assert statements(text) == [("Carl Rogers", "beeinflussen", "Virginia Satir", FACT, "assertive", "affirmed")]


@pytest.mark.parametrize(
    "text",
    [
        "Ist Supervision keine Therapie?",
        "Diese Frist beträgt 48 Stunden.",
        "Sie beträgt 48 Stunden.",
        "Der Campus, der 48 Stunden wartet, öffnet.",
        "Eine Verletzung muss der Campus anzeigen.",
        "Tische stehen im Raum.",
        "",
        "   \n\n ",
    ],
)
def test_nothing_to_say(text: str) -> None:
    assert statements(text) == []


def test_examples_are_marked() -> None:
    found = extract("Zum Beispiel hilft Reframing bei Streit.")
    assert [item.statement_type for item in found.statements] == ["example"]
