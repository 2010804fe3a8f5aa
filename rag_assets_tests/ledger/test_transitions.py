"""From every status to every goal there is a way of legal steps, or it is refused; audited step by step."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rag_assets.ledger.decisions import StatusDecision
from rag_assets.ledger.transitions import Move, move_entity, move_fact

VALIDATE, DEPRECATE, REJECT = (StatusDecision(7, name) for name in ("validate", "deprecate", "reject"))

ENTITY_GOALS = [
    ("normalized", None, None),
    ("validated", VALIDATE, None),
    ("deprecated", None, None),
    ("deprecated", VALIDATE, None),
    ("deprecated", DEPRECATE, None),
    ("merged", None, 3),
]
FACT_GOALS = [
    ("proposed", None),
    ("validated", VALIDATE),
    ("rejected", REJECT),
    ("deprecated", None),
    ("deprecated", VALIDATE),
    ("deprecated", DEPRECATE),
]


def steps_join(move: Move, start: str, goal: str) -> None:
    """The audit entries lead from start to goal without a gap."""
    assert move.status == goal
    if start == goal:
        assert move.entries == ()
        return
    assert move.entries[0].from_state == start
    assert move.entries[-1].to_state == goal
    assert all(left.to_state == right.from_state for left, right in pairwise(move.entries))


@pytest.mark.parametrize("start", ["extracted", "normalized", "validated", "deprecated", "merged"])
@pytest.mark.parametrize("before", [None, "extracted", "normalized", "validated"])
@pytest.mark.parametrize(("goal", "decision", "merged_by"), ENTITY_GOALS)
def test_entities(
    start: str, before: str | None, goal: str, decision: StatusDecision | None, merged_by: int | None
) -> None:
    """Whatever an entity was, what the base and people's decisions say can be reached."""
    move = move_entity("u", start, before, goal, decision=decision, merged_by=merged_by)
    steps_join(move, start, goal)
    if goal in ("deprecated", "merged") and start != goal:
        assert move.status_before in ("extracted", "normalized", "validated")
    if goal in ("normalized", "validated") and start != goal:
        assert move.status_before is None


@pytest.mark.parametrize("start", ["proposed", "validated", "rejected", "deprecated"])
@pytest.mark.parametrize("before", [None, "proposed", "validated"])
@pytest.mark.parametrize(("goal", "decision"), FACT_GOALS)
def test_facts(start: str, before: str | None, goal: str, decision: StatusDecision | None) -> None:
    """The same for relations, statements and values."""
    steps_join(move_fact("relation", "u", start, before, goal, decision=decision), start, goal)


@pytest.mark.parametrize("start", ["proposed", "rejected", "deprecated"])
def test_a_machine_refuses_what_it_had_proposed(start: str) -> None:
    """Without a person: proposed → rejected (it no longer fits), through proposed where need be."""
    move = move_fact("relation", "u", start, None, "rejected", decision=None)
    steps_join(move, start, "rejected")
    assert all(entry.actor == "machine" for entry in move.entries)


def test_only_a_decision_validates() -> None:
    """The step to `validated` is always a person's."""
    for start in ("extracted", "normalized", "merged"):
        move = move_entity("u", start, None, "validated", decision=VALIDATE, merged_by=None)
        assert [entry.actor for entry in move.entries if entry.to_state == "validated"] == ["decision:7"]
