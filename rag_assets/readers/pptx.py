"""PPTX: slide titles as headings, texts and bullets in reading order, tables, charts, SmartArt, speaker notes.

A slide is a page. Hidden slides and shapes, comments, dates and slide numbers are no text, and are counted. The text of
one shape lives in `readers.pptx_text`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.package import Package
from pptx.parts.presentation import PresentationPart

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.files import (
    check_container,
    clean_title,
    declared_language,
    markup_error,
    parse_authors,
    parse_date,
)
from rag_assets.readers.ooxml_graphics import GRAPHIC_DATA, graphic_blocks
from rag_assets.readers.package import parse_xml, refuse_entities
from rag_assets.readers.pptx_text import plain_text, resolve_alternatives, table_rows, text_blocks
from rag_assets.text.blocks import Block, BlockKind, table_block

_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE)
_FURNITURE = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.HEADER)
_BODIES = (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY, PP_PLACEHOLDER.VERTICAL_OBJECT)

_Place = tuple[tuple[int, int], ...]


class PptxReader:
    """A PowerPoint presentation."""

    name = "pptx"
    mime_types = ("application/vnd.openxmlformats-officedocument.presentationml.presentation",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        check_container(path, limits)
        deck = _Deck()
        try:
            presentation = _open(path)
            slides = list(presentation.slides)
            _check_count(len(slides), limits)
            blocks = tuple(block for number, slide in enumerate(slides, 1) for block in deck.slide(slide, number))
            properties = presentation.core_properties
            title, author, created = properties.title, properties.author, properties.created
            language = properties.language
        except etree.LxmlError as error:
            raise markup_error(error) from None
        except (DocumentError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - python-pptx meets damage with whatever its parts stumble over
            raise DocumentError("damaged", "the presentation cannot be read", kind=type(error).__name__) from None
        if not blocks:
            raise DocumentError("empty", "the presentation holds no text")
        first = next((block.text for block in blocks if block.kind is BlockKind.HEADING and block.page == 1), None)
        return ReadResult(
            mime_type=self.mime_types[0],
            reader=self.name,
            title=clean_title(title) or clean_title(first),
            authors=parse_authors(author),
            published_on=parse_date(created),
            blocks=blocks,
            page_count=len(slides),
            language=declared_language(language),
            warnings=("hidden_text",) if deck.hidden else (),
            repairs={kind: count for kind, count in deck.counts.items() if count},
            hidden_text="\n".join(deck.hidden),
        )


def _open(path: Path) -> Any:
    # Not through pptx.Presentation, which refuses slide shows and templates though they hold the same parts.
    part = Package.open(str(path)).main_document_part
    if not isinstance(part, PresentationPart):
        raise DocumentError("damaged", "the container holds no presentation")
    return part.presentation


def _check_count(slides: int, limits: ReadLimits) -> None:
    if slides > limits.max_pages:
        raise DocumentError("too_large", "more slides than RAG_READ_MAX_PAGES", pages=slides, limit=limits.max_pages)


class _Deck:
    """One walk over the slides: what was counted on the way, and what is hidden."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.hidden: list[str] = []

    def slide(self, slide: Any, number: int) -> Iterator[Block]:
        """Blocks of a slide and its notes."""
        refuse_entities(slide.element)
        self.counts["comment"] += sum(
            sum(1 for each in parse_xml(related.target_part.blob) if etree.QName(each).localname == "cm")
            for related in slide.part.rels.values()
            if not related.is_external and related.reltype.endswith("/comments")
        )
        if slide.element.get("show") in ("0", "false"):
            self._hide(slide.element)
            return
        resolve_alternatives(slide.element)
        title = None
        rest: list[tuple[_Place, Any, bool]] = []
        for place, shape in self._shapes(slide.shapes, ()):
            kind = shape.placeholder_format.type if shape.is_placeholder else None
            text = plain_text(shape.element) if shape.has_text_frame else ""
            if kind in _FURNITURE:
                self.counts["page_header"] += bool(text.strip())
            elif kind in _TITLES and title is None and text.strip():
                title = text
            else:
                rest.append((place, shape, kind in _BODIES))
        if title:
            # The deck's own title stands above the slides, so that short slides may share a chunk.
            yield Block(BlockKind.HEADING, title, level=1 if number == 1 else 2, page=number)
        for _, shape, bulleted in sorted(rest, key=lambda item: item[0]):
            yield from _shape_blocks(shape, slide.part.rels, number, bulleted=bulleted)
        if slide.has_notes_slide:
            refuse_entities(slide.notes_slide.element)
            notes = slide.notes_slide.notes_placeholder
            for paragraph in plain_text(notes.element).split("\n") if notes is not None else ():
                if paragraph.strip():
                    yield Block(BlockKind.NOTE, paragraph, page=number)

    def _shapes(self, shapes: Any, around: _Place) -> Iterator[tuple[_Place, Any]]:
        """Shapes with their places; those of a group stand where the group stands, in their own order."""
        for shape in shapes:
            place = (*around, _place(shape))
            if shape.element.xpath("./*/p:cNvPr[@hidden='1' or @hidden='true']"):
                self._hide(shape.element)
            elif shape.shape_type == MSO_SHAPE_TYPE.GROUP:
                yield from self._shapes(shape.shapes, place)
            else:
                yield place, shape

    def _hide(self, element: Any) -> None:
        text = " ".join(each.text or "" for each in element.xpath(".//a:t")).strip()
        self.counts["hidden"] += bool(text)
        self.hidden += [text] if text else []


def _place(shape: Any) -> tuple[int, int]:
    # Rows of a tenth of an inch: shapes placed side by side by hand are seldom level to the point.
    return (shape.top or 0) // 91_440, shape.left or 0


def _shape_blocks(shape: Any, relations: Any, page: int, *, bulleted: bool) -> Iterator[Block]:
    if getattr(shape, "has_table", False) and shape.has_table:
        block = table_block(table_rows(shape.element), header=bool(shape.table.first_row), page=page)
        if block:
            yield block
    elif shape.has_text_frame:
        yield from text_blocks(shape.element, page=page, bulleted=bulleted)
    else:
        for data in shape.element.iter(GRAPHIC_DATA):
            yield from graphic_blocks(data, relations, page=page)
