"""PPTX: slide titles as headings, texts and bullets in reading order, tables, speaker notes. A slide is a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pptx
from lxml import etree
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.files import check_container, clean_title, markup_error, parse_authors, parse_date
from rag_assets.text.blocks import Block, BlockKind, table_block

_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE)
_FURNITURE = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.HEADER)
_BODIES = (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY, PP_PLACEHOLDER.VERTICAL_OBJECT)


class PptxReader:
    """A PowerPoint presentation."""

    name = "pptx"
    mime_types = ("application/vnd.openxmlformats-officedocument.presentationml.presentation",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        members = check_container(path, limits)
        if not any(member.startswith("ppt/") for member in members):
            raise DocumentError("damaged", "the container holds no presentation")
        counts: Counter[str] = Counter()
        try:
            presentation = pptx.Presentation(str(path))
            slides = list(presentation.slides)
            _check_count(len(slides), limits)
            blocks = tuple(
                block for number, slide in enumerate(slides, 1) for block in _slide_blocks(slide, number, counts)
            )
            properties = presentation.core_properties
            title, author, created = properties.title, properties.author, properties.created
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
            repairs={kind: count for kind, count in counts.items() if count},
        )


def _check_count(slides: int, limits: ReadLimits) -> None:
    if slides > limits.max_pages:
        raise DocumentError("too_large", "more slides than RAG_READ_MAX_PAGES", pages=slides, limit=limits.max_pages)


def _slide_blocks(slide: Any, number: int, counts: Counter[str]) -> Iterator[Block]:
    if slide.element.get("show") in ("0", "false"):
        counts["hidden"] += 1
        return
    title = None
    rest = []
    for shape in _shapes(slide.shapes):
        kind = shape.placeholder_format.type if shape.is_placeholder else None
        if kind in _FURNITURE:
            if shape.has_text_frame and shape.text_frame.text.strip():
                counts["page_header"] += 1
        elif kind in _TITLES and title is None and shape.has_text_frame and shape.text_frame.text.strip():
            title = shape.text_frame.text
        else:
            rest.append((shape, kind))
    if title:
        # The deck's own title stands above the slides, so that short slides may share a chunk.
        yield Block(BlockKind.HEADING, title.replace("\v", "\n"), level=1 if number == 1 else 2, page=number)
    for shape, kind in sorted(rest, key=lambda item: _place(item[0])):
        yield from _shape_blocks(shape, number, bulleted=kind in _BODIES)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        for paragraph in frame.text.split("\n") if frame is not None else ():
            if paragraph.strip():
                yield Block(BlockKind.NOTE, paragraph, page=number)


def _place(shape: Any) -> tuple[int, int]:
    # Rows of a tenth of an inch: shapes placed side by side by hand are seldom level to the point.
    return (shape.top or 0) // 91_440, shape.left or 0


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _shape_blocks(shape: Any, page: int, *, bulleted: bool) -> Iterator[Block]:
    if getattr(shape, "has_table", False) and shape.has_table:
        rows = [[cell.text_frame.text for cell in row.cells] for row in shape.table.rows]
        block = table_block(rows, header=bool(shape.table.first_row), page=page)
        if block:
            yield block
    elif shape.has_text_frame:
        paragraphs = [p for p in shape.text_frame.paragraphs if p.text.strip()]
        for paragraph in paragraphs:
            listed = (bulleted and len(paragraphs) > 1) or paragraph.level > 0
            text = paragraph.text.replace("\v", "\n")
            yield Block(BlockKind.LIST_ITEM if listed else BlockKind.PARAGRAPH, text, page=page)
