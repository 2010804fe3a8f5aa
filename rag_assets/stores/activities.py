"""What was run on a document version, and every call to a model: who, with what, how long, at what cost. No text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from rag_assets.stores.bulk import batches, insert_row
from rag_assets.stores.schema.pipeline import Activity, ModelCall
from rag_assets.stores.tables import table_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewActivity:
    """One piece of work on one document version (PROV: Activity). `agent` is the program or person that did it."""

    kind: str
    document_version_id: int | None
    run_id: str | None
    code_version: str
    agent: str
    started_at: datetime
    ended_at: datetime | None
    model: str | None = None
    prompt_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewModelCall:
    """One call; `outcome` is ok, invalid_output, incomplete, refused, error, or pending while it is under way."""

    purpose: str
    model: str
    request_sha256: str
    latency_ms: int
    outcome: str
    created_at: datetime
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_micro_eur: int = 0
    activity_id: int | None = None
    message_id: int | None = None
    prompt_id: int | None = None
    document_version_id: int | None = None
    run_id: str | None = None


def add(connection: Connection, activity: NewActivity) -> int:
    """Store an activity; returns its id."""
    return insert_row(connection, table_of(Activity), **asdict(activity))


def add_calls(connection: Connection, calls: Sequence[NewModelCall]) -> None:
    """Store model calls."""
    for batch in batches(calls):
        connection.execute(insert(ModelCall), [asdict(call) for call in batch])


def add_call(connection: Connection, call: NewModelCall) -> int:
    """Store one model call; returns its id."""
    return insert_row(connection, table_of(ModelCall), **asdict(call))


def end_call(connection: Connection, call_id: int, call: NewModelCall, *, keep_cost: bool) -> None:
    """Bring a pending call to its end; `keep_cost` leaves the price that was booked."""
    values = asdict(call)
    if keep_cost:
        del values["cost_micro_eur"]
    connection.execute(update(ModelCall).where(ModelCall.id == call_id).values(values))


def spent_in_run(connection: Connection, run_id: str) -> int:
    """What the calls of a run cost, in micro-euro, bookings included."""
    query = select(func.coalesce(func.sum(ModelCall.cost_micro_eur), 0)).where(ModelCall.run_id == run_id)
    return int(connection.scalar(query) or 0)


def spent_since(connection: Connection, moment: datetime) -> int:
    """What all calls since a moment cost, in micro-euro, bookings included."""
    query = select(func.coalesce(func.sum(ModelCall.cost_micro_eur), 0)).where(ModelCall.created_at >= moment)
    return int(connection.scalar(query) or 0)


def last_outcomes(connection: Connection, request_hashes: Collection[str]) -> dict[str, str]:
    """Outcome of the latest call of each request, by request hash; requests never made are missing."""
    found: dict[str, str] = {}
    for batch in batches(sorted(request_hashes)):
        latest = (
            select(func.max(ModelCall.id)).where(ModelCall.request_sha256.in_(batch)).group_by(ModelCall.request_sha256)
        )
        query = select(ModelCall.request_sha256, ModelCall.outcome).where(ModelCall.id.in_(latest))
        found.update((request, outcome) for request, outcome in connection.execute(query))
    return found
