"""The way from one status to another, step by legal step, by whom; so that reconcile only has to know the goal.

Here: which intermediate states a fact or an entity passes. Which steps are legal is the table in
`knowledge.lifecycle`, asked for every single step; which goal is right is `reconcile`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag_assets.knowledge.lifecycle import Actor, EntityStatus, FactStatus, Kind, check_transition
from rag_assets.ledger.audit import MACHINE, AuditEntry
from rag_assets.ledger.decisions import StatusDecision


@dataclass(frozen=True, slots=True)
class Move:
    """The end of a way: the status, what to remember as the one before, and the audit entries of its steps."""

    status: str
    status_before: str | None
    entries: tuple[AuditEntry, ...]


def move_entity(
    uid: str,
    status: str,
    status_before: str | None,
    goal: str,
    *,
    decision: StatusDecision | None,
    merged_by: int | None,
) -> Move:
    """From `status` to `goal`. `decision` is the person's word that stands on the status, `merged_by` on a merge.

    `status_before` is kept for what deprecation or a merge has to go back to.
    Raises IllegalTransition when the life cycle does not allow a step; always a bug.
    """
    walk = _Walk(Kind.ENTITY, "entity", uid, status)
    person = decision.actor if decision else "decision"
    before = status_before
    restored = before or EntityStatus.NORMALIZED.value
    if status == goal:
        return Move(status, status_before, ())
    if status == EntityStatus.MERGED and goal == EntityStatus.DEPRECATED:
        walk.to(goal, MACHINE)
        return Move(goal, restored, tuple(walk.entries))
    if status in (EntityStatus.MERGED, EntityStatus.DEPRECATED):
        # A validation comes back by the decision that made it, below; the machine alone gives none.
        given = restored == EntityStatus.VALIDATED and (status == EntityStatus.MERGED or decision is None)
        walk.to(EntityStatus.NORMALIZED if given else restored, MACHINE)
        before = None
    if walk.status == EntityStatus.EXTRACTED:
        # Whatever comes next: what it goes back to must not depend on whether it ever stood alone.
        walk.to(EntityStatus.NORMALIZED, MACHINE)
    if goal in (EntityStatus.NORMALIZED, EntityStatus.VALIDATED):
        if walk.status != goal:
            walk.to(goal, person, by=Actor.PERSON)
        return Move(goal, None, tuple(walk.entries))
    before = walk.status
    if goal == EntityStatus.MERGED and merged_by is not None:
        walk.to(goal, f"decision:{merged_by}", by=Actor.PERSON)
    elif goal == EntityStatus.DEPRECATED and decision is not None and decision.decision == "deprecate":
        walk.to(goal, person, by=Actor.PERSON)
    else:
        walk.to(goal, MACHINE)
    return Move(goal, before, tuple(walk.entries))


def move_fact(
    subject_type: str, uid: str, status: str, status_before: str | None, goal: str, *, decision: StatusDecision | None
) -> Move:
    """The same for a relation, a statement or a property value."""
    walk = _Walk(Kind.FACT, subject_type, uid, status)
    if status == goal:
        return Move(status, status_before, ())
    person = decision.actor if decision else "decision"
    decided = decision is not None and goal in (FactStatus.VALIDATED, FactStatus.REJECTED)
    if status == FactStatus.DEPRECATED and not decided:
        # Whatever comes next, it first becomes again what it was; a validation whose decision is gone does not.
        walk.to(FactStatus.PROPOSED, MACHINE)
    if goal == FactStatus.DEPRECATED and walk.status == FactStatus.REJECTED:
        walk.to(FactStatus.PROPOSED, MACHINE)
    if walk.status == FactStatus.VALIDATED and goal in (FactStatus.PROPOSED, FactStatus.REJECTED) and not decided:
        walk.to(FactStatus.PROPOSED, person, by=Actor.PERSON)
    before = None
    if goal == FactStatus.DEPRECATED:
        before = walk.status
        by_person = decision is not None and decision.decision == "deprecate"
        walk.to(goal, person if by_person else MACHINE, by=Actor.PERSON if by_person else Actor.MACHINE)
    elif walk.status == FactStatus.DEPRECATED and goal == FactStatus.VALIDATED and status_before == goal:
        walk.to(goal, MACHINE)  # evidence returned to what a person had validated
    elif decided:
        walk.to(goal, person, by=Actor.PERSON)
    else:
        walk.to(goal, MACHINE)
    return Move(goal, before, tuple(walk.entries))


class _Walk:
    """Steps, each checked and noted."""

    def __init__(self, kind: Kind, subject_type: str, uid: str, status: str) -> None:
        self._kind = kind
        self._subject_type = subject_type
        self._uid = uid
        self.status = status
        self.entries: list[AuditEntry] = []

    def to(self, after: str, actor: str, *, by: Actor = Actor.MACHINE) -> None:
        after = str(after)
        operation = check_transition(self._kind, self.status, after, by=by)
        if operation is not None:
            self.entries.append(AuditEntry(actor, operation, self._subject_type, self._uid, self.status, after))
            self.status = after
