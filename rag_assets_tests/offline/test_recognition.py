"""Scanned pages: recognised text takes the place of the page, is told from the original's, and never breaks a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from rag_assets.app import App, open_app
from rag_assets.config import Settings, load_settings
from rag_assets.errors import DocumentError, ModelError, ServiceError
from rag_assets.ledger import stages
from rag_assets.ledger.overview import DocumentState, overview
from rag_assets.models.vision.base import PageText, Vision
from rag_assets.offline import pipeline
from rag_assets.offline.recognition import recognise
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.readers.base import PagePicture, ReadLimits, ReadResult
from rag_assets.readers.worker import ReadingWorker
from rag_assets.text.blocks import Block, BlockKind
from rag_assets.text.cleaning import canonicalise
from rag_assets_tests.readers.helpers import blocks, draw_pdf, write
from rag_assets_tests.services import REPOSITORY


@dataclass
class Scripted:
    """Recognises on each page, named by its picture, what it was told."""

    pages: Mapping[int, Sequence[str] | Exception]
    confidence: float = 0.9
    name = "gedacht"
    release = "gedacht 1.0"
    asked: list[int] = field(default_factory=list)

    def read_page(self, png: bytes) -> PageText:
        page = int(png)
        self.asked.append(page)
        found = self.pages[page]
        if isinstance(found, Exception):
            raise found
        return PageText(tuple(found), self.confidence)


def result(count: int, read: Mapping[int, str], warnings: tuple[str, ...] = ("needs_ocr",)) -> ReadResult:
    """A PDF of so many pages, of which `read` have text."""
    return ReadResult(
        mime_type="application/pdf",
        reader="pdf",
        title=None,
        authors=(),
        published_on=None,
        blocks=tuple(Block(BlockKind.PARAGRAPH, text, page=page) for page, text in read.items()),
        page_count=count,
        needs_ocr_pages=tuple(page for page in range(1, count + 1) if page not in read),
        warnings=warnings,
        repairs={"hidden": 1},
    )


def picture(page: int) -> PagePicture:
    return PagePicture(str(page).encode(), f"A-{page}")


def run(read: ReadResult, vision: Vision) -> ReadResult:
    return recognise(read, vision, picture, lambda done, total: None)


def test_recognised_pages_stand_between_the_others_and_are_told_from_them() -> None:
    vision = Scripted({2: ["Zweite Seite."], 4: ["Kapitel 2", "Vierte Seite."]})
    read = run(result(4, {1: "Erste Seite ohne Ende", 3: "Dritte Seite."}, ("hidden_text", "needs_ocr")), vision)
    assert [(block.page, block.page_label, block.kind, block.text) for block in read.blocks] == [
        (1, None, "paragraph", "Erste Seite ohne Ende"),
        (2, "A-2", "paragraph", "Zweite Seite."),
        (3, None, "paragraph", "Dritte Seite."),
        (4, "A-4", "heading", "Kapitel 2"),
        (4, "A-4", "paragraph", "Vierte Seite."),
    ]
    assert read.reader == "pdf + gedacht 1.0"
    assert read.warnings == ("hidden_text", "recognised")
    assert read.repairs == {"hidden": 1, "recognised": 2}
    assert read.needs_ocr_pages == ()
    assert vision.asked == [2, 4]


def test_running_lines_go_and_sentences_go_on_overleaf() -> None:
    read = run(
        result(4, {}),
        Scripted(
            {
                1: ["Ein Buch 1\nDas ist die Bezie-", "* Fußnote der ersten Seite."],
                2: ["Ein Buch 2", "hung zwischen den", "2"],
                3: ["- 3 -", "Beteiligten.", "Danach kommt"],
                4: ["Ein Buch 4", "IV.", "Neues ohne Punkt"],
            }
        ),
    )
    canonical = canonicalise(read.blocks)
    assert blocks(read) == [
        ("paragraph", "Das ist die Beziehung zwischen den"),
        ("footnote", "* Fußnote der ersten Seite."),
        ("paragraph", "Beteiligten."),
        ("paragraph", "Danach kommt"),
        ("heading1", "IV."),
        ("paragraph", "Neues ohne Punkt"),
    ]
    assert [canonical.page_at(canonical.text.index(word)) for word in ("Das", "zwischen", "Beteiligten", "Neues")] == [
        1,
        2,
        3,
        4,
    ]
    assert read.repairs["running_line"] == 5


def test_text_that_somebody_wrote_never_runs_into_recognised_text() -> None:
    read = run(result(3, {1: "Der Satz geht", 3: "ganz anders."}), Scripted({2: ["weiter auf der zweiten und"]}))
    assert [block.text for block in read.blocks] == ["Der Satz geht", "weiter auf der zweiten und", "ganz anders."]


def test_a_page_that_fails_or_is_no_text_keeps_needing_it() -> None:
    read = run(result(3, {}), Scripted({1: ModelError("model_reply"), 2: ["Gut."], 3: []}))
    assert [block.text for block in read.blocks] == ["Gut."]
    assert read.needs_ocr_pages == (1, 3)
    assert read.warnings == ("recognition_failed", "recognised", "needs_ocr")
    unsure = run(result(1, {}), Scripted({1: ["~ Ii| fe"]}, confidence=0.3))
    assert (unsure.blocks, unsure.needs_ocr_pages, unsure.reader) == ((), (1,), "pdf")


def test_a_model_out_of_reach_is_no_result() -> None:
    with pytest.raises(ServiceError):
        run(result(1, {}), Scripted({1: ServiceError("model_unreachable")}))


# ---------------------------------------------------------------- through the pipeline


def scan(canvas: Canvas) -> None:
    """A page that is one picture."""
    drawn = Image.new("L", (600, 800), 255)
    ImageDraw.Draw(drawn).line((50, 50, 500, 700), fill=0, width=9)
    canvas.drawImage(ImageReader(drawn), 0, 0, 595, 842)


class Constant(Scripted):
    """Recognises the same on every real page."""

    def read_page(self, png: bytes) -> PageText:
        assert png.startswith(b"\x89PNG")
        self.asked.append(len(png))
        return PageText(("Die Auftragsklärung steht am Anfang.",), 0.9)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    folder = tmp_path / "quellen"
    folder.mkdir()
    draw_pdf(folder / "nur-bilder.pdf", [scan, scan])
    draw_pdf(folder / "gemischt.pdf", [lambda canvas: write(canvas, ["Die erste Seite hat Text."]), scan])
    return load_settings(
        home=tmp_path / "home", ontology=REPOSITORY / "ontology.yaml", embedding="hashing", vision="none"
    )


def work(app: App) -> dict[str, DocumentState]:
    """Everything that is due through import and chunks, and how the documents stand then."""
    app.scan()
    with app.database.read() as connection:
        plan = stages.plan(connection, pipeline.parameters(app.parts), stages=("documents", "chunks"))
    for document in plan:
        for stage in document.stages:
            try:
                pipeline.run_stage(app.parts, document.uid, stage)
            except DocumentError:
                break
    with app.database.read() as connection:
        return {document.source_path.rpartition("/")[2]: document for document in overview(connection).documents}


def test_scans_wait_until_there_is_something_that_recognises_them(settings: Settings, tmp_path: Path) -> None:
    sources = (ad_hoc_source(tmp_path / "quellen", "documents"),)
    with ReadingWorker(ReadLimits()) as worker:
        with open_app(settings, sources=sources, worker=worker) as app:
            before = work(app)
            assert (before["nur-bilder.pdf"].status, before["nur-bilder.pdf"].error_code) == ("error", "needs_ocr")
            assert (before["gemischt.pdf"].status, before["gemischt.pdf"].needs_ocr_pages) == ("done", 1)
        vision = Constant({})
        with open_app(settings, sources=sources, vision=vision, worker=worker) as app:
            after = work(app)
            assert len(vision.asked) == 3
            assert work(app) == after
            assert len(vision.asked) == 3, "what is recognised is not recognised again"
    for name, pages in (("nur-bilder.pdf", 2), ("gemischt.pdf", 2)):
        assert (after[name].status, after[name].error_code, after[name].needs_ocr_pages) == ("done", None, 0)
        assert after[name].pages == pages
        assert "recognised" in after[name].warnings
