"""The text of ODF documents: paragraphs, lists, tables, notes, frames. Shared by text documents and presentations.

Tracked insertions are text, deletions, comments and hidden text are not; they are counted. The container, metadata and
slides live in `readers.odf`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from rag_assets.readers.grid import grid_blocks
from rag_assets.readers.numbering import Counters, Level
from rag_assets.readers.odf_objects import INDEXES, NOT_TEXT, SHAPES, embedded, formula_text, shown_controls
from rag_assets.readers.odf_styles import (
    CHART,
    DRAW,
    OFFICE,
    TABLE,
    TEXT,
    OdfStyles,
    ParagraphStyle,
    small_int,
)
from rag_assets.text.blocks import Block, BlockKind, PageBreak

_MOST_REPEATS = 1000
"""Cells and blanks repeated more often are a way to fill a sheet, not text."""

_SPACE = re.compile(r"[ \t\r\n]+")


@dataclass(slots=True)
class Paragraph:
    """What is collected of one paragraph."""

    parts: list[str] = field(default_factory=list)
    breaks: list[PageBreak] = field(default_factory=list)
    notes: list[tuple[str, Any]] = field(default_factory=list)
    """Under which mark, and the note's element."""
    frames: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(self.parts)


@dataclass(slots=True)
class _List:
    style: str
    level: int
    counters: Counters
    label: str = ""
    """Of the item whose first paragraph is still to come."""


