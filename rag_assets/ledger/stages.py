"""The spine: how far each document version is in each stage, what has to be done, and who is at it.

Here lives all that reads or writes `document_stages`. What a stage does lives in `offline`; what Dagster is told about
it in `orchestration`. A stage is up to date when its stored fingerprint equals the one expected now: the hash of what
the stages before it made and of its own parameters.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from rag_assets.errors import CODES, DocumentError
from rag_assets.knowledge.lifecycle import StageStatus
from rag_assets.ledger import owners
from rag_assets.ledger.fingerprints import fingerprint, with_place
from rag_assets.stores import bulk
from rag_assets.stores.database import Database
from rag_assets.stores.schema.sources import Document, DocumentStage, DocumentVersion

STAGES: Final = ("documents", "chunks", "embeddings", "entities", "statements")

# What must be done before. A document passes through the stages in the order above; `entities` needs no vectors.
UPSTREAM: Final[Mapping[str, str | None]] = {
    "documents": None,
    "chunks": "documents",
    "embeddings": "chunks",
    "entities": "chunks",
    "statements": "entities",
}

_POLL_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class StageRow:
    """One row of `document_stages`."""

    version_id: int
    stage: str
    status: str
    fingerprint: str | None
    data_version: str | None
    error_code: str | None
    event: int | None
    counts: Mapping[str, int]

    def is_current(self, fingerprint: str) -> bool:
        """Whether the work of this row is done for exactly these inputs."""
        return self.status == StageStatus.DONE and self.fingerprint == fingerprint


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """A document that needs work, and the stages of it, in order."""

    document_id: int
    uid: str
    partition_key: str
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on one stage of one version until the lease ends."""

    version_id: int
    stage: str
    fingerprint: str
    owner: str


def rows_of(connection: Connection, version_id: int) -> dict[str, StageRow]:
    """The stage rows of a version, by stage."""
    query = select(DocumentStage.__table__).where(DocumentStage.document_version_id == version_id)
    return {row.stage: row_of(row) for row in connection.execute(query)}


def all_rows(connection: Connection) -> dict[int, dict[str, StageRow]]:
    """All stage rows, by version id and stage."""
    found: dict[int, dict[str, StageRow]] = {}
    for row in connection.execute(select(DocumentStage.__table__)):
        found.setdefault(row.document_version_id, {})[row.stage] = row_of(row)
    return found


def plan(
    connection: Connection,
    parameters: Mapping[str, str],
    *,
    stages: Sequence[str] = STAGES,
    documents: Collection[int] | None = None,
    retry_failed: bool = False,
) -> list[DocumentPlan]:
    """What must be worked on, in order of the documents' ids.

    `parameters` holds a string for each stage; `stages` are those asked for. A stage that failed for the same inputs
    is left alone unless its error is transient or `retry_failed` is set. Removed documents and files that could not
    even be hashed are left out. `documents` narrows the plan to these ids.
    """
    versions = _target_versions(connection)
    rows = all_rows(connection)
    query = (
        select(
            Document.id,
            Document.uid,
            Document.partition_key,
            func.coalesce(Document.seen_sha256, ""),
            Document.collection,
            Document.type,
            Document.local_only,
        )
        .where(Document.removed_at.is_(None), Document.seen_sha256.is_not(None))
        .order_by(Document.id)
    )
    planned = []
    for document_id, uid, key, seen_sha256, collection, kind, local_only in connection.execute(query):
        if documents is not None and document_id not in documents:
            continue
        version_id = versions.get(document_id)
        done = rows.get(version_id, {}) if version_id is not None else {}
        own = with_place(parameters, collection=collection, kind=kind, local_only=local_only)
        needed = _needed(done, seen_sha256, own, stages, retry_failed=retry_failed)
        if needed:
            planned.append(DocumentPlan(document_id, uid, key, needed))
    return planned


def _target_versions(connection: Connection) -> dict[int, int]:
    """For each document the version with the content last seen, where there is one."""
    query = select(Document.id, DocumentVersion.id).join(
        DocumentVersion,
        (DocumentVersion.document_id == Document.id) & (DocumentVersion.sha256 == Document.seen_sha256),
    )
    return {document_id: version_id for document_id, version_id in connection.execute(query)}


def _needed(
    rows: Mapping[str, StageRow],
    seen_sha256: str,
    parameters: Mapping[str, str],
    stages: Sequence[str],
    *,
    retry_failed: bool,
) -> tuple[str, ...]:
    needed: list[str] = []
    state: dict[str, str | None] = {}  # stage → data version; None = will be made anew; missing = out of reach
    for stage in STAGES:
        upstream = UPSTREAM[stage]
        if upstream is not None and upstream not in state:
            continue
        made_before = seen_sha256 if upstream is None else state[upstream]
        row = rows.get(stage)
        if row is not None and made_before is not None:
            expected = fingerprint(stage, made_before, parameters[stage])
            if row.is_current(expected):
                state[stage] = row.data_version or ""
                continue
            failed_alike = row.status == StageStatus.ERROR and row.fingerprint == expected
            if failed_alike and not retry_failed and not CODES[row.error_code or "internal"].transient:
                continue
        if stage in stages:
            needed.append(stage)
            state[stage] = None
    return tuple(needed)


