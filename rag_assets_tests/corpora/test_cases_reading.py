"""All documents of third parties are read through the worker, or refused for the reason they are known for.

The small cases of one fault each are in `test_cases.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.worker import ReadingWorker
from rag_assets.text.blocks import BlockKind
from rag_assets.text.chunking import Chunk, ChunkLimits, chunk_text
from rag_assets.text.cleaning import CanonicalText, canonicalise
from rag_assets.text.sections import build_sections
from rag_assets.text.tokens import CharacterTokens
from rag_assets_tests.corpora.outcomes import NEEDS_OCR, OUTCOMES

LIMITS = ChunkLimits()


@pytest.fixture(scope="module")
def worker() -> Iterator[ReadingWorker]:
    with ReadingWorker(ReadLimits(timeout_s=20)) as made:
        yield made


def chunked(result: ReadResult, title: str = "Titel") -> tuple[CanonicalText, tuple[Chunk, ...]]:
    canonical = canonicalise(result.blocks, repairs=result.repairs)
    sections = build_sections(canonical, title=title)
    return canonical, chunk_text(canonical, sections, title=title, tokens=CharacterTokens(), limits=LIMITS)


def test_every_document_is_read_or_refused_for_a_reason(corpora: Path, worker: ReadingWorker) -> None:
    read = 0
    for path in sorted((corpora / "docs").iterdir()):
        try:
            result = worker.read(path)
        except DocumentError as refusal:
            assert refusal.code == OUTCOMES[path.name], path.name  # noqa: PT017
            continue
        assert OUTCOMES[path.name] in ("done", "needs_ocr"), path.name
        assert len(result.needs_ocr_pages) == NEEDS_OCR.get(path.name, 0), path.name
        read += 1
        canonical, chunks = chunked(result)
        assert canonical.text or result.needs_ocr_pages, path.name
        assert all(chunk.token_count <= LIMITS.max_tokens for chunk in chunks)
        assert not any(b.kind is BlockKind.HEADING and b.end - b.start > 300 for b in canonical.blocks), path.name
    assert read >= 47
