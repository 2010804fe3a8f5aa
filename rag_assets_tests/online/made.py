"""Passages made by hand, for tests of phases that take values and give values."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from rag_assets.online.loading import Passage
from rag_assets.online.ranking import Ranked
from rag_assets.online.selection import Candidate
from rag_assets.stores.answering import LoadedChunk

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def chunk(number: int, text: str, **given: Any) -> LoadedChunk:
    values: dict[str, Any] = {
        "id": number, "content": text, "content_sha256": f"{number:064}", "title_path": "Handbuch", "heading": "",
        "ordinal": 0, "char_start": 0, "char_end": len(text), "overlap": 0, "page_start": None, "page_end": None,
        "token_count": 1, "document_id": number, "document_uid": f"d{number}", "version_id": number,
        "title": f"Titel {number}", "source_path": f"campus/{number}.md", "collection": "documents", "type": "text",
        "language": "de", "authority": 0.5, "half_life_years": 5.0, "audience": ("all",), "local_only": False,
        "published_on": date(2026, 1, 1), "version_created_at": NOW,
    }  # fmt: skip
    return LoadedChunk(**(values | given))


def passage(number: int, text: str, relevance: float = 0.5, **given: Any) -> Passage:
    loaded = chunk(number, text, **given)
    candidate = Candidate("documents", number, loaded.document_id, f"u{number:03}", relevance, 0.0, relevance)
    return Passage(candidate, loaded, (0, len(text)))


def ranked(number: int, text: str, score: float = 0.5, **given: Any) -> Ranked:
    return Ranked(passage(number, text, **given), score, 0.5, 0.5, score, score)
