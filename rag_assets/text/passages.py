"""Quotable pieces of a text: whole sentences, rows of tables, and lists together with the line that opens them.

For answers made of quotations. Headings, header rows, questions and broken lines are no quotable pieces, but what stands
above a piece (`above`) says what it is about. Which piece answers a question is decided elsewhere
(`models.generation.extractive`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rag_assets.text.blocks import CELL_SEPARATOR
from rag_assets.text.sentences import sentence_spans

MIN_WORDS: Final = 4
MAX_CHARS: Final = 600
_MAX_ITEMS: Final = 12
_MAX_ITEM_CHARS: Final = 200
_MAX_HEADING_CHARS: Final = 160
_ROW: Final = re.compile(r"[^\n]+")
_BLOCK: Final = re.compile(r"[^\n](?:.*?[^\n])??(?=\n\n+|\n*\Z)", re.DOTALL)
_FOOTNOTES: Final = re.compile(r"(?:\[\d{1,3}\]|[¹²³⁴-⁹⁰])+$")
_CLOSING: Final = r"[\"'»«”“’‘›‹)\]]*$"
_ENDS: Final = re.compile(r"[.!…]" + _CLOSING)
_ASKS: Final = re.compile(r"\?" + _CLOSING)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_BULLET: Final = re.compile(r"(?:[-–—•*◦▪]|\d{1,2}[.)]|[a-z]\))\s+")
_ITEM: Final = re.compile(r"(?:[-–—•*◦▪]|\d{1,2}[.)]|[a-z]\))\s|[^\W\d_][^.:\n]{0,60}:\s|[a-zäöüß]")
_LEADER: Final = re.compile(r"(?:\.\s?){4,}|…\s*\d+$")


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` can be quoted as it stands.

    Attributes:
        block: number of the block that it begins in; pieces of one block follow each other.
        above: the nearest heading, list opening or question before it, for a row its table's header row;
            `text[above[0]:above[1]]`; None without one.
        is_list: whether it is a list with its opening line; its items stand in blocks of their own.
        is_row: whether it is a row of a table.
    """

    start: int
    end: int
    block: int
    above: tuple[int, int] | None = None
    is_list: bool = False
    is_row: bool = False


def quotable(text: str, *, in_table: bool = False) -> list[Piece]:
    r"""The quotable pieces of `text`, in order; `in_table` when it begins in the middle of a table, after its header.

    >>> text = "Regeln\n\nFeedback beschreibt Verhalten. Warum?\n\nEs hat drei Teile:\n\nWahrnehmung\n\nWirkung"
    >>> [text[piece.start : piece.end] for piece in quotable(text)]
    ['Feedback beschreibt Verhalten.', 'Es hat drei Teile:\n\nWahrnehmung\n\nWirkung']
    """
    blocks = [_trimmed(text, *match.span()) for match in _BLOCK.finditer(text) if match[0].strip()]
    pieces: list[Piece] = []
    above: tuple[int, int] | None = None
    taken = -1
    for number, (start, end) in enumerate(blocks):
        if number <= taken:
            continue
        if _is_tabular(text[start:end]):
            pieces += _rows(text, start, end, number, in_table=in_table and number == 0)
            continue
        spans = _joined_spans(text, start, end)
        for place, (a, b) in enumerate(spans):
            sentence = text[a:b]
            if place == len(spans) - 1 and sentence.endswith(":"):
                last = _last_item(text, blocks, number + 1)
                if last is not None:
                    taken = last
                    pieces.append(Piece(a, _without_footnotes(text, a, blocks[last][1]), number, above, is_list=True))
                elif len(sentence) <= _MAX_HEADING_CHARS:
                    above = (a, b)
            elif _is_sentence(sentence):
                bullet = _BULLET.match(text, a, b)
                begin = bullet.end() if bullet else a
                pieces.append(Piece(begin, _without_footnotes(text, begin, b), number, above))
            elif len(sentence) <= _MAX_HEADING_CHARS and (len(spans) == 1 or _ASKS.search(sentence)):
                above = (a, b)
    return [piece for piece in pieces if piece.end - piece.start <= MAX_CHARS]


def _rows(text: str, start: int, end: int, block: int, *, in_table: bool) -> list[Piece]:
    """Rows of a table, each with the header row above it; in a table the first line is a row like the others."""
    lines = [_trimmed(text, *match.span()) for match in _ROW.finditer(text, start, end)]
    lines = [(a, b) for a, b in lines if a < b]
    header = None if in_table or not lines else lines[0]
    return [
        Piece(a, b, block, header, is_row=True)
        for a, b in lines
        if (a, b) != header and CELL_SEPARATOR in text[a:b] and _WORD.search(text, a, b)
    ]


def _joined_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Sentences of a block; one of a word or three ("Nein.") is joined with the next, which it needs to be understood."""
    spans: list[tuple[int, int]] = []
    held: int | None = None
    for a, b in sentence_spans(text[start:end]):
        a, b = start + a, start + b
        begin = a if held is None else held
        if len(_WORD.findall(text[begin:b])) < MIN_WORDS and _ENDS.search(text[a:b]) and not text[begin].isdigit():
            held = begin
            continue
        spans.append((begin, b))
        held = None
    if held is not None:
        spans.append((held, end))
    return spans


def _last_item(text: str, blocks: list[tuple[int, int]], first: int) -> int | None:
    """Number of the last of the blocks from `first` on that are items of one list.

    Items are short and all end alike. Whole sentences are items only when they look the part, with a bullet, a number
    or a term and a colon: else they are the next paragraphs.
    """
    last = None
    for number in range(first, min(first + _MAX_ITEMS, len(blocks))):
        item = text[slice(*blocks[number])]
        if len(item) > _MAX_ITEM_CHARS or _is_tabular(item) or item.endswith(":") or _ASKS.search(item):
            break
        whole = bool(_ENDS.search(item))
        if whole != bool(_ENDS.search(text[slice(*blocks[first])])) or (whole and not _ITEM.match(item)):
            break
        last = number
    return last


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    block = text[start:end]
    return start + len(block) - len(block.lstrip()), end - len(block) + len(block.rstrip())


def _without_footnotes(text: str, start: int, end: int) -> int:
    mark = _FOOTNOTES.search(text, start, end)
    if not mark or mark.start() <= start:
        return end
    # What stood before the mark may end in white space, as when an item is nothing but marks.
    return start + len(text[start : mark.start()].rstrip())


def _is_sentence(sentence: str) -> bool:
    plain = _FOOTNOTES.sub("", sentence)
    words = _WORD.findall(plain)
    return bool(
        _ENDS.search(plain)
        and not _ASKS.search(plain)
        and not _LEADER.search(plain)
        and len(words) >= MIN_WORDS
        and any(word[0].islower() for word in words)
    )


def _is_tabular(block: str) -> bool:
    return CELL_SEPARATOR in block or "\t" in block
