"""Cutting the canonical text into chunks (what is read) and windows (what is embedded).

Order of preference for a cut: section, paragraph, list item, sentence or table row, white space, any character.
Here live the values and the packing; where a cut is allowed lives in `text.boundaries`, windows in `text.windows`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag_assets.errors import SettingsError

CHUNKER_VERSION = "1"


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes of chunks and windows, checked when made.

    Raises:
        SettingsError: a size is not positive, the overlap is negative or not smaller than the smallest chunk, or the
            smallest chunk is larger than the largest.
    """

    min_tokens: int = 500
    max_tokens: int = 800
    overlap_tokens: int = 75
    window_chars: int = 800

    def __post_init__(self) -> None:
        if self.min_tokens < 1 or self.max_tokens < 1 or self.window_chars < 1:
            raise SettingsError("settings", "chunk and window sizes must be positive", **self._named())
        if self.overlap_tokens < 0:
            raise SettingsError("settings", "the overlap must not be negative", **self._named())
        if self.min_tokens > self.max_tokens:
            raise SettingsError("settings", "the smallest chunk is larger than the largest", **self._named())
        if self.overlap_tokens >= self.min_tokens:
            raise SettingsError("settings", "the overlap must be smaller than the smallest chunk", **self._named())

    def _named(self) -> dict[str, object]:
        return {
            "min_tokens": self.min_tokens,
            "max_tokens": self.max_tokens,
            "overlap_tokens": self.overlap_tokens,
            "window_chars": self.window_chars,
        }


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a chunk that is embedded as one; `start` and `end` are offsets into the document's text."""

    ordinal: int
    start: int
    end: int
    context: str
    """Shortened title path and, where a table is cut, its header row; derived, not part of the span; may be empty."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of the canonical text that is read as one; offsets into that text, end exclusive."""

    ordinal: int
    start: int
    end: int
    overlap: int
    """Leading characters that the previous chunk also holds."""
    section: int
    """Ordinal of the deepest section at the chunk's first own character (the one after the overlap)."""
    title_path: str
    """"Titel › Kapitel › Abschnitt" of that section."""
    page_start: int | None
    page_end: int | None
    token_count: int
    windows: tuple[Window, ...]
    table_header: str = ""
    """Header row of the table in which the chunk begins, when the row itself stands before the chunk."""


def embedded_text(window: Window, text: str) -> str:
    """What is embedded for `window`: its context, a line feed, its stretch of the document's `text`.

    Trailing white space is left out, so that a window keeps its hash when something is appended to its document.
    """
    body = text[window.start : window.end].rstrip()
    return f"{window.context}\n{body}" if window.context else body