class OdfText:
    """One walk over the text of a document.

    `part(name)` gives the root of an embedded object's content, for formulas and charts; None when there is none.
    """

    def __init__(self, styles: OdfStyles, counts: Counter[str], part: Callable[[str], Any]) -> None:
        self.counts = counts
        self.hidden: list[str] = []
        self.page = 1
        self.soft_breaks = 0
        self.title: str | None = None
        self._styles = styles
        self._part = part
        self._begun = False
        self._outline = Counters()
        self._lists: list[_List] = []
        self._ended: dict[str, Counters] = {}
        self._marks: Counter[str] = Counter()
        self._controls: dict[str, str] = {}

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Blocks of a body, a section, a cell, a frame or a list item."""
        for child in parent.iterchildren(etree.Element):
            yield from self.block(child)

    def block(self, element: Any) -> Iterator[Block]:
        """Blocks of one element of a body."""
        tag = element.tag
        if tag in (f"{TEXT}p", f"{TEXT}h"):
            yield from self._paragraph(element)
        elif tag == f"{TEXT}list":
            yield from self._list(element)
        elif tag == f"{TABLE}table":
            yield from self._table(element)
        elif tag == f"{TEXT}section" and element.get(f"{TEXT}display") == "none":
            self._count("hidden", element)
        elif tag in INDEXES:
            self._count("contents_list", element)
        elif tag == f"{TEXT}tracked-changes":
            self.counts["tracked_deletion"] += sum(1 for _ in element.iter(f"{TEXT}deletion"))
        elif tag == f"{OFFICE}forms":
            self._controls.update(shown_controls(element))
        elif tag == f"{TEXT}soft-page-break":
            self._soft_break()
        elif tag in (f"{DRAW}frame", f"{DRAW}g", f"{DRAW}a") or tag in SHAPES:
            yield from self.frame(element)
        elif tag not in NOT_TEXT:
            yield from self.blocks(element)

    def frame(self, element: Any) -> Iterator[Block]:
        """Blocks of a text box, a shape, a table or an embedded object."""
        if element.tag in (f"{DRAW}g", f"{DRAW}a"):
            for child in element.iterchildren(etree.Element):
                yield from self.frame(child)
        elif element.tag in SHAPES:
            yield from self.blocks(element)
        elif element.tag == f"{DRAW}frame":
            # A frame holds the same content in several forms; the first is the one shown.
            for child in element.iterchildren(etree.Element):
                if child.tag == f"{DRAW}text-box":
                    yield from self.blocks(child)
                    return
                if child.tag == f"{TABLE}table":
                    yield from self._table(child)
                    return
                if child.tag == f"{DRAW}object":
                    yield from self._object(element)
                    return

    def _paragraph(self, element: Any) -> Iterator[Block]:
        style = self._styles.paragraph(element.get(f"{TEXT}style-name", ""))
        if style.break_before and self._begun:
            self.page += 1
        self._begun = True
        page = self.page
        collected = Paragraph()
        if style.hidden:
            self._count("hidden", element)
        else:
            self._collect(element, collected)
        text = collected.text
        if text.strip():
            yield self._made(element, style, collected, page)
        for frame in collected.frames:
            yield from self.frame(frame)
        for mark, note in collected.notes:
            yield from self._note(mark, note)
        if style.break_after:
            self.page += 1

    def _made(self, element: Any, style: ParagraphStyle, collected: Paragraph, page: int) -> Block:
        text, level = collected.text, None
        kind = BlockKind.LIST_ITEM if self._lists else BlockKind.PARAGRAPH
        label = ""
        if self._lists:
            label, self._lists[-1].label = self._lists[-1].label, ""
        if element.tag == f"{TEXT}h" or style.heading is not None:
            kind = BlockKind.HEADING
            level = small_int(element.get(f"{TEXT}outline-level"), style.heading or 1)
            label = label or self._heading_label(element, style, level)
        elif style.is_caption:
            kind = BlockKind.CAPTION
        elif style.is_code:
            kind = BlockKind.CODE
        elif style.is_title and self.title is None:
            self.title = text
        label = f"{label} " if label else ""
        breaks = tuple(PageBreak(at.offset + len(label), at.page) for at in collected.breaks)
        return Block(kind, label + text, level=min(6, level) if level else None, page=page, page_breaks=breaks)

    def _heading_label(self, element: Any, style: ParagraphStyle, level: int) -> str:
        levels = self._styles.list_levels(style.list_style) or self._styles.outline
        if element.get(f"{TEXT}is-list-header") == "true" or not levels:
            return ""
        if element.get(f"{TEXT}restart-numbering") == "true":
            self._outline.restart(level - 1)
        start = element.get(f"{TEXT}start-value")
        return self._outline.next(level - 1, levels, start=small_int(start, 1) if start else None)

    # ------------------------------------------------------------ inside a paragraph

    def _collect(self, parent: Any, into: Paragraph) -> None:
        into.parts.append(_flat(parent.text))
        for child in parent.iterchildren(etree.Element):
            self._inline(child, into)
            into.parts.append(_flat(child.tail))

    def _inline(self, child: Any, into: Paragraph) -> None:  # noqa: C901 - one case for each kind of element
        match child.tag.removeprefix(TEXT):
            case "s":
                into.parts.append(" " * min(_MOST_REPEATS, small_int(child.get(f"{TEXT}c"), 1)))
            case "tab":
                into.parts.append("\t")
            case "line-break":
                into.parts.append("\n")
            case "soft-page-break":
                self._soft_break()
                into.breaks.append(PageBreak(len(into.text), self.page))
            case "note":
                mark = self._mark(child)
                into.parts.append(f"[{mark}]")
                into.notes.append((mark, child))
            case "span" if self._styles.hides("text", child.get(f"{TEXT}style-name")):
                self._count("hidden", child)
            case "hidden-text" | "hidden-paragraph" | "conditional-text" if child.get(f"{TEXT}is-hidden") == "true":
                self._count("hidden", child)
            case _ if child.tag == f"{OFFICE}annotation":
                self.counts["comment"] += 1
            case _ if child.tag == f"{DRAW}control":
                into.parts.append(self._controls.get(child.get(f"{DRAW}control", ""), ""))
            case _ if child.tag in (f"{DRAW}frame", f"{DRAW}g") or child.tag in SHAPES:
                if (formula := formula_text(embedded(child, self._part))) is not None:
                    into.parts.append(formula)
                else:
                    into.frames.append(child)
            case _ if child.tag not in NOT_TEXT:
                self._collect(child, into)

    def _mark(self, note: Any) -> str:
        """The number under which a note is cited; "E1" for endnotes."""
        kind = note.get(f"{TEXT}note-class", "footnote")
        self._marks[kind] += 1
        return f"E{self._marks[kind]}" if kind == "endnote" else str(self._marks[kind])

    def _note(self, mark: str, note: Any) -> Iterator[Block]:
        body = note.find(f"{TEXT}note-body")
        lists, self._lists = self._lists, []
        inner = list(self.blocks(body)) if body is not None else []
        self._lists = lists
        text = " ".join(" ".join(block.text.split()) for block in inner)
        if text:
            yield Block(BlockKind.FOOTNOTE, f"[{mark}] {text}", page=self.page)

    # ------------------------------------------------------------ lists and tables

    def _list(self, element: Any) -> Iterator[Block]:
        outer = self._lists[-1] if self._lists else None
        style = element.get(f"{TEXT}style-name") or (outer.style if outer else "")
        level = outer.level + 1 if outer else 0
        counters = outer.counters if outer else Counters()
        if outer is None:
            continued = element.get(f"{TEXT}continue-list") or (
                style if element.get(f"{TEXT}continue-numbering") == "true" else ""
            )
            counters = self._ended.get(continued, counters)
            self._ended[style] = counters
            if identity := element.get("{http://www.w3.org/XML/1998/namespace}id"):
                self._ended[identity] = counters
        levels = self._styles.list_levels(style)
        self._lists.append(_List(style, level, counters))
        for item in element.iterchildren(f"{TEXT}list-item", f"{TEXT}list-header"):
            if item.tag == f"{TEXT}list-item":
                self._lists[-1].label = self._item_label(item, counters, level, levels)
            yield from self.blocks(item)
        self._lists.pop()

    def _item_label(self, item: Any, counters: Counters, level: int, levels: Mapping[int, Level]) -> str:
        first = next(item.iterchildren(etree.Element), None)
        if first is None or first.tag == f"{TEXT}list":
            return ""  # a step inwards, not an item
        start = item.get(f"{TEXT}start-value")
        return counters.next(level, levels, start=small_int(start, 1) if start else None)

    def _table(self, table: Any) -> Iterator[Block]:
        lists, self._lists = self._lists, []
        rows: list[list[list[Block]]] = []
        header = False
        for row in self._rows(table):
            if not rows:
                parent = row.getparent()
                header = parent is not None and parent.tag == f"{TABLE}table-header-rows"
            cells: list[list[Block]] = []
            for cell in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
                inner = list(self.blocks(cell))
                repeats = small_int(cell.get(f"{TABLE}number-columns-repeated"), 1) if inner else 1
                cells += [inner] * min(_MOST_REPEATS, repeats)
            rows.append(cells)
        self._lists = lists
        yield from grid_blocks(rows, header=header)

    def _rows(self, table: Any) -> Iterator[Any]:
        for child in table.iterchildren(etree.Element):
            if child.tag == f"{TABLE}table-row":
                yield child
            elif child.tag == f"{TEXT}soft-page-break":
                self._soft_break()
            elif child.tag in (f"{TABLE}table-header-rows", f"{TABLE}table-rows", f"{TABLE}table-row-group"):
                yield from self._rows(child)

    def _object(self, frame: Any) -> Iterator[Block]:
        """What a chart says: its titles, and its figures as a table."""
        root = embedded(frame, self._part)
        if root is not None:
            for title in root.iter(f"{CHART}title", f"{CHART}subtitle"):
                for block in self.blocks(title):
                    yield Block(BlockKind.CAPTION, block.text, page=self.page)
            for table in root.iter(f"{TABLE}table"):
                yield from self._table(table)

    # ------------------------------------------------------------ counting

    def hides_page(self, slide: Any) -> bool:
        """Whether a slide is left out of the show; then it is counted as hidden."""
        hides = self._styles.hides_page(slide.get(f"{DRAW}style-name"))
        if hides:
            self._count("hidden", slide)
        return hides

    def _soft_break(self) -> None:
        self.page += 1
        self.soft_breaks += 1

    def _count(self, kind: str, element: Any) -> None:
        if text := "".join(element.itertext()).strip():
            self.counts[kind] += 1
            if kind == "hidden":
                self.hidden.append(text)


def _flat(text: str | None) -> str:
    """White space in the file is one blank; what is meant as more has elements of its own."""
    return _SPACE.sub(" ", text) if text else ""
