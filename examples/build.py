"""Makes the PDF, DOCX and PPTX files of the example campus from `sources/`, byte for byte the same every time.

`sources/<collection folder>/…/name.pdf.md` becomes `<collection folder>/…/name.pdf`; the last-but-one suffix names the
format. The sources are a small, strict subset of Markdown (see `parse`). The other example documents (HTML, Markdown,
TXT) are kept by hand and are not touched. Nothing here is part of the product: the product only reads the results.

    python examples/build.py            # write what differs
    python examples/build.py --check    # exit 1 if a committed file is not what this script makes
    python examples/build.py --list     # format, words and path of every example document

The bytes do not depend on the clock or the platform. They depend on the versions of reportlab, python-docx and
python-pptx in the developers' lock. PDFs are written without page compression, and `--check` compares the members of
the zipped formats, so that another zlib than ours makes no difference there.
"""

import argparse
import datetime as dt
import html
import io
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "sources"
FOLDERS = ("documents", "system_docs")
MARK = re.compile(r"\[\^(\w+)\]")


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a source: kind is heading, paragraph, bullets, numbers, table or notes (speaker notes)."""

    kind: str
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()  # table: cells; lists: one cell a row
    footnotes: tuple[str, ...] = ()  # keys of the footnotes that the text refers to


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source: front matter, blocks in reading order, footnotes by key."""

    meta: dict[str, str]
    blocks: tuple[Block, ...]
    footnotes: dict[str, str]

    @property
    def date(self) -> dt.datetime:
        return dt.datetime.fromisoformat(self.meta["date"]).replace(hour=12)


def parse(text: str) -> Source:
    """Read front matter (`key: value`), `#` headings, paragraphs of one line each, `-` and `1.` lists, `|` tables,
    `[^1]` footnotes and `???` speaker notes. Inline markup does not exist. An unknown shape is a paragraph."""
    _, head, body = text.split("---\n", 2)
    meta = dict(line.split(": ", 1) for line in head.splitlines())
    blocks: list[Block] = []
    footnotes: dict[str, str] = {}
    for line in filter(None, (line.strip() for line in body.splitlines())):
        if match := re.match(r"\[\^(\w+)\]: (.+)", line):
            footnotes[match[1]] = match[2]
        elif match := re.match(r"(#+) (.+)", line):
            blocks.append(Block("heading", match[2], level=len(match[1])))
        elif match := re.match(r"(-|\d+\.|\|) ?(.+)", line):
            kind = {"-": "bullets", "|": "table"}.get(match[1], "numbers")
            cells = tuple(cell.strip() for cell in line.strip("|").split("|")) if kind == "table" else (match[2],)
            if kind == "table" and set(cells[0]) == {"-"}:
                continue
            if blocks and blocks[-1].kind == kind:
                blocks[-1] = Block(kind, rows=(*blocks[-1].rows, cells))
            else:
                blocks.append(Block(kind, rows=(cells,)))
        elif line.startswith("??? "):
            blocks.append(Block("notes", line[4:]))
        else:
            blocks.append(Block("paragraph", line, footnotes=tuple(MARK.findall(line))))
    return Source(meta, tuple(blocks), footnotes)


# --- PDF ---------------------------------------------------------------------------------------------------------


