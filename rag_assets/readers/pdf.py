"""PDF: pdfium reads, geometry makes paragraphs, the outline or the type's size makes headings.

Here live opening, limits, metadata and the putting together. pypdf steps in where pdfium refuses a file, and where
pdfium's text is glued together (many words of more than thirty letters).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.files import check_size, clean_title, parse_authors, parse_date
from rag_assets.readers.pdf_furniture import drop_furniture
from rag_assets.readers.pdf_headings import OutlineEntry, body_size, find_headings
from rag_assets.readers.pdf_layout import Paragraph, page_paragraphs, usual_leadings
from rag_assets.readers.pdf_lines import HYPHEN, Line, merge_parts, page_lines
from rag_assets.text.blocks import Block, BlockKind, PageBreak

_MOST_OUTLINE_ENTRIES = 20_000
_LONG_WORD = re.compile(r"[^\W\d_]{31,}")
_GLUED_SHARE = 0.01
_OPEN_END = re.compile(r"[^.!?:…“”\"»)\]]$|[,;]$")


class PdfReader:
    """A PDF document."""

    name = "pdf"
    mime_types = ("application/pdf",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether a PDF's mark stands near the beginning."""
        return b"%PDF-" in head[:1024]

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        check_size(path, limits)
        try:
            # pypdfium2 follows links to a name, and what is attached to a mail has none.
            document = pypdfium2.PdfDocument(path if path.resolve().exists() else path.read_bytes())
        except pypdfium2.PdfiumError:
            # pypdf knows the empty owner password and mends tables that pdfium refuses; it names what it cannot.
            return _read_with_pypdf(path, limits, reason="pdfium_refused")
        with closing(document):
            result = _read(document, limits)
        if _is_glued(result.blocks):
            other = _read_with_pypdf(path, limits, reason="glued_words")
            if not _is_glued(other.blocks):
                return other
        return result


def _read_with_pypdf(path: Path, limits: ReadLimits, *, reason: str) -> ReadResult:
    # Imported when needed, which is seldom: pypdf takes half a second to load.
    from rag_assets.readers.pdf_fallback import read_with_pypdf

    return read_with_pypdf(path, limits, reason=reason)


def _read(document: Any, limits: ReadLimits) -> ReadResult:
    count = len(document)
    if count == 0:
        raise DocumentError("empty", "the document has no pages", pages=0)
    if count > limits.max_pages:
        raise DocumentError("too_large", "more pages than RAG_READ_MAX_PAGES", pages=count, limit=limits.max_pages)
    raw_pages, needs_ocr, hidden = _lines(document, count)
    pages, repairs = drop_furniture(raw_pages)
    pages = [merge_parts(lines) for lines in pages]
    warnings: list[str] = []
    if hidden:
        warnings.append("hidden_text")
    if needs_ocr:
        warnings.append("needs_ocr")
    body = body_size(pages)
    leadings = usual_leadings(pages)
    paragraphs: list[Paragraph] = []
    for number, lines in enumerate(pages, 1):
        found, warning = page_paragraphs(lines, number, body_size=body, leadings=leadings)
        if warning and warning not in warnings:
            warnings.append(warning)
        _append_page(paragraphs, found)
    labels = _labels(document, count)
    blocks = tuple(_blocks(paragraphs, find_headings(paragraphs, _outline(document), body), labels))
    if not blocks and not needs_ocr:
        raise DocumentError("empty", "the pages are blank", pages=count)
    metadata = _metadata(document)
    return ReadResult(
        mime_type="application/pdf",
        reader="pdf",
        title=clean_title(metadata.get("Title")),
        authors=parse_authors(metadata.get("Author")),
        published_on=parse_date(metadata.get("CreationDate")),
        blocks=blocks,
        page_count=count,
        needs_ocr_pages=tuple(needs_ocr),
        warnings=tuple(warnings),
        repairs={kind: n for kind, n in repairs.items() if n},
        hidden_text=hidden,
    )


