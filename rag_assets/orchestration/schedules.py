"""Schedules: what happens every night, and once a week, whether anybody looks or not."""
# No postponed annotations: Dagster looks at the types of a schedule's arguments.

from collections.abc import Iterator, Sequence
from typing import Final

from dagster import (
    AssetKey,
    DefaultScheduleStatus,
    ResourceParam,
    RunRequest,
    ScheduleDefinition,
    ScheduleEvaluationContext,
    schedule,
)

from rag_assets.app import App
from rag_assets.ledger import stages
from rag_assets.offline import pipeline
from rag_assets.orchestration import history, jobs, reporting
from rag_assets.orchestration.keys import sync_keys
from rag_assets.orchestration.requests import requests
from rag_assets.orchestration.versions import code_versions

TIME_ZONE: Final = "Europe/Berlin"


def nightly_scan() -> ScheduleDefinition:
    """Looks at all folders and asks for everything open, also for what the sensors have given up on."""

    @schedule(
        name="nightly_scan",
        cron_schedule="0 2 * * *",
        execution_timezone=TIME_ZONE,
        job_name=jobs.INGEST,
        default_status=DefaultScheduleStatus.RUNNING,
        description="Scans every source and asks for all open work, what failed for want of a server included.",
    )
    def nightly(context: ScheduleEvaluationContext, rag: ResourceParam[App]) -> Sequence[RunRequest]:
        with reporting.without_text():
            return list(_open_work(context, rag))

    return nightly


def nightly_checks() -> ScheduleDefinition:
    """Writes the graph and checks the whole base once a day, whether facts changed or not."""
    return ScheduleDefinition(
        name="nightly_checks",
        cron_schedule="0 5 * * *",
        execution_timezone=TIME_ZONE,
        job_name=jobs.GRAPH,
        default_status=DefaultScheduleStatus.RUNNING,
        description="Writes the graph anew and checks the invariants of the whole base.",
    )


def weekly_full_scan() -> ScheduleDefinition:
    """Hashes every file once a week: what was written without a new size, time or inode is found too.

    A run and not a tick, because reading everything may take longer than Dagster lets a tick take. What it opens is
    asked for by the sensors, and by the next night.
    """
    return ScheduleDefinition(
        name="weekly_full_scan",
        cron_schedule="0 3 * * 0",
        execution_timezone=TIME_ZONE,
        job_name=jobs.SCAN,
        run_config={"ops": {jobs.SCAN_OP: {"config": {"full": True}}}},
        default_status=DefaultScheduleStatus.RUNNING,
        description="Hashes every file, also those that look unchanged; the sensors ask for what that opens.",
    )


def _open_work(context: ScheduleEvaluationContext, rag: App) -> Iterator[RunRequest]:
    history.recover(context.instance, rag.settings)
    rag.scan()
    order = sync_keys(rag.database, context.instance)
    history.repair(context.instance, rag.database, code_versions())
    with rag.database.read() as connection:
        plan = stages.plan(connection, pipeline.parameters(rag.parts))
    busy = history.keys_at_work(context.instance)
    night = context.scheduled_execution_time.date().isoformat()
    for request in requests([document for document in plan if document.partition_key not in busy], order):
        yield RunRequest(
            run_key=f"{night}-{request.keys.keys[0]}-{'-'.join(request.stages)}",
            tags=request.keys.tags,
            asset_selection=[AssetKey(stage) for stage in request.stages],
        )
