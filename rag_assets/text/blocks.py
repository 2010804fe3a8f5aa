"""Blocks: what a reader found in a document, in reading order, before any cleaning.

Here live only the values that cross from `readers` to `text`. How a format becomes blocks lives in `readers`; how
blocks become the canonical text lives in `text.cleaning`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is in its document. `NOTE` is a speaker's note, `FOOTNOTE` stands after the block that cites it."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FOOTNOTE = "footnote"
    NOTE = "note"
    CAPTION = "caption"
    CODE = "code"


#: Kinds whose line breaks carry meaning: table rows and lines of code. In all others a line break is white space.
LINED_KINDS = frozenset({BlockKind.TABLE, BlockKind.CODE})

CELL_SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class PageBreak:
    """A new page that begins inside a block: `offset` into the block's raw text, 1-based `page`, printed `label`."""

    offset: int
    page: int
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One block as read.

    A `TABLE` block is one whole table: rows joined by a line feed, cells by `CELL_SEPARATOR`; its header row, if it
    has one, stands in `text` too and is named by `table_header`.
    """

    kind: BlockKind
    text: str
    level: int | None = None
    """1..6, for headings only."""
    page: int | None = None
    """1-based page on which the block begins; None for formats without pages."""
    page_label: str | None = None
    """What is printed as that page's number, e.g. "iv"."""
    table_header: str | None = None
    page_breaks: tuple[PageBreak, ...] = ()
    """Pages that begin inside the block, for a paragraph that runs over the end of its page."""


def table_block(
    rows: list[list[str]], *, header: bool, page: int | None = None, page_label: str | None = None
) -> Block | None:
    """Build a `TABLE` block from cells; None when no cell has text.

    Cells lose their line breaks and vertical bars (the separator must stay unambiguous); empty rows are dropped;
    with `header`, the first row that has text is the header.
    """
    lines = []
    for row in rows:
        cells = [" ".join(cell.replace("|", "/").split()) for cell in row]
        if any(cells):
            lines.append(CELL_SEPARATOR.join(cells).strip())
    if not lines:
        return None
    return Block(
        BlockKind.TABLE,
        "\n".join(lines),
        page=page,
        page_label=page_label,
        table_header=lines[0] if header and len(lines) > 1 else None,
    )
