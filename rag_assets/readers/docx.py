"""DOCX: the container with its metadata, and the walk over the body: paragraphs, tables, notes, boxes, charts, pages.

Tracked insertions are text; deletions, hidden text, comments, page headers and footers are not, and are counted. The
text of one paragraph lives in `readers.docx_text`, what its style says in `readers.docx_styles`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.part import PartFactory, XmlPart
from docx.package import Package
from docx.parts.document import DocumentPart
from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.conventions import LONGEST_BOLD_HEADING, MAYBE_HEADING, promote_bold
from rag_assets.readers.docx_numbering import Numbering, W
from rag_assets.readers.docx_styles import Styles
from rag_assets.readers.docx_text import Notes, ParagraphText, wrapped_children
from rag_assets.readers.files import (
    check_container,
    clean_title,
    declared_language,
    markup_error,
    parse_authors,
    parse_date,
)
from rag_assets.readers.grid import grid_blocks
from rag_assets.readers.ooxml_graphics import graphic_blocks
from rag_assets.readers.package import parse_xml, refuse_entities
from rag_assets.text.blocks import Block, BlockKind, PageBreak

_MOST_COLUMNS = 100
_KIN = (
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
"""Templates and documents with macros hold the same parts; python-docx knows documents only."""

for _kin in _KIN:
    PartFactory.part_type_for[_kin] = DocumentPart


class DocxReader:
    """A Word document."""

    name = "docx"
    mime_types = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        check_container(path, limits)
        try:
            document = _open(path)
            walk = _Body(document)
            blocks = tuple(promote_bold(list(walk.blocks(document.element.body))))
            walk.count_left_out(document)
            properties = document.core_properties
            title, author, created = properties.title, properties.author, properties.created
            language = properties.language
            pages = _declared_pages(document)
        except etree.LxmlError as error:
            raise markup_error(error) from None
        except (DocumentError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - python-docx meets damage with whatever its parts stumble over
            raise DocumentError("damaged", "the document cannot be read", kind=type(error).__name__) from None
        if not blocks:
            raise DocumentError("empty", "the document holds no text")
        if walk.page == 1 or walk.page != pages:
            # Only a file that was laid out knows its pages; a count that disagrees says that breaks are missing.
            blocks = tuple(replace(block, page=None, page_breaks=()) for block in blocks)
            pages = None
        return ReadResult(
            mime_type=self.mime_types[0],
            reader=self.name,
            title=clean_title(title) or clean_title(walk.title),
            authors=() if author == "python-docx" else parse_authors(author),
            published_on=parse_date(created),
            blocks=blocks,
            page_count=pages,
            language=declared_language(language),
            warnings=("hidden_text",) if walk.hidden else (),
            repairs={kind: count for kind, count in walk.counts.items() if count},
            hidden_text="\n".join(walk.hidden),
        )


def _open(path: Path) -> Document:
    part = Package.open(str(path)).main_document_part
    if not isinstance(part, DocumentPart):
        raise DocumentError("damaged", "the container holds no Word document")
    for other in part.package.iter_parts():
        if isinstance(other, XmlPart):
            refuse_entities(other.element)
    document: Document = part.document
    return document


def _declared_pages(document: Document) -> int | None:
    """How many pages Word counted when it last saved the document."""
    for part in document.part.package.iter_parts():
        if part.partname == "/docProps/app.xml":
            found = next((each for each in parse_xml(part.blob) if etree.QName(each).localname == "Pages"), None)
            return int(found.text) if found is not None and (found.text or "").isdigit() else None
    return None


class _Body:
    """One walk over the body: what was counted on the way, what is hidden, the page, the paragraph styled as title."""

    def __init__(self, document: Document) -> None:
        self.counts: Counter[str] = Counter()
        self.hidden: list[str] = []
        self.title: str | None = None
        self.page = 1
        self._numbering = Numbering(document)
        self._styles = Styles(document, self._numbering)
        self._notes = Notes(document)
        self._rels = document.part.rels

    def count_left_out(self, document: Document) -> None:
        """Count comments, and headers and footers of pages that have text."""
        for related in document.part.rels.values():
            if related.is_external:
                continue
            if related.reltype == RELATIONSHIP_TYPE.COMMENTS:
                self.counts["comment"] += sum(1 for _ in parse_xml(related.target_part.blob).iter(f"{W}comment"))
            elif related.reltype in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
                texts = (text.text or "" for text in parse_xml(related.target_part.blob).iter(f"{W}t"))
                self.counts["page_header"] += any(text.strip() for text in texts)

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Blocks of a body, a cell or a text box."""
        for child in wrapped_children(parent, self.counts):
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                yield from self._table(child)

    def _paragraph(self, element: Any) -> Iterator[Block]:
        style = self._styles.of(element)
        content = ParagraphText(element, self._notes, self.counts, hidden_styles=self._styles.hidden)
        self.hidden += content.hidden
        first = self.page + sum(not content.text[:offset].strip() for offset in content.page_breaks)
        self.page += len(content.page_breaks)
        label = self._numbering.label(*style.number) if style.number else ""
        if content.text.strip():
            label = f"{label} " if label else ""
            later = content.page_breaks[len(content.page_breaks) - (self.page - first) :]
            breaks = tuple(PageBreak(len(label) + offset, first + 1 + at) for at, offset in enumerate(later))
            kind, level = style.kind, style.heading
            if style.is_contents:
                self.counts["contents_list"] += 1
            elif level is not None:
                kind = BlockKind.HEADING
            else:
                if style.is_title and self.title is None:
                    self.title = content.text
                kind = BlockKind.FOOTNOTE if content.is_note else style.kind
                bold = content.is_bold and len(content.text) <= LONGEST_BOLD_HEADING and kind is BlockKind.PARAGRAPH
                level = MAYBE_HEADING if bold and not style.is_title else None
            if not style.is_contents:
                yield Block(kind, label + content.text, level=level, page=first, page_breaks=breaks)
        for box in content.text_boxes:
            yield from self.blocks(box)
        for graphic in content.graphics:
            yield from graphic_blocks(graphic, self._rels, page=self.page)
        for note in content.cited:
            yield from self._note(note)

    def _note(self, note: tuple[str, str]) -> Iterator[Block]:
        text = self._notes.text(note, self.counts)
        if text:
            yield Block(BlockKind.FOOTNOTE, f"[{self._notes.mark(note)}] {text}", page=self.page)

    def _table(self, table: Any) -> Iterator[Block]:
        rows = [row for row in table.iter(f"{W}tr") if next(row.iterancestors(f"{W}tbl")) is table]
        rows = [row for row in rows if row.find(f"{W}trPr/{W}del") is None]
        cells: list[list[list[Block]]] = []
        for row in rows:
            line: list[list[Block]] = []
            for cell in wrapped_children(row, self.counts):
                if cell.tag == f"{W}tc":
                    line.append(list(self.blocks(cell)))
                    line += [[]] * (_columns(cell) - 1)
            cells.append(line)
        marked = bool(rows) and rows[0].find(f"{W}trPr/{W}tblHeader") is not None
        yield from grid_blocks(cells, header=marked)


def _columns(cell: Any) -> int:
    """How many columns a cell stretches over."""
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    value = span.get(f"{W}val", "1") if span is not None else "1"
    return min(_MOST_COLUMNS, int(value)) if value.isdigit() and len(value) <= 4 else 1