@contextmanager
def frozen_clock(moment: dt.datetime) -> Iterator[None]:
    """reportlab takes a PDF's creation date from SOURCE_DATE_EPOCH."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(int(moment.replace(tzinfo=dt.UTC).timestamp()))
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before


def make_pdf(source: Source) -> bytes:
    """A4 with title block, optional contents, bookmarks, running header, page numbers, footnotes at the page's foot."""
    import reportlab
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.lib.units import cm
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import BaseDocTemplate, Frame, ListFlowable, ListItem, PageTemplate, Paragraph, Spacer, Table
    from reportlab.platypus.tableofcontents import TableOfContents

    fonts = Path(reportlab.__file__).parent / "fonts"  # Bitstream Vera comes with reportlab and has ä ö ü ß „ “ –
    for name, file in (("Vera", "Vera.ttf"), ("Vera-Bold", "VeraBd.ttf"), ("Vera-Italic", "VeraIt.ttf")):
        pdfmetrics.registerFont(TTFont(name, str(fonts / file)))
    pdfmetrics.registerFontFamily("Vera", normal="Vera", bold="Vera-Bold", italic="Vera-Italic", boldItalic="Vera-Bold")

    body = ParagraphStyle("body", fontName="Vera", fontSize=9.5, leading=13.5, spaceAfter=6)
    cell = ParagraphStyle("cell", parent=body, fontSize=8.5, leading=11, spaceAfter=0)
    title = ParagraphStyle("title", parent=body, fontName="Vera-Bold", fontSize=24, leading=29, spaceAfter=8)
    note = ParagraphStyle("note", parent=body, fontSize=7.5, leading=9.5, spaceAfter=1)
    sizes = {1: 16, 2: 12.5, 3: 10.5}
    headings = {
        level: ParagraphStyle(
            f"h{level}", parent=body, fontName="Vera-Bold", fontSize=size, leading=size * 1.25, spaceBefore=size * 0.8,
            spaceAfter=size * 0.35, keepWithNext=1,
        )
        for level, size in sizes.items()
    }

    class Noted(Paragraph):  # type: ignore[misc]
        """A paragraph with footnotes: it stays whole, so that note and reference share a page."""

        notes: tuple[str, ...] = ()

        def split(self, _width: float, _height: float) -> list[Any]:
            return []

    class Doc(BaseDocTemplate):  # type: ignore[misc]
        pending: list[str]

        def beforeDocument(self) -> None:
            self.pending = []

        def afterFlowable(self, flowable: Any) -> None:
            self.pending.extend(getattr(flowable, "notes", ()))
            level = getattr(flowable, "level", 0)
            if level:
                key = f"s{flowable.number}"
                self.canv.bookmarkPage(key)
                self.canv.addOutlineEntry(flowable.getPlainText(), key, level - 1)
                self.notify("TOCEntry", (level - 1, flowable.getPlainText(), self.page, key))

    def furniture(canvas: Any, doc: Any) -> None:
        canvas.saveState()
        canvas.setFont("Vera", 8)
        canvas.drawString(2.2 * cm, 28.3 * cm, source.meta["running"])
        canvas.drawString(2.2 * cm, 1.2 * cm, f"Stand: {source.date:%d.%m.%Y}")
        canvas.drawRightString(18.8 * cm, 1.2 * cm, f"Seite {doc.page}")
        if doc.pending:
            canvas.line(2.2 * cm, 3.4 * cm, 7 * cm, 3.4 * cm)
            y = 3.3 * cm
            for key in doc.pending:
                paragraph = Paragraph(f"<super>{key}</super> {html.escape(source.footnotes[key])}", note)
                y -= paragraph.wrap(16.6 * cm, 2 * cm)[1]
                paragraph.drawOn(canvas, 2.2 * cm, y)
            doc.pending = []
        canvas.restoreState()

    def rich(text: str) -> str:
        return MARK.sub(r"<super>\1</super>", html.escape(text, quote=False))

    meta = source.meta
    story: list[Any] = [Paragraph(meta["title"], title), Paragraph(meta["subtitle"], body)]
    story += [Paragraph(f"{meta['author']}<br/>Campus Weidenhag", body), Spacer(1, 12)]
    if meta.get("toc") == "yes":
        toc = TableOfContents(dotsMinLevel=0)
        toc.levelStyles = [
            ParagraphStyle(f"toc{i}", parent=body, leftIndent=12 * i, spaceAfter=1) for i in range(3)
        ]
        story += [Paragraph("Inhalt", ParagraphStyle("toch", parent=headings[2])), toc]
    for number, block in enumerate(source.blocks):
        if block.kind == "heading":
            flowable = Paragraph(rich(block.text), headings[block.level])
            flowable.level, flowable.number = block.level, number
            story.append(flowable)
        elif block.kind == "table":
            rows = [[Paragraph(("<b>%s</b>" if i == 0 else "%s") % rich(c), cell) for c in row]
                    for i, row in enumerate(block.rows)]
            style = [("GRID", (0, 0), (-1, -1), 0.4, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
                     ("VALIGN", (0, 0), (-1, -1), "TOP")]
            width = 16.6 * cm / len(block.rows[0])
            story += [Table(rows, [width] * len(block.rows[0]), repeatRows=1, style=style), Spacer(1, 8)]
        elif block.kind in ("bullets", "numbers"):
            items = [ListItem(Paragraph(rich(row[0]), body)) for row in block.rows]
            kind = {"bulletType": "bullet", "start": "•"} if block.kind == "bullets" else {"bulletType": "1"}
            story.append(ListFlowable(items, leftIndent=16, bulletFontName="Vera", bulletFontSize=9, **kind))
        elif block.footnotes:
            paragraph = Noted(rich(block.text), body)
            paragraph.notes = block.footnotes
            story.append(paragraph)
        else:
            story.append(Paragraph(rich(block.text), body))

    out = io.BytesIO()
    with frozen_clock(source.date):
        doc = Doc(out, pagesize=A4, title=meta["title"], author=meta["author"], subject=meta["subtitle"], lang="de-DE",
                  invariant=1, pageCompression=0)
        frame = Frame(2.2 * cm, 3.6 * cm, 16.6 * cm, 24 * cm, 0, 0, 0, 0)
        doc.addPageTemplates(PageTemplate("page", [frame], onPageEnd=furniture))
        doc.multiBuild(story)
    return out.getvalue()


# --- Office formats ----------------------------------------------------------------------------------------------


def fix_zip(data: bytes) -> bytes:
    """The same archive with one fixed time and sorted members."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        # [Content_Types].xml sorts first ("[" < "_"), as readers that look at the head of the file like it
        for name in sorted(old.namelist()):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 0, 0  # the same on every operating system
            new.writestr(info, old.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def set_properties(properties: Any, source: Source) -> None:
    properties.title, properties.author = source.meta["title"], source.meta["author"]
    properties.subject, properties.language = source.meta["subtitle"], "de-DE"
    properties.created = properties.modified = source.date
    properties.last_modified_by, properties.revision, properties.comments = source.meta["author"], 1, ""


def make_docx(source: Source) -> bytes:
    """Title, real heading styles, lists, tables; footnotes are raised numbers with the notes at the end."""
    from docx import Document

    doc = Document()
    set_properties(doc.core_properties, source)
    doc.add_heading(source.meta["title"], 0)
    doc.add_paragraph(source.meta["subtitle"], style="Subtitle")
    doc.add_paragraph(f"{source.meta['author']}, Campus Weidenhag, Stand: {source.date:%d.%m.%Y}")
    for block in source.blocks:
        if block.kind == "heading":
            doc.add_heading(block.text, block.level)
        elif block.kind == "table":
            table = doc.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
            for row, cells in zip(table.rows, block.rows, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        elif block.kind in ("bullets", "numbers"):
            for row in block.rows:
                doc.add_paragraph(row[0], style="List Bullet" if block.kind == "bullets" else "List Number")
        else:
            paragraph = doc.add_paragraph()
            for i, part in enumerate(MARK.split(block.text)):  # odd parts are footnote keys
                paragraph.add_run(part).font.superscript = True if i % 2 else None
    if source.footnotes:
        doc.add_heading("Anmerkungen", 1)
        for key, text in source.footnotes.items():
            paragraph = doc.add_paragraph()
            paragraph.add_run(key).font.superscript = True
            paragraph.add_run(f" {text}")
    out = io.BytesIO()
    doc.save(out)
    return fix_zip(out.getvalue())


def make_pptx(source: Source) -> bytes:
    """One slide per heading, with bullets or a table, and speaker notes."""
    from pptx import Presentation
    from pptx.util import Cm, Pt

    deck = Presentation()
    set_properties(deck.core_properties, source)
    slide = deck.slides.add_slide(deck.slide_layouts[0])
    slide.shapes.title.text = source.meta["title"]
    slide.placeholders[1].text = f"{source.meta['subtitle']}\n{source.meta['author']}, {source.date:%d.%m.%Y}"
    for block, following in zip(source.blocks, (*source.blocks[1:], Block("end")), strict=True):
        if block.kind == "heading":  # 1 = title and content, 5 = title only
            slide = deck.slides.add_slide(deck.slide_layouts[5 if following.kind == "table" else 1])
            slide.shapes.title.text = block.text
        elif block.kind == "table":
            size = len(block.rows), len(block.rows[0])
            table = slide.shapes.add_table(*size, Cm(1.5), Cm(5), Cm(22), Cm(1.5 * size[0])).table
            for i, row in enumerate(block.rows):
                for j, text in enumerate(row):
                    table.cell(i, j).text = text
        elif block.kind == "notes":
            slide.notes_slide.notes_text_frame.text = block.text
        else:
            frame = slide.placeholders[1].text_frame
            for i, row in enumerate(block.rows):
                paragraph = frame.paragraphs[0] if i == 0 else frame.add_paragraph()
                paragraph.text = row[0] if block.kind == "bullets" else f"{i + 1}. {row[0]}"
                paragraph.font.size = Pt(24)
    out = io.BytesIO()
    deck.save(out)
    return fix_zip(out.getvalue())


MAKERS = {".pdf": make_pdf, ".docx": make_docx, ".pptx": make_pptx}


def build() -> dict[Path, bytes]:
    """The bytes of every generated document by its path."""
    made = {}
    for path in sorted(SOURCES.rglob("*.md")):
        target = ROOT / path.relative_to(SOURCES).with_suffix("")
        made[target] = MAKERS[target.suffix](parse(path.read_text(encoding="utf-8")))
    return made


def same(path: Path, data: bytes) -> bool:
    """Whether the file holds this document: equal bytes, or a zip of equal members."""
    if not path.exists():
        return False
    if path.suffix == ".pdf" or path.read_bytes() == data:
        return path.read_bytes() == data
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(io.BytesIO(data)) as new:
        members = [[(i.filename, i.date_time, i.CRC) for i in z.infolist()] for z in (old, new)]
    return members[0] == members[1]


def words(path: Path) -> int:
    """Words of prose in a document's hand-kept text: tags, front matter, table lines and markers do not count."""
    source = SOURCES / path.relative_to(ROOT).with_suffix(path.suffix + ".md")
    text = (source if source.exists() else path).read_text(encoding="utf-8")
    text = re.sub(r"(?s)\A---\n.*?---\n|<style>.*?</style>|<[^>]+>", " ", text)
    return len(re.findall(r"[^\W\d_][\w’'-]*", html.unescape(text)))


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the generated example documents.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    parser.add_argument("--list", action="store_true", help="list all documents with their words")
    options = parser.parse_args()
    if options.list:
        paths = sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.is_file())
        for path in paths:
            print(f"{path.suffix[1:]:5}{words(path):6}  {path.relative_to(ROOT)}")
        print(f"{len(paths)} documents, {sum(map(words, paths))} words")
        return 0
    stale = {path: data for path, data in build().items() if not same(path, data)}
    for path, data in stale.items():
        print(("differs: " if options.check else "wrote ") + str(path.relative_to(ROOT)))
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
