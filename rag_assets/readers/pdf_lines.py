"""Lines of a PDF page as pdfium finds them, with what layout needs: place, size, weight, gaps.

Only here are pdfium's text functions called. Asking it about every character costs more than extracting the text, so
it is asked about the first and last character of each line, and about all of them only where a line has a gap.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from ctypes import c_double, c_int, create_string_buffer
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2.raw as pdfium

from rag_assets.readers.pdf_hidden import address, hidden_objects

HYPHEN = "\ufffe"
"""pdfium's mark for a hyphen at which it joined two lines; `text.characters` decides what becomes of it."""

_LINE = re.compile(r"[^\r\n\ufffe]*(?:\ufffe|\r\n|\r|\n|\Z)")
_LETTER_SPACED = re.compile(r"(?:\S\s+){3,}\S")
_WIDEST_SPACE_PT = 9.0
"""A gap up to this width, or 1.7 times the size of the type, may be a word space."""

_SPACE = re.compile(r"\s+")
_DIGIT = re.compile(r"\d")
_RAISED = re.compile(r"(?=\d)(?:(?<=[^\W\d_]|[.,;:!?)“”»\"]|\s)\d{1,3}(?![\d.,])|\A\d{1,3}(?=\s?[^\W\d_]))")
_SMALLEST_PT = 1.5
"""Type below this size is no type for people: a point is a third of a millimetre."""


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line, or one cell of it where a wide gap parts it. Lengths in points, y upwards."""

    text: str
    left: float
    right: float
    base: float
    """y of the base line."""
    size: float
    """Size of the type as it is printed."""
    bold: bool
    row: int
    """Number of the line on its page; parts of one printed line share it."""
    upright: bool = True
    note: bool = False
    """Whether the line begins with a raised number, as a footnote does."""


def page_lines(page: Any, text_page: Any) -> tuple[list[Line], str]:
    """Visible lines of a page in pdfium's order, and the text that is there but cannot be seen."""
    raw = text_page.raw
    text = text_page.get_text_range()
    if len(text) != text_page.count_chars():
        # Characters outside the basic plane: take pdfium's own numbers, one character each.
        text = "".join(_character(pdfium.FPDFText_GetUnicode(raw, index)) for index in range(text_page.count_chars()))
    text, unseen = _without_hidden(raw, text, hidden_objects(page.raw))
    measure = _Measure(raw, text)
    frame = page.get_bbox()
    lines: list[Line] = []
    hidden: list[str] = [unseen] if unseen else []
    row = 0
    for found in _LINE.finditer(text):
        if not found[0]:
            continue
        content = found[0].rstrip("\r\n")
        for line in measure.line(content, found.start(), row):
            if line.size < _SMALLEST_PT or _is_outside(line, frame):
                hidden.append(line.text)
            else:
                lines.append(line)
        row += 1
    return lines, "\n".join(hidden)


def _without_hidden(raw: Any, text: str, objects: frozenset[int]) -> tuple[str, str]:
    """The text with blanks in place of what these objects show, and what they show."""
    if not objects:
        return text, ""
    is_hidden = [address(pdfium.FPDFText_GetTextObject(raw, index)) in objects for index in range(len(text))]
    # Line ends and blanks that pdfium put between characters belong to no object.
    seen = "".join(" " if hidden else character for character, hidden in zip(text, is_hidden, strict=True))
    unseen = "".join(character if hidden else " " for character, hidden in zip(text, is_hidden, strict=True))
    return seen, " ".join(unseen.split())


def _is_outside(line: Line, frame: tuple[float, float, float, float]) -> bool:
    """Whether a line lies beyond the edges of its page."""
    left, bottom, right, top = frame
    return line.right < left or line.left > right or line.base + line.size < bottom or line.base > top


def _character(code: int) -> str:
    return HYPHEN if code == 2 else chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


