"""The rules extractor: chunks a second, against the lexical analysis of the same text, which every window needs."""

from __future__ import annotations

from benchmarks import campus
from benchmarks.measuring import PROJECT, median_spent
from benchmarks.rows import Row
from rag_assets.models.extraction.base import ExtractionRequest
from rag_assets.models.extraction.rules import RulesExtractor
from rag_assets.offline.ontology_file import load_ontology
from rag_assets.text.blocks import Block, BlockKind
from rag_assets.text.chunking import ChunkLimits, chunk_text
from rag_assets.text.cleaning import canonicalise
from rag_assets.text.lexical import analyse
from rag_assets.text.sections import build_sections
from rag_assets.text.tokens import CharacterTokens

NAME = "extraction"


def run(*, quick: bool) -> list[Row]:
    """Over the chunks of 20 (`quick`: 1) generated documents."""
    documents, repeats = (1, 1) if quick else (20, 5)
    ontology = load_ontology(PROJECT / "ontology.yaml")
    extractor = RulesExtractor(ontology)
    requests = [request for number in range(documents) for request in _requests(number)]
    characters = sum(len(request.text) for request in requests)
    found = [extractor.extract(request) for request in requests]
    facts = sum(len(one.relations) + len(one.statements) for one in found)
    rules = median_spent(lambda: [extractor.extract(request) for request in requests], repeats)
    lexical = median_spent(lambda: [analyse(request.text) for request in requests], repeats)
    opening = median_spent(lambda: RulesExtractor(ontology), repeats)
    per_chunk = rules.cpu_ms / len(requests)
    return [
        Row(NAME, "chunks a second of CPU time", 1000 / per_chunk, "chunks/s"),
        Row(NAME, "a chunk", per_chunk, "ms CPU", rules.cpu_ms / lexical.cpu_ms, "lexical analysis"),
        Row(NAME, "lexical analysis of a chunk", lexical.cpu_ms / len(requests), "ms CPU"),
        Row(NAME, "characters in a chunk", characters / len(requests), "characters"),
        Row(NAME, "mentions in a chunk", sum(len(one.mentions) for one in found) / len(requests), "mentions"),
        Row(NAME, "relations and statements in a chunk", facts / len(requests), "facts"),
        Row(NAME, "making the extractor from the ontology", opening.cpu_ms, "ms CPU"),
    ]


def _requests(number: int) -> list[ExtractionRequest]:
    title, sections = campus.document(number)
    blocks = [Block(BlockKind.HEADING, title, level=1)]
    for heading, paragraphs in sections:
        blocks.append(Block(BlockKind.HEADING, heading, level=2))
        blocks += [Block(BlockKind.PARAGRAPH, paragraph) for paragraph in paragraphs]
    canonical = canonicalise(blocks)
    chunks = chunk_text(
        canonical,
        build_sections(canonical, title=title),
        title=title,
        tokens=CharacterTokens(3.2),
        limits=ChunkLimits(),
    )
    return [
        ExtractionRequest(
            text=canonical.text[chunk.start : chunk.end],
            start=0,
            title=title,
            title_path=chunk.title_path,
            language="de",
        )
        for chunk in chunks
    ]
