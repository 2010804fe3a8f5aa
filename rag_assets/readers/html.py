"""HTML: the text of a page without its navigation, scripts and hidden parts.

Here live decoding, metadata and what is left out; walking the tree to blocks lives in `readers.markup`.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path

import lxml.html
from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.encoding import decode, looks_like_text
from rag_assets.readers.files import clean_title, markup_error, parse_authors, parse_date, read_bytes
from rag_assets.readers.markup import NOTE_CONTAINER, tree_blocks
from rag_assets.text.blocks import Block

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_LOOKS_LIKE = re.compile(rb"<!doctype\s+html|<html[\s>]|<(?:head|body|title|h1|article|main)[\s>]", re.IGNORECASE)

_NEVER_TEXT = frozenset(
    "script style noscript template iframe object embed applet svg math canvas audio video map head button select "
    "option input textarea datalist dialog".split()
)
_NAVIGATION = frozenset("nav aside footer menu".split())
_NAVIGATION_ROLES = frozenset("navigation banner contentinfo complementary search menu menubar dialog alert".split())
_NAVIGATION_NAMES = frozenset(
    "nav navbar navigation navigationheader navheader navfooter breadcrumb breadcrumbs sidebar menu topbar cookie "
    "cookies cookie-banner cookie-notice skip-link skiplink sphinxsidebar related site-header site-footer page-footer "
    "toc-backref headerlink anchorlink share social".split()
)
_HIDDEN_NAMES = frozenset("sr-only visually-hidden screen-reader-only screen-reader-text visuallyhidden".split())
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)


class HtmlReader:
    """A saved web page."""

    name = "html"
    mime_types = ("text/html", "application/xhtml+xml")

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether markup of a page stands at the beginning."""
        if not looks_like_text(head):
            return False  # any bytes hold a "<" somewhere
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n\x00\xff\xfe").replace(b"\x00", b"")[:2000]
        found = _LOOKS_LIKE.search(start)
        suffixed = name.lower().endswith((".html", ".htm", ".xhtml"))
        return (found is not None and (start.startswith(b"<") or suffixed)) or (suffixed and b"<" in start)

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        data = read_bytes(path, limits)
        declared = _META_CHARSET.search(data[:4096])
        text, _, warnings = decode(data, declared=declared[1].decode("ascii") if declared else None)
        root = parse_html(text)
        title, authors, published = _metadata(root)
        repairs: Counter[str] = Counter()
        hidden: list[str] = []
        blocks = html_blocks(root, repairs, hidden)
        if not blocks:
            raise DocumentError("empty", "the page holds no text")
        return ReadResult(
            mime_type="text/html",
            reader=self.name,
            title=title,
            authors=authors,
            published_on=published,
            blocks=blocks,
            page_count=None,
            warnings=warnings,
            repairs=dict(repairs),
            hidden_text="\n".join(hidden),
        )


def parse_html(text: str) -> lxml.html.HtmlElement:
    """Parse a page or a fragment, however broken.

    Raises:
        DocumentError: `empty` when there is no element and no text.
    """
    text = _XML_DECLARATION.sub("", text.replace("\x00", ""), count=1)
    if not text.strip():
        raise DocumentError("empty", "the page holds no text")
    parser = lxml.html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml.html.document_fromstring(text, parser=parser)
    except etree.LxmlError as error:
        raise markup_error(error) from None
    except ValueError as error:
        raise DocumentError("damaged", "the markup cannot be read", kind=type(error).__name__) from None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        # What stands deeper is lost: better no document than half of one.
        raise DocumentError("damaged", "nested too deeply")
    return root


def html_blocks(
    root: lxml.html.HtmlElement, repairs: Counter[str], hidden: list[str] | None = None
) -> tuple[Block, ...]:
    """Blocks of a parsed page; changes the tree. Counts what is left out as `navigation` and `hidden`."""
    return tuple(tree_blocks(text_part(root, repairs, hidden)))


def text_part(
    root: lxml.html.HtmlElement, repairs: Counter[str], hidden: list[str] | None = None
) -> lxml.html.HtmlElement:
    """What holds the text of a parsed page, without what is left out, which is counted; changes the tree.

    The hidden text is added to `hidden`. Pages hide menus and labels as a matter of course, so it is no warning.
    """
    root = _main_part(root)
    doomed = []
    for element in root.iter(etree.Element):
        reason = _left_out(element)
        if reason:
            doomed.append((element, reason))
    for element, reason in doomed:
        if element.getparent() is None:
            continue
        text = "".join(element.itertext()).strip() if reason != "never" else ""
        if text:
            repairs[reason] += 1
        if text and reason == "hidden" and hidden is not None:
            hidden.append(text)
        element.drop_tree()
    return root


def _main_part(root: lxml.html.HtmlElement) -> lxml.html.HtmlElement:
    """The one <main>, when it holds text; else the whole page."""
    mains = root.xpath("//main | //*[@role='main']")
    return mains[0] if len(mains) == 1 and len(mains[0].text_content().strip()) > 1 else root


def _left_out(element: lxml.html.HtmlElement) -> str | None:
    tag = str(element.tag).lower()
    if tag in _NEVER_TEXT:
        return "never"
    if "hidden" in element.attrib or _HIDDEN_STYLE.search(element.get("style") or ""):
        return "hidden"
    if not _HIDDEN_NAMES.isdisjoint((element.get("class") or "").lower().split()):
        return "hidden"
    if element.get("aria-hidden") == "true" and tag not in ("main", "body"):
        return "hidden"
    if tag in ("html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6"):
        return None
    if NOTE_CONTAINER(element) or element.get("role") == "tablist":
        return None  # a tab's label is the heading of what it shows
    names = {*(element.get("class") or "").lower().split(), (element.get("id") or "").lower()}
    is_navigation = (
        tag in _NAVIGATION or (element.get("role") or "").lower() in _NAVIGATION_ROLES or names & _NAVIGATION_NAMES
    )
    if is_navigation and not (tag in ("div", "section") and element.find(".//h1") is not None):
        return "navigation"
    if tag == "header" and element.find(".//h1") is None and element.find(".//h2") is None:
        return "navigation"
    return None


def _metadata(root: lxml.html.HtmlElement) -> tuple[str | None, tuple[str, ...], date | None]:
    named: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        key = (meta.get("name") or meta.get("property") or "").lower()
        if key and meta.get("content"):
            named.setdefault(key, []).append(str(meta.get("content")))

    def first(*keys: str) -> list[str]:
        return next((named[key] for key in keys if key in named), [])

    headings = [" ".join(heading.text_content().split()) for heading in root.iter("h1")]
    title_element = root.find(".//title")
    title = (
        next(iter(first("citation_title", "dc.title", "dcterms.title")), None)
        or (headings[0] if len(headings) == 1 else None)
        or next(iter(first("og:title")), None)
        or (title_element.text_content() if title_element is not None else None)
    )
    authors = parse_authors(first("citation_author", "author", "dc.creator", "dcterms.creator"))
    dates = first("citation_publication_date", "article:published_time", "date", "dc.date", "dcterms.date")
    return clean_title(title), authors, parse_date(dates[0]) if dates else None
