"""What is let in of an extraction: each rule with a reply that breaks it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import (
    Extraction,
    MentionFound,
    PropertyFound,
    RefusedFound,
    RelationFound,
    StatementFound,
)
from rag_assets.offline.intake import admit
from rag_assets_tests.campus import ONTOLOGY

TEXT = "Carl Rogers prägte Marion Blum und die Empathie."
ROGERS = MentionFound(surface="Carl Rogers", class_name="Person", start=0, end=11, confidence=0.9)
BLUM = MentionFound(surface="Marion Blum", class_name="Person", start=19, end=30, confidence=0.9)
EMPATHY = MentionFound(surface="Empathie", class_name="Konzept", start=39, end=47, confidence=0.9)
SPAN: dict[str, Any] = {"start": 0, "end": 18, "quote": "Carl Rogers prägte", "confidence": 0.5}
RELATION = RelationFound(source="Carl Rogers", target="Marion Blum", type="INFLUENCED", **SPAN)
STATEMENT = StatementFound(
    subject="Carl Rogers",
    predicate="prägen",
    object_entity="Marion Blum",
    object_literal=None,
    statement_type="factual_claim",
    modality="assertive",
    polarity="affirmed",
    **SPAN,
)
PROPERTY = PropertyFound(entity="Empathie", property="definition", value="ein Einfühlen", **SPAN)
WHOLE = Extraction(
    mentions=(ROGERS, BLUM, EMPATHY), properties=(PROPERTY,), relations=(RELATION,), statements=(STATEMENT,)
)


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    """The tests' ontology."""
    return Ontology.from_mapping(ONTOLOGY)


def test_what_holds_is_let_in_with_the_documents_offsets(ontology: Ontology) -> None:
    """The chunk begins at 1000; nothing else changes."""
    admitted = admit(WHOLE, TEXT, 1000, ontology)
    assert [(m.surface, m.start, m.end) for m in admitted.mentions] == [
        ("Carl Rogers", 1000, 1011),
        ("Marion Blum", 1019, 1030),
        ("Empathie", 1039, 1047),
    ]
    facts: list[PropertyFound | RelationFound | StatementFound] = [
        *admitted.properties,
        *admitted.relations,
        *admitted.statements,
    ]
    assert [(fact.start, fact.end) for fact in facts] == [(1000, 1018)] * 3
    assert admitted.refused == {}
    assert admitted.names["Carl Rogers"].key == "carl rogers"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"surface": "Carl Rogerz"}, "mention.not_in_text"),
        ({"start": 1, "end": 12}, "mention.not_in_text"),
        ({"start": -11, "end": 0}, "mention.not_in_text"),
        ({"start": 11, "end": 11, "surface": ""}, "mention.not_in_text"),
        ({"class_name": "Drache"}, "mention.unknown_class"),
        ({"confidence": 1.5}, "mention.confidence"),
        ({"confidence": float("nan")}, "mention.confidence"),
        ({"canonical": "…"}, "mention.no_name"),
        ({"canonical": "sehr " * 120}, "mention.name_too_long"),
    ],
)
def test_mentions_that_do_not_hold(ontology: Ontology, change: dict[str, Any], reason: str) -> None:
    """The mention goes, and with it what names it."""
    broken = replace(WHOLE, mentions=(replace(ROGERS, **change), BLUM, EMPATHY))
    admitted = admit(broken, TEXT, 0, ontology)
    assert [m.surface for m in admitted.mentions] == ["Marion Blum", "Empathie"]
    assert admitted.refused == {reason: 1, "relation.unknown_name": 1, "statement.unknown_name": 1}


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("relations", {"quote": "Carl Rogers prägt"}, "relation.quote_mismatch"),
        ("relations", {"end": 99}, "relation.quote_mismatch"),
        ("relations", {"confidence": -0.1}, "relation.confidence"),
        ("relations", {"type": "ADMIRES"}, "relation.unknown_type"),
        ("relations", {"target": "Carl Rogers"}, "relation.reflexive"),
        ("relations", {"target": "Sigmund Freud"}, "relation.unknown_name"),
        ("properties", {"property": "größe"}, "property.unknown_property"),
        ("properties", {"entity": "Carl Rogers"}, "property.unknown_property"),
        ("properties", {"value": " \n"}, "property.empty"),
        ("statements", {"object_literal": "x"}, "statement.one_object"),
        ("statements", {"object_entity": None}, "statement.one_object"),
        ("statements", {"object_entity": None, "object_literal": " "}, "statement.empty"),
        ("statements", {"object_entity": "Carl Rogers"}, "statement.reflexive"),
        ("statements", {"predicate": " "}, "statement.predicate"),
        ("statements", {"predicate": "p" * 256}, "statement.predicate"),
        ("statements", {"modality": "certain"}, "statement.unknown_code"),
        ("statements", {"polarity": "maybe"}, "statement.unknown_code"),
        ("statements", {"statement_type": "joke"}, "statement.unknown_code"),
    ],
)
def test_facts_that_do_not_hold(ontology: Ontology, kind: str, change: dict[str, Any], reason: str) -> None:
    """The one fact goes and is counted; all else stays."""
    broken = replace(WHOLE, **{kind: (replace(getattr(WHOLE, kind)[0], **change),)})
    admitted = admit(broken, TEXT, 0, ontology)
    assert getattr(admitted, kind) == ()
    assert admitted.refused == {reason: 1}
    assert len(admitted.mentions) == 3


def test_what_the_extractor_refused_is_counted_too(ontology: Ontology) -> None:
    """Its own counts and those of the intake add up."""
    broken = replace(
        WHOLE,
        relations=(replace(RELATION, type="ADMIRES"),),
        refused=(RefusedFound(kind="relation", reason="unknown_type", count=2),),
    )
    assert admit(broken, TEXT, 0, ontology).refused == {"relation.unknown_type": 3}


def test_a_surface_means_what_was_recognised_most_surely(ontology: Ontology) -> None:
    """Twice the same surface with two classes: the surer one counts for the facts of the chunk."""
    text = "GFK, die GFK"
    weak = MentionFound(surface="GFK", class_name="Konzept", start=0, end=3, confidence=0.4)
    sure = MentionFound(
        surface="GFK", class_name="Methode", start=9, end=12, confidence=0.9, canonical="Gewaltfreie Kommunikation"
    )
    named = admit(Extraction(mentions=(weak, sure)), text, 0, ontology).names["GFK"]
    assert (named.key, named.class_name) == ("gewaltfreie kommunikation", "Methode")
