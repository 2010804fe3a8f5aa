"""People's decisions as rows: recorded, superseded, never deleted; and read again for every reconcile.

A decision is about one subject by its uid. Those about identity (merge, unmerge, keep_apart) are about a pair: the
later word on the same pair supersedes the earlier. Those about status (validate, reject, deprecate) supersede each
other. What follows from decisions is worked out in `reconcile`; who may decide what, in `governance`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, select, update

from rag_assets.knowledge.resolution import Decision, DecisionKind
from rag_assets.stores.bulk import insert_row
from rag_assets.stores.schema.governance import ReviewDecision
from rag_assets.stores.schema.knowledge import Entity
from rag_assets.stores.tables import table_of

IDENTITY: Final = frozenset({"merge", "unmerge", "keep_apart"})
STATUS: Final = frozenset({"validate", "reject", "deprecate", "withdraw"})
OTHER: Final = frozenset({"rename", "reclassify", "prefer"})

# Those that resolution takes into account.
_RESOLVED: Final = frozenset(kind.value for kind in DecisionKind)

# Name of the payload's one entry by kind: the other entity's uid, the name, the class, the rank.
_PAYLOAD: Final[Mapping[str, str]] = {
    "merge": "other",
    "unmerge": "other",
    "keep_apart": "other",
    "rename": "name",
    "reclassify": "class",
    "prefer": "rank",
}


@dataclass(frozen=True, slots=True)
class StatusDecision:
    """What a person wants a subject to be: `validate`, `reject` or `deprecate`; `number` is the decision's row.

    `name` is what an entity was called when it was validated; machines leave it at that.
    """

    number: int
    decision: str
    name: str | None = None

    @property
    def actor(self) -> str:
        """How the audit names it: by the decision's row, not by the reviewer's name."""
        return f"decision:{self.number}"


@dataclass(frozen=True, slots=True)
class Standing:
    """All decisions that stand. `status` is by uid; `identity` goes to `resolution.resolve`, its keys being uids."""

    status: Mapping[str, StatusDecision] = field(default_factory=dict)
    ranks: Mapping[str, str] = field(default_factory=dict)
    identity: tuple[Decision, ...] = ()

    def by_key(self, keys: Mapping[str, str]) -> tuple[Decision, ...]:
        """The identity decisions with uids replaced by entity keys; those about unknown entities are left out."""
        named = []
        for item in self.identity:
            pair = item.kind in IDENTITY
            if item.key in keys and (not pair or item.other in keys):
                other = keys[item.other] if pair else item.other
                named.append(Decision(number=item.number, kind=item.kind, key=keys[item.key], other=other))
        return tuple(named)


def record(
    connection: Connection,
    *,
    subject_type: str,
    subject_uid: str,
    decision: str,
    payload: Mapping[str, str] | None = None,
    reviewer: str,
    reason: str | None = None,
    at: datetime,
) -> int:
    """Store a decision and mark the one it supersedes; takes effect with the next reconcile. Returns the row's id.

    Payloads: merge (`other`: uid to merge into), unmerge and keep_apart (`other`), rename (`name`), reclassify
    (`class`), prefer (`rank`: preferred, normal or deprecated); the others take none. Validating an entity keeps its
    present name in the payload, so that a replay comes to the same one.
    """
    if decision not in IDENTITY | STATUS | OTHER:
        raise ValueError(f"unknown decision {decision}")
    if decision in _PAYLOAD and set(payload or {}) != {_PAYLOAD[decision]}:
        raise ValueError(f"{decision} takes exactly {_PAYLOAD[decision]!r}")
    if decision == "validate" and subject_type == "entity" and not payload:
        name = connection.scalar(select(Entity.canonical_name).where(Entity.uid == subject_uid))
        payload = None if name is None else {"name": name}
    standing = connection.execute(
        select(table_of(ReviewDecision)).where(
            ReviewDecision.superseded_by_id.is_(None), ReviewDecision.subject_type == subject_type
        )
    ).all()
    fresh = insert_row(
        connection,
        table_of(ReviewDecision),
        subject_type=subject_type,
        subject_key=subject_uid,
        decision=decision,
        payload=json.dumps(dict(payload or {}), ensure_ascii=False, sort_keys=True),
        reviewer=reviewer,
        reason=reason,
        superseded_by_id=None,
        created_at=at,
    )
    topic = _topic(decision, subject_uid, payload or {})
    old = [row.id for row in standing if _topic(row.decision, row.subject_key, json.loads(row.payload)) == topic]
    if old:
        connection.execute(update(ReviewDecision).where(ReviewDecision.id.in_(old)).values(superseded_by_id=fresh))
    return fresh


def load(connection: Connection) -> Standing:
    """All decisions that no later one supersedes."""
    status: dict[str, StatusDecision] = {}
    ranks: dict[str, str] = {}
    identity: list[Decision] = []
    query = (
        select(table_of(ReviewDecision)).where(ReviewDecision.superseded_by_id.is_(None)).order_by(ReviewDecision.id)
    )
    for row in connection.execute(query):
        payload = json.loads(row.payload)
        if row.decision == "withdraw":
            status.pop(row.subject_key, None)
        elif row.decision in STATUS:
            status[row.subject_key] = StatusDecision(row.id, row.decision, payload.get("name"))
        elif row.decision == "prefer":
            ranks[row.subject_key] = payload["rank"]
        elif row.decision in _RESOLVED:
            value = payload[_PAYLOAD[row.decision]]
            kind = DecisionKind(row.decision)
            identity.append(Decision(number=row.id, kind=kind, key=row.subject_key, other=value))
    return Standing(status, ranks, tuple(identity))


def _topic(decision: str, subject: str, payload: Mapping[str, Any]) -> tuple[object, ...]:
    """What a decision is about; two with the same topic cannot both stand."""
    if decision in IDENTITY:
        return ("identity", frozenset((subject, payload.get("other"))))
    return ("status" if decision in STATUS else decision, subject)
