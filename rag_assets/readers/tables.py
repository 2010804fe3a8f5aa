"""Tables as files: rows of cells become blocks; and CSV, whose dialect nobody declares.

Here lives what CSV and spreadsheets have in common: titles above a table, its header, empty rows and columns. Cells
stay as they are written; a decimal comma is no separator.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.encoding import decode, looks_like_text
from rag_assets.readers.files import read_bytes
from rag_assets.text.blocks import Block, BlockKind, table_block

_DELIMITERS = ";\t,|"
"""In the order in which they are believed: German programs write semicolons because of the decimal comma."""

_SAMPLE_CHARS = 100_000
_SAMPLE_ROWS = 200
_DECLARED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_LONGEST_NAME = 80
_NUMBER = re.compile(r"[-+]?[\d.,:/\s]*\d[\d.,:/\s]*(?:€|%|EUR|Euro)?", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")


class CsvReader:
    """Rows of text with separators."""

    name = "csv"
    mime_types = ("text/csv", "text/tab-separated-values")

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether the file calls itself so and is text: a list of words with commas looks the same."""
        return name.lower().endswith((".csv", ".tsv", ".tab")) and looks_like_text(head)

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        text, _, warnings = decode(read_bytes(path, limits))
        repairs: Counter[str] = Counter()
        blocks = table_blocks(csv_rows(text.replace("\x00", "")), repairs)
        if not blocks:
            raise DocumentError("empty", "the table has no cell with text")
        return ReadResult(
            mime_type="text/csv",
            reader=self.name,
            title=None,
            authors=(),
            published_on=None,
            blocks=blocks,
            page_count=None,
            warnings=warnings,
            repairs=dict(+repairs),
        )


def csv_rows(text: str) -> list[list[str]]:
    """Cells of each row."""
    declared = _DECLARED.match(text)
    if declared:
        text = text[declared.end() :]
    delimiter = declared[1] if declared else _delimiter(text[:_SAMPLE_CHARS])
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        # A quotation mark that is never closed makes a cell of all the rest: then it is a character like any other.
        return [line.split(delimiter) for line in re.split(r"\r\n?|\n", text)]


def _delimiter(sample: str) -> str:
    """The separator that gives most rows the same number of cells, more than one."""
    best, best_share = _DELIMITERS[0], 0.0
    for delimiter in _DELIMITERS:
        try:
            rows = islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), _SAMPLE_ROWS)
            widths = Counter(len(row) for row in rows if any(row))
        except csv.Error:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        if width > 1 and count / widths.total() > best_share:
            best, best_share = delimiter, count / widths.total()
    return best


def table_blocks(rows: Sequence[Sequence[str]], repairs: Counter[str]) -> tuple[Block, ...]:
    """Blocks of one sheet: what stands alone above the table as paragraphs, then the table with its header.

    Counts rows without text between others as `empty_row`.
    """
    full = [[" ".join(cell.split()) for cell in row] for row in rows]
    filled = [index for index, row in enumerate(full) if any(row)]
    if not filled:
        return ()
    repairs["empty_row"] += filled[-1] - filled[0] + 1 - len(filled)
    used = sorted({column for index in filled for column, cell in enumerate(full[index]) if cell})
    kept = [[full[index][column] if column < len(full[index]) else "" for column in used] for index in filled]
    titles = 0
    while titles < len(kept) - 1 and len(used) > 1 and sum(map(bool, kept[titles])) == 1:
        titles += 1
    if titles == len(kept) - 1 and sum(map(bool, kept[titles])) == 1:
        titles = 0  # no row has two cells side by side: no titles above a table, but a column that moves about
    blocks = [Block(BlockKind.PARAGRAPH, " ".join(row).strip()) for row in kept[:titles]]
    table = table_block(kept[titles:], header=_is_header(kept[titles]))
    return (*blocks, table) if table else tuple(blocks)


def _is_header(row: Sequence[str]) -> bool:
    """Whether a first row names its columns: short different texts, and no numbers but years."""
    cells = [cell for cell in row if cell]
    return (
        len(cells) > 1
        and len(cells) >= len(row) - 1
        and len(set(cells)) == len(cells)
        and all(len(cell) <= _LONGEST_NAME for cell in cells)
        and not any(_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)
        and not all(_YEAR.fullmatch(cell) for cell in cells)
    )
