"""CSV in any dialect and workbooks: one table a sheet, with its header, and nothing that is hidden."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from rag_assets.errors import DocumentError
from rag_assets.readers.tables import csv_rows
from rag_assets.text.blocks import BlockKind
from rag_assets.text.chunking import ChunkLimits, chunk_text, embedded_text
from rag_assets.text.cleaning import canonicalise
from rag_assets.text.sections import build_sections
from rag_assets.text.tokens import CharacterTokens
from rag_assets_tests.readers.helpers import blocks, read

COURSES = [["Kurs", "Dauer", "Preis"], ["Übung", "1,5", "1.200,50"], ["Abschluss; mit Feier", "0,5", "99,00"]]
TABLE = "Kurs | Dauer | Preis\nÜbung | 1,5 | 1.200,50\nAbschluss; mit Feier | 0,5 | 99,00"


def written(rows: list[list[str]], delimiter: str, quote: str = '"') -> str:
    return "".join(
        delimiter.join(f"{quote}{cell}{quote}" if set(delimiter + "\n") & set(cell) else cell for cell in row) + "\r\n"
        for row in rows
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_dialects_and_encodings_give_the_same_table(tmp_path: Path, delimiter: str, encoding: str) -> None:
    result = read(tmp_path / "kurse.csv", written(COURSES, delimiter).encode(encoding))
    assert blocks(result) == [("table", TABLE)]
    assert result.blocks[0].table_header == "Kurs | Dauer | Preis"
    assert result.mime_type == "text/csv"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("sep=|\na,b|c\nd,e|f\n", [["a,b", "c"], ["d,e", "f"]]),
        ("1,5;2,5\n3,5;4,5\n", [["1,5", "2,5"], ["3,5", "4,5"]]),
        ('id,Text\n1,"eins; zwei"\n2,"drei; vier"\n', [["id", "Text"], ["1", "eins; zwei"], ["2", "drei; vier"]]),
        ('a;"sagt ""ja""\nund nein"\nb;c\n', [["a", 'sagt "ja"\nund nein'], ["b", "c"]]),
        ("Nur\nein\nWort\n", [["Nur"], ["ein"], ["Wort"]]),
    ],
)
def test_cells_are_parted_where_the_writer_meant_it(text: str, rows: list[list[str]]) -> None:
    assert csv_rows(text) == rows


def test_a_quotation_mark_that_is_never_closed_costs_no_row() -> None:
    text = 'Zoll;Maß\n27;"groß\n' + "31;klein\n" * 20_000
    rows = csv_rows(text)
    assert rows[1] == ["27", '"groß']
    assert rows[20_001] == ["31", "klein"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Stand 2024;;\n;;\nKurs;2023;2024\nA;3;4\n;;\nB;5;6\n", ["Stand 2024", "*Kurs | 2023 | 2024", "A | 3 | 4", "B | 5 | 6"]),
        ("1;2\n3;4\n", ["1 | 2", "3 | 4"]),
        ("Begriff;Erklärung\n" "Ziel;Was erreicht werden soll\n", ["*Begriff | Erklärung", "Ziel | Was erreicht werden soll"]),
        ("Ziel;" + "was erreicht werden soll " * 5 + "\nWeg;wie\n", ["Ziel | " + "was erreicht werden soll " * 5, "Weg | wie"]),
        (";;\nA;;b\n;;\n", ["A | b"]),
    ],
)  # fmt: skip
def test_titles_headers_empty_rows_and_columns(tmp_path: Path, content: str, expected: list[str]) -> None:
    result = read(tmp_path / "a.csv", content)
    lines = [line for _, text in blocks(result) for line in text.split("\n")]
    assert lines == [line.strip().removeprefix("*") for line in expected]
    marked = [line.removeprefix("*") for line in expected if line.startswith("*")]
    assert [block.table_header for block in result.blocks if block.table_header] == marked


def test_a_long_table_repeats_its_header_wherever_it_is_cut(tmp_path: Path) -> None:
    rows = [f"M{number};Methode Nummer {number} mit langer Beschreibung;{number * 5}" for number in range(400)]
    canonical = canonicalise(read(tmp_path / "a.csv", "\n".join(["Kürzel;Name;Dauer in Minuten", *rows])).blocks)
    chunks = chunk_text(
        canonical, build_sections(canonical, title="T"), title="T", tokens=CharacterTokens(), limits=ChunkLimits()
    )
    assert len(chunks) > 5
    own = "".join(canonical.text[chunk.start + chunk.overlap : chunk.end] for chunk in chunks)
    assert own.count("Methode Nummer") == 400
    for chunk in chunks:
        assert "Dauer in Minuten" in chunk.table_header + canonical.text[chunk.start : chunk.end]
        for window in chunk.windows:
            assert "Dauer in Minuten" in embedded_text(window, canonical.text)
            last_line = canonical.text[window.start : window.end].rstrip().rpartition("\n")[2]
            assert last_line.rpartition(" | ")[2].isdigit() or last_line.startswith("Kürzel")


def workbook(path: Path, fill: Callable[[Any], None]) -> Path:
    made = openpyxl.Workbook()
    fill(made)
    made.save(path)
    return path


def test_values_are_shown_as_germans_write_them(tmp_path: Path) -> None:
    cases: list[tuple[object, str, str]] = [
        (1200, "General", "1200"),
        (1.5, "General", "1,5"),
        (0.1 + 0.2, "General", "0,3"),
        (0.195, "0.0%", "19,5 %"),
        (1200.5, '#,##0.00 "€"', "1200,50 €"),
        (99, '#,##0.00 "€"', "99 €"),
        (datetime(2026, 3, 2, 9, 5), "dd.mm.yyyy hh:mm", "02.03.2026 09:05"),  # noqa: DTZ001 - Excel knows no zones
        (date(2026, 3, 2), "dd.mm.yyyy", "02.03.2026"),
        (time(9, 5), "hh:mm", "09:05"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (True, "General", "ja"),
        ("Öl | Essig", "General", "Öl / Essig"),
    ]

    def fill(made: Any) -> None:
        for row, (value, number_format, _) in enumerate(cases, 1):
            made.active.cell(row, 1, f"Zeile {row}")
            made.active.cell(row, 2, value).number_format = number_format

    [(kind, text)] = blocks(read(workbook(tmp_path / "a.xlsx", fill)))
    assert kind == "table"
    assert [line.partition(" | ")[2] for line in text.split("\n")] == [expected for _, _, expected in cases]


def test_sheets_are_sections_and_what_is_hidden_is_left_out(tmp_path: Path) -> None:
    def fill(made: Any) -> None:
        made.properties.title, made.properties.creator = "Kursplan", "Anna Beispiel"
        plan = made.active
        plan.title = "Plan"
        for row in (
            ["Plan 2026"],
            [],
            ["Block", "Kurs", "geheim", "Raum"],
            ["Grundlagen", "A", "x", 1],
            [None, "B", "y", 2],
        ):
            plan.append(row)
        for row in (["Praxis", "verborgen", "z", 3], [None, "C", "z", 4], ["Ende", "D", "z", 5]):
            plan.append(row)
        plan.merge_cells("A4:A5")
        plan.merge_cells("A6:A7")
        plan.merge_cells("A1:D1")
        plan.column_dimensions["C"].hidden = True
        plan.row_dimensions[6].hidden = True
        secret = made.create_sheet("Intern")
        secret.append(["nur", "intern"])
        secret.sheet_state = "hidden"
        made.create_sheet("Leer")
        made.create_sheet("Räume").append(["Raum", "Plätze"])
        made["Räume"].append(["R1", 20])
        made["Räume"].append(["R2", "=A2*2"])

    result = read(workbook(tmp_path / "a.xlsx", fill))
    assert blocks(result) == [
        ("heading1", "Plan"),
        ("paragraph", "Plan 2026"),
        ("table", "Block | Kurs | Raum\nGrundlagen | A | 1\nGrundlagen | B | 2\nPraxis | C | 4\nEnde | D | 5"),
        ("heading1", "Räume"),
        ("table", "Raum | Plätze\nR1 | 20\nR2 |"),
    ]
    assert (result.title, result.authors) == ("Kursplan", ("Anna Beispiel",))
    assert result.repairs == {
        "empty_row": 1,
        "hidden_sheet": 1,
        "hidden_row": 1,
        "hidden_column": 1,
        "formula_without_value": 1,
    }
    assert result.warnings == ("hidden_text", "formula_without_value")
    assert [block.table_header for block in result.blocks if block.kind is BlockKind.TABLE] == [
        "Block | Kurs | Raum",
        "Raum | Plätze",
    ]


def test_stored_results_are_read_and_not_formulas_nor_what_is_said_of_the_size(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "a.xlsx", lambda made: made.active.append(["Summe", "=1+2"]))
    calculated = io.BytesIO()
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(calculated, "w") as target:
        for name in source.namelist():
            xml = source.read(name).replace(b'<dimension ref="A1:B1"', b'<dimension ref="A1:A1"')
            target.writestr(name, re.sub(rb"<f>1\+2</f><v(?: ?/>|></v>)", rb"<f>1+2</f><v>3</v>", xml))
    result = read(tmp_path / "b.xlsx", calculated.getvalue())
    assert blocks(result) == [("table", "Summe | 3")]
    assert result.warnings == ()


def test_nothing_to_read_and_nothing_that_can_be_read(tmp_path: Path) -> None:
    empty = workbook(tmp_path / "a.xlsx", lambda made: None)
    binary = io.BytesIO()
    with zipfile.ZipFile(binary, "w") as target:
        target.writestr("xl/workbook.bin", b"x")
    whole = empty.read_bytes()
    for content, code in (
        (whole, "empty"),
        (whole[: len(whole) // 2], "damaged"),
        (binary.getvalue(), "unsupported"),
        (b"a;b", "damaged"),
    ):
        with pytest.raises(DocumentError) as refusal:
            read(tmp_path / "b.xlsx", content)
        assert refusal.value.code == code
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / "b.csv", ";;\n;;\n")
    assert refusal.value.code == "empty"


def three_rows(made: Any) -> None:
    for _ in range(3):
        made.active.append(["Kurs", 1.5, date(2026, 3, 2)])
