"""The table of legal moves, checked against the life cycles as the knowledge model tells them."""

from __future__ import annotations

from itertools import product

import pytest

from rag_assets.errors import CODES
from rag_assets.knowledge.lifecycle import STATUSES, TRANSITIONS, Actor, IllegalTransition, Kind, check_transition

LEGAL = [
    ("document", None, "pending", "machine"),
    ("document", "pending", "processing", "machine"),
    ("document", "processing", "done", "machine"),
    ("document", "processing", "error", "machine"),
    ("document", "error", "processing", "machine"),
    ("document", "done", "processing", "machine"),
    ("chunk", "created", "embedding", "machine"),
    ("chunk", "embedding", "embedded", "machine"),
    ("chunk", "error", "embedding", "machine"),
    ("chunk", "embedding", "created", "machine"),
    ("chunk", "embedded", "deprecated", "machine"),
    ("chunk", "deprecated", "created", "machine"),
    ("entity", "extracted", "normalized", "machine"),
    ("entity", "normalized", "validated", "person"),
    ("entity", "validated", "deprecated", "machine"),
    ("entity", "deprecated", "validated", "machine"),
    ("entity", "normalized", "merged", "machine"),
    ("entity", "merged", "normalized", "person"),
    ("fact", None, "rejected", "machine"),
    ("fact", "proposed", "validated", "person"),
    ("fact", "proposed", "rejected", "person"),
    ("fact", "validated", "deprecated", "machine"),
    ("fact", "deprecated", "validated", "machine"),
    ("stage", "running", "error", "machine"),
    ("stage", "running", "pending", "machine"),
]
ILLEGAL = [
    ("document", "pending", "done", "machine"),
    ("document", "done", "error", "machine"),
    ("chunk", "created", "embedded", "machine"),
    ("chunk", "deprecated", "embedded", "machine"),
    ("entity", "normalized", "validated", "machine"),
    ("entity", "extracted", "validated", "person"),
    ("entity", "validated", "merged", "machine"),
    ("entity", "merged", "deprecated", "nobody"),
    ("fact", "rejected", "validated", "machine"),
    ("fact", "rejected", "deprecated", "machine"),
    ("fact", "proposed", "validated", "machine"),
    ("stage", "pending", "done", "machine"),
    ("fact", "proposed", "done", "machine"),
    ("planet", "proposed", "rejected", "machine"),
]


@pytest.mark.parametrize(("kind", "before", "after", "by"), LEGAL)
def test_legal_moves_have_an_operation(kind: str, before: str | None, after: str, by: str) -> None:
    assert check_transition(kind, before, after, by=by)


@pytest.mark.parametrize(("kind", "before", "after", "by"), ILLEGAL)
def test_everything_else_raises(kind: str, before: str, after: str, by: str) -> None:
    with pytest.raises(IllegalTransition) as caught:
        check_transition(kind, before, after, by=by)
    assert caught.value.code in CODES


@pytest.mark.parametrize("kind", list(Kind))
def test_the_table_is_all_there_is(kind: Kind) -> None:
    """Every pair of states either stands in the table for that actor, or raises, or is no move at all."""
    rows = {(row.before, row.after, actor) for row in TRANSITIONS[kind] for actor in row.actors}
    states = [status.value for status in STATUSES[kind]]
    for before, after, by in product([None, *states], states, Actor):
        if before == after:
            assert check_transition(kind, before, after, by=by) is None
        elif (before, after, by) in rows:
            assert check_transition(kind, before, after, by=by)
        else:
            with pytest.raises(IllegalTransition):
                check_transition(kind, before, after, by=by)


@pytest.mark.parametrize("kind", list(Kind))
def test_every_state_can_be_reached_and_a_move_has_one_meaning(kind: Kind) -> None:
    rows = TRANSITIONS[kind]
    assert {row.after for row in rows} == {status.value for status in STATUSES[kind]}
    moves = [(row.before, row.after, actor) for row in rows for actor in row.actors]
    assert len(set(moves)) == len(moves)
