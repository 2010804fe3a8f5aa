"""PDF files with reportlab: outline, heading sizes, running header, page numbers, tables, footnotes.

The bytes are the same every time: fixed creation date, reportlab's invariant mode, no compression. Bitstream Vera, which
comes with reportlab, is embedded; it has ä ö ü ß „ “ –.
"""

import datetime as dt
import html
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import reportlab
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    ListItem,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)
from reportlab.platypus.tableofcontents import TableOfContents

from making.source import MARK, Block, Source

LEFT, WIDTH = 2.2 * cm, 16.6 * cm
BODY = ParagraphStyle("body", fontName="Vera", fontSize=9.5, leading=13.5, spaceAfter=6)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=8.5, leading=11, spaceAfter=0)
TITLE = ParagraphStyle("title", parent=BODY, fontName="Vera-Bold", fontSize=24, leading=29, spaceAfter=8)
NOTE = ParagraphStyle("note", parent=BODY, fontSize=7.5, leading=9.5, spaceAfter=1)
HEADINGS = {
    level: ParagraphStyle(
        f"h{level}",
        parent=BODY,
        fontName="Vera-Bold",
        fontSize=size,
        leading=size * 1.25,
        spaceBefore=size * 0.8,
        spaceAfter=size * 0.35,
        keepWithNext=1,
    )
    for level, size in ((1, 16), (2, 12.5), (3, 10.5))
}
GRID: list[tuple[Any, ...]] = [
    ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
    ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
]


def rich(text: str) -> str:
    """Text as reportlab's markup, footnote marks raised."""
    return MARK.sub(r"<super>\1</super>", html.escape(text, quote=False))


class Heading(Paragraph):
    """A heading that the outline and the contents list name."""

    def __init__(self, text: str, level: int, number: int) -> None:
        """The level counts from 1; the number is unique in the document."""
        super().__init__(rich(text), HEADINGS[level])
        self.level, self.key = level, f"s{number}"


class Noted(Paragraph):
    """A paragraph with footnotes: it stays whole, so that note and reference share a page."""

    def __init__(self, text: str, notes: tuple[str, ...]) -> None:
        """The notes are the footnotes' keys."""
        super().__init__(rich(text), BODY)
        self.notes = notes

    def split(self, *_size: float) -> list[Any]:
        """Never."""
        return []


class Document(BaseDocTemplate):
    """Collects the outline while pages are made, and draws each page's furniture."""

    def __init__(self, out: io.BytesIO, source: Source) -> None:
        """The source gives title, author, header and footnotes."""
        meta = source.meta
        super().__init__(
            out,
            pagesize=A4,
            title=meta["title"],
            author=meta["author"],
            subject=meta["subtitle"],
            lang="de-DE",
            invariant=1,
            pageCompression=0,
        )
        self.source = source
        self.pending: list[str] = []  # footnotes of the page that is being filled
        frame = Frame(LEFT, 3.6 * cm, WIDTH, 24 * cm, 0, 0, 0, 0)
        self.addPageTemplates(PageTemplate("page", [frame], onPageEnd=self.draw_furniture))

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802  reportlab's hook
        """Note footnotes, outline entries and lines of the contents list."""
        if isinstance(flowable, Noted):
            self.pending.extend(flowable.notes)
        elif isinstance(flowable, Heading):
            text = flowable.getPlainText()
            self.canv.bookmarkPage(flowable.key)
            self.canv.addOutlineEntry(text, flowable.key, flowable.level - 1)
            self.notify("TOCEntry", (flowable.level - 1, text, self.page, flowable.key))

    def draw_furniture(self, canvas: Any, _doc: Any) -> None:
        """Running header, date, page number, and this page's footnotes below a rule."""
        canvas.saveState()
        canvas.setFont("Vera", 8)
        canvas.drawString(LEFT, 28.3 * cm, self.source.meta["running"])
        canvas.drawString(LEFT, 1.2 * cm, f"Stand: {self.source.date:%d.%m.%Y}")
        canvas.drawRightString(LEFT + WIDTH, 1.2 * cm, f"Seite {self.page}")
        if self.pending:
            canvas.line(LEFT, 3.4 * cm, 7 * cm, 3.4 * cm)
            y = 3.3 * cm
            for key in self.pending:
                paragraph = Paragraph(f"<super>{key}</super> {rich(self.source.footnotes[key])}", NOTE)
                y -= paragraph.wrap(WIDTH, 2 * cm)[1]
                paragraph.drawOn(canvas, LEFT, y)
            self.pending = []
        canvas.restoreState()


def register_fonts() -> None:
    """Make Vera known to reportlab; doing so twice is harmless."""
    fonts = Path(reportlab.__file__).parent / "fonts"
    for name, file in (("Vera", "Vera.ttf"), ("Vera-Bold", "VeraBd.ttf"), ("Vera-Italic", "VeraIt.ttf")):
        pdfmetrics.registerFont(TTFont(name, str(fonts / file)))
    pdfmetrics.registerFontFamily("Vera", normal="Vera", bold="Vera-Bold", italic="Vera-Italic", boldItalic="Vera-Bold")


@contextmanager
def frozen_clock(moment: dt.datetime) -> Iterator[None]:
    """Set SOURCE_DATE_EPOCH, from which reportlab takes a PDF's creation date."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(int(moment.replace(tzinfo=dt.UTC).timestamp()))
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before


def front(source: Source) -> list[Flowable]:
    """Title block and, where the source asks for one, the contents list."""
    meta = source.meta
    story: list[Flowable] = [Paragraph(meta["title"], TITLE), Paragraph(meta["subtitle"], BODY)]
    story += [Paragraph(f"{meta['author']}<br/>Campus Weidenhag", BODY), Spacer(1, 12)]
    if meta.get("toc") == "yes":
        toc = TableOfContents(dotsMinLevel=0)
        toc.levelStyles = [ParagraphStyle(f"toc{i}", parent=BODY, leftIndent=12 * i, spaceAfter=1) for i in range(3)]
        story += [Paragraph("Inhalt", HEADINGS[2]), toc]
    return story


def flowables(block: Block, number: int) -> list[Flowable]:
    """What a block becomes on paper; the number is its place in the document."""
    match block.kind:
        case "heading":
            return [Heading(block.text, block.level, number)]
        case "table":
            rows = [
                [Paragraph(f"<b>{rich(text)}</b>" if i == 0 else rich(text), CELL) for text in row]
                for i, row in enumerate(block.rows)
            ]
            columns = len(block.rows[0])
            return [Table(rows, [WIDTH / columns] * columns, repeatRows=1, style=GRID), Spacer(1, 8)]
        case "bullets" | "numbers":
            items: list[Any] = [ListItem(Paragraph(rich(row[0]), BODY)) for row in block.rows]
            kind: dict[str, Any] = (
                {"bulletType": "bullet", "start": "•"}
                if block.kind == "bullets"
                else {"bulletType": "1", "bulletFormat": "%s."}
            )
            return [ListFlowable(items, leftIndent=18, bulletFontName="Vera", bulletFontSize=9, **kind)]
        case _ if block.footnotes:
            return [Noted(block.text, block.footnotes)]
        case _:
            return [Paragraph(rich(block.text), BODY)]


def make_pdf(source: Source) -> bytes:
    """An A4 document from a source; its front matter needs title, subtitle, author, date and running."""
    register_fonts()
    story = front(source)
    for number, block in enumerate(source.blocks):
        story += flowables(block, number)
    out = io.BytesIO()
    with frozen_clock(source.date):
        Document(out, source).multiBuild(story)
    return out.getvalue()
