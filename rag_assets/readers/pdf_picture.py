"""A page of a PDF as a picture, for whoever recognises text on it."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from rag_assets.errors import DocumentError
from rag_assets.readers.base import PagePicture

_DRAWN_PX_PER_PT = 300 / 72
_SHORTEST_PX, _LONGEST_PX = 2400, 4000
"""For the longer side of a page: below, small print is lost; above, recognition gains nothing and takes longer."""


def page_picture(path: Path, number: int) -> PagePicture:
    """The page `number`, counted from 1, as finely as it was scanned.

    Raises:
        DocumentError: `damaged`, pdfium cannot show it.
    """
    try:
        with closing(pypdfium2.PdfDocument(path)) as document, closing(document[number - 1]) as page:
            image: Image.Image = page.render(scale=_scale(page), grayscale=True).to_pil()
            label = document.get_page_label(number - 1) or None
    except (pypdfium2.PdfiumError, IndexError, UnicodeDecodeError):
        raise DocumentError("damaged", "the page cannot be shown", page=number) from None
    png = io.BytesIO()
    image.save(png, "PNG", compress_level=1)
    return PagePicture(png.getvalue(), label if label != str(number) else None)


def _scale(page: Any) -> float:
    """Pixels per point: those of the finest picture that fills half the page's width, else as drawn."""
    width, height = page.get_size()
    scanned = []
    for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, _, right, _ = item.get_bounds()
        if right - left > width / 2:
            scanned.append(item.get_px_size()[0] / (right - left))
    longest = max(width, height, 1.0)
    wanted = max(scanned, default=_DRAWN_PX_PER_PT) * longest
    return float(min(max(wanted, _SHORTEST_PX), _LONGEST_PX) / longest)
