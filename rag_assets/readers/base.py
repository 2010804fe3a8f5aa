"""What every reader gives and what it is given.

Here live the values and the protocol. Which reader takes a file is decided in `readers.registry`; time and memory
limits are enforced in `readers.worker`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Protocol

from rag_assets.text.blocks import Block

#: Part of the import stage's fingerprint: raise it when any reader gives other blocks for the same bytes.
READERS_VERSION = "5"


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How much one document may take.

    Size, page and expansion limits are checked by the readers themselves, time and memory by the process around them.
    """

    timeout_s: float = 120.0
    memory_mb: int = 2048
    max_bytes: int = 500_000_000
    max_pages: int = 5000
    max_expanded_bytes: int = 600_000_000
    """What a zip container may unpack to in all."""
    max_expansion_ratio: int = 200
    """How many times its packed size one member of a zip container may have."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A document as read, before cleaning."""

    mime_type: str
    reader: str
    title: str | None
    authors: tuple[str, ...]
    published_on: date | None
    blocks: tuple[Block, ...]
    page_count: int | None
    language: str | None = None
    """What the document says of itself, e.g. "de"; often a program's default, so it counts only where the text itself
    does not tell."""
    needs_ocr_pages: tuple[int, ...] = ()
    """1-based numbers of pages that show something but hold no text."""
    warnings: tuple[str, ...] = ()
    """Codes of what a person should know, e.g. `columns_unsure`."""
    repairs: Mapping[str, int] = field(default_factory=dict)
    """What the reader itself mended or left out, by kind; `text.cleaning.canonicalise` takes and adds to it."""
    hidden_text: str = ""
    """What the document holds but shows to nobody (invisible, white, tiny, off the page). No part of the blocks and not
    kept: it is counted and looked through for orders to a model."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """One page as it looks: a PNG in shades of grey, and what is printed as the page's number."""

    png: bytes
    label: str | None


class Reader(Protocol):
    """Reads one format."""

    @property
    def name(self) -> str:
        """Names the reader in results and in messages."""
        ...

    @property
    def mime_types(self) -> tuple[str, ...]:
        """Media types of what it reads, the usual one first."""
        ...

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether a file that begins with `head` (some kilobytes) is of this format; `name` breaks ties only."""
        ...

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file.

        Raises:
            DocumentError: with a code that says why it cannot be read.
        """
        ...
