"""What is printed on every page and belongs to none: running headers and footers, page numbers, contents lists."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from rag_assets.readers.pdf_lines import Line

_EDGE_LINES = 4
"""So many rows at the top and at the bottom of a page may be furniture."""

_SAME_PLACE_PT = 8.0
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:(?:seite|page|s\.|p\.)\s*)?[-–—|•\s]*(?:\d{1,4}|[ivxlc]{1,7})[-–—|•\s]*(?:(?:von|of|/)\s*\d{1,4})?",
    re.IGNORECASE,
)
_LEADER = re.compile(r"(?:\.\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})?\s*$|…{2,}\s*\d{0,4}\s*$", re.IGNORECASE)

_NUMBERED = re.compile(r"\S\s+(?:\d{1,4}|[ivxlc]{1,7})\s*$", re.IGNORECASE)


def drop_furniture(pages: Sequence[list[Line]]) -> tuple[list[list[Line]], Counter[str]]:
    """Leave out what repeats at the edge of pages, page numbers, and contents lists; count what was left out.

    A row repeats when it says the same, numbers aside, at the same height of at least three pages (two of two), once a
    page; between it and the edge of the page stands nothing else. A page that holds nothing else keeps its lines.
    """
    counts: Counter[str] = Counter()
    repeated = _repeated(pages)
    kept = []
    for lines in pages:
        furniture = _furniture_rows(lines, repeated, several=len(pages) > 1)
        contents = _contents_rows(lines)
        page = [line for line in lines if line.row not in furniture and line.row not in contents]
        if not page and not contents:
            page = lines
        else:
            counts["contents_list"] += len(contents)
            counts["page_header"] += len(furniture - contents)
        kept.append(page)
    return kept, counts


def _may_lead(text: str) -> bool:
    """Whether the search for leaders is worth its time."""
    return text.count(".") >= 4 or "…" in text


def _contents_rows(lines: list[Line]) -> set[int]:
    """Rows of a contents list: those with dots up to the page number, and those that go on with a bare number."""
    leaders = {line.row for line in lines if _may_lead(line.text) and _LEADER.search(line.text)}
    if len(leaders) < 3:
        return set()
    texts: defaultdict[int, str] = defaultdict(str)
    for line in lines:
        texts[line.row] += f" {line.text}"
    found = set(leaders)
    rows = _rows_from_top(lines)
    for ordered in (rows, rows[::-1]):
        listed = False
        for row in ordered:
            listed = row in found or (listed and _NUMBERED.search(texts[row]) is not None)
            if listed:
                found.add(row)
    return found


def _furniture_rows(lines: list[Line], repeated: dict[str, list[float]], *, several: bool) -> set[int]:
    texts: defaultdict[int, list[Line]] = defaultdict(list)
    for line in lines:
        texts[line.row].append(line)

    def is_furniture(row: int, place: int) -> bool:
        parts = texts[row]
        if several and place < 2 and _PAGE_NUMBER.fullmatch(" ".join(part.text.strip() for part in parts)):
            return True
        return all(
            _near(part.base, repeated.get(_key(part), [])) or (several and _PAGE_NUMBER.fullmatch(part.text.strip()))
            for part in parts
        )

    rows = _rows_from_top(lines)
    found: set[int] = set()
    for ordered in (rows[:_EDGE_LINES], rows[: -_EDGE_LINES - 1 : -1]):
        for place, row in enumerate(ordered):
            if not is_furniture(row, place):
                break
            found.add(row)
    return found


def _key(line: Line) -> str:
    return _DIGITS.sub("#", " ".join(line.text.split()))


def _near(base: float, places: list[float]) -> bool:
    return any(abs(base - place) <= _SAME_PLACE_PT for place in places)


def _edge_rows(lines: list[Line]) -> set[int]:
    rows = _rows_from_top(lines)
    return set(rows[:_EDGE_LINES]) | set(rows[-_EDGE_LINES:])


def _rows_from_top(lines: list[Line]) -> list[int]:
    """Row numbers from the top of the page down; rows side by side in pdfium's order."""
    bases: dict[int, float] = {}
    for line in lines:
        bases.setdefault(line.row, line.base)
    return sorted(bases, key=lambda row: (-round(bases[row]), row))


def _repeated(pages: Sequence[list[Line]]) -> dict[str, list[float]]:
    """Keys of rows that repeat, with the heights at which they do."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    crowded: Counter[str] = Counter()
    for lines in pages:
        edges = _edge_rows(lines)
        keyed = [(_key(line), round(line.base)) for line in lines if line.row in edges]
        on_page = Counter(key for key, _ in keyed)
        for key, base in set(keyed):
            found[key].append(base)
            crowded[key] += on_page[key] > 2
    filled = sum(bool(lines) for lines in pages)
    needed = 2 if filled == 2 else 3
    repeated = {}
    for key, bases in found.items():
        if crowded[key] > 1:
            continue  # numbered lines of the text itself: "Absatz 1.1 …", "Absatz 1.2 …"
        places = [base for base in set(bases) if sum(abs(base - other) <= _SAME_PLACE_PT for other in bases) >= needed]
        if places and (filled > 2 or len(key) > 3):
            repeated[key] = places
    return repeated
