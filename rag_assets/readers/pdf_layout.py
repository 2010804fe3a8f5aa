"""From lines of a page to paragraphs, list items, captions and footnotes, in reading order.

Works on geometry alone. Tables are found in `readers.pdf_tables`. Whether a paragraph is a heading is decided in
`readers.pdf_headings`, what is page furniture in `readers.pdf_furniture`.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag_assets.readers.pdf_lines import HYPHEN, Line
from rag_assets.readers.pdf_tables import table_runs
from rag_assets.text.blocks import Block, BlockKind

LIST_MARK = re.compile(
    r"(?P<bullet>[•▪‣◦●○■□►➢✓\uf0b7\uf0a7·–—*-])\s+(?=\S)|(?:\(?\d{1,2}[.)]|\(?[a-z][)]|\([ivx]{1,4}\))\s+(?=\S)"
)
_CAPTION = re.compile(
    r"(?:Abb(?:\.|ildung)|Tab(?:\.|elle)|Schaubild|Grafik|Fig(?:\.|ure)|Table)\s?\d{1,3}(?:[.\-–]\d{1,3})?[a-z]?\s?(?:[:.–|-]\s|$)"
)
_LONGEST_CAPTION = 300
_INNER_END = re.compile(r"[a-zäöüß][.!?]\s+[A-ZÄÖÜ]")
_SENTENCE_END = re.compile(r"[.!?:…][“”\"'»)\]]*$")
_SAME_EDGE_PT = 4.0


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together; `kind` is PARAGRAPH, LIST_ITEM, TABLE, CAPTION or FOOTNOTE."""

    lines: list[Line]
    page: int
    kind: BlockKind = BlockKind.PARAGRAPH
    table: Block | None = None
    breaks: list[tuple[int, int]] = field(default_factory=list)
    """(number of the line before which a page begins, that page)"""

    @property
    def text(self) -> str:
        """The lines as printed, one below the other."""
        return "\n".join(line.text for line in self.lines)


def usual_leadings(pages: Sequence[Sequence[Line]]) -> dict[float, float]:
    """Usual distance of base lines inside a paragraph, by size of type: measured below lines that are full."""
    drops: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for lines in pages:
        edge = _right_edge(lines)
        for before, line in itertools.pairwise(lines):
            drop = before.base - line.base
            full = before.right > 0.85 * edge or before.text.endswith(HYPHEN)
            if full and line.size == before.size and 0.8 * line.size < drop < 2.4 * line.size:
                drops[line.size][round(drop * 2) / 2] += 1
    return {size: counts.most_common(1)[0][0] for size, counts in drops.items()}


def page_paragraphs(
    lines: Sequence[Line], page: int, *, body_size: float, leadings: Mapping[float, float]
) -> tuple[list[Paragraph], str]:
    """Paragraphs of one page, and the code of a warning about its columns; empty when there is nothing to say."""
    ordered, warning = restore_columns(lines)
    paragraphs: list[Paragraph] = []
    for run in table_runs(ordered):
        if isinstance(run, Block):
            paragraphs.append(Paragraph([], page, BlockKind.TABLE, table=replace(run, page=page)))
        else:
            paragraphs += _paragraphs(run, page, body_size, leadings)
    for paragraph in paragraphs:
        text = paragraph.text
        if paragraph.kind is BlockKind.PARAGRAPH and len(text) <= _LONGEST_CAPTION and _CAPTION.match(text):
            paragraph.kind = BlockKind.CAPTION
    return _top_first(paragraphs), warning


