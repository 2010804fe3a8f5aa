"""The audit trail: who moved what from which state to which, sealed in batches into a chain of hashes.

Rows hold ids and codes, never text. Many writers add rows unchained (a chain for each row forks under concurrent
writers); `seal` hashes what is unsealed, `verify` tells where rows or seals are no longer what was sealed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Row, func, insert, select

from rag_assets.ledger.locks import hold_base
from rag_assets.stores.bulk import batches, insert_row, update_by_id
from rag_assets.stores.schema.governance import AuditLog, AuditSeal
from rag_assets.stores.tables import table_of

MACHINE: Final = "machine"
"""Actor of everything that no person decided."""

# Small enough that a broken seal points near the place, large enough that sealing costs nothing.
SEAL_ROWS: Final = 500

_FIRST_HASH: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One critical operation or transition; `action` names the operation (`knowledge.lifecycle`)."""

    actor: str
    action: str
    subject_type: str
    subject_uid: str
    from_state: str | None
    to_state: str | None
    activity_id: int | None = None


@dataclass(frozen=True, slots=True)
class Seal:
    """The newest seal."""

    id: int
    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """Something that is not as it was sealed.

    `code`: `seal_missing`, `chain_broken` (the seal before was changed), `rows_missing`, `rows_added`,
    `rows_changed` (a row or the seal's own hash), `rows_unbound` (sealed by a seal that is gone). `first_row` and
    `last_row` are the ids between which the rows of that seal lie.
    """

    code: str
    seal: int | None
    first_row: int | None
    last_row: int | None


def with_activity(entry: AuditEntry, activity_id: int) -> AuditEntry:
    """The entry with the activity that made the step."""
    return replace(entry, activity_id=activity_id)


def record(connection: Connection, entries: Sequence[AuditEntry], *, at: datetime | None = None) -> None:
    """Add the entries, all with the moment `at` (default: now)."""
    moment = at or datetime.now(UTC)
    for batch in batches(entries):
        connection.execute(insert(AuditLog), [{**asdict(entry), "at": moment, "seal_id": None} for entry in batch])


def seal(connection: Connection, *, at: datetime | None = None) -> Seal | None:
    """Seal all rows that are not yet sealed; returns the newest seal, None when there has never been a row."""
    hold_base(connection)
    unsealed = connection.execute(select(table_of(AuditLog)).where(AuditLog.seal_id.is_(None)).order_by(AuditLog.id))
    rows = unsealed.all()
    newest = _newest(connection)
    for batch in batches(rows, SEAL_ROWS):
        number = 1 if newest is None else newest.number + 1
        previous = _FIRST_HASH if newest is None else newest.hash
        hashed = _hash(number, previous, batch)
        seal_id = insert_row(
            connection,
            table_of(AuditSeal),
            number=number,
            row_count=len(batch),
            previous_hash=previous,
            hash=hashed,
            created_at=at or datetime.now(UTC),
        )
        update_by_id(connection, table_of(AuditLog), [row.id for row in batch], seal_id=seal_id)
        newest = Seal(seal_id, number, hashed)
    return newest


def verify(connection: Connection) -> list[AuditProblem]:
    """All places where the trail differs from what was sealed; empty when it holds.

    Reads one batch at a time. What was never sealed cannot be judged. A seal cut off at the end, together with its
    rows, is only noticed while a knowledge version refers to it (the database refuses to delete it then).
    """
    problems: list[AuditProblem] = []
    seals = connection.execute(select(table_of(AuditSeal)).order_by(AuditSeal.number)).all()
    expected, previous = 1, _FIRST_HASH
    for stored in seals:
        rows = connection.execute(
            select(table_of(AuditLog)).where(AuditLog.seal_id == stored.id).order_by(AuditLog.id)
        ).all()
        span = (rows[0].id, rows[-1].id) if rows else (None, None)
        missing = range(expected, stored.number)
        problems.extend(AuditProblem("seal_missing", number, None, None) for number in missing)
        if stored.previous_hash != previous and not missing:
            problems.append(AuditProblem("chain_broken", stored.number, *span))
        if len(rows) != stored.row_count:
            code = "rows_missing" if len(rows) < stored.row_count else "rows_added"
            problems.append(AuditProblem(code, stored.number, *span))
        elif _hash(stored.number, stored.previous_hash, rows) != stored.hash:
            problems.append(AuditProblem("rows_changed", stored.number, *span))
        expected, previous = stored.number + 1, stored.hash
    unbound = connection.execute(
        select(func.min(AuditLog.id), func.max(AuditLog.id)).where(
            AuditLog.seal_id.is_not(None), AuditLog.seal_id.not_in(select(AuditSeal.id))
        )
    ).one()
    if unbound[0] is not None:
        problems.append(AuditProblem("rows_unbound", None, *unbound))
    return problems


def _newest(connection: Connection) -> Seal | None:
    row = connection.execute(
        select(AuditSeal.id, AuditSeal.number, AuditSeal.hash).order_by(AuditSeal.number.desc()).limit(1)
    ).one_or_none()
    return None if row is None else Seal(*row)


def _hash(number: int, previous: str, rows: Sequence[Row[Any]]) -> str:
    hashed = sha256(f"{number}:{previous}:{len(rows)}\n".encode())
    for row in rows:
        fields = [
            row.id,
            row.at.isoformat(),
            row.actor,
            row.action,
            row.subject_type,
            row.subject_uid,
            row.from_state,
            row.to_state,
            row.activity_id,
        ]
        hashed.update(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
    return hashed.hexdigest()
