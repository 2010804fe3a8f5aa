"""Office files and books built by hand: a zip container of the parts that a test names, as the formats' standards say."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF = " ".join(
    [
        *(
            f'xmlns:{name}="{_URN}{name}:1.0"'
            for name in ("office", "text", "table", "style", "presentation", "form", "meta")
        ),
        f'xmlns:draw="{_URN}drawing:1.0"',
        f'xmlns:fo="{_URN}xsl-fo-compatible:1.0"',
        f'xmlns:svg="{_URN}svg-compatible:1.0"',
        f'xmlns:chart="{_URN}chart:1.0"',
        'xmlns:xlink="http://www.w3.org/1999/xlink"',
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:math="http://www.w3.org/1998/Math/MathML"',
    ]
)
TEXT = "application/vnd.oasis.opendocument.text"
PRESENTATION = "application/vnd.oasis.opendocument.presentation"


def package(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compress_type=stored)
    return path


def odf_part(kind: str, inner: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><office:document-{kind} {_ODF}>{inner}</office:document-{kind}>'


def odf(
    path: Path,
    body: str,
    *,
    kind: str = TEXT,
    automatic: str = "",
    styles: str = "",
    master: str = "",
    meta: str = "",
    more: Mapping[str, str | bytes] | None = None,
) -> Path:
    """An ODF document; `body` is what stands in <office:text> or <office:presentation>."""
    inner = kind.rpartition(".")[2]
    return package(
        path,
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_URN}manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
            "content.xml": odf_part(
                "content",
                f"<office:automatic-styles>{automatic}</office:automatic-styles>"
                f"<office:body><office:{inner}>{body}</office:{inner}></office:body>",
            ),
            "styles.xml": odf_part(
                "styles",
                f"<office:styles>{styles}</office:styles><office:master-styles>{master}</office:master-styles>",
            ),
            "meta.xml": odf_part("meta", f"<office:meta>{meta}</office:meta>"),
            **(more or {}),
        },
    )


def xhtml(body: str, *, title: str = "", head: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html>'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


def epub(
    path: Path,
    pages: Mapping[str, str | bytes],
    *,
    metadata: str = "<dc:title>Buch</dc:title>",
    nav: str = "",
    ncx: str = "",
    more: Mapping[str, str | bytes] | None = None,
) -> Path:
    """A book of `pages` (file name to content) in the order given, in the folder OEBPS/text."""
    items = "".join(
        f'<item id="p{number}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(pages)
    )
    items += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>' if nav else ""
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    spine = ('<itemref idref="nav"/>' if nav else "") + "".join(
        f'<itemref idref="p{number}"/>' for number in range(len(pages))
    )
    contents = {"OEBPS/nav.xhtml": xhtml(f'<nav epub:type="toc"><ol>{nav}</ol></nav>')} if nav else {}
    contents |= (
        {"OEBPS/toc.ncx": f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'}
        if ncx
        else {}
    )
    return package(
        path,
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
            f"{metadata}</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
            **contents,
            **{f"OEBPS/text/{name}": content for name, content in pages.items()},
            **(more or {}),
        },
    )


def _series(name: str, values: Mapping[int, str]) -> str:
    places = "".join(f'<c:pt idx="{at}"><c:v>{place}</c:v></c:pt>' for at, place in enumerate(("Wien", "Graz")))
    points = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in values.items())
    return (
        f'<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>'
        f"<c:cat><c:strRef><c:strCache>{places}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{points}</c:numCache></c:numRef></c:val></c:ser>"
    )


#: A chart of an OOXML document: visits by town and year, one figure missing.
CHART = (
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich>'
    "<a:p><a:r><a:t>Besuche</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>"
    f"{_series('2020', {0: '12'})}{_series('2021', {0: '15', 1: '7'})}</c:barChart></c:plotArea></c:chart></c:chartSpace>"
)


def _point(name: str, text: str = "", kind: str = "node") -> str:
    inner = f"<dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t>" if text else ""
    return f'<dgm:pt modelId="{name}" type="{kind}">{inner}</dgm:pt>'


#: A SmartArt of an OOXML document; its points are listed in another order than they are shown in.
DIAGRAM = (
    '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>'
    + _point("3", "Abschluss")
    + _point("0", kind="doc")
    + _point("2", "Anliegen klären")
    + _point("1", "Auftakt")
    + _point("9", "Platzhalter", "pres")
    + '</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="0" destId="3" srcOrd="1"/>'
    '<dgm:cxn srcId="1" destId="2" srcOrd="0"/><dgm:cxn type="presOf" srcId="1" destId="9" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>'
)
