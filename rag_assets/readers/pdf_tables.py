"""Tables of a PDF page, found by what stands exactly below what.

A table is believed from three rows on, its head included, whose cells begin (or end) at the same places. Cells of more
than one line are put together, in whichever order their lines were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_assets.readers.pdf_lines import Line
from rag_assets.text.blocks import Block, table_block

_SAME_EDGE_PT = 4.0
_FEWEST_ROWS = 3
_LONGEST_CELL = 500
"""What is longer is running text with headings set beside it."""


def table_runs(lines: Sequence[Line]) -> Iterator[list[Line] | Block]:
    """Stretches of running lines, and the tables between them, in order."""
    plain: list[Line] = []
    at = 0
    while at < len(lines):
        region = _region(lines, at)
        rows = _cells(region, _head(lines, at)) if region else []
        is_table = len(rows) >= _FEWEST_ROWS and all(len(cell) <= _LONGEST_CELL for row in rows for cell in row)
        block = table_block(rows, header=True) if is_table else None
        if block is None:
            plain.append(lines[at])
            at += 1
            continue
        if plain:
            yield plain
            plain = []
        yield block
        at += len(region)
    if plain:
        yield plain


def _head(lines: Sequence[Line], at: int) -> list[Line]:
    """Lines from `at` on that stand side by side."""
    end = at + 1
    while end < len(lines) and _level(lines[end], lines[at]) and lines[end].left > lines[end - 1].right:
        end += 1
    return list(lines[at:end])


def _level(one: Line, other: Line) -> bool:
    return abs(one.base - other.base) < 0.3 * other.size and one.upright and other.upright


def _region(lines: Sequence[Line], at: int) -> list[Line]:
    """The longest stretch from `at` on in which each line stands below a cell of the first row."""
    head = _head(lines, at)
    if len(head) < 2:
        return []
    lowest = head[0].base
    end = at + len(head)
    while end < len(lines):
        line = lines[end]
        column = _column(line, head)
        alone = not any(_level(line, other) and other is not line for other in lines[max(at, end - 12) : end + 12])
        far = (3.5 if alone else 6.0) * line.size
        if column is None or line.base > head[0].base or lowest - line.base > far:
            break
        if column == 0 and alone and line.base < lowest and not _below(line, lines[end - 1]):
            break
        lowest = min(lowest, line.base)
        end += 1
    return list(lines[at:end])


def _below(line: Line, before: Line) -> bool:
    """Whether `line` goes on in the cell of `before`."""
    near = 0 < before.base - line.base < 1.5 * line.size
    return near and abs(line.left - before.left) <= _SAME_EDGE_PT and abs(line.size - before.size) < 0.3


def _column(line: Line, head: Sequence[Line]) -> int | None:
    """Number of the column that a line belongs to; None when it belongs to none or reaches into the next."""
    for number, cell in enumerate(head):
        aligned = abs(line.left - cell.left) <= _SAME_EDGE_PT or abs(line.right - cell.right) <= _SAME_EDGE_PT
        if aligned and (number + 1 == len(head) or line.right < head[number + 1].left):
            return number
    return None


def _cells(region: Sequence[Line], head: Sequence[Line]) -> list[list[str]]:
    """Cells by row: a row begins where the first column and another one have a line at the same height."""
    placed = sorted(((line, _column(line, head) or 0) for line in region), key=lambda item: -item[0].base)
    starts = _row_starts(placed, len(head))
    rows: list[list[list[str]]] = [[[] for _ in head] for _ in starts]
    for line, column in placed:
        above = [number for number, base in enumerate(starts) if base >= line.base - 0.3 * line.size]
        if above:
            rows[above[-1]][column].append(line.text)
    return [["\n".join(cell) for cell in row] for row in rows]


def _row_starts(placed: Sequence[tuple[Line, int]], columns: int) -> list[float]:
    """Heights at which rows begin, from the top down; `placed` are lines with their column, in that order too."""
    heights: list[tuple[Line, set[int]]] = []
    for line, column in placed:
        if heights and _level(line, heights[-1][0]):
            heights[-1][1].add(column)
        else:
            heights.append((line, {column}))
    drops = [before.base - after.base for (before, _), (after, _) in pairwise(heights)]
    widest = max(drops, default=0.0)
    starts = [heights[0][0].base]
    for drop, (line, filled) in zip(drops, heights[1:], strict=True):
        # Several cells may go on in the same next line: it is close, and not every column has one.
        goes_on = len(filled) < columns and drop <= 1.45 * line.size and widest > 1.25 * drop
        if 0 in filled and len(filled) > 1 and not goes_on:
            starts.append(line.base)
    return starts
