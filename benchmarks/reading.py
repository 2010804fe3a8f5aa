"""Reading files: with structure, against the bare text that the format's library gives; and through the process.

PDF is compared with pdfium's plain text, page by page. Other formats are given as milliseconds for 1,000 characters,
over the example campus. Real PDF files are read where RAG_CORPORA is there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

import pypdfium2

from benchmarks.measuring import PROJECT, cpu_ms_of, median_spent, spent_by, temporary_folder
from benchmarks.pdfs import write_pdf
from benchmarks.rows import Row
from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.worker import ReadingWorker

NAME = "reading"
LIMITS = ReadLimits()


def run(*, quick: bool) -> list[Row]:
    """Over 10 (`quick`: 1) generated PDF files, the example campus, and the corpora."""
    count, repeats = (1, 1) if quick else (10, 5)
    with temporary_folder() as folder:
        files = [write_pdf(folder / f"skript-{number}.pdf", number) for number in range(count)]
        rows = _pdf("generated PDF", files, repeats)
        rows += _through_process(files, repeats)
    rows += _formats(repeats, quick=quick)
    foreign = [file for file in _foreign() if _can_be_read(file)]
    if foreign and not quick:
        rows += _pdf(f"{len(foreign)} real PDF files", foreign, 1)
    return rows


def _pdf(name: str, files: Sequence[Path], repeats: int) -> list[Row]:
    pages = 0
    for file in files:
        pages += registry.read(file, LIMITS).page_count or 0
    pairs = []
    for _ in range(repeats):
        structured = spent_by(partial(_read_all, files))
        bare = spent_by(lambda: [_bare_text(file) for file in files])
        pairs.append((structured.cpu_ms, bare.cpu_ms))
    ratio = median(one / two for one, two in pairs)
    return [
        Row(
            NAME,
            f"{name}, {pages:,} pages: a page",
            median(one for one, _ in pairs) / pages,
            "ms CPU",
            ratio,
            "bare text",
        ),
        Row(NAME, f"{name}: a page's bare text", median(two for _, two in pairs) / pages, "ms CPU"),
    ]


def _read_all(files: Sequence[Path]) -> None:
    for file in files:
        registry.read(file, LIMITS)


def _bare_text(file: Path) -> int:
    """What pdfium gives without any structure."""
    document = pypdfium2.PdfDocument(file)
    characters = 0
    for index in range(len(document)):
        page = document[index]
        text_page = page.get_textpage()
        characters += len(text_page.get_text_range())
        text_page.close()
        page.close()
    document.close()
    return characters


def _through_process(files: Sequence[Path], repeats: int) -> list[Row]:
    """What the process around the readers adds: the other process's time and ours."""
    here = median_spent(partial(_read_all, files), repeats)
    with ReadingWorker(LIMITS) as worker:
        worker.read(files[0])
        spent = []
        for _ in range(repeats):
            before = cpu_ms_of(worker.process_id)
            ours = spent_by(lambda: [worker.read(file) for file in files])
            spent.append(ours.cpu_ms + cpu_ms_of(worker.process_id) - before)
    through = median(spent)
    per_file = through / len(files)
    return [Row(NAME, "a PDF file through the process", per_file, "ms CPU", through / here.cpu_ms, "read in process")]


def _formats(repeats: int, *, quick: bool) -> list[Row]:
    rows = []
    for suffix in (".docx", ".pptx", ".html", ".md", ".txt"):
        files = sorted((PROJECT / "examples" / "documents").rglob(f"*{suffix}"))[: 1 if quick else None]
        characters = sum(
            len(block.text) for file in files for block in registry.read(file, LIMITS).blocks
        )  # which also warms up
        spent = median_spent(partial(_read_all, files), repeats)
        rows.append(Row(NAME, f"`{suffix}`, 1,000 characters", spent.cpu_ms * 1000 / characters, "ms CPU"))
    return rows


def _foreign() -> list[Path]:
    folder = Path(os.environ.get("RAG_CORPORA", PROJECT / "../shared/corpora")) / "docs"
    return sorted(folder.glob("*.pdf"))


def _can_be_read(file: Path) -> bool:
    """Whether both readers take it: what is locked or damaged on purpose measures nothing."""
    try:
        result = registry.read(file, LIMITS)
        return result.reader == "pdf" and "glued_words" not in result.warnings and _bare_text(file) > 0
    except (DocumentError, pypdfium2.PdfiumError):
        return False
