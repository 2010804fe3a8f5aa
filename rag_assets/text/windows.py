"""Windows: the stretches of a chunk that are embedded, each with the context it needs to be understood alone.

A window with its context is never longer than the limit, because embedding models cut off in silence what is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rag_assets.text.blocks import BlockKind
from rag_assets.text.boundaries import Boundaries, Strength, block_at, hard_cut
from rag_assets.text.cleaning import BlockSpan, CanonicalText
from rag_assets.text.sections import PATH_SEPARATOR, Section, section_path

ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a chunk that is embedded as one; `start` and `end` are offsets into the document's text."""

    ordinal: int
    start: int
    end: int
    context: str
    """Shortened title path and, where a table is cut, its header row; derived, not part of the span; may be empty."""


def embedded_text(window: Window, text: str) -> str:
    """What is embedded for `window`: its context, a line feed, its stretch of the document's `text`.

    Trailing white space is left out, so that a window keeps its hash when something is appended to its document.
    """
    body = text[window.start : window.end].rstrip()
    return f"{window.context}\n{body}" if window.context else body


class Surroundings:
    """What stands around an offset: its section's path and the header of the table it lies in."""

    def __init__(self, canonical: CanonicalText, sections: Sequence[Section]) -> None:
        self._blocks: tuple[BlockSpan, ...] = canonical.blocks
        self._block_starts = [block.start for block in canonical.blocks]
        self._sections = sections
        self._section_starts = [section.start for section in sections]

    def section_at(self, offset: int) -> int:
        """Ordinal of the deepest section that holds `offset`: sections are in pre-order, so the last that began."""
        return max(0, bisect_right(self._section_starts, offset) - 1)

    def path_at(self, offset: int) -> tuple[str, ...]:
        """Headings above `offset`, from the title down."""
        return section_path(self._sections, self.section_at(offset)) if self._sections else ()

    def table_header_at(self, offset: int) -> str:
        """Header row of the table that `offset` cuts; empty when it cuts none or stands in the header itself."""
        block = block_at(self._blocks, self._block_starts, offset)
        if block is None or block.kind is not BlockKind.TABLE or block.table_header is None:
            return ""
        return block.table_header if block.start + len(block.table_header) < offset < block.end else ""


def cut_windows(
    text: str, start: int, end: int, *, limit: int, boundaries: Boundaries, surroundings: Surroundings
) -> tuple[Window, ...]:
    """Cut `text[start:end]` into windows that tile it, each with its context at most `limit` characters long."""
    windows: list[Window] = []
    at = start
    while at < end:
        context = _context(surroundings.path_at(at), surroundings.table_header_at(at), limit=limit // 2)
        room = limit - len(context) - bool(context)
        stop = _window_end(text, at, end, room, boundaries)
        windows.append(Window(len(windows), at, stop, context))
        at = stop
    return tuple(windows)


def _window_end(text: str, at: int, end: int, room: int, boundaries: Boundaries) -> int:
    # A new section begins a new window (its path differs), unless so little stands before it that it would say nothing.
    section = next(
        (
            boundaries.offsets[index]
            for index in boundaries.between(at + max(1, room // 4), min(end - 1, at + room))
            if boundaries.strengths[index] >= Strength.SECTION
        ),
        None,
    )
    if section is not None:
        return section
    if end - at <= room:
        return end
    for first, weakest in ((at + room // 2, Strength.LIST_ITEM), (at + room // 3, Strength.SENTENCE)):
        place = boundaries.best(first, at + room, weakest=weakest)
        if place is not None:
            return place
    place = boundaries.best(at + 1, at + room)
    return place if place is not None else hard_cut(text, at + max(1, room // 2), at + room)


def _context(path: Sequence[str], table_header: str, *, limit: int) -> str:
    """Title path and table header in at most `limit` characters: half for each where both need it."""
    for_path = limit - min(len(table_header), limit // 2) - 1 if table_header else limit
    short = shorten_path(path, min(for_path, 200))
    header = table_header[: max(0, limit - len(short) - 1)]
    return "\n".join(part for part in (short, header) if part)


def shorten_path(path: Sequence[str], limit: int) -> str:
    """Join headings to "Titel › Kapitel › Abschnitt" of at most `limit` characters.

    The last heading says most, then the title: the ones between give way first, then each is cut.

    >>> shorten_path(("Handbuch", "Grundlagen der Beratung", "Haltung"), 24)
    'Handbuch › … › Haltung'
    """
    parts = [part for part in path if part]
    if not parts or limit < 8:
        return ""
    joined = PATH_SEPARATOR.join(parts)
    if len(joined) <= limit:
        return joined
    if len(parts) > 2:
        joined = PATH_SEPARATOR.join((parts[0], ELLIPSIS, parts[-1]))
        if len(joined) <= limit:
            return joined
    if len(parts) == 1:
        return _cut(parts[0], limit)
    room = limit - len(PATH_SEPARATOR)
    last = _cut(parts[-1], max(room // 2, room - len(parts[0])))
    return PATH_SEPARATOR.join((_cut(parts[0], room - len(last)), last))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + ELLIPSIS
