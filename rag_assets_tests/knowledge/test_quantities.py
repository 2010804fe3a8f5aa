"""Values that say the same in other words compare equal; others do not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rag_assets.knowledge.quantities import comparable_value, parse_number, parse_quantity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zehn Sitzungen", "10 Sitzungen"),
        ("48 Stunden", "zwei Tage"),
        ("eine Woche", "7 Tage"),
        ("90 Minuten", "1,5 Stunden"),
        ("ein Jahr", "12 Monate"),
        ("6.480 Euro", "6480 €"),
        ("fünfundzwanzig Prozent", "25 %"),
        ("sechs bis acht Wochen", "6–8 Wochen"),
        ("einer Sitzung", "1 Sitzung"),
        ("Therapie", "therapie"),
    ],
)
def test_equal_values(one: str, other: str) -> None:
    assert comparable_value(one) == comparable_value(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zehn Sitzungen", "12 Sitzungen"),
        ("48 Stunden", "48 Minuten"),
        ("10 Euro", "10 Sitzungen"),
        ("Therapie", "Training"),
    ],
)
def test_different_values(one: str, other: str) -> None:
    assert comparable_value(one) != comparable_value(other)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.234,5", Fraction(2469, 2)), ("einundzwanzig", 21), ("hundertfünf", 105), ("dreihundert", 300), ("12", 12)],
)
def test_numbers(text: str, value: Fraction | int) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["viele", "", "Sitzung", "unendlich"])
def test_no_numbers(text: str) -> None:
    assert parse_number(text) is None
    assert parse_quantity(f"{text} Stunden") is None
