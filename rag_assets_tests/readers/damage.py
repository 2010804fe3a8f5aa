"""One small whole file of every format that is read, and seeded damage to it: the same number, the same bytes.

Zip members carry a checksum, so harm to a container mostly tests the container; therefore the parts inside are damaged
too and packed again. Besides harm that knows nothing of the format there are words that mean something in it, put where
they do not belong, and its brackets, opened thousands of times.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import docx
import openpyxl
import pptx
from reportlab.pdfgen.canvas import Canvas

from rag_assets.errors import CODES, DocumentError
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.worker import ReadingWorker
from rag_assets_tests.readers.helpers import draw_pdf, write
from rag_assets_tests.readers.packages import PRESENTATION, epub, odf, xhtml

_ODF_BODY = (
    '<text:h text:outline-level="1">Eins</text:h><text:p>Text<text:note text:note-class="footnote"><text:note-body>'
    "<text:p>Note.</text:p></text:note-body></text:note><text:s text:c='3'/></text:p><text:list><text:list-item><text:p>a"
    "</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
    "<table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>"
)
_RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}}{\stylesheet{\s1\outlinelevel0 heading 1;}}{\info{\title T}}"
    r"\pard\s1 Eins\par\pard Gr\u246\'f6\'dfe{\footnote Note.}{\v x}\par\trowd\pard\intbl a\cell\pard\intbl b\cell\row"
    r"{\field{\*\fldinst TOC}{\fldrslt b}}{\pict{\bin3 abc}}\pard Ende.\par}"
)
_HTML = (
    '<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>T</title><style>p {color: red}</style></head><body>'
    "<nav><a href='#a'>Start</a></nav><main><h1 id='a'>Eins</h1><p>Grüße &amp; <b>mehr</b><sup><a href='#n'>1</a></sup></p>"
    "<ul><li>a<ul><li>b</li></ul></li></ul><table><tr><th colspan='2'>x</th></tr><tr><td>1</td><td>2</td></tr></table>"
    "<p hidden>weg</p><pre>a\n b</pre><p id='n'>Note.</p></main></body></html>"
)
_MARKDOWN = (
    "---\ntitle: T\nauthor: [A, B]\n---\n\n# Eins\n\nText[^1] mit *Wort* und [Verweis](b.md).\n\n- a\n  - b\n\n1. c\n\n"
    "> zitiert\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\n<div>roh</div>\n\n[^1]: Note.\n\nZwei\n----\n"
)
_TXT = "Eins\n====\n\nEin Absatz, der über zwei\nZeilen geht.\n\n- a\n- b\n\n1.1 Größe\n\nSpalte\tWert\na\t1\n"
_CSV = 'Name;Wert;"Zwei\nZeilen"\nä;1,5;"a ""b"""\nö;2;\n'


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


def _xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["Name", "Wert"], ["ä", 1.5], ["ö", "=1+1"]):
        book.active.append(row)
    book.active.merge_cells("A4:B5")
    book.save(path)


def _mail() -> bytes:
    inner, mail = EmailMessage(), EmailMessage()
    for number, made in enumerate((inner, mail)):
        made["From"] = "Anna Beispiel <anna@example.org>"
        made["Subject"] = "=?utf-8?Q?Gr=C3=BC=C3=9Fe?="
        made["Message-ID"] = f"<{number}@example.org>"
        made.set_content("> zitiert\nText\n")
    mail.add_alternative("<p>Text</p>", subtype="html")
    mail.add_attachment(inner)
    mail.add_attachment(b"a;b\n1;2", maintype="text", subtype="csv", filename="t.csv")
    return bytes(mail)


def _pdf(path: Path) -> None:
    def page(canvas: Canvas) -> None:
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Eins", "a")
        write(canvas, ["Eins", "Ein Satz, der in der nächsten Zeile", "weitergeht.", "a         b", "1         2"])

    draw_pdf(path, [page, lambda canvas: write(canvas, ["Zwei", "Noch ein Satz."])])


@dataclass(frozen=True, slots=True)
class Format:
    """How to make a whole file, and what means something in it."""

    make: Callable[[Path], object]
    words: tuple[bytes, ...]
    brackets: tuple[tuple[bytes, bytes], ...]
    parts: tuple[str, ...] = ()
    """Beginnings of the names of the container's members that hold what is read; none where it is no container."""


_XML = (
    b"<",
    b"/>",
    b"]]>",
    b"&",
    b"&#0;",
    b"&#xD800;",
    b'="99999999999"',
    b'="-1"',
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"\0",
)
_DIV = ((b"<div>", b"</div>"), (b"<table><tr><td>", b"</td></tr></table>"), (b"<ul><li>", b"</li></ul>"))

