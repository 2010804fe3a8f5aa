"""The source list beside an answer: for each source its place, its score with the three parts, and a quote.

The quote stands in the document word for word: what the answer quotes, or the sentence of the found passage that is
nearest to the question. Page and section are those of the quote, not of the chunk's beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_assets.online.citations import Verdict
from rag_assets.online.context import ContextSource, title_of
from rag_assets.online.ranking import Ranked
from rag_assets.stores.places import Places
from rag_assets.text.lexical import content_words
from rag_assets.text.passages import quotable
from rag_assets.text.sentences import sentence_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source as it is shown; `start` and `end` are the quote's span in the text of the document version.

    `page` counts from 1, `page_label` is what is printed there; both None for a format without pages.
    """

    number: int
    document_uid: str
    source_path: str
    title: str
    page: int | None
    page_label: str | None
    section: str | None
    quote: str
    score: float
    similarity: float
    recency: float
    authority: float
    cosine: float
    used: bool
    chunk_id: int
    version_id: int
    start: int
    end: int

    def to_json(self) -> dict[str, Any]:
        """As the `sources` of an answer list it."""
        return {
            "number": self.number,
            "document_uid": self.document_uid,
            "source_path": self.source_path,
            "title": self.title,
            "page": self.page,
            "page_label": self.page_label,
            "section": self.section,
            "quote": self.quote,
            "score": round(self.score, 4),
            "similarity": round(self.similarity, 4),
            "recency": round(self.recency, 4),
            "authority": round(self.authority, 4),
            "used": self.used,
        }


def quoted_spans(verdicts: Iterable[Verdict]) -> dict[int, tuple[int, int]]:
    """Number → span in the source's text of the first words that the answer quotes from it."""
    found: dict[int, tuple[int, int]] = {}
    for verdict in verdicts:
        for number, start, end in verdict.quote:
            found.setdefault(number, (start, end))
    return found


def list_sources(
    sources: Sequence[ContextSource],
    verdicts: Sequence[Verdict],
    words: frozenset[str],
    places: Mapping[int, Places],
) -> list[Source]:
    """The source list of a context whose answer got these verdicts; `words` are the question's content words."""
    quoted = quoted_spans(verdicts)
    named = {number for verdict in verdicts for number in verdict.numbers}
    listed = []
    for source in sources:
        span = quoted.get(source.number)
        if span is None:
            start, end = nearest_sentence(source.text, words, _focus(source))
        else:
            start, end = span
        shift = source.ranked.passage.chunk.char_start + source.offset
        listed.append(
            describe(
                source.ranked, number=source.number, quote=source.text[start:end], start=shift + start,
                used=source.number in named, places=places,
            )
        )  # fmt: skip
    return listed


def describe(
    ranked: Ranked, *, number: int, quote: str, start: int, used: bool, places: Mapping[int, Places]
) -> Source:
    """One entry of the list for a quote that begins at `start` of the version's text."""
    chunk = ranked.passage.chunk
    page, label, section = chunk.page_start, None, chunk.heading or None
    place = places.get(chunk.version_id)
    if place is not None:
        known, known_label = place.page(start)
        page, label = (known, known_label) if known is not None else (page, None)
        section = place.section(start) or section
    return Source(
        number=number, document_uid=chunk.document_uid, source_path=chunk.source_path,
        title=title_of(chunk.title, chunk.file_name), page=page, page_label=label, section=section, quote=quote,
        score=ranked.score, similarity=ranked.similarity, recency=ranked.recency, authority=ranked.authority,
        cosine=ranked.passage.candidate.cosine, used=used, chunk_id=chunk.id, version_id=chunk.version_id,
        start=start, end=start + len(quote),
    )  # fmt: skip


def nearest_sentence(text: str, words: frozenset[str], focus: tuple[int, int]) -> tuple[int, int]:
    """Span of the sentence within `focus` that has most of the words, the first of several; all of the focus if none.

    Whole sentences before headings and broken lines.
    """
    inside = [(p.start, p.end) for p in quotable(text) if p.start < focus[1] and p.end > focus[0]]
    inside = inside or [(a, b) for a, b in sentence_spans(text) if a < focus[1] and b > focus[0]]
    if not inside:
        return focus
    return max(inside, key=lambda span: (len(words & set(content_words(text[slice(*span)]))), -span[0]))


def _focus(source: ContextSource) -> tuple[int, int]:
    start, end = source.ranked.passage.focus
    start, end = max(0, start - source.offset), min(len(source.text), end - source.offset)
    return (start, end) if start < end else (0, len(source.text))
