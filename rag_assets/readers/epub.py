"""EPUB: the pages of a book in the order of its spine, as one text.

Pages are XHTML and go through the walk for HTML. Footnotes may stand on pages of their own; printed page numbers become
pages. The table of contents is no text: it only names chapters whose pages have no headings.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import lxml.html
from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.encoding import decode
from rag_assets.readers.files import clean_title, declared_language, markup_error, parse_authors, parse_date
from rag_assets.readers.html import parse_html, text_part
from rag_assets.readers.markup import tree_blocks
from rag_assets.readers.package import Package, open_package, refuse_entities
from rag_assets.text.blocks import Block

_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_CIPHER = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"

_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml", ""))
_NAMED_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,30});")
_XML_ENTITIES = frozenset((b"lt", b"gt", b"amp", b"quot", b"apos"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the table of contents: which chapter begins where."""

    target: str
    fragment: str
    label: str
    depth: int


class EpubReader:
    """An electronic book."""

    name = "epub"
    mime_types = ("application/epub+zip",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Never by the head alone: `readers.registry` looks into zip containers."""
        return False

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        repairs: Counter[str] = Counter()
        hidden: list[str] = []
        with open_package(path, limits) as package:
            book = _Book(package)
            if len(book.spine) > limits.max_pages:
                raise DocumentError(
                    "too_large", "more parts than RAG_READ_MAX_PAGES", pages=len(book.spine), limit=limits.max_pages
                )
            try:
                blocks = tuple(tree_blocks(book.text(repairs, hidden)))
            except RecursionError:
                raise DocumentError("damaged", "nested too deeply") from None
        if not blocks:
            raise DocumentError("empty", "the book holds no text")
        meta = book.metadata
        return ReadResult(
            mime_type=self.mime_types[0],
            reader=self.name,
            title=clean_title(next(iter(_said(meta, "title")), None)),
            authors=parse_authors(_said(meta, "creator")),
            published_on=parse_date(_published(meta)),
            blocks=blocks,
            page_count=max((page for block in blocks for page in _pages(block)), default=None),
            language=declared_language(next(iter(_said(meta, "language")), None)),
            repairs=dict(repairs),
            hidden_text="\n".join(hidden),
        )


class _Book:
    """What the package document says, and the pages it names."""

    def __init__(self, package: Package) -> None:
        self._package = package
        container = package.xml("META-INF/container.xml")
        root_file = container.find(f".//{_CONTAINER}rootfile") if container is not None else None
        self._opf = root_file.get("full-path", "") if root_file is not None else ""
        opf = package.xml(self._opf)
        if opf is None or opf.find(f"{_OPF}spine") is None:
            raise DocumentError("damaged", "the book names no pages")
        self.metadata = opf.find(f"{_OPF}metadata")
        items = {item.get("id", ""): item for item in opf.iter(f"{_OPF}item")}
        self.spine: list[str] = []
        for reference in opf.iter(f"{_OPF}itemref"):
            item = items.get(reference.get("idref", ""))
            if item is None:
                raise DocumentError("damaged", "the book's order names a page that is not listed")
            is_contents = "nav" in item.get("properties", "").split()
            if not is_contents and item.get("media-type", "") in _PAGES:
                self.spine.append(self._at(self._opf, item.get("href", "")))
        self._contents = next((item for item in items.values() if "nav" in item.get("properties", "").split()), None)
        self._ncx = next(
            (item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml"), None
        )
        self._refuse_encrypted()

    def text(self, repairs: Counter[str], hidden: list[str]) -> lxml.html.HtmlElement:
        """All pages below one element, links between them and their targets made unique."""
        entries = self._entries()
        number_of = {path: number for number, path in enumerate(self.spine)}
        whole = lxml.html.Element("div")
        for number, path in enumerate(self.spine):
            data = self._package.read(path)
            if path not in self._package.names:
                raise DocumentError("damaged", "a page of the book is missing")
            root = _parse_page(data)
            if root is None:
                continue
            _add_headings(root, [entry for entry in entries if entry.target == path])
            for element in root.iter(etree.Element):
                for name in ("id", "name"):
                    if element.get(name):
                        element.set(name, _anchor(number, element.get(name)))
                if element.tag == "a" and element.get("href"):
                    target, _, fragment = element.get("href").partition("#")
                    page = number_of.get(self._at(path, target)) if target else number
                    if page is not None:
                        element.set("href", f"#{_anchor(page, unquote(fragment))}")
            whole.append(text_part(root, repairs, hidden))
        return whole

    def _at(self, base: str, href: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(href))) if href else base

    def _refuse_encrypted(self) -> None:
        encryption = self._package.xml("META-INF/encryption.xml")
        if encryption is None:
            return
        hidden = {unquote(reference.get("URI", "")) for reference in encryption.iter(_CIPHER)}
        if not hidden.isdisjoint(self.spine):  # fonts may be scrambled, pages not
            raise DocumentError("locked", "the book is protected")

    def _entries(self) -> list[_Entry]:
        if self._contents is not None:
            path = self._at(self._opf, self._contents.get("href", ""))
            root = _parse_page(self._package.read(path))
            lists = root.xpath("//nav[.//ol]") if root is not None else []
            kind = "{http://www.idpf.org/2007/ops}type"
            chosen = next((nav for nav in lists if "toc" in (nav.get(kind) or nav.get("epub:type") or "toc")), None)
            links = list(chosen.iter("a")) if chosen is not None else []
            return [
                self._entry(path, link.get("href", ""), link.text_content(), sum(1 for _ in link.iterancestors("ol")))
                for link in links
            ]
        if self._ncx is not None:
            path = self._at(self._opf, self._ncx.get("href", ""))
            ncx = self._package.xml(path)
            return [
                self._entry(
                    path,
                    content.get("src", ""),
                    "".join(point.find(f"{_NCX}navLabel").itertext()),
                    1 + sum(1 for _ in point.iterancestors(f"{_NCX}navPoint")),
                )
                for point in (ncx.iter(f"{_NCX}navPoint") if ncx is not None else ())
                if (content := point.find(f"{_NCX}content")) is not None and point.find(f"{_NCX}navLabel") is not None
            ]
        return []

    def _entry(self, base: str, href: str, label: str, depth: int) -> _Entry:
        target, _, fragment = href.partition("#")
        return _Entry(self._at(base, target), unquote(fragment), " ".join(label.split()), min(6, max(1, depth)))


def _parse_page(data: bytes) -> Any:
    """The root of a page without namespaces; None for an empty one."""
    if not data.strip():
        return None
    parser = lxml.html.XHTMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_NAMED_ENTITY.sub(_numbered, data), parser)
    except (etree.XMLSyntaxError, ValueError):
        # Many books hold pages that are no XML; what a browser makes of them is the next best.
        try:
            return parse_html(decode(data)[0])
        except DocumentError as error:
            if error.code == "empty":
                return None
            raise
    except etree.LxmlError as error:
        raise markup_error(error) from None
    refuse_entities(root)
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


def _numbered(found: re.Match[bytes]) -> bytes:
    character = html5.get(found[1].decode("ascii") + ";")
    if found[1] in _XML_ENTITIES or character is None:
        return found[0]
    return "".join(f"&#{ord(each)};" for each in character).encode("ascii")


def _add_headings(root: Any, entries: list[_Entry]) -> None:
    """Where a page has no heading of its own, the table of contents says what begins there."""
    if next(root.iter(*_HEADINGS), None) is not None:
        return
    body = root.find("body") if root.tag == "html" else root
    if body is None:
        return
    for entry in entries:
        found = root.xpath("//*[@id=$id]", id=entry.fragment) if entry.fragment else []
        place = found[0] if found and found[0] is not body else None
        line = place if place is not None else _first_line(body)
        if line is not None and line.tag in ("p", "div") and " ".join(line.text_content().split()) == entry.label:
            line.tag = f"h{entry.depth}"
            continue
        heading = lxml.html.Element(f"h{entry.depth}")
        heading.text = _NOT_XML.sub("", entry.label)
        if place is not None:
            place.addprevious(heading)
        else:
            heading.tail, body.text = _NOT_XML.sub("", body.text or ""), None
            body.insert(0, heading)


def _first_line(body: Any) -> Any:
    """The first paragraph of a page; None when there is none."""
    return next(
        (line for line in body.iter("p", "div") if line.text_content().strip() and line.find(".//p") is None), None
    )


def _pages(block: Block) -> Iterator[int]:
    if block.page:
        yield block.page
    yield from (mark.page for mark in block.page_breaks)


def _said(metadata: Any, name: str) -> list[str]:
    return ["".join(element.itertext()) for element in metadata.iter(f"{_DC}{name}")] if metadata is not None else []


def _published(metadata: Any) -> str:
    """The date of publication: books of the older version also date their making and changes."""
    dates = list(metadata.iter(f"{_DC}date")) if metadata is not None else []
    dates.sort(key=lambda element: element.get(f"{_OPF}event", "publication") != "publication")
    return "".join(dates[0].itertext()) if dates else ""


def _anchor(page: int, name: str) -> str:
    """A name for a place that no other page has; without characters that no attribute may hold."""
    return f"{page}:{_NOT_XML.sub('', name)}"
