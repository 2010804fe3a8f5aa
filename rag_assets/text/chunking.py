"""Cutting the canonical text into chunks (what is read) and windows (what is embedded).

Order of preference for a cut: section, paragraph, list item, sentence or table row, white space, any character.
Here live the values and the packing; where a cut is allowed lives in `text.boundaries`, windows in `text.windows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_assets.errors import SettingsError
from rag_assets.text.boundaries import Boundaries, Strength, find_boundaries, hard_cut
from rag_assets.text.cleaning import CanonicalText
from rag_assets.text.sections import PATH_SEPARATOR, Section, chapters, section_path
from rag_assets.text.tokens import TokenCounter
from rag_assets.text.windows import Surroundings, Window, cut_windows, embedded_text

__all__ = ["CHUNKER_VERSION", "Chunk", "ChunkLimits", "Window", "chunk_text", "embedded_text"]

CHUNKER_VERSION = "2"


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes of chunks and windows, checked when made.

    Raises:
        SettingsError: a size is not positive, the overlap is negative or not smaller than the smallest chunk, or the
            smallest chunk is larger than the largest.
    """

    min_tokens: int = 500
    max_tokens: int = 800
    overlap_tokens: int = 75
    window_chars: int = 800

    def __post_init__(self) -> None:
        if self.min_tokens < 1 or self.max_tokens < 1 or self.window_chars < 1:
            raise self._refuse("chunk and window sizes must be positive")
        if self.overlap_tokens < 0:
            raise self._refuse("the overlap must not be negative")
        if self.min_tokens > self.max_tokens:
            raise self._refuse("the smallest chunk is larger than the largest")
        if self.overlap_tokens >= self.min_tokens:
            raise self._refuse("the overlap must be smaller than the smallest chunk")

    def _refuse(self, why: str) -> SettingsError:
        return SettingsError(
            "settings",
            why,
            min_tokens=self.min_tokens,
            max_tokens=self.max_tokens,
            overlap_tokens=self.overlap_tokens,
            window_chars=self.window_chars,
        )


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of the canonical text that is read as one; offsets into that text, end exclusive."""

    ordinal: int
    start: int
    end: int
    overlap: int
    """Leading characters that the previous chunk also holds."""
    section: int
    """Ordinal of the deepest section at the chunk's first own character (the one after the overlap)."""
    title_path: str
    """"Titel › Kapitel › Abschnitt" of that section."""
    page_start: int | None
    page_end: int | None
    token_count: int
    windows: tuple[Window, ...]
    table_header: str = ""
    """Header row of the table in which the chunk begins, when the row itself stands before the chunk."""


def chunk_text(
    canonical: CanonicalText,
    sections: Sequence[Section],
    *,
    title: str,
    tokens: TokenCounter,
    limits: ChunkLimits,
) -> tuple[Chunk, ...]:
    """Cut a document into chunks of `limits.min_tokens` to `limits.max_tokens`, their overlap included.

    A chunk is shorter only where a chapter or the text ends, and never crosses into another chapter. Without their
    overlaps the chunks tile the text; white space at a joint belongs to the earlier chunk. `title` heads the title
    path where the sections have no root heading of their own. An empty text has no chunks.
    """
    text = canonical.text
    if not text:
        return ()
    boundaries = find_boundaries(canonical)
    surroundings = Surroundings(canonical, sections)
    packer = _Packer(text, boundaries, tokens, limits)
    starts = chapters(sections)
    chunks: list[Chunk] = []
    for chapter, chapter_end in zip(starts, (*starts[1:], len(text)), strict=True):
        for start, own, end in packer.pack(chapter, chapter_end):
            section = surroundings.section_at(own)
            path = section_path(sections, section) if sections else ()
            chunks.append(
                Chunk(
                    ordinal=len(chunks),
                    start=start,
                    end=end,
                    overlap=own - start,
                    section=section,
                    title_path=PATH_SEPARATOR.join(path) or title,
                    page_start=canonical.page_at(start),
                    page_end=canonical.page_at(end - 1),
                    token_count=tokens.count(text[start:end]),
                    windows=cut_windows(
                        text,
                        start,
                        end,
                        limit=limits.window_chars,
                        boundaries=boundaries,
                        surroundings=surroundings,
                    ),
                    table_header=surroundings.table_header_at(start),
                )
            )
    return tuple(chunks)


