"""XLSX: each visible sheet as a table, cells as a German reader sees them, without hidden rows and columns.

openpyxl reads the values row by row, whatever the size. What it does not say then (what is hidden, what is merged) is
looked up beforehand in the sheet's XML.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
from lxml import etree
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.utils.cell import range_boundaries

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.files import check_container, clean_title, file_errors, parse_authors, parse_date
from rag_assets.readers.tables import table_blocks
from rag_assets.text.blocks import Block, BlockKind

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WORKBOOK = "xl/workbook.xml"
_MOST_COLUMNS = 16_384
_UNNAMED = re.compile(r"(?:tabelle|sheet|blatt|table)\s?\d*", re.IGNORECASE)


class XlsxReader:
    """An Excel workbook."""

    name = "xlsx"
    mime_types = ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether it may be: the registry looks into the container."""
        return head.startswith(b"PK\x03\x04")

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        check_container(path, limits)
        try:
            with file_errors(), path.open("rb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what it will not write back concerns nobody who only reads
                return _read(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False), file)
        except (DocumentError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - openpyxl meets damage with whatever it stumbles over
            raise DocumentError("damaged", "the workbook cannot be read", kind=type(error).__name__) from None


def _read(workbook: Any, file: Any) -> ReadResult:
    repairs: Counter[str] = Counter()
    blocks: list[Block] = []
    with zipfile.ZipFile(file) as archive:
        paths = _sheet_paths(archive)
        visible = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        repairs["hidden_sheet"] = len(workbook.worksheets) - len(visible)
        for sheet in visible:
            marks = _marks(archive, paths[sheet.title])
            repairs.update({"hidden_row": len(marks.hidden_rows), "formula_without_value": marks.uncalculated})
            found = table_blocks(list(_rows(sheet, marks, repairs)), repairs)
            if found and (len(visible) > 1 or not _UNNAMED.fullmatch(sheet.title)):
                blocks.append(Block(BlockKind.HEADING, sheet.title, level=1))
            blocks += found
    if not blocks:
        raise DocumentError("empty", "no visible cell has text")
    properties = workbook.properties
    hidden = any(repairs[kind] for kind in ("hidden_sheet", "hidden_row", "hidden_column"))
    codes = {"hidden_text": hidden, "formula_without_value": repairs["formula_without_value"]}
    return ReadResult(
        mime_type=XlsxReader.mime_types[0],
        reader="xlsx",
        title=clean_title(properties.title),
        authors=parse_authors(properties.creator if properties.creator != "openpyxl" else ""),
        published_on=parse_date(properties.created) if properties.created else None,
        blocks=tuple(blocks),
        page_count=None,
        warnings=tuple(code for code, present in codes.items() if present),
        repairs=dict(+repairs),
    )


@dataclass
class _Marks:
    """What the XML of a sheet says besides values; rows and columns count from 1."""

    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merged_down: dict[int, dict[int, int]] = field(default_factory=dict)
    """By column: first and last row of each cell that reaches over several rows."""
    uncalculated: int = 0
    """Formulas without a result: no program has opened the workbook since it was made."""


def _sheet_paths(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where in the container each sheet lies, by its name."""
    root = etree.fromstring(archive.read(_WORKBOOK), etree.XMLParser(resolve_entities=False, no_network=True))
    if not str(root.tag).startswith(_MAIN):
        raise DocumentError("unsupported", "the strict form of XLSX; save it as an ordinary one")
    targets = get_dependents(archive, get_rels_path(_WORKBOOK))
    sheets = root.iterfind(f"{_MAIN}sheets/{_MAIN}sheet")
    return {str(sheet.get("name")): targets.get(str(sheet.get(_RELATION))).target for sheet in sheets}


def _marks(archive: zipfile.ZipFile, path: str) -> _Marks:
    marks = _Marks()
    number = 0
    with archive.open(path) as source:
        tags = [_MAIN + tag for tag in ("row", "col", "mergeCell")]
        for _, element in etree.iterparse(source, tag=tags, resolve_entities=False, no_network=True):
            tag = str(element.tag).removeprefix(_MAIN)
            hidden = element.get("hidden") in ("1", "true")
            if tag == "row":
                number = int(element.get("r") or number + 1)
                if hidden:
                    marks.hidden_rows.add(number)
                else:
                    marks.uncalculated += sum(
                        cell.find(_MAIN + "f") is not None and not cell.findtext(_MAIN + "v") for cell in element
                    )
            elif tag == "col" and hidden:
                last = min(int(element.get("max", 0)), _MOST_COLUMNS)
                marks.hidden_columns.update(range(int(element.get("min", 0)), last + 1))
            elif tag == "mergeCell":
                column, first, _, last = range_boundaries(str(element.get("ref")))
                if last > first:
                    marks.merged_down.setdefault(column, {})[first] = last
            element.clear()
    return marks


def _rows(sheet: Any, marks: _Marks, repairs: Counter[str]) -> Iterator[list[str]]:
    """Texts of the visible cells; a cell that reaches down over several rows is repeated in each of them."""
    sheet.reset_dimensions()  # programs write wrong ones
    hidden_columns: set[int] = set()
    above: dict[int, tuple[int, str]] = {}
    for number, cells in enumerate(sheet.iter_rows(), 1):
        row = [shown(cell.value, cell.number_format if cell.value is not None else "") for cell in cells]
        if any(row):
            for column, merged in marks.merged_down.items():
                _fill_down(row, number, column, merged, above)
        if number not in marks.hidden_rows:
            hidden_columns |= {column for column in marks.hidden_columns if column <= len(row) and row[column - 1]}
            yield ["" if column in marks.hidden_columns else text for column, text in enumerate(row, 1)]
    repairs["hidden_column"] += len(hidden_columns)


def _fill_down(
    row: list[str], number: int, column: int, merged: dict[int, int], above: dict[int, tuple[int, str]]
) -> None:
    if number in merged:
        above[column] = merged[number], row[column - 1] if column <= len(row) else ""
    elif column in above and number <= above[column][0]:
        row += [""] * (column - len(row))
        row[column - 1] = above[column][1]


def shown(value: object, number_format: str) -> str:
    """A cell's value as a German spreadsheet shows it, nearly: every digit that is there, no thousands' points."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "ja" if value else "nein"
    if isinstance(value, datetime):
        return f"{value:%d.%m.%Y}" if value.time() == time() else f"{value:%d.%m.%Y %H:%M}"
    if isinstance(value, date):
        return f"{value:%d.%m.%Y}"
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60}:{abs(minutes) % 60:02d}"
    if isinstance(value, (int, float)):
        return _number(value, number_format)
    return str(value)


def _number(value: float, number_format: str) -> str:
    if "%" in number_format:
        return f"{_digits(round(value * 100, 6))} %"
    if "€" in number_format:
        cents = not float(value).is_integer() and abs(round(value, 2) - value) < 1e-9
        return f"{f'{value:.2f}'.replace('.', ',') if cents else _digits(value)} €"
    return _digits(value)


def _digits(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.15g}".replace(".", ",")
