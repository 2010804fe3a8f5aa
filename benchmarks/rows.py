"""What a benchmark gives: rows, each a figure with its unit, and what it is a multiple of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `ratio` says how many times `against` it is, measured in the same run."""

    benchmark: str
    what: str
    value: float
    unit: str
    ratio: float | None = None
    against: str = ""


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows with stable fields."""
    return [asdict(row) for row in rows]


def as_markdown(rows: Sequence[Row]) -> str:
    """A table for each benchmark, under a heading with its name."""
    parts = []
    for name in dict.fromkeys(row.benchmark for row in rows):
        lines = [f"### {name}", "", "| what | value | ratio |", "|---|---:|---|"]
        for row in rows:
            if row.benchmark == name:
                ratio = "" if row.ratio is None else f"{figure(row.ratio)} × {row.against}"
                lines.append(f"| {row.what} | {figure(row.value)} {row.unit} | {ratio} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def figure(value: float) -> str:
    """Three significant digits, and a separator between thousands."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