def _lines(document: Any, count: int) -> tuple[list[list[Line]], list[int], str]:
    """Lines of each page, the pages that show something but hold no text, and the text that nobody sees."""
    pages: list[list[Line]] = []
    needs_ocr: list[int] = []
    hidden: list[str] = []
    has_form = document.get_formtype() != pdfium.FORMTYPE_NONE
    if has_form:
        document.init_forms()  # makes what is filled in visible
    for index in range(count):
        try:
            page = document[index]
            if has_form and pdfium.FPDFPage_Flatten(page.raw, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
                # Fields are drawn onto the page now, which shows once the page is opened again.
                page.close()
                page = document[index]
        except pypdfium2.PdfiumError:
            raise DocumentError("damaged", "a page cannot be opened", page=index + 1) from None
        with closing(page):
            text_page = page.get_textpage()
            with closing(text_page):
                lines, unseen = page_lines(page, text_page)
            if not lines and _shows_something(page):
                needs_ocr.append(index + 1)
        pages.append(lines)
        if unseen:
            hidden.append(unseen)
    return pages, needs_ocr, "\n".join(hidden)


def _shows_something(page: Any) -> bool:
    """Whether a page without text holds anything but text that cannot be seen."""
    count = pdfium.FPDFPage_CountObjects(page)
    kinds = (pdfium.FPDFPageObj_GetType(pdfium.FPDFPage_GetObject(page, index)) for index in range(count))
    return any(kind != pdfium.FPDF_PAGEOBJ_TEXT for kind in kinds)


def _metadata(document: Any) -> dict[str, str]:
    try:
        return dict(document.get_metadata_dict())
    except UnicodeDecodeError:
        return {}


def _labels(document: Any, count: int) -> list[str | None]:
    """Printed page numbers; None where the document names none, or only repeats the plain count."""
    try:
        labels = [document.get_page_label(index) or None for index in range(count)]
    except UnicodeDecodeError:
        return [None] * count
    return labels if any(label != str(index + 1) for index, label in enumerate(labels)) else [None] * count


def _outline(document: Any) -> list[OutlineEntry]:
    entries: list[OutlineEntry] = []
    for bookmark in document.get_toc():
        destination = bookmark.get_dest()
        index = destination.get_index() if destination is not None else None
        try:
            title = bookmark.get_title()
        except UnicodeDecodeError:
            continue  # damaged in this place; the type's size still tells the heading
        if index is not None and index >= 0 and title:
            entries.append(OutlineEntry(bookmark.level + 1, title, index + 1))
        if len(entries) >= _MOST_OUTLINE_ENTRIES:
            break
    return entries


def _append_page(before: list[Paragraph], page: list[Paragraph]) -> None:
    """Append a page's paragraphs; a sentence that goes on over the page's end stays in one paragraph."""
    last = next((p for p in reversed(before) if p.kind is not BlockKind.FOOTNOTE), None)
    first = next(iter(page), None)
    if last is not None and first is not None and _goes_on(last, first):
        last.breaks.append((len(last.lines), first.page))
        last.lines += first.lines
        page = page[1:]
    before += page


def _goes_on(last: Paragraph, first: Paragraph) -> bool:
    if first.kind is not BlockKind.PARAGRAPH or not last.lines or not first.lines or last.page >= first.page:
        return False
    end, begin = last.lines[-1].text.rstrip(), first.lines[0].text.lstrip()
    same_type = abs(last.lines[-1].size - first.lines[0].size) < 0.5
    return same_type and (end.endswith(HYPHEN) or (bool(_OPEN_END.search(end)) and begin[:1].islower()))


def _blocks(paragraphs: Sequence[Paragraph], headings: dict[int, int], labels: Sequence[str | None]) -> Iterator[Block]:
    for number, paragraph in enumerate(paragraphs):
        label = labels[paragraph.page - 1]
        if paragraph.table is not None:
            table = paragraph.table
            yield Block(table.kind, table.text, page=paragraph.page, page_label=label, table_header=table.table_header)
            continue
        lengths = [len(line.text) + 1 for line in paragraph.lines]
        yield Block(
            BlockKind.HEADING if number in headings else paragraph.kind,
            paragraph.text,
            level=headings.get(number),
            page=paragraph.page,
            page_label=label,
            page_breaks=tuple(PageBreak(sum(lengths[:at]), page, labels[page - 1]) for at, page in paragraph.breaks),
        )


def _is_glued(blocks: Sequence[Block]) -> bool:
    counts: Counter[str] = Counter()
    for block in blocks:
        words = block.text.split()
        counts["words"] += len(words)
        counts["long"] += sum(len(_LONG_WORD.findall(word)) for word in words if len(word) > 30)
    return counts["long"] >= 5 and counts["long"] > _GLUED_SHARE * counts["words"]