def _top_first(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Text boxes at the top of a page are often drawn last: put what stands above all else to the front."""
    highest = max((p.lines[0].base for p in paragraphs[:-1] if p.lines and p.lines[0].upright), default=None)
    if highest is None:
        return paragraphs
    last = paragraphs[-1]
    if last.lines and last.lines[0].upright and last.lines[-1].base > highest + last.lines[0].size:
        return [last, *paragraphs[:-1]]
    return paragraphs


def restore_columns(lines: Sequence[Line]) -> tuple[list[Line], str]:
    """Put two columns that are written row by row into reading order.

    Two parts of a row are columns, not cells, when what stands in each goes on in its next row. Returns the code of a
    warning too: `columns_restored` when something was moved, which may have gone wrong; `columns_unsure` when running
    text stands side by side and stays as it is, cell by cell.
    """
    rows = _rows(lines)
    result: list[Line] = []
    warning = ""
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and len(rows[end]) == 2 and (end == at or _aligned(rows[end][1], rows[end - 1][1])):
            end += 1
        # A row that only one column still fills belongs to the columns too.
        columns = [[row[side] for row in rows[at:end]] for side in (0, 1)] if end - at >= 3 else []
        if columns and all(map(_flows, columns)):
            gutter = min(row[1].left for row in rows[at:end])
            while end < len(rows) and len(rows[end]) == 1 and _continues(rows[end][0], rows[end - 1], gutter):
                end += 1
            parts = [line for row in rows[at:end] for line in row]
            result += [line for line in parts if line.left < gutter - 1]
            result += [line for line in parts if line.left >= gutter - 1]
            warning = "columns_restored"
            at = end
        elif columns and all(map(_is_prose, columns)):
            result += [line for row in rows[at:end] for line in row]
            warning = warning or "columns_unsure"
            at = end
        else:
            result += rows[at]
            at += 1
    return result, warning


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines by printed row, as they follow each other."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and (
            rows[-1][0].row == line.row
            or (abs(rows[-1][-1].base - line.base) < 0.3 * line.size and line.left > rows[-1][-1].right + line.size)
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _aligned(one: Line, other: Line) -> bool:
    return abs(one.left - other.left) <= _SAME_EDGE_PT


def _continues(line: Line, row: Sequence[Line], gutter: float) -> bool:
    near = 0 < row[0].base - line.base < 2.5 * line.size
    return near and (line.right < gutter or line.left >= gutter - 1)


def _flows(lines: Sequence[Line]) -> bool:
    """Whether each line goes on in the next: no capital follows, or no noun, number or full stop ends it."""
    going_on = 0
    for before, after in itertools.pairwise(lines):
        last = before.text.split()[-1] if before.text.split() else ""
        going_on += after.text[:1].islower() or last[-1:] in (",", "-", HYPHEN) or (last.isalpha() and last.islower())
    words = sum(len(line.text.split()) for line in lines) / len(lines)
    return going_on >= 0.5 * (len(lines) - 1) and words >= 2.2


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether sentences end inside the lines, as they do in running text and not in cells."""
    words = sum(len(line.text.split()) for line in lines) / len(lines)
    return words >= 3 and any(_INNER_END.search(line.text) for line in lines)


def _paragraphs(
    lines: Sequence[Line], page: int, body_size: float, leadings: Mapping[float, float]
) -> Iterator[Paragraph]:
    edge = _right_edge(lines)
    current: Paragraph | None = None
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else None
        mark = LIST_MARK.match(line.text)
        if (
            current is None
            or before is None
            or _begins(current, before, line, leadings.get(line.size, 1.3 * line.size), edge, marked=mark is not None)
        ):
            if current is not None:
                yield current
            kind = BlockKind.PARAGRAPH
            if line.note and line.size < body_size:
                kind = BlockKind.FOOTNOTE
            elif mark is not None:
                kind = BlockKind.LIST_ITEM
                if mark["bullet"]:
                    line = replace(line, text=line.text[mark.end() :])
            current = Paragraph([line], page, kind)
        else:
            current.lines.append(line)
    if current is not None:
        yield current


def _begins(current: Paragraph, before: Line, line: Line, leading: float, edge: float, *, marked: bool) -> bool:
    """Whether `line` begins a new paragraph after `before`."""
    if before.text.endswith(HYPHEN):
        return False
    if line.row == before.row:
        return line.bold != before.bold  # a heading set beside its text
    if not (line.upright and before.upright):
        return True
    drop = before.base - line.base
    if drop < 0:
        # A new column: the paragraph goes on in it unless a sentence ended.
        return bool(_SENTENCE_END.search(before.text)) or (line.text[:1].isupper() and not before.text[-1:].islower())
    if abs(line.size - before.size) > 0.08 * before.size and len(line.text) > 2:
        return True
    # A line in bold above running text, not a word in bold at the beginning of a line.
    other_weight = line.bold != before.bold and (len(current.lines) == 1 or line.bold)
    if (
        other_weight
        and line.left <= before.left + line.size
        and (before.right < edge - 2 * line.size or _SENTENCE_END.search(before.text))
    ):
        return True
    if marked or line.note:
        return True
    if drop > 1.3 * leading and drop > 1.25 * line.size:
        return True
    ended = bool(_SENTENCE_END.search(before.text))
    indented = line.left - current.lines[0].left if len(current.lines) == 1 else line.left - before.left
    if ended and 0.8 * line.size < indented < 4 * line.size and current.kind is BlockKind.PARAGRAPH:
        return True
    return ended and before.right < edge - 6 * line.size and line.text[:1].isupper()


def _right_edge(lines: Sequence[Line]) -> float:
    rights = sorted(line.right for line in lines)
    return rights[int(0.9 * (len(rights) - 1))] if rights else 0.0
