"""What holds for any text: spans and quotes match, no crash, no surprise, the same twice, wherever the passage begins."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.models.extraction.base import ExtractionRequest
from rag_assets.models.extraction.rules import RulesExtractor
from rag_assets_tests.knowledge.sample import mapping, ontology
from rag_assets_tests.models.extraction.rules_runner import SHIFT, extract, extractor

PIECES = st.sampled_from(
    """Carl|Rogers|C.|Rosenberg|entwickelte|die|GFK|Gewaltfreie|Kommunikation|wurde|von|ist|eine|Methode|,|der|.|„|“|(|)|1984|
    keine|nicht|Unter|versteht|man|umfasst|höchstens|zehn|Sitzungen|muss|und|Dr.|Frau|Satirs|Soziale Systeme|Buch|erschien|:|;|–|-|
    \n\n|\n|vielleicht|behauptet|dass|Luhmann|(GFK)|Systemtheorie|=SUM(A1)|#|*|'|’|Straße|ÄÖÜ|ß|\u00ad|\u200b|é|İ|ﬁ""".split(
        "|"
    )
)
TEXTS = st.lists(PIECES, max_size=40).map(" ".join) | st.text(max_size=200)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_every_span_and_quote_matches(text: str) -> None:
    extract(text)


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.integers(0, 10**6))
def test_the_place_of_a_passage_only_moves_the_offsets(text: str, start: int) -> None:
    here, there = extract(text, start=0), extract(text, start=start)
    assert [(item.surface, item.start + start) for item in here.mentions] == [
        (item.surface, item.start) for item in there.mentions
    ]
    assert [item.quote for item in here.statements] == [item.quote for item in there.statements]


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_a_new_extractor_gives_the_same(text: str) -> None:
    fresh = RulesExtractor(ontology())
    assert fresh.fingerprint == extractor().fingerprint
    request = ExtractionRequest(text=text, start=SHIFT, title="", title_path="", language="de")
    assert fresh.extract(request) == extract(text)


def test_the_fingerprint_follows_the_ontology() -> None:
    raw = mapping()
    raw["synonyms"].append({"name": "Neuer Begriff", "class": "Konzept", "labels": []})
    assert RulesExtractor(ontology().from_mapping(raw)).fingerprint != extractor().fingerprint


@pytest.mark.long
def test_long_lines_stay_cheap() -> None:
    """No pattern may explode: 100,000 characters of nine bad kinds, some seconds of work in all."""
    before = time.process_time()
    for piece in (
        "Carl Rogers, ",
        "(a ",
        "die neue ",
        "A. B. ",
        "„Titel ",
        "Wort – ",
        "zehn bis ",
        "Ab-",
        "GFK (GFK) ",
    ):
        extract(piece * (100_000 // len(piece)))
    assert time.process_time() - before < 60
