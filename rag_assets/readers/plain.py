"""Plain text: hard-wrapped lines become paragraphs again, list items and a few plain kinds of heading are seen.

A heading is believed only where the text leaves no doubt: underlined, numbered, or "Kapitel 3", alone between empty
lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.encoding import decode, looks_like_text
from rag_assets.readers.files import clean_title, parse_date, read_bytes
from rag_assets.text.blocks import Block, BlockKind

LIST_MARK = re.compile(r"\s*(?:[-*•–▪‣◦·]\s+|(?:\d{1,3}|[a-zA-Z])[.)]\s+)(?=\S)")
BULLET = re.compile(r"\s*[-*•–▪‣◦·]\s+")
_UNDERLINE = re.compile(r"\s*(=|-|~|\*)\1{2,}\s*")
_RULE = re.compile(r"\s*([-=_*~#+.])(?:\s*\1){2,}\s*")
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?P<title>[A-ZÄÖÜ„»\"].*)")
_NAMED = re.compile(
    r"(?:(?P<top>Kapitel|Teil|Chapter|Part|Buch|Anhang)\s+(?:\d{1,3}|[IVXLC]+|[A-Z])\b|(?P<low>§|Artikel|Art\.|Abschnitt)\s?\d)"
)
_ROMAN = re.compile(r"[IVXLC]{1,6}\.(?:\s+\S.*)?")
_CONTENTS = re.compile(r"(?:\s{3,}|[.\s]{4,})\d{1,4}$")
"""A line of a contents list: a title, a gap, a page number."""
_DATED = re.compile(r"\b(?:Stand|Datum|Date)\s?:\s*([^\n]{6,40})")
_LONGEST_HEADING = 90


class PlainReader:
    """Text without markup."""

    name = "plain"
    mime_types = ("text/plain",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether `head` looks like text at all."""
        return looks_like_text(head)

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        text, _, warnings = decode(read_bytes(path, limits))
        blocks = tuple(plain_blocks(text))
        if not blocks:
            raise DocumentError("empty", "the file holds no text")
        dated = _DATED.search(text[:1000])
        return ReadResult(
            mime_type="text/plain",
            reader=self.name,
            title=_title(blocks[0]),
            authors=(),
            published_on=parse_date(dated[1]) if dated else None,
            blocks=blocks,
            page_count=None,
            warnings=warnings,
        )


def _title(first: Block) -> str | None:
    """The first block, when it is a top heading or a line in capitals."""
    text = " ".join(first.text.split())
    is_title = (first.kind is BlockKind.HEADING and first.level == 1) or heading_level(text) == 1
    return clean_title(text) if is_title and not _NUMBERED.match(text) else None


def plain_blocks(text: str) -> Iterator[Block]:
    """Blocks of a plain text."""
    lines = [line.rstrip() for line in re.split(r"\r\n?|\n|\x0c", text)]
    width = _wrap_width(lines)
    group: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            group.append(line)
        elif group:
            yield from _group_blocks(group, width)
            group = []


def _wrap_width(lines: list[str]) -> int:
    """The length at which lines were broken by a program, 0 when they were not."""
    lengths = sorted(len(line) for line in lines if len(line.strip()) > 20)
    if not lengths:
        return 0
    width = lengths[int(len(lengths) * 0.95) - (len(lengths) > 1)]
    return width if 40 <= width <= 120 else 0


def _group_blocks(group: list[str], width: int) -> Iterator[Block]:
    """Blocks of lines between two empty lines."""
    if len(group) == 2 and _UNDERLINE.fullmatch(group[1]) and len(group[0].strip()) <= _LONGEST_HEADING:
        yield Block(BlockKind.HEADING, group[0].strip(), level=1 if "=" in group[1] else 2)
        return
    if len(group) > 2 and _UNDERLINE.fullmatch(group[1]) and len(group[0]) <= len(group[1].strip()) + 3:
        yield Block(BlockKind.HEADING, group[0].strip(), level=1 if "=" in group[1] else 2)
        group = group[2:]
    group = [line for line in group if not _RULE.fullmatch(line)]
    if len(group) == 1 and (level := heading_level(group[0].strip())):
        yield Block(BlockKind.HEADING, group[0].strip(), level=level)
        return
    current: list[str] = []
    kind = BlockKind.PARAGRAPH
    for number, line in enumerate(group):
        marked = LIST_MARK.match(line) is not None and (number == 0 or _may_begin_item(group, number))
        begins = marked or not current or not _goes_on(current[-1], line, width)
        if begins and current:
            yield Block(kind, "\n".join(current))
            current = []
        if begins:
            kind = BlockKind.LIST_ITEM if marked else BlockKind.PARAGRAPH
            line = BULLET.sub("", line, count=1) if marked else line
        current.append(line.strip())
    if current:
        yield Block(kind, "\n".join(current))


def _may_begin_item(group: list[str], number: int) -> bool:
    # A wrapped line may begin with "1984. " or "- " by chance; where other lines begin so too, it is a list.
    return LIST_MARK.match(group[0]) is not None or sum(LIST_MARK.match(line) is not None for line in group) > 1


def _goes_on(before: str, line: str, width: int) -> bool:
    """Whether `line` continues the paragraph of `before`, because a program broke the line there."""
    if not width:
        return False
    if before.endswith("-") or line.strip()[:1].islower():
        return True
    # The first word of this line would have fitted into the line before: someone ended that on purpose.
    first_word = line.split(maxsplit=1)[0]
    return len(before) + 1 + len(first_word) > width * 0.8


def heading_level(line: str) -> int | None:
    """Level of a heading that stands alone and says by itself that it is one; None when it does not."""
    if _CONTENTS.search(line):
        return None
    if len(line) > _LONGEST_HEADING or (line.endswith((".", ",", ";", ":", "?", "!")) and not _ROMAN.fullmatch(line)):
        return None
    if found := _NUMBERED.fullmatch(line):
        return min(6, found["number"].count(".") + 1)
    if found := _NAMED.match(line):
        return 1 if found["top"] else 2
    if _ROMAN.fullmatch(line):
        return 1
    letters = [character for character in line if character.isalpha()]
    if len(letters) >= 5 and all(character.isupper() or character == "ß" for character in letters) and len(line) <= 60:
        return 1
    return None