FORMATS = {
    "pdf": Format(
        _pdf,
        (b"/Type /Page", b"/Length 99999999", b"/Kids [1 0 R]", b"/Parent 3 0 R", b"endobj", b"stream\n", b"/Count -5",
         b"/Prev 0", b"/Encrypt 1 0 R", b"trailer", b"/Filter /LZWDecode", b"1e99 0 0 1e99 0 0 cm ", b"/MediaBox [0 0 0 0]"),
        ((b"[", b"]"), (b"<<", b">>"), (b"q ", b"Q "), (b"(", b")")),
    ),
    "docx": Format(
        _docx,
        (*_XML, b'w:val="99999999"', b"<w:del>", b"<w:br/>", b"<w:fldChar w:fldCharType='begin'/>"),
        ((b"<w:sdt><w:sdtContent>", b"</w:sdtContent></w:sdt>"), (b"<w:tbl><w:tr><w:tc>", b"</w:tc></w:tr></w:tbl>")),
        ("word/document", "word/styles", "word/numbering", "word/_rels", "[Content_Types]"),
    ),
    "pptx": Format(
        _pptx,
        (*_XML, b"<a:fld/>", b'lvl="9"', b'r:id="rId1"'),
        ((b"<p:grpSp>", b"</p:grpSp>"), (b"<a:p><a:r><a:t>", b"</a:t></a:r></a:p>")),
        ("ppt/slides/", "ppt/presentation", "ppt/_rels", "[Content_Types]"),
    ),
    "odt": Format(
        lambda path: odf(path, _ODF_BODY),
        (*_XML, b"text:c='999999999'", b"table:number-columns-repeated='99999999'", b"table:number-rows-repeated='99999999'"),
        ((b"<text:section>", b"</text:section>"), (b"<text:list><text:list-item>", b"</text:list-item></text:list>")),
        ("content", "styles", "META-INF", "mimetype"),
    ),
    "odp": Format(
        lambda path: odf(
            path, f"<draw:page><draw:frame><draw:text-box>{_ODF_BODY}</draw:text-box></draw:frame></draw:page>",
            kind=PRESENTATION,
        ),
        (*_XML, b"<presentation:notes>", b"<draw:page/>"),
        ((b"<draw:g>", b"</draw:g>"), (b"<draw:page>", b"</draw:page>")),
        ("content", "styles"),
    ),
    "epub": Format(
        lambda path: epub(path, {"a.xhtml": xhtml("<h1>Eins</h1><p>Text<a href='#n'>1</a></p><p id='n'>Note</p>")}),
        (*_XML, b'href="../../../a"', b"idref='x'", b"colspan='99999999'"),
        _DIV,
        ("OEBPS/", "META-INF/"),
    ),
    "xlsx": Format(
        _xlsx,
        (*_XML, b'ref="A1:XFD1048576"', b'r="XFD1048576"', b'" hidden="1" a="', b't="s"', b"<v>-1</v>", b"99999999999"),
        ((b"<row><c>", b"</c></row>"), (b"<sheets>", b"</sheets>")),
        ("xl/worksheets/", "xl/workbook", "xl/sharedStrings", "xl/styles", "xl/_rels", "[Content_Types]"),
    ),
    "rtf": Format(
        lambda path: path.write_bytes(_RTF.encode("latin-1")),
        (rb"\bin99999999 ", rb"\uc9999 ", rb"\u-1 ", rb"\'f", rb"\ansicpg99999", b"{\\*\\x", rb"\row", rb"\trowd", rb"\s99999"),
        ((b"{", b"}"), (rb"{\field{\fldrslt ", b"}}"), (rb"{\footnote ", b"}")),
    ),
    "eml": Format(
        lambda path: path.write_bytes(_mail()),
        (b"=?utf-8?B?a?=", b"charset=hex", b"\r\n\r\n", b'; boundary="', b"<<(,@>;", b"multipart/mixed", b"message/rfc822",
         b"\r\nContent-Transfer-Encoding: base64\r\n", b"\r\n> > > ", b"-- \r\n"),
        ((b"> ", b""), (b"(", b")"), (b"<blockquote>", b"</blockquote>")),
    ),
    "html": Format(
        lambda path: path.write_text(_HTML, "utf-8"),
        (b"<!--", b"<script>", b"<plaintext>", b"<svg>", b"colspan='99999999'", b"rowspan='99999999'", b"&#99999999;", b"<",
         b"charset=utf-7", b"<template>", b"\0", b"<base href='x'>"),
        (*_DIV, (b"<b>", b""), (b"<sup>", b"</sup>")),
    ),
    "md": Format(
        lambda path: path.write_text(_MARKDOWN, "utf-8"),
        (b"[^1]: ", b"```", b"| - | - |\n", b"***", b"<!--", b"[", b"](", b"`", b"---\n", b": [a, *b, &c]\n", b"\t", b"\0"),
        ((b"> ", b""), (b"[", b"]"), (b"*", b"*"), (b"- ", b""), (b"![](", b")"), (b"<b>", b"</b>")),
    ),
    "txt": Format(
        lambda path: path.write_text(_TXT, "utf-8"),
        (b"\0", b"\r", b"\x0c", b"\xff\xfe", b"\xef\xbb\xbf", b"- ", b"\n\n", b"\x1b[0m", "\u202e".encode()),
        ((b"(", b")"), (b"> ", b""), (b"a ", b"")),
    ),
    "csv": Format(
        lambda path: path.write_text(_CSV, "utf-8"),
        (b'"', b";", b",", b"\t", b"\0", b"\r", b'""', b"sep=;\n", b"\n\n\n", b"=cmd()"),
        ((b'"', b'"'), (b";", b""), (b"\n", b"")),
    ),
}  # fmt: skip

