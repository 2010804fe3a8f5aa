"""From a tree of HTML elements to blocks: headings, paragraphs, lists, tables, code, footnotes with their place.

Used for HTML pages, for markup inside Markdown, and for books made of pages. What is left out beforehand (navigation,
scripts) is the caller's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypedDict

import lxml.html
from lxml import etree

from rag_assets.text.blocks import Block, BlockKind, PageBreak, table_block

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dir div dl dt fieldset figure footer form header hgroup hr "
    "html legend li main nav ol p section summary table tbody td tfoot th thead tr ul caption figcaption".split()
)
_KINDS = {
    "li": BlockKind.LIST_ITEM,
    "dd": BlockKind.PARAGRAPH,
    "figure": BlockKind.PARAGRAPH,  # in a heading that nobody closed
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
}
_NOTE_NAMES = frozenset("footnotes footnote endnotes footnote-list doc-endnotes doc-footnote rearnotes".split())
_NOTE_REFERENCES = frozenset(("noteref", "doc-noteref"))
_PAGE_BREAKS = frozenset("pagebreak doc-pagebreak pagenum pageno".split())
_LONGEST_PAGE_NUMBER = 20
_NOTE_NUMBER = re.compile(r"\[?\(?(\d{1,3}|[*†‡])\)?\]?")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_BACK_LINK = re.compile(r"[↩↑^⏎↵\ufe0e\s]*")


def NOTE_CONTAINER(element: lxml.html.HtmlElement) -> bool:  # noqa: N802
    """Whether an element holds footnotes, by role, type or class."""
    return not _NOTE_NAMES.isdisjoint(_roles(element))


def tree_blocks(root: lxml.html.HtmlElement) -> Iterator[Block]:
    """Blocks of a tree, in reading order; takes the footnotes out of the tree."""
    return _Walk(_take_notes(root)).run(root)


def _take_notes(root: lxml.html.HtmlElement) -> dict[str, str]:
    """Texts of the footnotes by their id, in order; removes their containers from the tree."""
    notes: dict[str, str] = {}
    for container in [element for element in root.iter(etree.Element) if NOTE_CONTAINER(element)]:
        if container.getparent() is None or container is root:
            continue
        found = [e for e in container.iter(etree.Element) if e.get("id") and e.tag in ("li", "p", "div", "aside", "dd")]
        if not found and container.get("id"):
            found = [container]
        texts = {}
        if not found and not any(NOTE_CONTAINER(inner) for inner in container.iterdescendants(etree.Element)):
            # The target is an anchor inside the note.
            anchor = next(
                (element for element in container.iter("a", "span") if element.get("id") or element.get("name")), None
            )
            text = " ".join(container.text_content().split())
            if anchor is not None and text:
                texts[str(anchor.get("id") or anchor.get("name"))] = text
        for element in found:
            for link in list(element.iter("a")):
                if _BACK_LINK.fullmatch(link.text_content()):
                    link.drop_tree()
            text = " ".join(element.text_content().split())
            if text:
                texts[str(element.get("id"))] = text
        if texts:
            notes.update(texts)
            container.drop_tree()
    return notes


class _OnPage(TypedDict):
    page: int | None
    page_label: str | None


class _Walk:
    """State of one walk: what is being collected, and as what."""

    def __init__(self, notes: dict[str, str]) -> None:
        self._notes = notes
        self._numbers: dict[str, int] = {}
        self._cited: list[str] = []
        self._text: list[str] = []
        self._kinds: list[tuple[BlockKind, int | None]] = [(BlockKind.PARAGRAPH, None)]
        self._prefix = ""
        self._counters: list[int | None] = []
        self._page = PageBreak(0, 0)
        """The printed page on which the next block begins; number 0 before the first."""
        self._turned: list[PageBreak] = []

    def run(self, root: lxml.html.HtmlElement) -> Iterator[Block]:
        walk = etree.iterwalk(root, events=("start", "end"))
        whole: lxml.html.HtmlElement | None = None
        for event, element in walk:
            tag = element.tag.lower() if isinstance(element.tag, str) else ""
            if event == "start":
                if tag == "pre" or (tag == "table" and _is_data(element)):
                    yield from self._flush()
                    yield from self._whole(tag, element)
                    whole = element
                elif _is_page_break(element):
                    self._turn(element)
                    whole = element
                else:
                    yield from self._start(tag, element)
                if whole is not None:
                    walk.skip_subtree()
            else:
                if whole is None:
                    yield from self._end(tag)
                whole = None
                if element is not root and element.tail:
                    self._text.append(_SPACE.sub(" ", element.tail))
        yield from self._flush()
        for note in list(self._notes):
            yield self._note(note)

    def _turn(self, element: lxml.html.HtmlElement) -> None:
        """A printed page begins here."""
        last = self._turned[-1] if self._turned else self._page
        self._turned.append(PageBreak(sum(map(len, self._text)), last.page + 1, _page_label(element)))

    def _start(self, tag: str, element: lxml.html.HtmlElement) -> Iterator[Block]:
        if tag == "br":
            self._text.append("\n")
        elif tag == "a":
            target = (element.get("href") or "").rpartition("#")[2]
            if target in self._notes:
                self._cited.append(target)
        if tag in _HEADINGS or tag in _BLOCKS:
            yield from self._flush()
            self._open(tag, element)
        # A line's end in the source is a blank: only <br> breaks a line.
        text = _SPACE.sub(" ", element.text or "")
        if tag == "sup" and _NOTE_NUMBER.fullmatch(element.text_content().strip()) and _is_reference(element):
            text = "" if element.find("a") is not None else f"[{_bare(text)}]"
        elif tag == "a" and (parent := element.getparent()) is not None and parent.tag == "sup":
            text = f"[{_bare(text)}]" if _NOTE_NUMBER.fullmatch(text.strip()) else text
        elif tag == "a" and not _NOTE_REFERENCES.isdisjoint(_roles(element)) and _bare(text):
            text = f"[{_bare(text)}]"
        elif tag == "img" and element.get("alt"):
            text = f" {element.get('alt')} "
        elif tag in ("td", "th", "dt"):
            text = " " + text
        self._text.append(text)

    def _open(self, tag: str, element: lxml.html.HtmlElement) -> None:
        if tag in _HEADINGS:
            self._kinds.append((BlockKind.HEADING, _HEADINGS[tag]))
        elif tag in _KINDS:
            self._kinds.append((_KINDS[tag], None))
        else:
            self._kinds.append(self._kinds[-1])
        if tag == "ol":
            start = element.get("start") or "1"
            self._counters.append(int(start) if start.isdigit() else 1)
        elif tag == "ul":
            self._counters.append(None)
        elif tag == "li" and self._counters and (number := self._counters[-1]) is not None:
            self._prefix = f"{number}. "
            self._counters[-1] = number + 1

    def _end(self, tag: str) -> Iterator[Block]:
        if tag in _HEADINGS or tag in _BLOCKS:
            yield from self._flush()
            self._kinds.pop()
            if tag in ("ol", "ul") and self._counters:
                self._counters.pop()
            if tag == "li":
                self._prefix = ""

    def _flush(self) -> Iterator[Block]:
        collected = "".join(self._text)
        text = collected.strip()
        self._text.clear()
        turned, self._turned = self._turned, []
        if text:
            kind, level = self._kinds[-1]
            shift = len(self._prefix) - (len(collected) - len(collected.lstrip()))
            for mark in [mark for mark in turned if mark.offset + shift <= len(self._prefix)]:
                self._page = mark
                turned.remove(mark)
            breaks = tuple(PageBreak(mark.offset + shift, mark.page, mark.label) for mark in turned)
            yield Block(kind, self._prefix + text, level=level, page_breaks=breaks, **self._on_page())
            self._prefix = ""
        self._page = turned[-1] if turned else self._page
        for note in dict.fromkeys(self._cited):
            if note in self._notes:
                yield self._note(note)
        self._cited.clear()

    def _on_page(self) -> _OnPage:
        return {"page": self._page.page or None, "page_label": self._page.label}

    def _note(self, note: str) -> Block:
        text = self._notes.pop(note)
        self._numbers[note] = len(self._numbers) + 1
        marked = _NOTE_NUMBER.match(text)
        text = text if marked and marked.end() < 6 else f"[{self._numbers[note]}] {text}"
        return Block(BlockKind.FOOTNOTE, text, **self._on_page())

    def _whole(self, tag: str, element: lxml.html.HtmlElement) -> Iterator[Block]:
        if tag == "pre":
            if text := element.text_content().strip("\n"):
                yield Block(BlockKind.CODE, text, **self._on_page())
            return
        for caption in element.iter("caption"):
            if text := caption.text_content().strip():
                yield Block(BlockKind.CAPTION, text, **self._on_page())
        rows: list[list[str]] = []
        header = False
        for row in element.iter("tr"):
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            if not rows:
                parent = row.getparent()
                in_head = parent is not None and parent.tag == "thead"
                header = bool(cells) and (in_head or all(cell.tag == "th" for cell in cells))
            texts = [_cell_text(cell) for cell in cells]
            if any(texts):
                rows.append(texts)
        block = table_block(rows, header=header, **self._on_page())
        if block:
            yield block


def _cell_text(cell: lxml.html.HtmlElement) -> str:
    """What a cell says: a blank between its paragraphs and lines, none where only the type face changes."""
    parts: list[str] = []
    for event, element in etree.iterwalk(cell, events=("start", "end")):
        parts.append(" " if element.tag == "br" or element.tag in _BLOCKS else "")
        parts.append((element.text if event == "start" else element.tail if element is not cell else None) or "")
    return " ".join("".join(parts).split())


def _roles(element: lxml.html.HtmlElement) -> set[str]:
    """What the element says of its part in a book or page, by role, type or class."""
    said = (element.get(name) for name in ("class", "role", "epub:type", "{http://www.idpf.org/2007/ops}type"))
    return {name for names in said if names for name in names.lower().split()}


def _is_page_break(element: lxml.html.HtmlElement) -> bool:
    # A page without a number is only a way to lay a book out.
    return not _PAGE_BREAKS.isdisjoint(_roles(element)) and 0 < len(_page_label(element)) <= _LONGEST_PAGE_NUMBER


def _page_label(element: lxml.html.HtmlElement) -> str:
    shown = element.text_content().strip() or element.get("title") or element.get("aria-label") or ""
    return " ".join(shown.split()).strip("[]()")


def _is_reference(element: lxml.html.HtmlElement) -> bool:
    parent = element.getparent()
    return element.find("a") is not None or (parent is not None and parent.tag == "a")


def _bare(text: str) -> str:
    return text.strip().strip("[]()")


def _is_data(table: lxml.html.HtmlElement) -> bool:
    """Whether a table is one and not a way to lay out a page."""
    if table.get("role") == "presentation" or table.find(".//table") is not None:
        return False
    if any(table.find(f".//{tag}") is not None for tag in (*_HEADINGS, "ul", "ol", "pre")):
        return False
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    return len(rows) > 0 and max(len(row) for row in rows) > 1
