"""DOCX and PPTX files with python-docx and python-pptx, the same bytes every time (fixed times, sorted members)."""

import io
import zipfile
from typing import Any

from docx import Document
from pptx import Presentation
from pptx.util import Cm, Pt

from making.source import MARK, Block, Source


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
    """Fill the core properties (title, author, subject, language, times)."""
    properties.title, properties.author = source.meta["title"], source.meta["author"]
    properties.subject, properties.language = source.meta["subtitle"], "de-DE"
    properties.created = properties.modified = source.date
    properties.last_modified_by, properties.revision, properties.comments = source.meta["author"], 1, ""


def make_docx(source: Source) -> bytes:
    """Title, real heading styles, lists, tables; footnotes are raised numbers with the notes at the end."""
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