class _Measure:
    """Asks pdfium about characters of one page."""

    def __init__(self, raw: Any, text: str) -> None:
        self._raw = raw
        self._text = text
        self._fonts: dict[int, bool] = {}
        # What pdfium fills, made once: making four numbers costs as much as the call that they are for.
        self._matrix = pdfium.FS_MATRIX()
        self._numbers = c_double(), c_double(), c_double(), c_double()

    def line(self, content: str, start: int, row: int) -> Iterator[Line]:
        """The line `content`, which begins at character `start`, in as many parts as wide gaps make."""
        stripped = content.strip()
        if not stripped:
            return
        first = start + len(content) - len(content.lstrip())
        last = first + len(stripped) - 1
        for begin, end in self._parts(first, last):
            yield from self._part(begin, end, row)

    def _part(self, first: int, last: int, row: int) -> Iterator[Line]:
        text = self._text[first : last + 1]
        # A footnote's line begins with a small raised number; the middle tells the line's own size and place.
        middle = (first + last) // 2
        while middle > first and self._text[middle].isspace():
            middle -= 1
        size, upright = self._size(middle)
        left, base = self._origin(first)[0], self._origin(middle)[1]
        right = self._box(last)[1] if text[-1] != HYPHEN else self._box(max(first, last - 1))[1] + 0.3 * size
        if HYPHEN in text and not pdfium.FPDFText_IsHyphen(self._raw, first + text.index(HYPHEN)):
            text = text.replace(HYPHEN, " ")  # a character without meaning, e.g. NUL, shows as the same mark
        if _LETTER_SPACED.fullmatch(text) and sum(len(part) == 1 for part in text.split()) > 0.8 * len(text.split()):
            text = self._close_up(first, last, size)
        text, note = self._raised(text, first)
        yield Line(text, left, right, base, round(size, 1), self._bold(first), row, upright, note)

    def _parts(self, first: int, last: int) -> list[tuple[int, int]]:
        """Parts of a line between gaps that no word space makes."""
        count = pdfium.FPDFText_CountRects(self._raw, first, last - first + 1)
        if count < 2:
            return [(first, last)]
        left, top, right, bottom = self._numbers
        widest_gap, edge = 0.0, None
        for number in range(count):
            pdfium.FPDFText_GetRect(self._raw, number, left, top, right, bottom)
            if edge is not None and left.value - edge > widest_gap:
                widest_gap = left.value - edge
            edge = right.value
        if widest_gap <= _WIDEST_SPACE_PT:
            return [(first, last)]
        size, upright = self._size(first)
        widest = max(1.7 * size, _WIDEST_SPACE_PT)
        if not upright or widest_gap <= widest:
            return [(first, last)]
        parts = []
        begin = first
        for found in _SPACE.finditer(self._text, first, last):
            before, after = found.start() - 1, found.end()
            if self._box(after)[0] - self._box(before)[1] > widest:
                parts.append((begin, before))
                begin = after
        parts.append((begin, last))
        return parts

    def _raised(self, text: str, first: int) -> tuple[str, bool]:
        """Put raised numbers in brackets: they cite a footnote, or begin one."""
        if not _DIGIT.search(text) or text != self._text[first : first + len(text)]:
            return text, False
        note = False
        pieces, at = [], 0
        for found in _RAISED.finditer(text):
            step = 1 if found.start() == 0 else -1
            neighbour = found.end() if step == 1 else found.start() - 1
            while 0 < neighbour < len(text) - 1 and text[neighbour].isspace():
                neighbour += step
            if not self._is_raised(first + found.start(), first + neighbour):
                continue
            note = note or step == 1
            pieces += [text[at : found.start()].rstrip(), f"[{found[0]}]", " " if step == 1 else ""]
            at = found.end()
        return ("".join(pieces) + text[at:] if pieces else text), note

    def _is_raised(self, index: int, neighbour: int) -> bool:
        if address(self._object(index)) == address(self._object(neighbour)):
            return False  # one object of the page has one size and one base line
        own, other = self._size(index)[0], self._size(neighbour)[0]
        return own <= 0.85 * other and self._origin(index)[1] - self._origin(neighbour)[1] >= 0.1 * other

    def _close_up(self, first: int, last: int, size: float) -> str:
        """Join letters set wide apart; a word ends where the gap is plainly wider than the others."""
        places = [index for index in range(first, last + 1) if not self._text[index].isspace()]
        boxes = [self._box(index) for index in places]
        gaps = [after[0] - before[1] for before, after in itertools.pairwise(boxes)]
        usual = sorted(gaps)[len(gaps) // 2]
        letters = [self._text[places[0]]]
        for gap, index in zip(gaps, places[1:], strict=True):
            letters.append((" " if gap > max(1.5 * usual, usual + 0.15 * size) else "") + self._text[index])
        return "".join(letters)

    def _size(self, index: int) -> tuple[float, bool]:
        matrix = self._matrix
        pdfium.FPDFText_GetMatrix(self._raw, index, matrix)
        scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
        upright = abs(matrix.b) <= 0.2 * abs(matrix.a) and matrix.a > 0
        return float(pdfium.FPDFText_GetFontSize(self._raw, index)) * scale, upright

    def _origin(self, index: int) -> tuple[float, float]:
        x, y, _, _ = self._numbers
        pdfium.FPDFText_GetCharOrigin(self._raw, index, x, y)
        return x.value, y.value

    def _box(self, index: int) -> tuple[float, float]:
        left, right, bottom, top = self._numbers
        pdfium.FPDFText_GetCharBox(self._raw, index, left, right, bottom, top)
        return left.value, right.value

    def _object(self, index: int) -> Any:
        return pdfium.FPDFText_GetTextObject(self._raw, index)

    def _bold(self, index: int) -> bool:
        text_object = self._object(index)
        font = address(pdfium.FPDFTextObj_GetFont(text_object)) if text_object else None
        if font is None:
            return False
        if font not in self._fonts:
            self._fonts[font] = self._is_bold(index)
        return self._fonts[font]

    def _is_bold(self, index: int) -> bool:
        if int(pdfium.FPDFText_GetFontWeight(self._raw, index)) >= 600:
            return True
        buffer, flags = create_string_buffer(128), c_int()
        length = pdfium.FPDFText_GetFontInfo(self._raw, index, buffer, 128, flags)
        name = buffer.value.lower() if 0 < length <= 128 else b""
        return b"bold" in name or b"black" in name or b"heavy" in name


def merge_parts(lines: list[Line]) -> list[Line]:
    """Put together what pdfium parts though it is one.

    That is a bullet, number or raised number before a gap and what follows it on its line, and pieces of a line that
    touch each other.
    """
    merged: list[Line] = []
    for line in lines:
        before = merged[-1] if merged else None
        if before is None:
            merged.append(line)
        elif before.text.isdigit() and before.size < 0.85 * line.size and _begins_note(before, line):
            merged[-1] = replace(line, text=f"[{before.text}] {line.text}", left=before.left, note=True)
        elif before.row == line.row and _MARK.fullmatch(before.text):
            merged[-1] = replace(line, text=f"{before.text} {line.text}", left=before.left, note=before.note)
        elif before.row != line.row and _touches(before, line):
            gap = " " if line.left - before.right > 0.15 * before.size else ""
            merged[-1] = replace(before, text=before.text + gap + line.text, right=line.right)
        else:
            merged.append(line)
    return merged


def _begins_note(number: Line, line: Line) -> bool:
    beside = -1.0 < line.left - number.right < 1.5 * line.size or number.row == line.row
    return beside and -0.2 * line.size < number.base - line.base < 0.8 * line.size


def _touches(before: Line, line: Line) -> bool:
    level = abs(before.base - line.base) < 0.1 * before.size and before.upright and line.upright
    return (
        level and not before.text.endswith(HYPHEN) and -0.5 * before.size < line.left - before.right < 1.2 * before.size
    )


_MARK = re.compile(
    r"[-•–▪‣◦·●○■□►➢✓\uf0b7\uf0a7o*]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z]|[ivxIVX]{1,5})[.)]?|\[\d{1,3}\]|§ ?\d+[a-z]?\.?"
)
