"""Runs the rules on a passage with the sample ontology, and shows results as plain tuples."""

from __future__ import annotations

from functools import lru_cache

from rag_assets.models.extraction.base import (
    Extraction,
    ExtractionRequest,
    PropertyFound,
    RelationFound,
    StatementFound,
)
from rag_assets.models.extraction.rules import RulesExtractor
from rag_assets_tests.knowledge.sample import ontology

SHIFT = 1000


@lru_cache(maxsize=1)
def extractor() -> RulesExtractor:
    """One for all tests; it keeps no state."""
    return RulesExtractor(ontology())


def extract(text: str, *, title_path: str = "", language: str = "de", start: int = SHIFT) -> Extraction:
    """Extract, and check what holds for every extraction: spans, quotes, names."""
    request = ExtractionRequest(text=text, start=start, title="", title_path=title_path, language=language)
    found = extractor().extract(request)
    surfaces = {item.surface for item in found.mentions}
    for item in found.mentions:
        assert text[item.start - start : item.end - start] == item.surface
    rows: list[PropertyFound | RelationFound | StatementFound] = [
        *found.properties,
        *found.relations,
        *found.statements,
    ]
    for row in rows:
        assert row.quote == text[row.start - start : row.end - start]
        assert len(row.quote) <= 1000
        assert 0 < row.confidence <= 1
    for prop in found.properties:
        assert prop.entity in surfaces
    for relation in found.relations:
        assert {relation.source, relation.target} <= surfaces
    for statement in found.statements:
        assert statement.subject in surfaces
        assert (statement.object_entity is None) != (statement.object_literal is None)
        assert statement.object_entity is None or statement.object_entity in surfaces
        assert statement.object_literal is None or statement.object_literal in text
    assert Extraction.from_json(found.to_json()) == found
    return found


def relations(text: str) -> set[tuple[str, str, str]]:
    """(source, type, target) without the weak RELATED_TO."""
    return {(item.source, item.type, item.target) for item in extract(text).relations if item.type != "RELATED_TO"}


def statements(text: str) -> list[tuple[str, str, str, str, str, str]]:
    """(subject, predicate, object, type, modality, polarity)."""
    return [
        (
            item.subject,
            item.predicate,
            item.object_entity or item.object_literal or "",
            item.statement_type,
            item.modality,
            item.polarity,
        )
        for item in extract(text).statements
    ]


def mentions(text: str, class_name: str | None = None) -> list[str]:
    """Surfaces of the mentions, of one class or all."""
    return [item.surface for item in extract(text).mentions if class_name in (None, item.class_name)]
