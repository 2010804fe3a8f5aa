"""Opening files safely: sizes, zip containers that unpack to too much, errors of the file system, dates and names.

Shared by all readers. Nothing here knows a format.
"""

from __future__ import annotations

import errno
import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits

_SMALL_MEMBER = 1_000_000
"""A member that unpacks to less than this is harmless whatever its ratio."""


def read_bytes(path: Path, limits: ReadLimits) -> bytes:
    """The file's bytes.

    Raises:
        DocumentError: `too_large`, `empty`, or `unreadable`.
    """
    with file_errors():
        check_size(path, limits)
        return path.read_bytes()


def check_size(path: Path, limits: ReadLimits) -> None:
    """Refuse what is too large before a byte of it is read, and what is empty.

    Raises:
        DocumentError: `too_large`, `empty`, or `unreadable`.
    """
    with file_errors():
        size = path.stat().st_size
    if size > limits.max_bytes:
        raise DocumentError("too_large", "larger than RAG_READ_MAX_BYTES", bytes=size, limit=limits.max_bytes)
    if size == 0:
        raise DocumentError("empty", "the file has no bytes")


@contextmanager
def unnamed_file(data: bytes) -> Iterator[Path]:
    """A file of these bytes for as long as the context lasts, for readers that take a path.

    On Linux it has no name in any folder: nothing is left of it even when the process is killed.
    """
    nameless = Path("/proc/self/fd").is_dir()
    with tempfile.TemporaryFile() if nameless else tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        yield Path(f"/proc/self/fd/{file.fileno()}" if nameless else file.name)


@contextmanager
def file_errors() -> Iterator[None]:
    """Turn errors of the file system into `DocumentError`."""
    try:
        yield
    except FileNotFoundError:
        raise DocumentError("vanished") from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            # A container's directory points to before its beginning; Python's zipfile goes there.
            raise DocumentError("damaged", "the file points outside of itself") from None
        raise DocumentError("unreadable", errno=error.errno) from None


def check_container(path: Path, limits: ReadLimits) -> list[str]:
    """Names of the members of a zip container, after checking that it is whole and unpacks to a sane size.

    The sizes are those that the directory claims; Python's zipfile never unpacks more of a member than it claims.

    Raises:
        DocumentError: `damaged`, `locked` (encrypted members), `unsafe_archive`, or what `check_size` raises.
    """
    check_size(path, limits)
    try:
        with file_errors(), zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, UnicodeDecodeError) as error:
        raise DocumentError("damaged", "the zip container cannot be opened", kind=type(error).__name__) from None
    expanded = sum(member.file_size for member in members)
    if expanded > limits.max_expanded_bytes:
        raise DocumentError("unsafe_archive", bytes=expanded, limit=limits.max_expanded_bytes)
    for member in members:
        if member.flag_bits & 0x1:
            raise DocumentError("locked", "the container is encrypted")
        ratio = member.file_size / max(1, member.compress_size)
        if member.file_size > _SMALL_MEMBER and ratio > limits.max_expansion_ratio:
            raise DocumentError("unsafe_archive", ratio=int(ratio), limit=limits.max_expansion_ratio)
    return [member.filename for member in members]


def markup_error(error: etree.LxmlError) -> DocumentError:
    """What lxml refused as an error of the document.

    Raises:
        MemoryError: when it was memory that lxml lacked, which it reports like broken markup.
    """
    if any(entry.type_name == "ERR_NO_MEMORY" for entry in error.error_log) or "emory alloc" in str(error.args[:1]):
        raise MemoryError
    return DocumentError("damaged", "the markup cannot be read", kind=type(error).__name__)


_ISO_DATE = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?")
_MONTHS = "januar februar märz april mai juni juli august september oktober november dezember".split()
_WRITTEN_DATE = re.compile(rf"\b(\d{{1,2}})\.\s?({'|'.join(_MONTHS)})\s(\d{{4}})\b", re.IGNORECASE)
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_]|$)")
_GERMAN_DATE = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")


def parse_date(value: object) -> date | None:
    """A date as metadata writes it: ISO, German, or PDF's `D:20240131…`; None when it is none."""
    if isinstance(value, date):
        return date(value.year, value.month, value.day)
    text = str(value or "").strip()
    if text.startswith("D:") and text[2:10].isdigit():
        text = f"{text[2:6]}-{text[6:8]}-{text[8:10]}"
    if found := _ISO_DATE.search(text):
        year, month, day = int(found[1]), int(found[2]), int(found[3] or 1)
    elif found := _GERMAN_DATE.search(text):
        day, month, year = int(found[1]), int(found[2]), int(found[3])
    elif found := _WRITTEN_DATE.search(text):
        day, month, year = int(found[1]), 1 + _MONTHS.index(found[2].lower()), int(found[3])
    else:
        return None
    try:
        return date(year, month, day) if 1400 <= year <= 2200 else None
    except ValueError:
        return None


def parse_authors(value: object) -> tuple[str, ...]:
    """Names as metadata lists them: parted by semicolons, "und", "and", "&"; commas part full names only."""
    if isinstance(value, (list, tuple)):
        return tuple(name for item in value for name in parse_authors(item))
    text = " ".join(str(value or "").split())
    parts = re.split(r"\s*;\s*|\s+(?:und|and|&)\s+", text)
    if len(parts) == 1 and "," in text and all(" " in part.strip() for part in text.split(",")):
        parts = text.split(",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))[:20]


def declared_language(value: object) -> str | None:
    """The language that metadata names, without the country: "de" for "de-DE"; None when it is none."""
    found = _LANGUAGE.match(str(value or "").strip().lower())
    return found[1] if found else None


def clean_title(value: object) -> str | None:
    """A title from metadata as one line; None when empty or plainly a file's name or a program's default."""
    title = " ".join(str(value or "").replace("\x00", "").split())[:300]
    is_file_name = re.search(r"\.(docx?|pdf|pptx?|odt|tex|dvi|indd|qxd|html?|rtf|txt)$", title, re.IGNORECASE)
    nothing = title.lower() in ("", "untitled", "unbenannt", "ohne titel", "powerpoint presentation")
    defaults = title.lower().startswith(
        (
            "microsoft word - ",
            "microsoft powerpoint - ",
            "powerpoint-präsentation",
            "word document",
            "inhaltsverzeichnis",
            "table of contents",
        )
    )
    return None if is_file_name or nothing or defaults else title
