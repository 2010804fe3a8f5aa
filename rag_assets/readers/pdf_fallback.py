"""PDF by pypdf: slower and less exact about German words, but it opens what pdfium refuses."""

from __future__ import annotations

import logging
from pathlib import Path

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.files import clean_title, file_errors, parse_authors, parse_date
from rag_assets.readers.plain import plain_blocks
from rag_assets.text.blocks import Block

# pypdf writes what it finds wrong to the log, with pieces of the document; the error codes here say enough.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read_with_pypdf(path: Path, limits: ReadLimits, *, reason: str) -> ReadResult:
    """Read the file; `reason` becomes a warning of the result.

    Raises:
        DocumentError: `locked`, `damaged`, `empty` (no pages) or `too_large`.
    """
    with file_errors():
        file = path.open("rb")
    try:
        with file:
            return _read(pypdf.PdfReader(file), limits, reason)
    except (DependencyError, FileNotDecryptedError):
        raise DocumentError("locked", "the document needs a password") from None
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - pypdf meets damage with whatever its parser stumbles over
        raise DocumentError("damaged", "the document cannot be read", kind=type(error).__name__) from None


def _read(reader: pypdf.PdfReader, limits: ReadLimits, reason: str) -> ReadResult:
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError("locked", "the document needs a password")
    count = len(reader.pages)
    if count == 0:
        raise DocumentError("empty", "the document has no pages", pages=0)
    if count > limits.max_pages:
        raise DocumentError("too_large", "more pages than RAG_READ_MAX_PAGES", pages=count, limit=limits.max_pages)
    blocks: list[Block] = []
    needs_ocr = []
    for number, page in enumerate(reader.pages, 1):
        found = [
            Block(block.kind, block.text, level=block.level, page=number)
            for block in plain_blocks(page.extract_text() or "")
        ]
        if not found and page.get("/Contents") is not None:
            needs_ocr.append(number)
        blocks += found
    if not blocks and not needs_ocr:
        raise DocumentError("empty", "the pages are blank", pages=count)
    metadata = reader.metadata
    return ReadResult(
        mime_type="application/pdf",
        reader="pypdf",
        title=clean_title(metadata.title) if metadata else None,
        authors=parse_authors(metadata.author) if metadata else (),
        published_on=parse_date(metadata.get("/CreationDate")) if metadata else None,
        blocks=tuple(blocks),
        page_count=count,
        needs_ocr_pages=tuple(needs_ocr),
        warnings=(reason, "needs_ocr") if needs_ocr else (reason,),
    )
