"""The text of one DOCX paragraph, its style, and the notes it cites.

Works on the XML, because python-docx leaves out tracked insertions, content controls and text boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from rag_assets.readers.conventions import (
    CAPTION_NAMES,
    CODE_NAMES,
    CONTENTS_NAME,
    HEADING_NAME,
    LIST_NAME,
    TITLE_NAMES,
    raised_number,
)
from rag_assets.text.blocks import BlockKind

NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
W = NAMESPACE
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_WRAPPERS = frozenset(f"{W}{name}" for name in ("ins", "moveTo", "sdt", "sdtContent", "customXml", "smartTag"))
_GONE = frozenset(f"{W}{name}" for name in ("del", "moveFrom", "instrText", "delText", "delInstrText"))


def wrapped_children(parent: Any, counts: Counter[str]) -> Iterator[Any]:
    """Children of a container, those inside content controls and tracked insertions too, deleted ones not."""
    for child in parent.iterchildren(etree.Element):
        if child.tag in _WRAPPERS:
            yield from wrapped_children(child, counts)
        elif child.tag == _ALTERNATE:
            choice = child.find(_CHOICE)
            if choice is not None:
                yield from wrapped_children(choice, counts)
        elif child.tag in _GONE:
            counts["tracked_deletion"] += 1
        else:
            yield child


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph's style says it is."""

    heading: int | None
    kind: BlockKind
    is_title: bool
    is_contents: bool


class Styles:
    """Styles of a document, resolved along what they are based on."""

    def __init__(self, document: Document) -> None:
        self._names: dict[str, str] = {}
        self._based_on: dict[str, str] = {}
        self._outline: dict[str, int] = {}
        self._numbered: set[str] = set()
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
                self._numbered.add(key)
            if _is_on(element.find(f"{W}rPr/{W}vanish")):
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
        numbered = paragraph.find(f"{W}pPr/{W}numPr/{W}numId")
        in_list = (
            (numbered.get(f"{W}val") != "0")
            if numbered is not None
            else any(key in self._numbered for key in chain) or bool(LIST_NAME.search(first))
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
        )

    def _chain(self, key: str) -> list[str]:
        chain: list[str] = []
        while key and key not in chain:
            chain.append(key)
            key = self._based_on.get(key, "")
        return chain


class Notes:
    """Footnotes and endnotes of a document; numbered in the order in which they are cited."""

    def __init__(self, document: Document) -> None:
        self._elements: dict[tuple[str, str], Any] = {}
        self._marks: dict[tuple[str, str], str] = {}
        for kind, relationship in (
            ("footnote", RELATIONSHIP_TYPE.FOOTNOTES),
            ("endnote", RELATIONSHIP_TYPE.ENDNOTES),
        ):
            for related in document.part.rels.values():
                if related.reltype == relationship and not related.is_external:
                    parser = etree.XMLParser(resolve_entities=False, no_network=True)
                    root = etree.fromstring(related.target_part.blob, parser)
                    for element in root.iterchildren(f"{W}{kind}"):
                        if element.get(f"{W}type") in (None, "normal"):
                            self._elements[kind, element.get(f"{W}id") or ""] = element

    def mark(self, note: tuple[str, str]) -> str:
        """The number under which a note is cited; "E1" for endnotes."""
        if note not in self._marks:
            number = 1 + sum(kind == note[0] for kind, _ in self._marks)
            self._marks[note] = f"E{number}" if note[0] == "endnote" else str(number)
        return self._marks[note]

    def text(self, note: tuple[str, str], counts: Counter[str]) -> str:
        """The text of a note as one paragraph."""
        element = self._elements.get(note)
        if element is None:
            return ""
        texts = [ParagraphText(paragraph, self, counts).text for paragraph in element.iter(f"{W}p")]
        return " ".join(" ".join(text.split()) for text in texts if text.strip())


class ParagraphText:
    """What a paragraph says: its `text`, the notes it cites, the text boxes it anchors, what it hides.

    Also whether all of it is bold, and whether it begins with a raised number, as a note does.
    """

    def __init__(
        self, paragraph: Any, notes: Notes, counts: Counter[str], *, hidden_styles: set[str] | None = None
    ) -> None:
        self._notes = notes
        self._counts = counts
        self._hidden_styles = hidden_styles or set()
        self._parts: list[str] = []
        self.cited: list[tuple[str, str]] = []
        self.text_boxes: list[Any] = []
        self.hidden: list[str] = []
        self.is_bold = True
        self.is_note = False
        self._walk(paragraph)
        self.text = "".join(self._parts)
        self.is_bold = self.is_bold and bool(self.text.strip())

    def _walk(self, parent: Any) -> None:
        for child in wrapped_children(parent, self._counts):
            if child.tag == f"{W}r":
                self._run(child)
            elif child.tag == _MATH_TEXT:
                self._parts.append(child.text or "")
            elif child.tag not in (f"{W}pPr", f"{W}p", f"{W}tbl"):
                self._walk(child)  # hyperlinks, fields, formulas, bookmarks

    def _run(self, run: Any) -> None:
        properties = run.find(f"{W}rPr")
        bold = False
        if properties is not None:
            style = properties.find(f"{W}rStyle")
            named_hidden = style is not None and style.get(f"{W}val") in self._hidden_styles
            if _is_on(properties.find(f"{W}vanish")) or named_hidden:
                self._counts["hidden"] += 1
                self.hidden += [element.text for element in run.iter(f"{W}t") if element.text]
                return
            bold = _is_on(properties.find(f"{W}b"))
        before = len(self._parts)
        for child in wrapped_children(run, self._counts):
            self._run_child(child)
        if properties is not None and _is_raised(properties):
            said = "".join(self._parts[:before])
            if mark := raised_number("".join(self._parts[before:]), said):
                self.is_note = self.is_note or not said.strip()
                self._parts[before:] = [mark + (" " if self.is_note and before == 0 else "")]
        if not bold and any(part.strip() for part in self._parts[before:]):
            self.is_bold = False

    def _run_child(self, child: Any) -> None:
        match child.tag.removeprefix(W):
            case "t":
                self._parts.append(child.text or "")
            case "tab" | "ptab":
                self._parts.append("\t")
            case "br" | "cr":
                self._parts.append("\n")
            case "noBreakHyphen":
                self._parts.append("-")
            case "softHyphen":
                self._parts.append("\u00ad")
            case "footnoteReference" | "endnoteReference" as tag:
                note = (tag.removesuffix("Reference"), child.get(f"{W}id") or "")
                self.cited.append(note)
                self._parts.append(f"[{self._notes.mark(note)}]")
            case "drawing" | "pict" | "object":
                for box in child.iter(f"{W}txbxContent"):
                    self.text_boxes.append(box)
            case _:
                pass


def _is_raised(properties: Any) -> bool:
    align = properties.find(f"{W}vertAlign")
    return align is not None and align.get(f"{W}val") == "superscript"


def _is_on(element: Any) -> bool:
    return element is not None and element.get(f"{W}val") not in ("0", "false", "off", "none")
