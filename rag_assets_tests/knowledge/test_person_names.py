"""Short and full forms of persons' names."""

from __future__ import annotations

import pytest

from rag_assets.knowledge.person_names import display_name, is_person_name, is_shorter_form, parse_person

FULL = "Friedemann Schulz von Thun"


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("C. Rogers", "Carl R. Rogers"),
        ("Carl Rogers", "Carl R. Rogers"),
        ("Rogers", "Carl Rogers"),
        ("Satirs", "Virginia Satir"),
        ("Carl Rogers'", "Carl R. Rogers"),
        ("J. L. Moreno", "Jacob Levy Moreno"),
        ("Schulz von Thun", FULL),
        ("F. Schulz von Thun", FULL),
        ("Selvini Palazzoli", "Mara Selvini Palazzoli"),
        ("Frau Satir", "Virginia Satir"),
    ],
)
def test_short_forms(short: str, full: str) -> None:
    assert is_shorter_form(parse_person(short), parse_person(full))
    assert not is_shorter_form(parse_person(full), parse_person(short))


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("A. Rogers", "Carl Rogers"),
        ("Carl Rogers", "Annie Rogers"),
        ("Thun", FULL),
        ("Herr Satir", "Virginia Satir"),
        ("Carl Rogers", "Carl Rogers"),
        ("R. Rogers", "Carl R. Rogers"),
        ("Rosenberg", "Carl Rogers"),
    ],
)
def test_no_short_forms(short: str, full: str) -> None:
    assert not is_shorter_form(parse_person(short), parse_person(full))


@pytest.mark.parametrize("name", ["Carl Rogers", "V. Satir", FULL, "Rogers, Carl", "Frau Müller", "Anna-Lena Weber"])
def test_person_names(name: str) -> None:
    assert is_person_name(name)


@pytest.mark.parametrize("name", ["Systemische Beratung", "Coaching", "carl rogers", "Teil 2", "Die Sitzung beginnt"])
def test_no_person_names(name: str) -> None:
    assert not is_person_name(name)


def test_shown_names() -> None:
    assert display_name("ROGERS, Carl") == "Carl Rogers"
    assert display_name("Prof. Dr. C. Rogers") == "C. Rogers"
    assert display_name("Virginia Satir") == "Virginia Satir"
