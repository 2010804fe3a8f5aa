"""What the styles of a Word document say a paragraph is: heading, caption, code, list item, title, hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from docx.document import Document

from rag_assets.readers.conventions import (
    CAPTION_NAMES,
    CODE_NAMES,
    CONTENTS_NAME,
    HEADING_NAME,
    LIST_NAME,
    TITLE_NAMES,
)
from rag_assets.readers.docx_numbering import Numbering, W
from rag_assets.readers.docx_text import is_on
from rag_assets.text.blocks import BlockKind


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph's style says it is."""

    heading: int | None
    kind: BlockKind
    is_title: bool
    is_contents: bool
    number: tuple[str, int] | None = None
    """The list that numbers it, and the level there (0-based)."""


class Styles:
    """Styles of a document, resolved along what they are based on."""

    def __init__(self, document: Document, numbering: Numbering) -> None:
        self._numbering = numbering
        self._names: dict[str, str] = {}
        self._based_on: dict[str, str] = {}
        self._outline: dict[str, int] = {}
        self._numbers: dict[str, tuple[str | None, str | None]] = {}
        self.hidden: set[str] = set()
        self._default = ""
        for element in document.styles.element.iterchildren(f"{W}style"):
            key = element.get(f"{W}styleId") or ""
            name = element.find(f"{W}name")
            self._names[key] = (name.get(f"{W}val") or "") if name is not None else key
            base = element.find(f"{W}basedOn")
            if base is not None:
                self._based_on[key] = base.get(f"{W}val") or ""
            outline = element.find(f"{W}pPr/{W}outlineLvl")
            if outline is not None:
                self._outline[key] = int(outline.get(f"{W}val") or 9)
            if element.find(f"{W}pPr/{W}numPr") is not None:
                self._numbers[key] = _number(element)
            if is_on(element.find(f"{W}rPr/{W}vanish")):
                self.hidden.add(key)
            if element.get(f"{W}type") == "paragraph" and element.get(f"{W}default") in ("1", "true"):
                self._default = key

    def of(self, paragraph: Any) -> Style:
        """What the paragraph is, by its own outline level first, then by its style and those it is based on."""
        named = paragraph.find(f"{W}pPr/{W}pStyle")
        chain = self._chain((named.get(f"{W}val") or "") if named is not None else self._default)
        names = [self._names.get(key, key) for key in chain]
        own = paragraph.find(f"{W}pPr/{W}outlineLvl")
        level = int(own.get(f"{W}val") or 9) if own is not None else None
        if level is None:
            level = next((self._outline[key] for key in chain if key in self._outline), None)
        by_name = next((int(found[1]) for name in names if (found := HEADING_NAME.match(name))), None)
        heading = level + 1 if level is not None and level < 9 else by_name if level is None else None
        first = names[0].lower() if names else ""
        is_contents = bool(CONTENTS_NAME.match(first))
        number = self._number(paragraph, chain)
        in_list = number is not None or (
            bool(LIST_NAME.search(first)) and paragraph.find(f"{W}pPr/{W}numPr/{W}numId") is None
        )
        kind = BlockKind.PARAGRAPH
        if first in CAPTION_NAMES:
            kind = BlockKind.CAPTION
        elif first in CODE_NAMES:
            kind = BlockKind.CODE
        elif in_list:
            kind = BlockKind.LIST_ITEM
        return Style(
            heading=None if is_contents or heading is None else min(6, heading),
            kind=kind,
            is_title=first in TITLE_NAMES,
            is_contents=is_contents,
            number=number,
        )

    def _number(self, paragraph: Any, chain: list[str]) -> tuple[str, int] | None:
        """The list of a paragraph and the level: what it says itself, then what its styles say."""
        said = [_number(paragraph), *(self._numbers[key] for key in chain if key in self._numbers)]
        number = next((number for number, _ in said if number is not None), None)
        if number is None or number == "0":
            return None
        level = next((level for _, level in said if level is not None), None)
        if level is None or not level.isdigit():
            return number, self._numbering.level_of_style(number, chain)
        return number, int(level)

    def _chain(self, key: str) -> list[str]:
        chain: list[str] = []
        while key and key not in chain:
            chain.append(key)
            key = self._based_on.get(key, "")
        return chain


def _number(element: Any) -> tuple[str | None, str | None]:
    """The list and the level that a paragraph's or a style's properties name."""
    number = element.find(f"{W}pPr/{W}numPr/{W}numId")
    level = element.find(f"{W}pPr/{W}numPr/{W}ilvl")
    return (
        number.get(f"{W}val") if number is not None else None,
        level.get(f"{W}val") if level is not None else None,
    )
