"""Quotable pieces of a text: whole sentences, and lists together with the line that opens them.

For answers made of quotations. Headings, table rows, captions and broken lines are no quotable pieces. Which piece
answers a question is decided elsewhere (`models.generation.extractive`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rag_assets.text.blocks import CELL_SEPARATOR
from rag_assets.text.sentences import sentence_spans

MIN_WORDS: Final = 4
MAX_CHARS: Final = 600
_MAX_ITEMS: Final = 12
_MAX_ITEM_CHARS: Final = 200
_BLOCK: Final = re.compile(r"[^\n](?:.*?[^\n])??(?=\n\n+|\n*\Z)", re.DOTALL)
_ENDS: Final = re.compile(r"[.!…][\"'»«”“’‘›‹)\]]*(?:\[\d{1,3}\])?[¹²³⁴-⁹⁰]*$")
_ASKS: Final = re.compile(r"\?[\"'»«”“’‘›‹)\]]*$")
_OPENS_LIST: Final = re.compile(r":$")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_BULLET: Final = re.compile(r"(?:[-–—•*◦▪]|\d{1,2}[.)]|[a-z]\))\s+")
_LEADER: Final = re.compile(r"(?:\.\s?){4,}|…\s*\d+$")


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` can be quoted as it stands; `block` counts the blocks of the text, `is_list` says its kind."""

    start: int
    end: int
    block: int
    is_list: bool = False


def quotable(text: str) -> list[Piece]:
    r"""The quotable pieces of `text`, in order.

    >>> text = "Regeln\n\nFeedback beschreibt Verhalten. Warum?\n\nEs hat drei Teile:\n\nWahrnehmung\n\nWirkung"
    >>> [text[piece.start : piece.end] for piece in quotable(text)]
    ['Feedback beschreibt Verhalten.', 'Es hat drei Teile:\n\nWahrnehmung\n\nWirkung']
    """
    blocks = [(match.start(), match.end()) for match in _BLOCK.finditer(text)]
    pieces: list[Piece] = []
    taken = -1
    for number, (start, end) in enumerate(blocks):
        if number <= taken or _is_tabular(text[start:end]):
            continue
        spans = [(start + a, start + b) for a, b in sentence_spans(text[start:end])]
        last = len(spans) - 1
        for place, (a, b) in enumerate(spans):
            if place == last and _OPENS_LIST.search(text[a:b]):
                items = list(_items(text, blocks, number + 1))
                if items:
                    taken = items[-1]
                    pieces.append(Piece(a, blocks[taken][1], number, is_list=True))
            elif _is_sentence(text[a:b]):
                bullet = _BULLET.match(text, a, b)
                pieces.append(Piece(bullet.end() if bullet else a, b, number))
    return [piece for piece in pieces if piece.end - piece.start <= MAX_CHARS]


def _items(text: str, blocks: list[tuple[int, int]], first: int) -> Iterator[int]:
    """Numbers of the blocks that are the list's items: short, and all of one kind with the first of them."""
    for number in range(first, min(first + _MAX_ITEMS, len(blocks))):
        start, end = blocks[number]
        item = text[start:end]
        if len(item) > _MAX_ITEM_CHARS or _is_tabular(item) or _OPENS_LIST.search(item):
            return
        if number > first and bool(_ENDS.search(item)) != bool(_ENDS.search(text[slice(*blocks[first])])):
            return
        yield number


def _is_sentence(text: str) -> bool:
    return bool(
        _ENDS.search(text)
        and not _ASKS.search(text)
        and not _LEADER.search(text)
        and len(_WORD.findall(text)) >= MIN_WORDS
        and any(word[0].islower() for word in _WORD.findall(text))
    )


def _is_tabular(block: str) -> bool:
    return CELL_SEPARATOR in block or "\t" in block
