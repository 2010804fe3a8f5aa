"""Pages as pictures: as fine as they were scanned, within bounds, by way of the reading process."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from rag_assets.errors import DocumentError
from rag_assets.readers.pdf_picture import page_picture
from rag_assets.readers.worker import ReadingWorker
from rag_assets_tests.readers.helpers import LIMITS, draw_pdf, write


def size(png: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(png)) as image:
        assert image.mode == "L"
        return image.size


@pytest.mark.parametrize(
    ("pixels", "longest"),
    [((2100, 3000), 3000), ((210, 300), 2400), ((2870, 4100), 4000)],
)
def test_a_scan_is_shown_as_fine_as_it_is_within_bounds(tmp_path: Path, pixels: tuple[int, int], longest: int) -> None:
    image = ImageReader(Image.new("L", pixels, 200))

    def page(canvas: Canvas) -> None:
        canvas.setPageSize((595, 850))
        canvas.drawImage(image, 0, 0, 595, 850)

    width, height = size(page_picture(draw_pdf(tmp_path / "a.pdf", [page]), 1).png)
    assert height == pytest.approx(longest, abs=2)
    assert width == pytest.approx(longest * 0.7, abs=2)


def test_the_reading_process_shows_any_page_and_goes_on_reading(tmp_path: Path) -> None:
    path = draw_pdf(tmp_path / "a.pdf", [lambda c: write(c, ["Erste"]), lambda c: write(c, ["Zweite"])])
    with ReadingWorker(LIMITS) as worker:
        shown = worker.picture(path, 2)
        assert shown == page_picture(path, 2)
        assert size(shown.png)[1] == pytest.approx(842 * 300 / 72, abs=2)
        for missing in (0, 3):
            with pytest.raises(DocumentError) as refusal:
                worker.picture(path, missing)
            assert refusal.value.code == "damaged"
        assert worker.read(path).page_count == 2