class _Packer:
    """Finds the cuts inside one chapter after the other."""

    def __init__(self, text: str, boundaries: Boundaries, tokens: TokenCounter, limits: ChunkLimits) -> None:
        self._text = text
        self._boundaries = boundaries
        self._tokens = tokens
        self._limits = limits
        # A third to either side of the overlap wanted: 75 tokens may be 50 to 100.
        self._least_overlap = limits.overlap_tokens - limits.overlap_tokens // 3
        self._most_overlap = min(limits.overlap_tokens + limits.overlap_tokens // 3, limits.min_tokens - 1)

    def pack(self, first: int, last: int) -> list[tuple[int, int, int]]:
        """Cut `[first, last)`; each piece as (start, first own character, end)."""
        pieces: list[tuple[int, int, int]] = []
        start = own = first
        while own < last:
            end = self._end(start, own, last)
            pieces.append((start, own, end))
            start, own = self._overlap_start(own, end), end
        return pieces

    def _end(self, start: int, own: int, last: int) -> int:
        furthest = max(own + 1, self._reach(start, self._limits.max_tokens, last))
        if furthest >= last:
            return last
        nearest = max(own + 1, min(furthest, self._reach(start, self._limits.min_tokens - 1, last) + 1))
        place = self._boundaries.best(nearest, furthest)
        if place is not None and self._strength(place) < Strength.BLOCK:
            # A crumb after the last cut says little: share the rest between the last two.
            rest = self._reach(place, self._limits.overlap_tokens, last)
            if rest >= last:
                middle = self._boundaries.best(nearest, nearest + (furthest - nearest) // 2)
                place = middle if middle is not None else place
        if place is None:
            # No sentence, row or line ends where it should: better a short chunk than a cut through a row …
            place = self._boundaries.best(own + 1, nearest, weakest=Strength.SENTENCE)
            if place is not None and not self._cuts_lines(place):
                place = None
        # … but a sentence of such a length is no sentence.
        return place if place is not None else hard_cut(self._text, nearest, furthest)

    def _strength(self, offset: int) -> int:
        return next((self._boundaries.strengths[i] for i in self._boundaries.between(offset, offset)), 0)

    def _cuts_lines(self, offset: int) -> bool:
        return self._text[offset - 1] == "\n"

    def _overlap_start(self, own: int, end: int) -> int:
        """Where the next chunk begins: at a sentence, else at a word, so that it repeats about what is wanted."""
        wanted = self._limits.overlap_tokens
        if wanted == 0:
            return end
        earliest = max(own + 1, self._reach_back(end, self._most_overlap))
        latest = max(earliest, self._reach_back(end, self._least_overlap))
        middle = self._reach_back(end, wanted)
        candidates = [
            self._boundaries.offsets[index]
            for index in self._boundaries.between(earliest, min(latest, end - 1))
            if self._boundaries.strengths[index] >= Strength.SENTENCE
        ]
        if candidates:
            return min(candidates, key=lambda offset: (abs(offset - middle), offset))
        if middle <= own:
            return end
        return hard_cut(self._text, earliest, max(earliest, middle))

    def _reach(self, start: int, count: int, last: int) -> int:
        """The largest end, at most `last`, with no more than `count` tokens in `[start, end)`."""
        low, high = start, min(last, start + _MOST_CHARS_PER_TOKEN * max(1, count))
        while low < high:
            middle = (low + high + 1) // 2
            if self._tokens.count(self._text[start:middle]) <= count:
                low = middle
            else:
                high = middle - 1
        return low

    def _reach_back(self, end: int, count: int) -> int:
        """The smallest start with no more than `count` tokens in `[start, end)`."""
        low, high = max(0, end - _MOST_CHARS_PER_TOKEN * max(1, count)), end
        while low < high:
            middle = (low + high) // 2
            if self._tokens.count(self._text[middle:end]) <= count:
                high = middle
            else:
                low = middle + 1
        return low


_MOST_CHARS_PER_TOKEN = 16
"""A token is taken to be no longer than this, so that finding a cut looks at a bounded stretch of text."""
