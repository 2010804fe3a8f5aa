"""The text of one DOCX paragraph, and the notes it cites.

Works on the XML, because python-docx leaves out tracked insertions, content controls and text boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from rag_assets.readers.conventions import raised_number
from rag_assets.readers.docx_numbering import W
from rag_assets.readers.ooxml_graphics import GRAPHIC_DATA
from rag_assets.readers.package import parse_xml

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
                    root = parse_xml(related.target_part.blob)
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
        self.graphics: list[Any] = []
        self.page_breaks: list[int] = []
        """Offsets at which a new page began when Word last laid the document out."""
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
            if is_on(properties.find(f"{W}vanish")) or named_hidden:
                self._counts["hidden"] += 1
                self.hidden += [element.text for element in run.iter(f"{W}t") if element.text]
                return
            bold = is_on(properties.find(f"{W}b"))
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
            case "lastRenderedPageBreak":
                self.page_breaks.append(sum(map(len, self._parts)))
            case "softHyphen":
                self._parts.append("\u00ad")
            case "footnoteReference" | "endnoteReference" as tag:
                note = (tag.removesuffix("Reference"), child.get(f"{W}id") or "")
                self.cited.append(note)
                self._parts.append(f"[{self._notes.mark(note)}]")
            case "drawing" | "pict" | "object":
                self.text_boxes += child.iter(f"{W}txbxContent")
                self.graphics += child.iter(GRAPHIC_DATA)
            case _:
                pass


def _is_raised(properties: Any) -> bool:
    align = properties.find(f"{W}vertAlign")
    return align is not None and align.get(f"{W}val") == "superscript"


def is_on(element: Any) -> bool:
    """Whether a property that may be switched off stands there and is on."""
    return element is not None and element.get(f"{W}val") not in ("0", "false", "off", "none")
