"""From blocks to the one canonical text of a document, with exact offsets, pages and a count of repairs.

Here lives what is done to a document as a whole; what is done to one string lives in `text.characters`. The raw
blocks are the caller's to keep.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag_assets.text.blocks import LINED_KINDS, Block, BlockKind
from rag_assets.text.characters import NO_WORDS, clean_string, divides_words, hyphenated_words

CLEANING_VERSION = "1"

BLOCK_SEPARATOR = "\n\n"

LONGEST_HEADING = 300
"""What is longer and marked as a heading is text that somebody set in large type."""


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """A block in the canonical text: `text[start:end]`."""

    kind: BlockKind
    start: int
    end: int
    level: int | None
    page: int | None
    page_label: str | None
    table_header: str | None


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A page in the canonical text: from its first character to where the next page begins (or the text ends)."""

    page: int
    label: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """The text of a document to which all offsets refer.

    Blocks are joined by an empty line. A page appears once for each stretch of the text that stands on it, in text
    order; the tuple is empty for formats without pages.
    """

    text: str
    blocks: tuple[BlockSpan, ...]
    pages: tuple[PageSpan, ...]
    repairs: Mapping[str, int]
    _page_starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_page_starts", tuple(page.start for page in self.pages))

    def page_at(self, offset: int) -> int | None:
        """1-based page on which the character at `offset` stands; None for formats without pages."""
        index = bisect_right(self._page_starts, offset) - 1
        if index < 0:
            return self.pages[0].page if self.pages else None
        return self.pages[index].page

    def page_label_at(self, offset: int) -> str | None:
        """What is printed as the number of the page at `offset`."""
        index = max(0, bisect_right(self._page_starts, offset) - 1)
        return self.pages[index].label if self.pages else None


def canonicalise(blocks: Sequence[Block], *, repairs: Mapping[str, int] | None = None) -> CanonicalText:
    """Join `blocks` to the canonical text; blocks that are empty after cleaning are left out.

    `repairs` are what the reader already counted; the result holds the sum.
    """
    counts: Counter[str] = Counter(repairs or {})
    hyphenated = (
        hyphenated_words(block.text for block in blocks)
        if any(divides_words(block.text) for block in blocks)
        else NO_WORDS
    )
    parts: list[str] = []
    spans: list[BlockSpan] = []
    marks: list[tuple[int, int, str | None]] = []
    at = 0
    for block in blocks:
        lined = block.kind in LINED_KINDS
        text, found = clean_string(block.text, lined=lined, hyphenated=hyphenated)
        counts.update(found)
        if not text:
            continue
        header = clean_string(block.table_header, lined=False)[0] if block.table_header else None
        kind = block.kind
        if kind is BlockKind.HEADING and len(text) > LONGEST_HEADING:
            kind = BlockKind.PARAGRAPH
        level = min(6, max(1, block.level or 1)) if kind is BlockKind.HEADING else None
        spans.append(BlockSpan(kind, at, at + len(text), level, block.page, block.page_label, header or None))
        if block.page is not None:
            marks.append((at, block.page, block.page_label))
        for new_page in block.page_breaks:
            # The cleaned length of what precedes the break is where it lies; a hyphen that joining took away may
            # put it one character late, which no citation can notice.
            before, _ = clean_string(block.text[: new_page.offset], lined=lined, hyphenated=hyphenated)
            marks.append((at + min(len(before) + 1, len(text)), new_page.page, new_page.label))
        parts.append(text)
        at += len(text) + len(BLOCK_SEPARATOR)
    joined = BLOCK_SEPARATOR.join(parts)
    return CanonicalText(
        joined, tuple(spans), _page_spans(marks, len(joined)), {kind: n for kind, n in sorted(counts.items()) if n}
    )


def _page_spans(marks: Sequence[tuple[int, int, str | None]], length: int) -> tuple[PageSpan, ...]:
    starts: list[tuple[int, int, str | None]] = []
    for mark in marks:
        if not starts or starts[-1][1] != mark[1]:
            starts.append(mark)
    ends = [*(start for start, _, _ in starts[1:]), length][: len(starts)]
    return tuple(
        PageSpan(page, label, start, end) for (start, page, label), end in zip(starts, ends, strict=True) if end > start
    )
