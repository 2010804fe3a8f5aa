"""Numbers that a program counts and the file does not hold: "1.2", "b)", "iv." before headings and list items.

Here lives counting and writing; where a format says how a level is numbered is its reader's matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

LEVELS = 10

_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        "m cm d cd c xc l xl x ix v iv i".split(),
        strict=True,
    )
)
_PLACE = re.compile(r"%(\d)")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered: `%1`, `%2` … in `pattern` stand for the numbers of the levels."""

    pattern: str
    style: str = "1"
    """`1`, `01`, `a`, `A`, `i`, `I`; empty for a number that is not shown."""
    start: int = 1
    decimal: bool = False
    """All numbers in figures, whatever the style of the levels above (a law's "§ 1.2" below "I")."""


def written(number: int, style: str) -> str:
    """`number` as a program writes it: figures, letters (27 = "aa") or Roman numerals."""
    if style in ("a", "A"):
        letter = chr(ord("a") + (number - 1) % 26) * min(20, (number - 1) // 26 + 1) if number > 0 else str(number)
        return letter.upper() if style == "A" else letter
    if style in ("i", "I"):
        if not 0 < number < 4000:
            return str(number)
        text = ""
        for value, numeral in _ROMAN:
            while number >= value:
                text += numeral
                number -= value
        return text.upper() if style == "I" else text
    return f"{number:02d}" if style == "01" else str(number) if style else ""


class Counters:
    """The numbers of one list while it is walked through."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def next(self, level: int, levels: Mapping[int, Level], *, start: int | None = None) -> str:
        """Count an item on `level` (0-based) and return its label, e.g. "1.2."; empty when it shows no number."""
        own = levels.get(level)
        first = start if start is not None else own.start if own else 1
        counted = level in self._numbers and start is None
        self._numbers[level] = self._numbers[level] + 1 if counted else first
        for deeper in [other for other in self._numbers if other > level]:
            del self._numbers[deeper]
        if own is None or not _PLACE.search(own.pattern):
            return ""

        def number(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            shown = levels.get(at, Level(""))
            if own.decimal:
                shown = replace(shown, style="1")
            return written(self._numbers.get(at, shown.start), shown.style)

        label = _PLACE.sub(number, own.pattern).strip()
        return label if _WORD.search(label) else ""

    def restart(self, level: int = 0) -> None:
        """Begin anew on `level` and below."""
        for other in [other for other in self._numbers if other >= level]:
            del self._numbers[other]
