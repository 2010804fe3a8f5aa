"""Which reader takes a file: decided by its content; the name breaks ties and reveals what is damaged.

Reads a few kilobytes only. Here also lives the list of formats that are known but not read, so that a person is told
more than "unsupported".
"""

from __future__ import annotations

import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.readers.base import Reader, ReadLimits, ReadResult
from rag_assets.readers.files import file_errors

_HEAD_BYTES = 8192

#: Where each reader lives. Imported when first needed: the office and PDF libraries take a while to load.
_READERS = {
    "pdf": ("rag_assets.readers.pdf", "PdfReader"),
    "docx": ("rag_assets.readers.docx", "DocxReader"),
    "pptx": ("rag_assets.readers.pptx", "PptxReader"),
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
SUFFIXES = frozenset(".pdf .docx .pptx .xlsx .csv .tsv .eml .html .htm .xhtml .md .markdown .txt .text".split())


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
    if suffix in _BINARY_SUFFIXES:
        raise DocumentError("damaged", f"called {suffix} but holds something else")
    if head.lstrip().startswith(b"{\\rtf"):
        raise DocumentError("unsupported", "Rich Text is not read")
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
    try:
        with file_errors(), zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            kind = archive.read("mimetype")[:100].decode("ascii", "replace") if "mimetype" in names else ""
    except (zipfile.BadZipFile, ValueError, NotImplementedError, KeyError, RuntimeError, EOFError):
        raise DocumentError("damaged", "the zip container cannot be opened") from None
    if any(name.startswith("word/") for name in names):
        return "docx"
    if any(name.startswith("ppt/") for name in names):
        return "pptx"
    if "xl/workbook.xml" in names:
        return "xlsx"
    if any(name.startswith("xl/") for name in names):
        raise DocumentError("unsupported", "a binary workbook; save it as XLSX")
    raise DocumentError("unsupported", f"a container of {kind or 'unknown content'}")


def _old_office(path: Path, head: bytes) -> DocumentError:
    with file_errors(), path.open("rb") as file:
        data = file.read(4_000_000)
    if "EncryptedPackage".encode("utf-16-le") in data:
        return DocumentError("locked", "an encrypted office document")
    return DocumentError("unsupported", "an old office format; save it as DOCX or PPTX")
