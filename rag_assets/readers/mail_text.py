"""What stands in the body of a mail: the author's own words, and the earlier mails that are quoted below them.

Here live the conventions of mail programs: quotation marks at the line's beginning, the lines that announce an earlier
mail, signatures, flowed text. The MIME tree and the attachments are `readers.mail`'s.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import lxml.html

from rag_assets.readers.html import html_blocks, parse_html
from rag_assets.readers.plain import plain_blocks
from rag_assets.text.blocks import Block, BlockKind

QUOTE_MARK = "> "
"""Stands before a quoted paragraph to which the author's next paragraph replies."""

_QUOTED = re.compile(r"(?:>[ \t]?)+")
_ANNOUNCED = re.compile(
    r"\s*[-_*\s]*(?:urspr(?:ü|ue)ngliche nachricht|original[- ]nachricht|original message|weitergeleitete nachricht|"
    r"forwarded message|begin forwarded message|anfang der weitergeleiteten (?:e-mail|nachricht))\s*:?[-_*\s]*",
    re.IGNORECASE,
)
_SENDER_LINE = re.compile(r"[*\s]*(?:von|from)\s?:\*?\s*\S", re.IGNORECASE)
_DATE_LINE = re.compile(r"[*\s]*(?:gesendet|sent|datum|date)\s?:", re.IGNORECASE)
_ATTRIBUTION = re.compile(r"\b(?:schrieb|geschrieben|wrote)\b.{0,200}:\s*$", re.IGNORECASE)
_SIGNATURE = re.compile(r"-- ?$")
_LONGEST_SIGNATURE = 15
_QUOTE_ELEMENTS = (
    "//blockquote[@type='cite'] | //*[contains(concat(' ', normalize-space(@class), ' '), ' gmail_quote ')]"
    " | //*[contains(concat(' ', normalize-space(@class), ' '), ' yahoo_quoted ')]"
)


@dataclass(frozen=True, slots=True)
class Body:
    """One text part: what its author wrote, and the earlier mails quoted after it."""

    own: tuple[Block, ...]
    quoted: tuple[Block, ...] = ()

    @property
    def size(self) -> int:
        """Characters of text."""
        return sum(len(block.text) for block in (*self.own, *self.quoted))


def plain_body(text: str, repairs: Counter[str], *, flowed: bool = False, delete_space: bool = False) -> Body:
    """The body of a `text/plain` part; `flowed` and `delete_space` are what its `format` and `delsp` say."""
    lines = re.split(r"\r\n?|\n|\x0c", text)
    if flowed:
        lines = list(_unflow(lines, delete_space=delete_space))
    own, tail = _part(lines)
    blocks: list[Block] = []
    for quoted, group in groupby(own, key=lambda line: _QUOTED.match(line) is not None):
        written = list(group)
        if quoted:
            found = plain_blocks("\n".join(map(_unquoted, written)))
            blocks += [Block(BlockKind.PARAGRAPH, QUOTE_MARK + block.text) for block in found]
        else:
            blocks += plain_blocks("\n".join(_without_signature(written, repairs)))
    return Body(tuple(blocks), tuple(plain_blocks("\n".join(map(_unquoted, tail)))))


def html_body(text: str, repairs: Counter[str]) -> Body:
    """The body of a `text/html` part.

    Raises:
        DocumentError: as `parse_html`.
    """
    root = parse_html(text)
    quoted: list[Block] = []
    for element in root.xpath(_QUOTE_ELEMENTS):
        if any(ancestor is root for ancestor in element.iterancestors()):  # not in one that was taken out already
            quoted += _taken_out(element, repairs)
    own = html_blocks(root, repairs)
    at = _announcement([block.text for block in own])
    if quoted and own and at == len(own) and _ATTRIBUTION.search(own[-1].text):
        at -= 1
    return Body(own[:at], (*own[at:], *quoted))


def _taken_out(element: lxml.html.HtmlElement, repairs: Counter[str]) -> tuple[Block, ...]:
    alone = copy.deepcopy(element)
    alone.tail = None
    element.drop_tree()
    return html_blocks(alone, repairs)


def _part(lines: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Lines of the author, with quotations among them; lines of the earlier mails after them."""
    end = _announcement(lines)
    own = end
    while own and (not lines[own - 1].strip() or _QUOTED.match(lines[own - 1])):
        own -= 1
    if own == end or not any(line.strip() for line in lines[own:end]):
        return lines[:end], lines[end:]
    # "Am 2. März 2026 um 9:00 schrieb …:" belongs to what it announces; programs break it into two lines.
    for count in (1, 2):
        if count <= own and _ATTRIBUTION.search(" ".join(lines[own - count : own])):
            own -= count
            break
    return lines[:own], lines[own:]


def _announcement(lines: Sequence[str]) -> int:
    """Index of the line that announces an earlier mail, to which all that follows belongs; their number if none."""
    for index, line in enumerate(lines):
        if len(line) < 1000 and _ANNOUNCED.fullmatch(line):
            return index
        if _SENDER_LINE.match(line) and any(
            _DATE_LINE.match(after) for following in lines[index : index + 5] for after in following.split("\n")
        ):
            return index
    return len(lines)


def _unquoted(line: str) -> str:
    return _QUOTED.sub("", line, count=1) if line.startswith(">") else line


def _without_signature(lines: list[str], repairs: Counter[str]) -> list[str]:
    """Addresses and telephone numbers below the agreed line of two hyphens are no knowledge."""
    for index, line in enumerate(lines):
        if _SIGNATURE.fullmatch(line) and len(lines) - index <= _LONGEST_SIGNATURE:
            repairs["signature"] += 1
            return lines[:index]
    return lines


def _unflow(lines: Sequence[str], *, delete_space: bool) -> Iterator[str]:
    """Join the lines that end with a blank to the next of the same quotation depth (RFC 3676)."""
    open_line: str | None = None
    depth = 0
    for line in lines:
        mark = re.match(r">*", line)
        line_depth = mark.end() if mark else 0
        text = line[line_depth:].removeprefix(" ")
        if open_line is not None and (line_depth != depth or _SIGNATURE.fullmatch(text)):
            yield open_line
            open_line = None
        joined = text if open_line is None else open_line + text
        quoted = QUOTE_MARK if line_depth and open_line is None else ""
        if text.endswith(" ") and not _SIGNATURE.fullmatch(text):
            open_line = quoted + (joined[:-1] if delete_space else joined)
            depth = line_depth
        else:
            yield quoted + joined
            open_line = None
    if open_line is not None:
        yield open_line
