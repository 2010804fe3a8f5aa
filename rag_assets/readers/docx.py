"""DOCX: the body in reading order, with heading styles, lists, tables, footnotes and metadata.

Tracked insertions are text, deletions and hidden text are not. Here lives the walk over the body; the text of one
paragraph lives in `readers.docx_text`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.conventions import LONGEST_BOLD_HEADING, MAYBE_HEADING, promote_bold
from rag_assets.readers.docx_text import NAMESPACE as W
from rag_assets.readers.docx_text import Notes, ParagraphText, Styles, wrapped_children
from rag_assets.readers.files import check_container, clean_title, markup_error, parse_authors, parse_date
from rag_assets.text.blocks import Block, BlockKind, table_block

_MAIN_PART = "word/document.xml"


class DocxReader:
    """A Word document."""

    name = "docx"
    mime_types = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        members = check_container(path, limits)
        if not any(member.startswith("word/") for member in members):
            raise DocumentError("damaged", "the container holds no Word document")
        try:
            document = docx.Document(str(path))
            body = document.element.body
            walk = _Body(Styles(document), Notes(document))
            blocks = tuple(promote_bold(list(walk.blocks(body))))
            properties = document.core_properties
            title, author, created = properties.title, properties.author, properties.created
        except etree.LxmlError as error:
            raise markup_error(error) from None
        except (DocumentError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - python-docx meets damage with whatever its parts stumble over
            raise DocumentError("damaged", "the document cannot be read", kind=type(error).__name__) from None
        if not blocks:
            raise DocumentError("empty", "the document holds no text")
        return ReadResult(
            mime_type=self.mime_types[0],
            reader=self.name,
            title=clean_title(title) or clean_title(walk.title),
            authors=() if author == "python-docx" else parse_authors(author),
            published_on=parse_date(created),
            blocks=blocks,
            page_count=None,
            warnings=("hidden_text",) if walk.hidden else (),
            repairs={kind: count for kind, count in walk.counts.items() if count},
            hidden_text="\n".join(walk.hidden),
        )


class _Body:
    """One walk over the body: what was counted on the way, what is hidden, and the paragraph styled as title."""

    def __init__(self, styles: Styles, notes: Notes) -> None:
        self.counts: Counter[str] = Counter()
        self.hidden: list[str] = []
        self.title: str | None = None
        self._styles = styles
        self._notes = notes

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
        text = content.text
        self.hidden += content.hidden
        if text.strip():
            if style.is_contents:
                self.counts["contents_list"] += 1
            elif style.heading is not None:
                yield Block(BlockKind.HEADING, text, level=style.heading)
            else:
                if style.is_title and self.title is None:
                    self.title = text
                kind = BlockKind.FOOTNOTE if content.is_note else style.kind
                bold = content.is_bold and len(text) <= LONGEST_BOLD_HEADING and kind is BlockKind.PARAGRAPH
                yield Block(kind, text, level=MAYBE_HEADING if bold and not style.is_title else None)
        for box in content.text_boxes:
            yield from self.blocks(box)
        for note in content.cited:
            yield from self._note(note)

    def _note(self, note: tuple[str, str]) -> Iterator[Block]:
        text = self._notes.text(note, self.counts)
        if text:
            yield Block(BlockKind.FOOTNOTE, f"[{self._notes.mark(note)}] {text}")

    def _table(self, table: Any) -> Iterator[Block]:
        rows = [row for row in table.iter(f"{W}tr") if next(row.iterancestors(f"{W}tbl")) is table]
        rows = [row for row in rows if row.find(f"{W}trPr/{W}del") is None]
        cells = [[cell for cell in wrapped_children(row, self.counts) if cell.tag == f"{W}tc"] for row in rows]
        if not cells or max(len(row) for row in cells) <= 1:
            # A frame around text, not a table.
            for row in cells:
                for cell in row:
                    yield from self.blocks(cell)
            return
        notes: list[Block] = []
        texts = []
        for row in cells:
            line = []
            for cell in row:
                inner = list(self.blocks(cell))
                notes += [block for block in inner if block.kind is BlockKind.FOOTNOTE]
                line.append(" ".join(block.text for block in inner if block.kind is not BlockKind.FOOTNOTE))
            texts.append(line)
        marked = rows[0].find(f"{W}trPr/{W}tblHeader") is not None
        block = table_block(texts, header=marked or len(texts) > 2)
        if block:
            yield block
        yield from notes
