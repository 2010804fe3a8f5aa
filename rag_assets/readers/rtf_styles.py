"""The style sheet of an RTF document, and what a paragraph is by its style."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag_assets.readers.conventions import CAPTION_NAMES, CODE_NAMES, CONTENTS_NAME, HEADING_NAME, TITLE_NAMES
from rag_assets.text.blocks import BlockKind

_BODY_TEXT = 9
"""The outline level of what is no heading."""


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph's style says it is; `heading` is 1..6."""

    heading: int | None
    kind: BlockKind
    is_title: bool
    is_contents: bool


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: int | None = None
    outline: int | None = None


class RtfStyles:
    """Styles by their number, fed with the tokens of the style sheet."""

    def __init__(self) -> None:
        self._styles: dict[int, _Style] = {}
        self._read = _Style()

    def word(self, word: str, number: int | None) -> None:
        """A control word of the style that is being read."""
        if word == "s":
            self._styles[number or 0] = self._read
        elif word == "sbasedon":
            self._read.based_on = number
        elif word == "outlinelevel":
            self._read.outline = number

    def text(self, text: str) -> None:
        """A piece of the name of the style that is being read; one without a number is the first."""
        self._styles.setdefault(0, self._read)
        self._read.name += text

    def end_one(self) -> None:
        """The style that is being read is complete."""
        self._read = _Style()

    def of(self, number: int, *, outline: int | None) -> ParagraphStyle:
        """What a paragraph of style `number` is, by its own outline level first, then by its style's and its name."""
        styles = list(self._chain(number))
        names = [style.name.strip().rstrip(";").lower() for style in styles] or [""]
        if outline is None:
            outline = next((style.outline for style in styles if style.outline is not None), None)
        by_name = next((int(found[1]) for name in names if (found := HEADING_NAME.match(name))), None)
        level = by_name if outline is None else outline + 1 if 0 <= outline < _BODY_TEXT else None
        kind = BlockKind.PARAGRAPH
        if names[0] in CAPTION_NAMES:
            kind = BlockKind.CAPTION
        elif names[0] in CODE_NAMES:
            kind = BlockKind.CODE
        return ParagraphStyle(
            heading=min(6, level) if level else None,
            kind=kind,
            is_title=names[0] in TITLE_NAMES,
            is_contents=bool(CONTENTS_NAME.match(names[0])),
        )

    def _chain(self, number: int) -> Iterator[_Style]:
        seen: set[int] = set()
        at: int | None = number
        while at is not None and at not in seen and at in self._styles:
            seen.add(at)
            yield self._styles[at]
            at = self._styles[at].based_on
