"""ODT and ODP: the container with its metadata, text documents, and slides with titles, bullets and speaker notes.

How text becomes blocks lives in `readers.odf_text`, what styles say in `readers.odf_styles`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.files import clean_title, declared_language, parse_authors, parse_date
from rag_assets.readers.odf_styles import (
    DC,
    DRAW,
    META,
    OFFICE,
    PRESENTATION,
    STYLE,
    SVG,
    TABLE,
    OdfStyles,
    small_int,
)
from rag_assets.readers.odf_text import OdfText
from rag_assets.readers.package import Package, open_package
from rag_assets.text.blocks import Block, BlockKind

_FURNITURE = frozenset(("header", "footer", "date-time", "page-number"))
_BULLETED = frozenset(("outline", "text"))
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,6})?)(cm|mm|in|pt|pc|px)")
_MILLIMETRES = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}


class OdtReader:
    """A text document of LibreOffice and its relatives."""

    name = "odt"
    mime_types = tuple(f"application/vnd.oasis.opendocument.text{form}" for form in ("", "-template", "-master"))

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        with open_package(path, limits) as package:
            body, walk = _open(package, "text")
            blocks = _all(lambda: walk.blocks(body))
            meta = package.xml("meta.xml")
        pages: int | None = small_int(_statistic(meta, "page-count"), 0)
        if not walk.soft_breaks or walk.page != pages:
            # Only a file that was laid out knows its pages; a count that disagrees says that breaks are missing.
            blocks = tuple(replace(block, page=None, page_breaks=()) for block in blocks)
            pages = None
        return _result(self, meta, blocks, walk, title=walk.title, pages=pages)


class OdpReader:
    """A presentation of LibreOffice and its relatives. A slide is a page."""

    name = "odp"
    mime_types = tuple(f"application/vnd.oasis.opendocument.presentation{form}" for form in ("", "-template"))

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        with open_package(path, limits) as package:
            body, walk = _open(package, "presentation")
            slides = list(body.iterchildren(f"{DRAW}page"))
            if (count := len(slides)) > limits.max_pages:
                raise DocumentError(
                    "too_large", "more slides than RAG_READ_MAX_PAGES", pages=count, limit=limits.max_pages
                )
            blocks = _all(
                lambda: (block for number, slide in enumerate(slides, 1) for block in _slide(walk, slide, number))
            )
            meta = package.xml("meta.xml")
        title = next((block.text for block in blocks if block.kind is BlockKind.HEADING and block.page == 1), None)
        return _result(self, meta, blocks, walk, title=title, pages=count)


def _open(package: Package, kind: str) -> tuple[Any, OdfText]:
    """The body of the document and the walk over it.

    Raises:
        DocumentError: `locked` when the parts are encrypted, `damaged` when there is no such body.
    """
    if b"encryption-data" in package.read("META-INF/manifest.xml") or "encrypted-package" in package.names:
        raise DocumentError("locked", "the document is encrypted")
    content, named = package.xml("content.xml"), package.xml("styles.xml")
    body = content.find(f"{OFFICE}body/{OFFICE}{kind}") if content is not None else None
    if body is None:
        raise DocumentError("damaged", "the container holds no such document", wanted=kind)
    styles = OdfStyles()
    counts: Counter[str] = Counter()
    if named is not None:
        styles.add(named)
        for furniture in named.iter(*(f"{STYLE}{place}" for place in ("header", "footer"))):
            counts["page_header"] += bool("".join(furniture.itertext()).strip())
    styles.add(content)
    return body, OdfText(styles, counts, package.xml)


def _all(blocks: Callable[[], Iterable[Block]]) -> tuple[Block, ...]:
    try:
        found = tuple(blocks())
    except RecursionError:
        raise DocumentError("damaged", "nested too deeply") from None
    if not found:
        raise DocumentError("empty", "the document holds no text")
    return found


def _result(
    reader: OdtReader | OdpReader,
    meta: Any,
    blocks: tuple[Block, ...],
    walk: OdfText,
    *,
    title: str | None,
    pages: int | None,
) -> ReadResult:
    return ReadResult(
        mime_type=reader.mime_types[0],
        reader=reader.name,
        title=clean_title(_said(meta, f"{DC}title")) or clean_title(title),
        authors=parse_authors(_said(meta, f"{META}initial-creator") or _said(meta, f"{DC}creator")),
        published_on=parse_date(_said(meta, f"{META}creation-date") or _said(meta, f"{DC}date")),
        blocks=blocks,
        page_count=pages,
        language=declared_language(_said(meta, f"{DC}language")),
        warnings=("hidden_text",) if walk.hidden else (),
        repairs={kind: count for kind, count in walk.counts.items() if count},
        hidden_text="\n".join(walk.hidden),
    )


def _said(meta: Any, tag: str) -> str:
    found = next(meta.iter(tag), None) if meta is not None else None
    return "".join(found.itertext()) if found is not None else ""


def _statistic(meta: Any, name: str) -> str:
    found = next(meta.iter(f"{META}document-statistic"), None) if meta is not None else None
    return str(found.get(f"{META}{name}", "")) if found is not None else ""


# ---------------------------------------------------------------- slides


def _slide(walk: OdfText, slide: Any, number: int) -> Iterator[Block]:
    if walk.hides_page(slide):
        return
    walk.page = number
    title, rest = "", []
    for shape in _shapes(slide):
        kind = shape.get(f"{PRESENTATION}class", "")
        if kind in _FURNITURE:
            walk.counts["page_header"] += bool("".join(shape.itertext()).strip())
        elif shape.get(f"{PRESENTATION}placeholder") == "true":
            continue  # shows "click to add" and the like
        elif kind == "title" and not title:
            title = "\n".join(block.text for block in walk.frame(shape))
        else:
            rest.append((shape, kind))
    if title:
        # The deck's own title stands above the slides, so that short slides may share a chunk.
        yield Block(BlockKind.HEADING, title, level=1 if number == 1 else 2, page=number)
    for shape, kind in sorted(rest, key=lambda item: _place(item[0])):
        blocks = list(walk.frame(shape))
        listed = kind in _BULLETED and len(blocks) > 1
        for block in blocks:
            plain = block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING)
            yield (
                replace(block, kind=BlockKind.LIST_ITEM if listed else BlockKind.PARAGRAPH, level=None)
                if plain
                else block
            )
    yield from _notes(walk, slide)


def _shapes(parent: Any) -> Iterator[Any]:
    for child in parent.iterchildren(etree.Element):
        if child.tag in (f"{DRAW}g", f"{DRAW}a"):
            yield from _shapes(child)
        elif child.tag.startswith(DRAW) or child.tag == f"{TABLE}table":
            yield child


def _notes(walk: OdfText, slide: Any) -> Iterator[Block]:
    for notes in slide.iterchildren(f"{PRESENTATION}notes"):
        for frame in notes.iter(f"{DRAW}frame"):
            if frame.get(f"{PRESENTATION}class") == "notes" and frame.get(f"{PRESENTATION}placeholder") != "true":
                for block in walk.frame(frame):
                    yield replace(block, kind=BlockKind.NOTE, level=None)


def _place(shape: Any) -> tuple[int, float]:
    # Rows of a tenth of an inch: shapes placed side by side by hand are seldom level to the point.
    return int(_millimetres(shape.get(f"{SVG}y")) // 2.54), _millimetres(shape.get(f"{SVG}x"))


def _millimetres(length: str | None) -> float:
    found = _LENGTH.fullmatch(length or "")
    return float(found[1]) * _MILLIMETRES[found[2]] if found else 0.0
