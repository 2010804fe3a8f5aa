"""The rules on inputs and gold that others made: named cases, and floors for precision and recall.

The floors are what was measured, less a margin; `pytest -s` prints the figures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.resolution import EntityFacts, resolve
from rag_assets.models.extraction.base import Extraction, ExtractionRequest
from rag_assets.models.extraction.rules import RulesExtractor

PROJECT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def own() -> Ontology:
    return Ontology.from_mapping(yaml.safe_load((PROJECT / "ontology.yaml").read_text(encoding="utf-8")))


def run(ontology: Ontology, text: str) -> Extraction:
    request = ExtractionRequest(text=text, start=0, title="", title_path="", language="de")
    return RulesExtractor(ontology).extract(request)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_statement_modality(corpora: Path, own: Ontology) -> None:
    """Negation, hedging, norm and quotation are not flattened into plain facts."""
    folder = corpora / "cases" / "statement-modality"
    found = run(own, (folder / "text.md").read_text(encoding="utf-8"))
    seen = {(item.subject, item.modality, item.polarity) for item in found.statements}
    assert seen == {
        ("Luhmann", "citing", "affirmed"),
        ("Reframing", "hypothetical", "affirmed"),
        ("Berater", "normative", "affirmed"),
        ("Supervision", "assertive", "negated"),
        ("Rogers", "assertive", "negated"),
    }
    forbidden = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["must_not_statement"]
    for subject, _, target in forbidden:
        for item in found.statements:
            said = f"{item.object_entity or ''} {item.object_literal or ''}"
            assert not (item.subject == subject and target in said and item.polarity == "affirmed")
    assert [item for item in found.relations if item.type != "RELATED_TO"] == []


def test_entity_variants(corpora: Path, own: Ontology) -> None:
    """Five spellings of one person, another person with the surname, inflected forms of a concept."""
    folder = corpora / "cases" / "entity-variants"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    entities: dict[str, EntityFacts] = {}
    places: dict[tuple[str, str], str] = {}
    for document in sorted(folder.glob("dokument_*.md")):
        for item in run(own, document.read_text(encoding="utf-8")).mentions:
            name = item.canonical or item.surface
            key = canonical_key(name)
            known = entities.get(key)
            entities[key] = EntityFacts(
                key=key,
                name=name,
                class_name=item.class_name,
                evidence_count=(known.evidence_count if known else 0) + 1,
                documents=(known.documents if known else frozenset()) | {document.name},
            )
            places[canonical_key(item.surface), document.name] = key
    result = resolve(
        list(entities.values()), own.synonyms, roots={item.name: own.root(item.name) for item in own.classes}
    )

    def survivors(surface: str) -> set[str]:
        found = [(key, name) for (form, name), key in places.items() if form == canonical_key(surface)]
        return {result.by_document.get((key, name), result.survivor[key]) for key, name in found}

    for group in (*expected["same"], *expected["same_concept"]):
        assert len(set().union(*(survivors(surface) for surface in group))) == 1
    carl, annie = expected["different"][0]
    assert result.survivor.get(canonical_key(carl), "carl r rogers") not in survivors(annie)


def test_names_that_look_like_formulas_change_nothing(corpora: Path, own: Ontology) -> None:
    text = (corpora / "cases" / "csv-formula-entity-names" / "glossar.md").read_text(encoding="utf-8")
    found = run(own, text)
    for item in found.mentions:
        assert text[item.start : item.end] == item.surface
    assert "Teamuhr" in {item.surface for item in found.mentions}


def measure(name: str, hits: int, found: int, gold: int) -> tuple[float, float]:
    precision, recall = hits / max(1, found), hits / max(1, gold)
    print(f"{name}: n={gold} precision={precision:.3f} recall={recall:.3f}")
    return precision, recall


def test_persons_on_germeval(corpora: Path, own: Ontology) -> None:
    extractor = RulesExtractor(own)
    hits = found = gold = 0
    for row in lines(corpora / "gold" / "extraction" / "ner_germeval2014.jsonl"):
        request = ExtractionRequest(text=row["text"], start=0, title="", title_path="", language="de")
        wanted = {(item["start"], item["end"]) for item in row["entities"] if item["type"] == "PER"}
        seen = {(item.start, item.end) for item in extractor.extract(request).mentions if item.class_name == "Person"}
        hits, found, gold = hits + len(wanted & seen), found + len(seen), gold + len(wanted)
    precision, recall = measure("persons, GermEval 2014", hits, found, gold)
    assert precision >= 0.88
    assert recall >= 0.38


def test_definitions_of_laws(corpora: Path, own: Ontology) -> None:
    extractor = RulesExtractor(own)
    hits = found = gold = 0
    for row in lines(corpora / "gold" / "extraction" / "definitions_law_de.jsonl"):
        request = ExtractionRequest(text=row["sentence"], start=0, title="", title_path="", language="de")
        seen = {item.subject for item in extractor.extract(request).statements if item.statement_type == "definition"}
        hits, found, gold = hits + (row["term"] in seen), found + len(seen), gold + 1
    precision, recall = measure("definitions, laws", hits, found, gold)
    assert precision >= 0.95
    assert recall >= 0.85
