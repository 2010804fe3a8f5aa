"""The text of one shape of a PPTX slide: paragraphs, bullets with their automatic numbers, formulas.

Works on the XML, because python-pptx leaves out formulas and what stands in alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rag_assets.readers.numbering import Counters, Level
from rag_assets.text.blocks import Block, BlockKind

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_STYLES = {"arabic": "1", "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_PATTERNS = {"Period": "%{0}.", "ParenR": "%{0})", "ParenBoth": "(%{0})", "Plain": "%{0}"}


def resolve_alternatives(slide: Any) -> None:
    """Put the first of several forms of a shape in its place; changes the tree."""
    for alternatives in list(slide.iter(f"{_MC}AlternateContent")):
        choice, parent = alternatives.find(f"{_MC}Choice"), alternatives.getparent()
        if choice is not None and parent is not None:
            for child in reversed(choice):
                alternatives.addnext(child)
            parent.remove(alternatives)


def plain_text(element: Any) -> str:
    """All text of a shape or cell, paragraphs and lines parted by line feeds."""
    return "\n".join(_text(paragraph) for paragraph in element.iter(f"{_A}p"))


def table_rows(element: Any) -> list[list[str]]:
    """Texts of a table's cells."""
    return [[plain_text(cell) for cell in row.iterchildren(f"{_A}tc")] for row in element.iter(f"{_A}tr")]


def text_blocks(element: Any, *, page: int, bulleted: bool) -> Iterator[Block]:
    """Blocks of a shape; with `bulleted`, several paragraphs are a list even where no bullet is set."""
    paragraphs = [(paragraph, text) for paragraph in element.iter(f"{_A}p") if (text := _text(paragraph)).strip()]
    counters = Counters()
    for paragraph, text in paragraphs:
        properties = paragraph.find(f"{_A}pPr")
        automatic = properties.find(f"{_A}buAutoNum") if properties is not None else None
        said = properties.get("lvl", "0") if properties is not None else "0"
        level = int(said) if said.isdigit() and len(said) == 1 else 0
        label = _label(automatic, level, counters)
        listed = (bulleted and len(paragraphs) > 1) or level > 0 or automatic is not None
        kind = BlockKind.LIST_ITEM if listed else BlockKind.PARAGRAPH
        yield Block(kind, f"{label} {text}" if label else text, page=page)


def _label(automatic: Any, level: int, counters: Counters) -> str:
    if automatic is None:
        counters.restart(level)
        return ""
    scheme, start = automatic.get("type", "arabicPeriod"), automatic.get("startAt", "1")
    style = next((style for name, style in _STYLES.items() if scheme.startswith(name)), "1")
    pattern = next((pattern for name, pattern in _PATTERNS.items() if scheme.endswith(name)), "%{0}.")
    first = int(start) if start.isdigit() and len(start) <= 5 else 1
    return counters.next(level, {level: Level(pattern.format(level + 1), style=style, start=first)})


def _text(paragraph: Any) -> str:
    return "".join(
        "\n" if element.tag == f"{_A}br" else (element.text or "").replace("\v", "\n")
        for element in paragraph.iter(f"{_A}t", f"{_A}br", _MATH_TEXT)
    )
