"""Definitions: the forms that define, the class of what is defined, and sentences that only look like it."""

from __future__ import annotations

import pytest

from rag_assets_tests.models.extraction.rules_runner import extract

DEFINE = {
    "Ein Genogramm ist eine Darstellung der Familie, die drei Generationen zeigt.": (
        "Genogramm",
        "definition",
        "eine Darstellung der Familie, die drei Generationen zeigt",
    ),
    "Unter Rapport versteht man die tragfähige Beziehung zwischen zwei Menschen.": (
        "Rapport",
        "definition",
        "die tragfähige Beziehung zwischen zwei Menschen",
    ),
    "Als Pacing bezeichnet man das Mitgehen im Rhythmus des Gegenübers.": (
        "Pacing",
        "definition",
        "das Mitgehen im Rhythmus des Gegenübers",
    ),
    "Kontextklärung bezeichnet die gemeinsame Bestimmung von Anlass und Rahmen.": (
        "Kontextklärung",
        "definition",
        "die gemeinsame Bestimmung von Anlass und Rahmen",
    ),
    "Resilienz wird definiert als die Fähigkeit, Krisen ohne dauerhaften Schaden zu überstehen.": (
        "Resilienz",
        "definition",
        "die Fähigkeit, Krisen ohne dauerhaften Schaden zu überstehen",
    ),
    "Die Wunderfrage ist eine Fragetechnik, mit der sich Klienten die Lösung ausmalen.": (
        "Wunderfrage",
        "beschreibung",
        "eine Fragetechnik, mit der sich Klienten die Lösung ausmalen",
    ),
    "Das Hochseilspiel ist eine Methode, bei der eine Gruppe Vertrauen übt.": (
        "Hochseilspiel",
        "beschreibung",
        "eine Methode, bei der eine Gruppe Vertrauen übt",
    ),
    "Empathie ist die Fähigkeit, sich in andere hineinzuversetzen.": (
        "Empathie",
        "definition",
        "die Fähigkeit, sich in andere hineinzuversetzen",
    ),
}


@pytest.mark.parametrize(("text", "expected"), DEFINE.items(), ids=[value[0] for value in DEFINE.values()])
def test_definitions(text: str, expected: tuple[str, str, str]) -> None:
    found = extract(text)
    assert [(item.entity, item.property, item.value) for item in found.properties] == [expected]
    (statement,) = [item for item in found.statements if item.statement_type == "definition"]
    assert (statement.subject, statement.object_literal, statement.quote) == (expected[0], expected[2], text)


@pytest.mark.parametrize(
    "text",
    [
        "Das Ziel ist ein gutes Gespräch, das beide stärkt.",
        "Dies ist eine Methode, die hilft.",
        "Ist Empathie eine Fähigkeit, die man lernen kann?",
        "Der Kurs ist ein voller Erfolg.",
        "Supervision ist keine Methode, die Therapie ersetzt.",
        "In der Fachsprache heißt eine solche Anregung Verstörung.",
        "Die wichtigste Quelle ist die eigene Erfahrung, etwas geschafft zu haben.",
        "Die Beraterin ist eine Frau, die viel weiß.",
    ],
)
def test_no_definitions(text: str) -> None:
    assert [item for item in extract(text).statements if item.statement_type == "definition"] == []


def test_glossary_entries_count_in_glossaries_only() -> None:
    text = "Kontrakt: Vereinbarung über Ziel und Rahmen der Zusammenarbeit."
    entries = extract(
        f"{text}\n\nRapport – Vertrauensvolle Beziehung zwischen zwei Menschen.", title_path="Handbuch › Glossar"
    )
    assert [(item.entity, item.value) for item in entries.properties] == [
        ("Kontrakt", "Vereinbarung über Ziel und Rahmen der Zusammenarbeit"),
        ("Rapport", "Vertrauensvolle Beziehung zwischen zwei Menschen"),
    ]
    assert extract(text, title_path="Handbuch › Ablauf").properties == ()


@pytest.mark.parametrize(
    ("text", "person", "field"),
    [
        (
            "Carl Rogers war ein amerikanischer Psychologe, der in Chicago lehrte.",
            "Carl Rogers",
            "amerikanischer Psychologe",
        ),
        ("Virginia Satir (1916–1988), eine Familientherapeutin, lehrte viel.", "Virginia Satir", "Familientherapeutin"),
        ("Der deutsche Soziologe Niklas Luhmann lehrte in Bielefeld.", "Niklas Luhmann", "deutsche Soziologe"),
    ],
)
def test_a_persons_field(text: str, person: str, field: str) -> None:
    assert [(item.entity, item.property, item.value) for item in extract(text).properties] == [
        (person, "wirkungsbereich", field)
    ]
