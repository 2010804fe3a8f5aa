"""What is let in of an extraction, whatever made it: the same strict rules for rules and for models.

A name must stand in the text where the extraction says, quotes must match, classes and properties must be in the
ontology, names in facts must be among the mentions. What does not hold is left out and counted by reason. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import (
    MODALITIES,
    POLARITIES,
    STATEMENT_TYPES,
    Extraction,
    MentionFound,
    PropertyFound,
    RelationFound,
    StatementFound,
)
from rag_assets.stores.entities import LONGEST_KEY, LONGEST_NAME

Fact = TypeVar("Fact", PropertyFound, RelationFound, StatementFound)

# Raised when other things are let in than before.
INTAKE_VERSION = "1"

_LONGEST_PREDICATE = 255


@dataclass(frozen=True, slots=True)
class Named:
    """Which entity a surface means within one chunk: its key, and the class it has there."""

    key: str
    class_name: str


@dataclass(frozen=True, slots=True)
class Admitted:
    """What may be stored of one chunk. Offsets are the document's; `names` is by surface."""

    mentions: tuple[MentionFound, ...]
    properties: tuple[PropertyFound, ...]
    relations: tuple[RelationFound, ...]
    statements: tuple[StatementFound, ...]
    names: Mapping[str, Named]
    refused: Mapping[str, int]


def entity_name(mention: MentionFound) -> str:
    """The name under which the mention's entity is known: the curated one, else the surface on one line."""
    return one_line(mention.canonical or mention.surface)


def entity_key(mention: MentionFound) -> str:
    """Key of the mention's entity."""
    return canonical_key(entity_name(mention))


def one_line(text: str) -> str:
    """Text with every run of white space made one space."""
    return " ".join(text.split())


def admit(extraction: Extraction, text: str, start: int, ontology: Ontology) -> Admitted:
    """What holds of an extraction whose offsets count from the beginning of `text`; `start` is added to them."""
    refused: Counter[str] = Counter()
    for item in extraction.refused:
        refused[f"{item.kind}.{item.reason}"] += item.count
    mentions = []
    for mention in extraction.mentions:
        reason = _mention_problem(mention, text, ontology)
        if reason:
            refused[f"mention.{reason}"] += 1
        else:
            mentions.append(mention)
    names = _names(mentions)

    def sift(kind: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        kept: list[Fact] = []
        for fact in facts:
            reason = _passage_problem(fact, text) or _fact_problem(fact, names, ontology)
            if reason:
                refused[f"{kind}.{reason}"] += 1
            else:
                kept.append(replace(fact, start=fact.start + start, end=fact.end + start))
        return tuple(kept)

    return Admitted(
        mentions=tuple(replace(m, start=m.start + start, end=m.end + start) for m in mentions),
        properties=sift("property", extraction.properties),
        relations=sift("relation", extraction.relations),
        statements=sift("statement", extraction.statements),
        names=names,
        refused=dict(refused),
    )


def _names(mentions: list[MentionFound]) -> dict[str, Named]:
    # A surface named twice means the same thing within a chunk: what was recognised most surely counts.
    names: dict[str, Named] = {}
    for mention in sorted(mentions, key=lambda m: (-m.confidence, m.start, m.end, m.class_name, m.canonical or "")):
        names.setdefault(mention.surface, Named(entity_key(mention), mention.class_name))
    return names


def _mention_problem(mention: MentionFound, text: str, ontology: Ontology) -> str | None:
    if not 0 <= mention.start < mention.end <= len(text) or text[mention.start : mention.end] != mention.surface:
        return "not_in_text"
    if not ontology.has_class(mention.class_name):
        return "unknown_class"
    if not _is_share(mention.confidence):
        return "confidence"
    name = entity_name(mention)
    key = canonical_key(name)
    if not any(character.isalnum() for character in key):
        return "no_name"
    if len(name) > LONGEST_NAME or len(key) > LONGEST_KEY or len(mention.surface) > LONGEST_NAME:
        return "name_too_long"
    return None


def _passage_problem(fact: PropertyFound | RelationFound | StatementFound, text: str) -> str | None:
    if not 0 <= fact.start < fact.end <= len(text) or text[fact.start : fact.end] != fact.quote:
        return "quote_mismatch"
    return None if _is_share(fact.confidence) else "confidence"


def _fact_problem(
    fact: PropertyFound | RelationFound | StatementFound, names: Mapping[str, Named], ontology: Ontology
) -> str | None:
    if isinstance(fact, PropertyFound):
        return _property_problem(fact, names, ontology)
    if isinstance(fact, RelationFound):
        return _relation_problem(fact, names, ontology)
    return _statement_problem(fact, names)


def _property_problem(fact: PropertyFound, names: Mapping[str, Named], ontology: Ontology) -> str | None:
    if fact.entity not in names:
        return "unknown_name"
    if fact.property not in {item.name for item in ontology.properties_of(names[fact.entity].class_name)}:
        return "unknown_property"
    return None if one_line(fact.value) else "empty"


def _relation_problem(fact: RelationFound, names: Mapping[str, Named], ontology: Ontology) -> str | None:
    if fact.source not in names or fact.target not in names:
        return "unknown_name"
    if names[fact.source].key == names[fact.target].key:
        return "reflexive"
    return None if ontology.find_relation_type(fact.type) else "unknown_type"


def _statement_problem(fact: StatementFound, names: Mapping[str, Named]) -> str | None:
    if fact.subject not in names or (fact.object_entity is not None and fact.object_entity not in names):
        return "unknown_name"
    if (fact.object_entity is None) == (fact.object_literal is None):
        return "one_object"
    if fact.object_literal is not None and not one_line(fact.object_literal):
        return "empty"
    if fact.object_entity is not None and names[fact.object_entity].key == names[fact.subject].key:
        return "reflexive"
    if not 0 < len(one_line(fact.predicate)) <= _LONGEST_PREDICATE:
        return "predicate"
    known = fact.statement_type in STATEMENT_TYPES and fact.modality in MODALITIES and fact.polarity in POLARITIES
    return None if known else "unknown_code"


def _is_share(value: float) -> bool:
    return 0 <= value <= 1
