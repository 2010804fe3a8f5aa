"""The hierarchy of sections, built from heading blocks.

What makes a line a heading is decided by the readers; here levels become a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_assets.text.blocks import BlockKind
from rag_assets.text.cleaning import CanonicalText
from rag_assets.text.language import detect_language

PATH_SEPARATOR = " › "

LANGUAGE_LETTERS = 200
"""A section with fewer letters of its own does not tell its language."""

LANGUAGE_SAMPLE = 2000

CHAPTER_CHARS = 1600
"""Below a single title, sections of less than this on average (a smallest chunk) are parts, not chapters."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section: `text[start:end]`, its heading included.

    `ordinal` counts in reading order; ordinal 0 is the root, which is the whole text under the document's title. A
    section ends where the next heading of its own or a higher level begins.
    """

    ordinal: int
    parent: int | None
    level: int
    heading: str
    start: int
    end: int
    page_start: int | None
    page_end: int | None
    language: str | None = None
    """"de" or "en" where that is told and is not the document's; None as the document."""


def build_sections(canonical: CanonicalText, *, title: str) -> tuple[Section, ...]:
    """Build the tree. Levels may skip (a 3 below a 1); each section hangs below the nearest higher one."""
    length = len(canonical.text)
    open_: list[int] = [0]
    found: list[tuple[int | None, int, str, int]] = [(None, 0, title, 0)]
    ends: list[int] = [length]
    for block in canonical.blocks:
        if block.kind is not BlockKind.HEADING:
            continue
        level = block.level or 1
        while found[open_[-1]][1] >= level:
            ends[open_.pop()] = block.start
        found.append((open_[-1], level, canonical.text[block.start : block.end], block.start))
        ends.append(length)
        open_.append(len(found) - 1)
    return tuple(
        Section(
            ordinal,
            parent,
            level,
            heading,
            start,
            end,
            canonical.page_at(start),
            canonical.page_at(max(start, end - 1)),
        )
        for ordinal, ((parent, level, heading, start), end) in enumerate(zip(found, ends, strict=True))
    )


def with_languages(sections: Sequence[Section], text: str, *, document: str) -> tuple[Section, ...]:
    """The sections with their language where it is not `document`, the whole document's.

    Told from a section's own text, its subsections left out; one too short to tell has the language of the one above.
    """
    told: list[str] = []
    for section, following in zip(sections, (*sections[1:], None), strict=True):
        own = text[section.start : min(section.end, following.start if following else section.end)][:LANGUAGE_SAMPLE]
        letters = sum(character.isalpha() for character in own)
        found = detect_language(own) if section.parent is not None and letters >= LANGUAGE_LETTERS else "und"
        told.append(found if found != "und" else document if section.parent is None else told[section.parent])
    return tuple(
        replace(section, language=language if language != document else None)
        for section, language in zip(sections, told, strict=True)
    )


def section_path(sections: Sequence[Section], ordinal: int) -> tuple[str, ...]:
    """Headings from the root down to section `ordinal`; a heading that repeats the one above it appears once."""
    path: list[str] = []
    at: int | None = ordinal
    while at is not None:
        section = sections[at]
        if section.heading and (not path or path[-1] != section.heading):
            path.append(section.heading)
        at = section.parent
    return tuple(reversed(path))


def chapters(sections: Sequence[Section]) -> tuple[int, ...]:
    """Offsets where the chapters begin that no chunk crosses, ascending, the first always 0.

    Chapters are the sections directly below the root. Where there is only one and it holds everything, it is the
    document's title in the form of a heading, and the sections below it are the chapters, unless they are so short
    that the document is one chapter with small parts.
    """
    if not sections:
        return (0,)
    top = [section for section in sections if section.parent == 0]
    if len(top) == 1 and top[0].start == 0:
        title = top[0]
        top = [section for section in sections if section.parent == title.ordinal]
        if sum(section.end - section.start for section in top) < CHAPTER_CHARS * len(top):
            return (0,)
        if top and top[0].start <= title.start + len(title.heading) + 2:
            # The title stays with the first chapter when nothing stands between them.
            top = top[1:]
    return tuple(sorted({0, *(section.start for section in top)}))
