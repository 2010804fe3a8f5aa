"""What Dagster remembers, kept true: dead runs are reported, work it was not told of is told.

A killed process leaves its run "started" for ever, which holds up the queue; and work that was committed in SQL
without Dagster hearing of it would be missing from its pages. Both are mended at the start of every entry point.
What the documents themselves need lives in `ledger.stages`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from dagster import AssetMaterialization, DagsterInstance, DagsterRun, DagsterRunStatus, RunsFilter

from rag_assets.config import Settings
from rag_assets.ledger import owners, stage_events, stages
from rag_assets.ledger.stages import STAGES, UPSTREAM, StageRow
from rag_assets.orchestration import lineage, markers, partitions
from rag_assets.stores.database import Database

OWNER_TAG: Final = "rag/owner"

OPEN: Final = (
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
)
_UNFINISHED: Final = (*OPEN, DagsterRunStatus.QUEUED)

# A run names its owner within the first moments; one that has not after this long never will.
_NAMELESS_FOR: Final = timedelta(minutes=10)


def own(instance: DagsterInstance, run_id: str, settings: Settings) -> None:
    """Name this process as the one that works on the run."""
    markers.put(markers.folder(settings.resolved_dagster_home), run_id)
    if instance.is_ephemeral:
        return
    instance.add_run_tags(run_id, {OWNER_TAG: owners.of_this_process()})


def recover(instance: DagsterInstance, settings: Settings, *, now: datetime | None = None) -> list[str]:
    """Report runs whose process is dead as failed and free their slots; returns their ids."""
    folder = markers.folder(settings.resolved_dagster_home)
    at = now or datetime.now(UTC)
    failed = []
    for record in instance.get_run_records(RunsFilter(statuses=list(OPEN))):
        run = record.dagster_run
        owner = run.tags.get(OWNER_TAG)
        if owner is None:
            nameless = run.status is DagsterRunStatus.STARTED and at - record.create_timestamp > _NAMELESS_FOR
            dead = nameless
        else:
            dead = not owners.is_alive(owner)
        if dead and _report_dead(instance, run):
            failed.append(run.run_id)
    for run_id in markers.left_behind(folder):
        left = instance.get_run_by_id(run_id)
        if left is None or left.is_finished:
            markers.drop(folder, run_id)
    return failed


def _report_dead(instance: DagsterInstance, run: DagsterRun) -> bool:
    # Looked at again: another entry point may have reported it a moment ago.
    present = instance.get_run_by_id(run.run_id)
    if present is None or present.is_finished:
        return False
    instance.report_run_failed(present, "The process of this run ended without reporting it (killed or crashed).")
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return True


def keys_at_work(instance: DagsterInstance) -> frozenset[str]:
    """Keys of the documents that runs which wait or run now are asked to work on."""
    order: tuple[str, ...] | None = None
    found: set[str] = set()
    for run in instance.get_runs(RunsFilter(statuses=list(_UNFINISHED))):
        if partitions.PARTITION_TAG in run.tags or partitions.RANGE_START_TAG in run.tags:
            order = order or tuple(instance.get_dynamic_partitions(partitions.DOCUMENTS))
            found |= partitions.keys_of_tags(run.tags, order)
    return frozenset(found)


def is_at_work(instance: DagsterInstance, job: str) -> bool:
    """Whether a run of this job waits or runs now."""
    return bool(instance.get_runs(RunsFilter(job_name=job, statuses=list(_UNFINISHED)), limit=1))


def repair(instance: DagsterInstance, database: Database, code_versions: dict[str, str]) -> int:
    """Tell Dagster of finished work that it does not know; returns how many events were reported.

    Documents that a living run works on are left to that run.
    """
    with database.read() as connection:
        untold = stage_events.without_event(connection)
    if not untold:
        return 0
    busy = keys_at_work(instance)
    known = frozenset(instance.get_dynamic_partitions(partitions.DOCUMENTS))
    told = 0
    for key, version_id, row in sorted(untold, key=lambda item: STAGES.index(item[2].stage)):
        if key in busy or key not in known:
            continue
        with database.read() as connection:
            rows = stages.rows_of(connection, version_id)
        instance.report_runless_asset_event(
            AssetMaterialization(
                row.stage,
                partition=key,
                description="Reported later: the process was killed between its work and this event.",
                metadata=dict(row.counts),
                tags=lineage.tags(
                    row.stage, row.data_version or "", code_versions[row.stage], made_before(row.stage, rows)
                ),
            )
        )
        remember_event(instance, database, row.stage, version_id, key)
        told += 1
    return told


def made_before(stage: str, rows: dict[str, StageRow]) -> lineage.Made | None:
    """What the stage before made, as Dagster was told of it."""
    before = UPSTREAM[stage]
    row = rows.get(before) if before is not None else None
    if row is None or row.event is None or row.data_version is None:
        return None
    return lineage.Made(row.data_version, row.event)


def remember_event(
    instance: DagsterInstance, database: Database, stage: str, version_id: int, partition: str
) -> int | None:
    """Store the id of the event that has just reported this stage of this document."""
    event = lineage.latest_event(instance, stage, partition)
    if event is not None:
        with database.write() as connection:
            stage_events.set_event(connection, version_id, stage, event)
    return event
