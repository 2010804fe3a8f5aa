"""A small ontology for tests, written by hand: the mission's classes and relation types, a few curated names."""

from __future__ import annotations

from typing import Any

from rag_assets.knowledge.ontology import Ontology

_PAIRS = {
    "AUTHORED_BY": "Werk>Person Methode>Person Konzept>Person",
    "INFLUENCED": "Person>Person Person>Konzept",
    "PART_OF": "Konzept>Konzept Methode>Methode Methode>Konzept Werk>Werk",
    "APPLIES": "Methode>Konzept Konzept>Methode Person>Methode",
    "CONTRADICTS": "Konzept>Konzept Werk>Werk Person>Person",
    "EXTENDS": "Konzept>Konzept Methode>Methode Werk>Werk",
    "CITES": "Werk>Werk Werk>Person",
    "TREATS": "Werk>Konzept Werk>Methode",
    "SYNONYM_OF": "Person>Person Konzept>Konzept Methode>Methode Werk>Werk",
    "RELATED_TO": "Person>Person Person>Konzept Person>Methode Konzept>Konzept Konzept>Methode Methode>Methode",
}


def mapping() -> dict[str, Any]:
    """What ontology.yaml would hold; a fresh copy each time."""

    def cls(name: str, parent: str | None, *properties: str) -> dict[str, Any]:
        rows = [{"name": item, "description": item, "single_valued": item in ("jahr", "titel")} for item in properties]
        return {"name": name, "parent": parent, "description": name, "properties": rows}

    def curated(name: str, class_name: str, *labels: str) -> dict[str, Any]:
        return {"name": name, "class": class_name, "labels": list(labels)}

    return {
        "version": 1,
        "classes": [
            cls("Person", None, "name", "wirkungsbereich"),
            cls("Konzept", None, "name", "definition"),
            cls("Methode", None, "name", "beschreibung"),
            cls("Werk", None, "titel", "jahr", "typ"),
            cls("Modell", "Konzept", "definition"),
            cls("Haltung", "Konzept", "definition"),
            cls("Fragetechnik", "Methode", "beschreibung"),
        ],
        "taxonomy": [
            {"narrower": "Wunderfrage", "broader": "Systemische Frage", "type": "is_a"},
            {"narrower": "Beobachtung", "broader": "Gewaltfreie Kommunikation", "type": "part_of"},
        ],
        "relation_types": [
            {
                "code": code,
                "label": code.lower(),
                "inverse_label": code.lower(),
                "symmetric": code in ("CONTRADICTS", "SYNONYM_OF", "RELATED_TO"),
                "transitive": code == "PART_OF",
                "acyclic": code in ("PART_OF", "EXTENDS"),
                "rules": [dict(zip(("domain", "range"), pair.split(">"), strict=True)) for pair in pairs.split()],
            }
            for code, pairs in _PAIRS.items()
        ],
        "single_valued_predicates": ["betragen", "umfassen höchstens", "erscheinen"],
        "synonyms": [
            curated("Carl R. Rogers", "Person", "Carl Rogers", "C. Rogers"),
            curated("Marshall B. Rosenberg", "Person", "Marshall Rosenberg"),
            curated("Virginia Satir", "Person", "V. Satir", "Satir"),
            curated("Niklas Luhmann", "Person", "Luhmann"),
            curated("Kurt Lewin", "Person", "Lewin"),
            curated("Gewaltfreie Kommunikation", "Methode", "GFK", "Nonviolent Communication"),
            curated("Kollegiale Beratung", "Methode", "Intervision"),
            curated("Supervision", "Methode"),
            curated("Reframing", "Methode", "Umdeutung"),
            curated("Wunderfrage", "Fragetechnik", "Wunder-Frage"),
            curated("Empathie", "Haltung", "Einfühlung"),
            curated("Systemtheorie", "Konzept"),
            curated("Feldtheorie", "Konzept"),
            curated("Lernzyklus", "Modell"),
            curated("Soziale Systeme", "Werk"),
        ],
    }


def ontology() -> Ontology:
    """The sample as a value."""
    return Ontology.from_mapping(mapping())
