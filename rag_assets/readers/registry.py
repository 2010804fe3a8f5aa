"""Which reader takes a file: decided by its content; the name breaks ties and reveals what is damaged.

Reads a few kilobytes only. Here also lives the list of formats that are known but not read, so that a person is told
more than "unsupported".
"""

from __future__ import annotations

import re
import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.readers.base import Reader, ReadLimits, ReadResult
from rag_assets.readers.files import file_errors
from rag_assets.readers.package import ZIP_ERRORS, Package

_HEAD_BYTES = 8192

#: Where each reader lives. Imported when first needed: the office and PDF libraries take a while to load.
_READERS = {
    "pdf": ("rag_assets.readers.pdf", "PdfReader"),
    "docx": ("rag_assets.readers.docx", "DocxReader"),
    "pptx": ("rag_assets.readers.pptx", "PptxReader"),
    "odt": ("rag_assets.readers.odf", "OdtReader"),
    "odp": ("rag_assets.readers.odf", "OdpReader"),
    "epub": ("rag_assets.readers.epub", "EpubReader"),
    "rtf": ("rag_assets.readers.rtf", "RtfReader"),
    "xlsx": ("rag_assets.readers.xlsx", "XlsxReader"),
    "mail": ("rag_assets.readers.mail", "MailReader"),
    "html": ("rag_assets.readers.html", "HtmlReader"),
    "csv": ("rag_assets.readers.tables", "CsvReader"),
    "markdown": ("rag_assets.readers.markdown", "MarkdownReader"),
    "plain": ("rag_assets.readers.plain", "PlainReader"),
}

#: Suffixes of formats whose files are never text: what is text under such a name is damaged.
_BINARY_SUFFIXES = frozenset(".pdf .docx .pptx .odt .odp .epub .xlsx .doc .ppt .xls".split())

#: Suffixes that are read; what a source may hold.
SUFFIXES = frozenset(
    ".pdf .docx .pptx .odt .odp .rtf .epub .xlsx .csv .tsv .eml .html .htm .xhtml .md .markdown .txt .text".split()
)

#: Readers of OOXML containers, with what the container's list of types says of the main part, and its usual folder.
_OFFICE_PARTS = (
    ("docx", re.compile(rb"(?:wordprocessingml|ms-word)\.[\w.]*main\+xml"), "word/"),
    ("pptx", re.compile(rb"(?:presentationml|ms-powerpoint)\.[\w.]*main\+xml"), "ppt/"),
    ("xlsx", re.compile(rb"(?:spreadsheetml|ms-excel)\.[\w.]*main\+xml"), "xl/workbook.xml"),
)

_ROOT_TYPE = re.compile(r'full-path="/"[^>]*media-type="([\w.+/-]+)"')


@cache
def reader(name: str) -> Reader:
    """The reader called `name`."""
    module, kind = _READERS[name]
    made: Reader = getattr(import_module(module), kind)()
    return made


def detect(path: Path, *, name: str | None = None) -> Reader:
    """The reader for the file at `path`; `name` is what it is called where `path` does not say so, as in an archive.

    Raises:
        DocumentError: `unsupported`, with what the file seems to be; `damaged` when its name promises a format that its
            content is not; `locked` for encrypted office files; `empty`, `unreadable` or `vanished`.
    """
    with file_errors(), path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    name = name or path.name
    suffix = Path(name).suffix.lower()
    if not head:
        raise DocumentError("empty", "the file has no bytes")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return reader(_in_container(path))
    if b"%PDF-" in head[:1024]:
        return reader("pdf")
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise _old_office(path, head)
    if reader("rtf").sniff(head, name):
        return reader("rtf")
    if suffix in _BINARY_SUFFIXES:
        raise DocumentError("damaged", f"called {suffix} but holds something else")
    for text_reader in ("mail", "html", "csv", "markdown", "plain"):
        if reader(text_reader).sniff(head, name):
            return reader(text_reader)
    raise DocumentError("unsupported", "neither text nor a format that is read")


def read(path: Path, limits: ReadLimits, *, name: str | None = None) -> ReadResult:
    """Read a file in this process, without limits of time and memory; see `readers.worker` for those.

    Raises:
        DocumentError: whatever `detect` or the reader raise.
    """
    return detect(path, name=name).read(path, limits)


def _in_container(path: Path) -> str:
    """The reader for a zip container: what it declares of itself decides, then what it holds."""
    try:
        with file_errors(), zipfile.ZipFile(path) as archive:
            package = Package(archive)
            declared = package.read("mimetype", most=200).decode("ascii", "replace").strip()
            types = package.read("[Content_Types].xml", most=_HEAD_BYTES * 8)
            manifest = package.read("META-INF/manifest.xml", most=_HEAD_BYTES)
            names = package.names
    except ZIP_ERRORS:
        raise DocumentError("damaged", "the zip container cannot be opened") from None
    if "[Content_Types].xml" in names:
        for name, mark, folder in _OFFICE_PARTS:
            if mark.search(types) or (b"main+xml" not in types and any(member.startswith(folder) for member in names)):
                return name
        if any(member.startswith("xl/") for member in names):
            raise DocumentError("unsupported", "a binary workbook; save it as XLSX")
    for found in (declared, *_ROOT_TYPE.findall(manifest.decode("ascii", "replace"))):
        for name in ("odt", "odp"):
            if found in reader(name).mime_types:
                return name
    if declared == "application/epub+zip" or "META-INF/container.xml" in names:
        return "epub"
    raise DocumentError("unsupported", f"a container of {declared or 'unknown content'}")


def _old_office(path: Path, head: bytes) -> DocumentError:
    with file_errors(), path.open("rb") as file:
        data = file.read(4_000_000)
    if "EncryptedPackage".encode("utf-16-le") in data:
        return DocumentError("locked", "an encrypted office document")
    if "__substg1.0_".encode("utf-16-le") in data:
        return DocumentError("unsupported", "a mail of Outlook; save it as EML")
    return DocumentError("unsupported", "an old office format; save it as DOCX, PPTX or XLSX")
