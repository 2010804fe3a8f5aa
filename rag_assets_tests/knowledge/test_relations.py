"""Orientation of relations, by the mission's table."""

from __future__ import annotations

import pytest

from rag_assets.knowledge.relations import Orientation, orient
from rag_assets_tests.knowledge.sample import ontology

SAMPLE = ontology()


@pytest.mark.parametrize(
    ("kind", "source", "target", "outcome", "reason"),
    [
        ("AUTHORED_BY", "Werk", "Person", "kept", None),
        ("AUTHORED_BY", "Fragetechnik", "Person", "kept", None),
        ("AUTHORED_BY", "Person", "Methode", "turned", "domain_range"),
        ("AUTHORED_BY", "Werk", "Konzept", "rejected", "domain_range"),
        ("APPLIES", "Person", "Methode", "kept", None),
        ("APPLIES", "Methode", "Person", "turned", "domain_range"),
        ("CONTRADICTS", "Haltung", "Modell", "kept", None),
        ("RELATED_TO", "Konzept", "Person", "kept", None),
        ("SYNONYM_OF", "Person", "Methode", "rejected", "domain_range"),
        ("PART_OF", "Konzept", "Methode", "turned", "domain_range"),
        ("LIKES", "Person", "Person", "rejected", "unknown_type"),
        ("CITES", "Werk", "Zeitung", "rejected", "unknown_class"),
    ],
)
def test_orientation(kind: str, source: str, target: str, outcome: str, reason: str | None) -> None:
    oriented = orient(SAMPLE, kind, source, target)
    assert oriented.orientation is Orientation(outcome)
    assert oriented.reason == reason
