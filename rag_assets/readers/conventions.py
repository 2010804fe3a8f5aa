"""What styles are called, and what people do by hand where a program has a style for it: bold lines, raised figures.

Shared by the word processors' formats. Nothing here knows a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_assets.text.blocks import Block, BlockKind

HEADING_NAME = re.compile(r"(?:heading|überschrift|ueberschrift|titre|kop)\s*([1-9])\b", re.IGNORECASE)
CONTENTS_NAME = re.compile(r"(?:toc|contents|verzeichnis|inhaltsverzeichnis)\s*\d|toc heading", re.IGNORECASE)
LIST_NAME = re.compile(r"list|aufzählung|aufzaehlung|nummerier|listenabsatz", re.IGNORECASE)
TITLE_NAMES = frozenset(("title", "titel"))
CAPTION_NAMES = frozenset(("caption", "beschriftung", "image caption", "table caption"))
CODE_NAMES = frozenset(
    ("source code", "html preformatted", "preformatted text", "vorformatierter text", "quelltext", "code")
)

LONGEST_BOLD_HEADING = 90

MAYBE_HEADING = 0
"""Level of a paragraph all in bold and short enough for a heading, until `promote_bold` decides."""

_UNIT = re.compile(r"(?<![^\W\d_])[cdkm]?m$")
_POWERS = {"2": "²", "3": "³"}


def promote_bold(blocks: Sequence[Block]) -> Iterator[Block]:
    """Where no style marks a heading, short lines in bold before text are headings; else they are paragraphs."""
    has_headings = any(block.kind is BlockKind.HEADING for block in blocks)
    for number, block in enumerate(blocks):
        if block.kind is not BlockKind.PARAGRAPH or block.level != MAYBE_HEADING:
            yield block
            continue
        following = blocks[number + 1] if number + 1 < len(blocks) else None
        is_heading = (
            not has_headings
            and following is not None
            and not (following.kind is BlockKind.PARAGRAPH and following.level == MAYBE_HEADING)
            and not block.text.rstrip().endswith((".", ",", ";", ":"))
        )
        yield replace(block, kind=BlockKind.HEADING, level=2) if is_heading else replace(block, level=None)


def raised_number(raised: str, before: str) -> str | None:
    """What a raised figure stands for after the text `before`: "[2]" a note's number, "²" a power of metres.

    None when it is no figure. Without brackets it would melt into the word or the year before it.
    """
    figure = raised.strip()
    if not figure.isdigit() or len(figure) > 3:
        return None
    if figure in _POWERS and _UNIT.search(before):
        return _POWERS[figure]
    return f"[{figure}]"
