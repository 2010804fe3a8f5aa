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


def drop_furniture(pages: Sequence[list[Line]]) -> tuple[list[list[Line]], Counter[str]]:
    """Leave out what repeats at the edge of pages, page numbers, and contents lists; count what was left out.

    A row repeats when it says the same, numbers aside, at the same height of at least three pages (two of two).
    """
    counts: Counter[str] = Counter()
    repeated = _repeated(pages)
    kept = []
    for lines in pages:
        edges = _edge_rows(lines)
        numbers = _number_rows(lines) if len(pages) > 1 else set()
        leaders = {line.row for line in lines if _LEADER.search(line.text)}
        contents = leaders if len(leaders) >= 3 else set()
        page = []
        for line in lines:
            if line.row in contents:
                counts["contents_list"] += 1
            elif line.row in edges and _key(line) in repeated and _near(line.base, repeated[_key(line)]):
                counts["page_header"] += 1
            elif line.row in numbers:
                counts["page_number"] += 1
            else:
                page.append(line)
        kept.append(page)
    return kept, counts


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


def _number_rows(lines: list[Line]) -> set[int]:
    """Rows at the very edge that are nothing but a page number."""
    rows = _rows_from_top(lines)
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for line in lines:
        texts[line.row].append(line.text.strip())
    edge = [*rows[:2], *rows[-2:]]
    return {row for row in edge if _PAGE_NUMBER.fullmatch(" ".join(texts[row]))}


def _repeated(pages: Sequence[list[Line]]) -> dict[str, list[float]]:
    """Keys of rows that repeat, with the heights at which they do."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for lines in pages:
        edges = _edge_rows(lines)
        for key, base in {(_key(line), round(line.base)) for line in lines if line.row in edges}:
            found[key].append(base)
    filled = sum(bool(lines) for lines in pages)
    needed = 2 if filled == 2 else 3
    repeated = {}
    for key, bases in found.items():
        places = [base for base in set(bases) if sum(abs(base - other) <= _SAME_PLACE_PT for other in bases) >= needed]
        if places and (filled > 2 or len(key) > 3):
            repeated[key] = places
    return repeated
