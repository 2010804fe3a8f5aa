"""Damaged and hostile bytes of every office and book format: a result or an error with a code, never another exception.

The files are small and whole; hypothesis cuts them off and turns bits. Zip members carry a checksum, so turned bits mostly
test the container; therefore the parts inside are damaged too and packed again.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import docx
import pptx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.errors import CODES, DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits
from rag_assets_tests.readers.packages import PRESENTATION, epub, odf, xhtml

BODY = (
    '<text:h text:outline-level="1">Eins</text:h><text:p>Text<text:note text:note-class="footnote"><text:note-body>'
    "<text:p>Note.</text:p></text:note-body></text:note><text:s text:c='3'/></text:p><text:list><text:list-item><text:p>a"
    "</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
    "<table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>"
)
RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}}{\stylesheet{\s1\outlinelevel0 heading 1;}}{\info{\title T}}"
    r"\pard\s1 Eins\par\pard Gr\u246\'f6\'dfe{\footnote Note.}{\v x}\par\trowd\pard\intbl a\cell\pard\intbl b\cell\row"
    r"{\field{\*\fldinst TOC}{\fldrslt b}}{\pict{\bin3 abc}}\pard Ende.\par}"
)


def _docx(path: Path) -> None:
    document = docx.Document()
    document.add_heading("Eins", 1)
    document.add_paragraph("erstens", style="List Number")
    document.add_table(2, 2).cell(0, 0).text = "a"
    document.save(str(path))


def _pptx(path: Path) -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Eins"
    deck.save(str(path))


MAKERS: dict[str, Callable[[Path], object]] = {
    "docx": _docx,
    "pptx": _pptx,
    "odt": lambda path: odf(path, BODY),
    "odp": lambda path: odf(path, f"<draw:page><draw:frame><draw:text-box>{BODY}</draw:text-box></draw:frame></draw:page>", kind=PRESENTATION),
    "epub": lambda path: epub(path, {"a.xhtml": xhtml("<h1>Eins</h1><p>Text<a href='#n'>1</a></p><p id='n'>Note</p>")}),
    "rtf": lambda path: path.write_bytes(RTF.encode("latin-1")),
}  # fmt: skip
#: The parts that hold what is read.
PARTS = {
    "docx": ("word/document.xml", "word/styles.xml", "word/numbering.xml"),
    "pptx": ("ppt/slides/slide1.xml", "ppt/presentation.xml"),
    "odt": ("content.xml", "styles.xml"),
    "odp": ("content.xml",),
    "epub": ("OEBPS/book.opf", "OEBPS/text/a.xhtml", "META-INF/container.xml"),
}


@cache
def whole(kind: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{kind}"
        MAKERS[kind](path)
        return path.read_bytes()


@cache
def parts(kind: str) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(whole(kind))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def turned(data: bytes, places: list[tuple[int, int]], keep: float) -> bytes:
    changed = bytearray(data[: max(1, int(len(data) * keep))])
    for place, bit in places:
        changed[place % len(changed)] ^= 1 << bit
    return bytes(changed)


def read_or_refuse(kind: str, data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{kind}"
        path.write_bytes(data)
        try:
            result = registry.read(path, ReadLimits(max_expanded_bytes=50_000_000))
        except DocumentError as refusal:
            assert refusal.code in CODES  # noqa: PT017
            assert refusal.code != "internal"  # noqa: PT017
        else:
            assert result.blocks


BITS = st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 7)), max_size=4)
KEEP = st.one_of(st.just(1.0), st.floats(0, 1))
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("kind", MAKERS)
@QUICK
@given(places=BITS, keep=KEEP)
def test_turned_bits_and_cut_off_files(kind: str, places: list[tuple[int, int]], keep: float) -> None:
    read_or_refuse(kind, turned(whole(kind), places, keep))


@pytest.mark.parametrize("kind", PARTS)
@QUICK
@given(places=BITS, keep=KEEP, at=st.integers(0, 2))
def test_turned_bits_inside_the_container(kind: str, places: list[tuple[int, int]], keep: float, at: int) -> None:
    name = PARTS[kind][at % len(PARTS[kind])]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for other, data in parts(kind).items():
            archive.writestr(other, turned(data, places, keep) if other == name else data)
    read_or_refuse(kind, buffer.getvalue())


@pytest.mark.parametrize("kind", ["odt", "odp", "epub", "docx", "pptx"])
def test_deep_nesting_is_read_or_refused(kind: str) -> None:
    name, inner = PARTS[kind][0 if kind != "epub" else 1], parts(kind)
    opened, closed = {
        "odt": ("<text:section>", "</text:section>"),
        "odp": ("<draw:g>", "</draw:g>"),
        "epub": ("<div>", "</div>"),
        "docx": ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        "pptx": ("<p:grpSp><p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>", "</p:grpSp>"),
    }[kind]  # fmt: skip
    start, end = {
        "odt": ("<office:text>", "</office:text>"),
        "odp": ("<draw:page>", "</draw:page>"),
        "epub": ("<body>", "</body>"),
        "docx": ("<w:body>", "</w:body>"),
        "pptx": ("<p:spTree>", "</p:spTree>"),
    }[kind]
    for depth in (60, 240, 5000):
        text = inner[name].decode("utf-8")
        assert start in text
        text = text.replace(start, start + opened * depth).replace(end, closed * depth + end)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for other, data in inner.items():
                archive.writestr(other, text if other == name else data)
        read_or_refuse(kind, buffer.getvalue())