def claim(
    database: Database, version_id: int, stage: str, expected: str, *, lease_s: float, wait_s: float | None = None
) -> Claim | StageRow:
    """Take the stage, waiting while another living process has it.

    Returns the row instead when the stage is up to date by now (somebody else did it). A claim whose process is dead,
    or whose lease has ended, is taken over.

    Raises:
        DocumentError: `claimed`, when another process still holds it after `wait_s` (default: the lease).
    """
    owner = owners.of_this_process()
    deadline = time.monotonic() + (lease_s if wait_s is None else wait_s)
    while True:
        result = _try_claim(database, version_id, stage, expected, owner, lease_s)
        if result is not None:
            return result
        if time.monotonic() >= deadline:
            raise DocumentError("claimed", stage=stage)
        time.sleep(_POLL_S)


def _try_claim(
    database: Database, version_id: int, stage: str, expected: str, owner: str, lease_s: float
) -> Claim | StageRow | None:
    now = datetime.now(UTC)
    lease = {"status": StageStatus.RUNNING.value, "owner": owner, "lease_until": now + timedelta(seconds=lease_s)}
    where = (DocumentStage.document_version_id == version_id, DocumentStage.stage == stage)

    def take(connection: Connection) -> Claim | StageRow | None:
        row = connection.execute(select(DocumentStage.__table__).where(*where).with_for_update()).one_or_none()
        if row is None:
            values = {"document_version_id": version_id, "stage": stage, "updated_at": now}
            connection.execute(insert(DocumentStage).values(**values, **lease))
            return Claim(version_id, stage, expected, owner)
        stored = row_of(row)
        if stored.is_current(expected):
            return stored
        if row.status == StageStatus.RUNNING and row.owner != owner and not _is_free(row, now):
            return None
        connection.execute(update(DocumentStage).where(*where).values(updated_at=now, error_code=None, **lease))
        return Claim(version_id, stage, expected, owner)

    try:
        return bulk.in_write(database, take)
    except IntegrityError:
        return None  # two processes inserted the first row at once; the loop looks again


def renew(database: Database, claim: Claim, *, lease_s: float) -> None:
    """Let the lease begin anew, while work goes on; says nothing when the claim was lost."""
    with database.write() as connection:
        until = datetime.now(UTC) + timedelta(seconds=lease_s)
        connection.execute(update(DocumentStage).where(*_held(claim)).values(lease_until=until))


def complete(connection: Connection, claim: Claim, *, data_version: str, counts: Mapping[str, int]) -> None:
    """Mark the stage done, in the transaction that writes what it made.

    Raises:
        DocumentError: `claimed`, when the claim was lost meanwhile; the caller's transaction must not be committed.
    """
    changed = _close(
        connection,
        claim,
        status=StageStatus.DONE.value,
        data_version=data_version,
        counts=json.dumps(dict(counts), sort_keys=True),
        error_code=None,
    )
    if not changed:
        raise DocumentError("claimed", "the claim was lost while the work was done", stage=claim.stage)


def fail(connection: Connection, claim: Claim, code: str) -> None:
    """Record why the stage failed; says nothing when the claim was lost."""
    _close(connection, claim, status=StageStatus.ERROR.value, error_code=code, data_version=None, counts=None)


def release(connection: Connection, claim: Claim) -> None:
    """Give a claim back without a result, as when the work was interrupted."""
    _close(connection, claim, status=StageStatus.PENDING.value)


def _held(claim: Claim) -> tuple[Any, ...]:
    """What singles out the claim's row, as long as the claim holds."""
    return (
        DocumentStage.document_version_id == claim.version_id,
        DocumentStage.stage == claim.stage,
        DocumentStage.status == StageStatus.RUNNING.value,
        DocumentStage.owner == claim.owner,
    )


def _close(connection: Connection, claim: Claim, **values: Any) -> bool:
    result = connection.execute(
        update(DocumentStage)
        .where(*_held(claim))
        .values(
            fingerprint=claim.fingerprint,
            owner=None,
            lease_until=None,
            event=None,
            updated_at=datetime.now(UTC),
            **values,
        )
    )
    return result.rowcount == 1


def invalidate(connection: Connection, version_ids: Iterable[int], stages: Sequence[str]) -> None:
    """Say that what these stages made is gone, as the vectors of a version that no longer answers.

    A return of the version makes it again.
    """
    ids = list(version_ids)
    if not ids:
        return
    connection.execute(
        update(DocumentStage)
        .where(
            DocumentStage.document_version_id.in_(ids),
            DocumentStage.stage.in_(stages),
            DocumentStage.status == StageStatus.DONE.value,
        )
        .values(status=StageStatus.PENDING.value, fingerprint=None, event=None, updated_at=datetime.now(UTC))
    )


def count_by_status(connection: Connection) -> dict[tuple[str, str], int]:
    """How many versions are in which status, by (stage, status)."""
    query = select(DocumentStage.stage, DocumentStage.status, func.count()).group_by(
        DocumentStage.stage, DocumentStage.status
    )
    return {(stage, status): count for stage, status, count in connection.execute(query)}


def _is_free(row: Any, now: datetime) -> bool:
    return row.owner is None or row.lease_until is None or row.lease_until <= now or not owners.is_alive(row.owner)


def row_of(row: Any) -> StageRow:
    """The stage row of a row of the table."""
    counts: dict[str, int] = json.loads(row.counts) if row.counts else {}
    return StageRow(
        row.document_version_id,
        row.stage,
        row.status,
        row.fingerprint,
        row.data_version,
        row.error_code,
        row.event,
        counts,
    )
