"""Zip containers made of XML parts (ODF, EPUB, what OOXML libraries leave out): opened within limits, parsed safely.

An office file never needs entities of its own: they only serve to blow up or to fetch what lies outside. So a part that
declares any is refused, whatever it does with them.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lxml import etree

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.files import check_container, file_errors, markup_error

#: What a damaged zip container or member makes `zipfile` raise, besides errors of the file system.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class Package:
    """An open container."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.names = frozenset(archive.namelist())

    def read(self, name: str, *, most: int = -1) -> bytes:
        """The bytes of a member, at most `most`; empty when there is none of that name.

        Raises:
            DocumentError: `damaged`.
        """
        if name not in self.names:
            return b""
        try:
            with self._archive.open(name) as member:
                return member.read(most)
        except ZIP_ERRORS as error:
            raise DocumentError("damaged", "a part cannot be unpacked", kind=type(error).__name__) from None
        except OSError as error:
            if error.errno is None:  # bzip2 reports bad data so
                raise DocumentError("damaged", "a part cannot be unpacked") from None
            raise

    def xml(self, name: str) -> Any:
        """The root element of a member; None when there is none of that name.

        Raises:
            DocumentError: `damaged`, or `unsafe_archive` when it declares entities.
        """
        data = self.read(name)
        return parse_xml(data) if data else None


@contextmanager
def open_package(path: Path, limits: ReadLimits) -> Iterator[Package]:
    """Open a container after checking what it would unpack to.

    Raises:
        DocumentError: `damaged`, `locked`, `unsafe_archive`, `too_large`, `empty`, `unreadable` or `vanished`.
    """
    check_container(path, limits)
    with file_errors():
        try:
            archive = zipfile.ZipFile(path)
        except ZIP_ERRORS:
            raise DocumentError("damaged", "the zip container cannot be opened") from None
        with archive:
            yield Package(archive)


def parse_xml(data: bytes) -> Any:
    """The root element of an XML document, without comments and processing instructions.

    Raises:
        DocumentError: `damaged` when it is not well-formed, `unsafe_archive` when it declares entities.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError as error:
        if b"<!ENTITY" in data:
            raise DocumentError("unsafe_archive", "a part declares entities") from None
        raise markup_error(error) from None
    except ValueError as error:
        raise DocumentError("damaged", "the markup cannot be read", kind=type(error).__name__) from None
    refuse_entities(root)
    return root


def refuse_entities(root: Any) -> None:
    """Refuse a parsed part that declares entities.

    Raises:
        DocumentError: `unsafe_archive`.
    """
    internal = root.getroottree().docinfo.internalDTD
    if internal is not None and next(iter(internal.iterentities()), None) is not None:
        raise DocumentError("unsafe_archive", "a part declares entities")
