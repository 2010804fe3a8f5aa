"""Where the canonical text may be cut, and how gladly; and the choice among such places.

Shared by chunks and windows. Knows structure (headings, blocks, rows, sentences), knows nothing of tokens.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from rag_assets.text.blocks import BlockKind
from rag_assets.text.cleaning import BlockSpan, CanonicalText
from rag_assets.text.sentences import sentence_spans


class Strength(IntEnum):
    """How gladly a cut is made at a place; headings add more, the higher their level."""

    HELD = 0
    """Possible, but what stands before belongs to what follows: after a heading, after a table's header row."""
    SENTENCE = 1
    """Also a row of a table and a line of code."""
    LIST_ITEM = 2
    BLOCK = 3
    SECTION = 4


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Places where a cut may be made, ascending: offsets of first characters, each with its strength."""

    offsets: tuple[int, ...]
    strengths: tuple[int, ...]

    def between(self, first: int, last: int) -> range:
        """Indices of the places with `first <= offset <= last`."""
        return range(bisect_left(self.offsets, first), bisect_right(self.offsets, last))

    def best(self, first: int, last: int, *, weakest: int = Strength.SENTENCE) -> int | None:
        """The strongest place with `first <= offset <= last`, among equals the last one; None when there is none."""
        best: int | None = None
        for index in self.between(first, last):
            strength = self.strengths[index]
            if strength >= weakest and (best is None or strength >= self.strengths[best]):
                best = index
        return None if best is None else self.offsets[best]


def find_boundaries(canonical: CanonicalText) -> Boundaries:
    """All places at which a chunk or window may begin, the beginning of the text left out."""
    offsets: list[int] = []
    strengths: list[int] = []
    before: BlockSpan | None = None
    for block in canonical.blocks:
        if before is not None:
            offsets.append(block.start)
            strengths.append(_strength_between(before, block))
        for start, strength in _inside(canonical.text, block):
            offsets.append(start)
            strengths.append(strength)
        before = block
    return Boundaries(tuple(offsets), tuple(strengths))


def _strength_between(before: BlockSpan, block: BlockSpan) -> int:
    if before.kind is BlockKind.HEADING:
        return Strength.HELD
    if block.kind is BlockKind.HEADING:
        return Strength.SECTION + 6 - (block.level or 1)
    if block.kind is BlockKind.FOOTNOTE:
        return Strength.SENTENCE  # stays with what cites it if it can
    if block.kind is BlockKind.LIST_ITEM:
        # The first item belongs to the sentence that announces the list.
        return Strength.LIST_ITEM if before.kind is BlockKind.LIST_ITEM else Strength.SENTENCE
    if before.kind is BlockKind.CAPTION:
        return Strength.HELD
    return Strength.BLOCK


def _inside(text: str, block: BlockSpan) -> list[tuple[int, int]]:
    if block.kind in (BlockKind.TABLE, BlockKind.CODE):
        found: list[tuple[int, int]] = []
        at = text.find("\n", block.start, block.end)
        while at != -1:
            header_ends = not found and block.table_header is not None
            found.append((at + 1, Strength.HELD if header_ends else Strength.SENTENCE))
            at = text.find("\n", at + 1, block.end)
        return found
    spans = sentence_spans(text[block.start : block.end])
    return [(block.start + start, int(Strength.SENTENCE)) for start, _ in spans[1:]]


def hard_cut(text: str, first: int, last: int) -> int:
    """A cut where no boundary lies in `[first, last]`: after the last white space there, else at `last`.

    A base character is not parted from its combining marks, unless that would leave no progress.
    """
    at = last
    while at > first and not text[at - 1].isspace():
        at -= 1
    if at > first:
        return at
    at = last
    while at > first and at < len(text) and (unicodedata.combining(text[at]) or text[at].isspace()):
        at -= 1
    return at if at > first else last


def block_at(blocks: Sequence[BlockSpan], starts: Sequence[int], offset: int) -> BlockSpan | None:
    """The block that holds `offset`, or the one before it when `offset` lies between two; `starts` are the blocks'."""
    index = bisect_right(starts, offset) - 1
    return blocks[index] if index >= 0 else None
