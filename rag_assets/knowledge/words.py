"""Word lists in source code: written as prose, read as a frozen set. No list of any particular thing lives here."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())
