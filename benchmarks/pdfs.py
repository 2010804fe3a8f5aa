"""Generated PDF files: the documents of `campus` set by reportlab, with running header, page numbers and headings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate

from benchmarks import campus

_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=14, spaceAfter=7)
_TITLE = ParagraphStyle("title", parent=_BODY, fontName="Helvetica-Bold", fontSize=20, leading=25)
_HEADING = ParagraphStyle("heading", parent=_BODY, fontName="Helvetica-Bold", fontSize=14, leading=18, spaceBefore=12)


def write_pdf(file: Path, number: int) -> Path:
    """Set a generated document as a PDF file; the bytes are the same every time."""
    title, sections = campus.document(number)
    story: list[Flowable] = [Paragraph(title, _TITLE)]
    for heading, paragraphs in sections:
        story.append(Paragraph(heading, _HEADING))
        story += [Paragraph(paragraph, _BODY) for paragraph in paragraphs]

    def furniture(canvas: Any, _document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(70, 800, title)
        canvas.drawCentredString(300, 40, f"Seite {canvas.getPageNumber()}")

    template = SimpleDocTemplate(str(file), pagesize=A4, title=title, invariant=1)
    template.build(story, onFirstPage=furniture, onLaterPages=furniture)
    return file
