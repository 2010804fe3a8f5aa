"""Extractions survive storage unchanged, and nothing else passes for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.models.extraction.base import (
    Extraction,
    MentionFound,
    PropertyFound,
    RefusedFound,
    RelationFound,
    StatementFound,
)

ROWS = (MentionFound, PropertyFound, RelationFound, StatementFound, RefusedFound)
VALUES = {
    "str": st.text(max_size=8),
    "str | None": st.none() | st.text(max_size=8),
    "int": st.integers(0, 10**9),
    "float": st.floats(0, 1),
}


def _rows(kind: type) -> st.SearchStrategy[tuple[object, ...]]:
    annotations = kind.__annotations__
    return st.lists(st.builds(kind, **{name: VALUES[hint] for name, hint in annotations.items()}), max_size=3).map(
        tuple
    )


@given(
    st.builds(
        Extraction,
        *(),
        **dict(zip(("mentions", "properties", "relations", "statements", "refused"), map(_rows, ROWS), strict=True)),
    )
)
def test_json_and_back(extraction: Extraction) -> None:
    assert Extraction.from_json(extraction.to_json()) == extraction


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"people":[]}',
        '{"mentions":[{"surface":"x"}]}',
        '{"mentions":[{"colour":1}]}',
        '{"mentions":["x"]}',
    ],
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Extraction.from_json(text)
