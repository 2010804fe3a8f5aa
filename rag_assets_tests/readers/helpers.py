"""What the tests of readers share: reading a file of given bytes, and PDF pages drawn by a second library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.text.blocks import BlockKind
from rag_assets.text.cleaning import canonicalise

LIMITS = ReadLimits()


def read(path: Path, content: bytes | str | None = None, *, limits: ReadLimits = LIMITS) -> ReadResult:
    if content is not None:
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return registry.read(path, limits)


def blocks(result: ReadResult) -> list[tuple[str, str]]:
    """Kind (with its level) and cleaned text of each block."""
    canonical = canonicalise(result.blocks)
    return [(f"{span.kind}{span.level or ''}", canonical.text[span.start : span.end]) for span in canonical.blocks]


def texts(result: ReadResult, kind: BlockKind) -> list[str]:
    return [text for name, text in blocks(result) if name.rstrip("123456") == kind]


def draw_pdf(path: Path, pages: Sequence[Callable[[Canvas], object]]) -> Path:
    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return path


def write(
    canvas: Canvas,
    lines: Sequence[str],
    *,
    top: float = 720,
    left: float = 70,
    size: float = 11,
    leading: float = 14,
    font: str = "Helvetica",
) -> float:
    """Draw lines downwards; returns the height of the next one."""
    canvas.setFont(font, size)
    for line in lines:
        canvas.drawString(left, top, line)
        top -= leading
    return top
