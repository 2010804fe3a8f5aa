"""Quantities in German text as comparable values: "zehn Sitzungen" = "10 Sitzungen", "48 Stunden" = "zwei Tage".

Used to compare values of single-valued predicates; not a general number reader.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from rag_assets.knowledge.naming import canonical_key, lemma_key

_ONES: Final = {
    "null": 0, "ein": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "eines": 1, "eins": 1, "zwei": 2, "drei": 3,
    "vier": 4, "fuenf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwoelf": 12,
    "dreizehn": 13, "vierzehn": 14, "fuenfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19,
}  # fmt: skip
_TENS: Final = {
    "zwanzig": 20, "dreissig": 30, "vierzig": 40, "fuenfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80,
    "neunzig": 90,
}  # fmt: skip
_UNITS: Final = {
    # stem → (unit, factor). Months and years have no fixed number of days and are a scale of their own.
    "minut": ("stunde", Fraction(1, 60)), "min": ("stunde", Fraction(1, 60)), "stund": ("stunde", Fraction(1)),
    "std": ("stunde", Fraction(1)), "h": ("stunde", Fraction(1)), "tag": ("stunde", Fraction(24)),
    "tage": ("stunde", Fraction(24)),
    "woch": ("stunde", Fraction(168)), "monat": ("monat", Fraction(1)), "jahr": ("monat", Fraction(12)), "jahre": ("monat", Fraction(12)),
    "halbjahr": ("monat", Fraction(6)), "quartal": ("monat", Fraction(3)),
    "euro": ("euro", Fraction(1)), "eur": ("euro", Fraction(1)), "€": ("euro", Fraction(1)),
    "cent": ("euro", Fraction(1, 100)), "prozent": ("prozent", Fraction(1)), "%": ("prozent", Fraction(1)),
}  # fmt: skip
_DIGITS: Final = r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?"
_RANGE: Final = re.compile(
    rf"^(?:etwa|rund|circa|ca\.?|genau|jeweils|je|zwischen|insgesamt)?\s*"
    rf"(?P<low>{_DIGITS}|[a-zäöüß]+)"
    rf"(?:\s*(?:-|–|bis(?:\s+zu)?|und)\s*(?P<high>{_DIGITS}|[a-zäöüß]+))?"
    rf"\s*(?P<unit>[a-zäöüß€%][\wäöüß\-]*|€|%)?(?P<tail>.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """A number or a range (`low` = `high` for a number) of a unit; `unit` is a stem, "" for a bare number."""

    unit: str
    low: Fraction
    high: Fraction


def parse_number(text: str) -> Fraction | None:
    """A number in digits (German points and commas) or words up to 999; None when it is none."""
    bare = text.strip().casefold()
    if re.fullmatch(_DIGITS, bare):
        return Fraction(bare.replace(".", "").replace(",", "."))
    word = canonical_key(bare)
    hundreds = 0
    if "hundert" in word:
        head, _, word = word.partition("hundert")
        if head not in _ONES and head:
            return None
        hundreds = 100 * (_ONES[head] if head else 1)
        word = word.removeprefix("und")
        if not word:
            return Fraction(hundreds)
    if word in _ONES:
        return Fraction(hundreds + _ONES[word])
    if word in _TENS:
        return Fraction(hundreds + _TENS[word])
    ones, joint, tens = word.partition("und")
    if joint and ones in _ONES and tens in _TENS:
        return Fraction(hundreds + _ONES[ones] + _TENS[tens])
    return None


def parse_quantity(text: str) -> Quantity | None:
    """The quantity that a text begins with, durations and money in a common unit; None when it begins otherwise."""
    found = _RANGE.match(text.strip())
    if found is None:
        return None
    low = parse_number(found["low"])
    if low is None:
        return None
    high = parse_number(found["high"]) if found["high"] else low
    if high is None:
        return None
    stem = (
        lemma_key(canonical_key(found["unit"])) if found["unit"] and found["unit"] not in "€%" else found["unit"] or ""
    )
    unit, factor = _UNITS.get(stem, (stem, Fraction(1)))
    return Quantity(unit, low * factor, high * factor)


@lru_cache(maxsize=65_536)  # conflicts ask for the same literal once for every pair that it is part of
def comparable_value(literal: str) -> Quantity | str:
    """What two literals are compared by: their quantity, else their canonical key."""
    return parse_quantity(literal) or canonical_key(literal)