_VALUE = re.compile(rb"""=(["'])([^"'<>]*)\1""")
_VALUES = (
    b"",
    b"0",
    b"-1",
    b"99999999999",
    b"1e999",
    b"NaN",
    b"../../x",
    b"A1:XFD1048576",
    b"rId1",
    b"Heading1",
    b"utf-7",
)

_MOST_ADDED = 20_000
"""Bytes that one piece of harm adds at most: deep and often enough, and quick to read."""


@cache
def whole(kind: str) -> bytes:
    """The undamaged file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{kind}"
        FORMATS[kind].make(path)
        return path.read_bytes()


@cache
def members(kind: str) -> dict[str, bytes]:
    """What the undamaged container holds."""
    with zipfile.ZipFile(io.BytesIO(whole(kind))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def damaged(kind: str, number: int) -> bytes:
    """The file with the damage of that number."""
    random = Random(f"{kind} {number}")
    form = FORMATS[kind]
    if not form.parts or random.random() < 0.3:
        return _harmed(whole(kind), form, random)
    names = sorted(name for name in members(kind) if name.startswith(form.parts))
    chosen = random.choice(names)
    return packed({**members(kind), chosen: _harmed(members(kind)[chosen], form, random)})


def packed(parts: dict[str, bytes]) -> bytes:
    """A container of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _harmed(data: bytes, form: Format, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        random.choice((_flip, _cut_off, _take_out, _splice, _repeat, _put_in, _nest, _mix_in, _value, _value))(
            changed, form, random
        )
        if not changed:
            break
    return bytes(changed)


def _stretch(data: bytearray, random: Random, most: int) -> slice:
    begin = random.randrange(len(data))
    return slice(begin, min(len(data), begin + random.randint(1, most)))


def _flip(data: bytearray, form: Format, random: Random) -> None:
    for _ in range(random.randint(1, 8)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _cut_off(data: bytearray, form: Format, random: Random) -> None:
    del data[random.randrange(len(data)) :]


def _take_out(data: bytearray, form: Format, random: Random) -> None:
    del data[_stretch(data, random, 200)]


def _splice(data: bytearray, form: Format, random: Random) -> None:
    taken = data[_stretch(data, random, 400)]
    at = random.randrange(len(data))
    data[at:at] = taken


def _repeat(data: bytearray, form: Format, random: Random) -> None:
    place = _stretch(data, random, 300)
    taken = bytes(data[place])
    data[place] = taken * random.choice((2, 10, max(2, _MOST_ADDED // len(taken))))


def _put_in(data: bytearray, form: Format, random: Random) -> None:
    place = _stretch(data, random, 30)
    if random.random() < 0.5:
        place = slice(place.start, place.start)
    data[place] = random.choice(form.words)


def _value(data: bytearray, form: Format, random: Random) -> None:
    """Another value for an attribute: XML stays well-formed, and its meaning is tried."""
    if found := list(_VALUE.finditer(data)):
        data[slice(*random.choice(found).span(2))] = random.choice(_VALUES)


def _nest(data: bytearray, form: Format, random: Random) -> None:
    opened, closed = random.choice(form.brackets)
    depth = min(random.choice((50, 500, 5_000, 20_000)), _MOST_ADDED // len(opened + closed))
    place = _stretch(data, random, 200)
    data[place] = opened * depth + bytes(data[place]) + closed * (depth if random.random() < 0.7 else 0)


def _mix_in(data: bytearray, form: Format, random: Random) -> None:
    other = bytearray(whole(random.choice(sorted(FORMATS))))
    at = random.randrange(len(data))
    data[at:at] = other[_stretch(other, random, 2_000)]


LIMITS = ReadLimits(timeout_s=60, memory_mb=512, max_expanded_bytes=50_000_000)
"""A file of some kilobytes that passes these hangs, or eats memory."""

_FAULTS = {"internal", "timeout", "out_of_memory", "vanished", "unreadable"}


def outcome(worker: ReadingWorker, path: Path, content: bytes) -> str:
    """What came of reading: `read`, the code of a refusal, or one that no damage may lead to, as `FAULT …`."""
    path.write_bytes(content)
    try:
        result = worker.read(path)
    except DocumentError as refusal:
        brought_down = "status" in refusal.ids
        fine = refusal.code in CODES and refusal.code not in _FAULTS and not brought_down
        return refusal.code if fine else f"FAULT {refusal.code}: {refusal.message} {dict(refusal.ids)}"
    return "read" if result.blocks or result.needs_ocr_pages else "FAULT nothing read"
