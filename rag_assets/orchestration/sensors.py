"""Sensors: one for each source, which asks for runs over what changed there, and two that keep the whole base in order.

A tick is cheap: the scan looks at size and time of each file first and hashes only what differs. What is asked for is
planned by `ledger.stages`, exactly as for the command line. Each sensor first reports the runs whose process died:
whichever of them are switched on, a killed run is noticed.
"""
# No postponed annotations: Dagster looks at the types of a sensor's arguments.

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Final

from dagster import (
    AddDynamicPartitionsRequest,
    AssetKey,
    DefaultSensorStatus,
    DeleteDynamicPartitionsRequest,
    ResourceParam,
    RunRequest,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)

from rag_assets.app import App
from rag_assets.config import Settings
from rag_assets.errors import SettingsError
from rag_assets.ledger import fingerprints, stages, versions
from rag_assets.ledger.stages import DocumentPlan
from rag_assets.offline import pipeline
from rag_assets.orchestration import graph_files, history, jobs, partitions, reporting
from rag_assets.orchestration.partitions import documents_partitions
from rag_assets.orchestration.requests import Asked, Request, requests, run_key, to_ask
from rag_assets.orchestration.versions import code_versions
from rag_assets.stores import chunks as chunk_store
from rag_assets.stores import documents as document_store
from rag_assets.stores.documents import DocumentRow

# So many runs a tick; the rest is asked for in the next ones.
MAX_RUNS_A_TICK: Final = 4
# What failed for want of a server, or was killed, is tried so often without a person; the nightly schedule starts anew.
MAX_TIMES: Final = 3


def quiet(settings: Settings) -> timedelta:
    """The graph is written when no fact has moved for so long: half the time in which the next change may be seen."""
    return timedelta(seconds=settings.sensor_interval_s / 2)


def at_the_latest(settings: Settings) -> timedelta:
    """The graph is written after so long, though documents are still being worked on."""
    return timedelta(seconds=settings.sensor_interval_s * 10)


def source_sensor(source_name: str, interval_s: int) -> SensorDefinition:
    """Watches one folder of sources.yaml."""

    @sensor(
        name=sensor_name(source_name),
        job_name=jobs.INGEST,
        minimum_interval_seconds=interval_s,
        default_status=DefaultSensorStatus.RUNNING,
        description=f"Asks for runs over what is new or changed in the source {source_name!r}.",
    )
    def watch(context: SensorEvaluationContext, rag: ResourceParam[App]) -> SensorResult:
        with reporting.without_text():
            history.recover(context.instance, rag.settings)
            source = next((source for source in rag.sources if source.name == source_name), None)
            if source is None:
                raise SettingsError("broken_sources", "no longer names the source", source=source_name)
            rag.scan((source,))
            history.repair(context.instance, rag.database, code_versions())
            return ask_for_open_work(context, rag, source_name)

    return watch


def settle_sensor(interval_s: int) -> SensorDefinition:
    """Asks for the base to be brought in line after documents went away and no run came that would do it."""

    @sensor(
        name="documents_gone",
        job_name=jobs.SETTLE,
        minimum_interval_seconds=interval_s,
        default_status=DefaultSensorStatus.RUNNING,
        description="Asks for the base to be brought in line after documents were removed.",
    )
    def documents_gone(context: SensorEvaluationContext, rag: ResourceParam[App]) -> SensorResult | SkipReason:
        with reporting.without_text():
            history.recover(context.instance, rag.settings)
            with rag.database.read() as connection:
                retire = chunk_store.versions_to_retire(connection)
            if not retire:
                return SkipReason("No removed document waits.")
            if history.keys_at_work(context.instance):
                return SkipReason("Documents are being worked on; the run brings the base in line.")
            return _ask_for_job(context, rag, jobs.SETTLE, _digest(*map(str, sorted(retire))))

    return documents_gone


def graph_sensor(interval_s: int) -> SensorDefinition:
    """Asks for the graph once the facts have changed and no documents are being worked on."""

    @sensor(
        name="facts_changed",
        job_name=jobs.GRAPH,
        minimum_interval_seconds=interval_s // 2,
        default_status=DefaultSensorStatus.RUNNING,
        description="Asks for the graph of a new knowledge version, when nothing is being worked on or it is overdue.",
    )
    def facts_changed(context: SensorEvaluationContext, rag: ResourceParam[App]) -> SensorResult | SkipReason:
        with reporting.without_text():
            history.recover(context.instance, rag.settings)
            with rag.database.read() as connection:
                version = versions.latest(connection)
            if version is None or graph_files.path(rag.settings, str(version)).exists():
                return SkipReason("The graph of the present knowledge version is written.")
            age = rag.clock() - version.created_at
            busy = age < quiet(rag.settings) or bool(history.keys_at_work(context.instance))
            if busy and age < at_the_latest(rag.settings):
                return SkipReason("Documents are being worked on; the graph follows.")
            return _ask_for_job(context, rag, jobs.GRAPH, str(version))

    return facts_changed


def _ask_for_job(context: SensorEvaluationContext, rag: App, job: str, work: str) -> SensorResult | SkipReason:
    """Ask for a run of the whole base, one at a time; what was killed or failed is asked for again, a few times a day."""
    busy = frozenset({job}) if history.is_at_work(context.instance, job) else frozenset[str]()
    planned = {job: f"{work}-{rag.clock():%Y%m%d}"}
    chosen, asked = to_ask(planned, read_cursor(context.cursor), busy, times=MAX_TIMES)
    if not chosen:
        return SkipReason(f"Asked for already: a run waits or works, or {MAX_TIMES} of today were in vain.")
    return SensorResult(
        run_requests=[RunRequest(run_key=f"{job}-{asked[job].work}.{asked[job].times}")], cursor=write_cursor(asked)
    )


def sensor_name(source_name: str) -> str:
    """The sensor's name in Dagster, which takes letters, digits and underlines only."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", source_name)
    # Two names must not fall together by what was replaced.
    return (
        f"source_{plain}" if plain == source_name else f"source_{plain}_{sha256(source_name.encode()).hexdigest()[:6]}"
    )


def ask_for_open_work(context: SensorEvaluationContext, rag: App, source_name: str) -> SensorResult:
    """Requests over what is open in a source, with the keys that Dagster has to learn or forget first."""
    with rag.database.read() as connection:
        rows = document_store.list_all(connection, sources=[source_name], include_removed=True)
        here = {row.id: row for row in sorted(rows, key=lambda row: row.id) if row.removed_at is None}
        parameters = pipeline.parameters(rag.parts)
        plan = {
            document.partition_key: document
            for document in stages.plan(connection, parameters, documents=here.keys(), retry_failed=False)
        }
    known = context.instance.get_dynamic_partitions(partitions.DOCUMENTS)
    keys = [row.partition_key for row in here.values()]
    gone = {row.partition_key for row in rows if row.removed_at is not None}
    added = [key for key in keys if key not in frozenset(known)]
    removed = [key for key in known if key in gone]

    work = {key: _work(document, here[document.document_id], parameters) for key, document in plan.items()}
    chosen, asked = to_ask(work, read_cursor(context.cursor), history.keys_at_work(context.instance), times=MAX_TIMES)
    order = [key for key in known if key not in gone] + added
    all_requests = requests([plan[key] for key in chosen], order)
    now, later = all_requests[:MAX_RUNS_A_TICK], all_requests[MAX_RUNS_A_TICK:]
    for request in later:
        for key in request.keys.keys:
            asked[key] = Asked(asked[key].work, asked[key].times - 1)
    changes: list[AddDynamicPartitionsRequest | DeleteDynamicPartitionsRequest] = []
    if added:
        changes.append(documents_partitions.build_add_request(added))
    if removed:
        changes.append(documents_partitions.build_delete_request(removed))
    return SensorResult(
        run_requests=[_run_request(request, asked) for request in now],
        skip_reason=None if now else _why_nothing(len(work)),
        dynamic_partitions_requests=changes,
        cursor=write_cursor(asked),
    )


def _why_nothing(still_open: int) -> str:
    if not still_open:
        return "Nothing is open."
    return f"Documents that are open: {still_open}. A run waits or works, or {MAX_TIMES} were in vain until tonight."


def read_cursor(cursor: str | None) -> dict[str, Asked]:
    """What was asked for before and is still open."""
    found = json.loads(cursor) if cursor else {}
    return {key: Asked(work, times) for key, (work, times) in found.items()}


def write_cursor(asked: Mapping[str, Asked]) -> str:
    """The cursor: open work only, so that it stays small whatever the size of the source."""
    return json.dumps({key: [item.work, item.times] for key, item in sorted(asked.items())}, separators=(",", ":"))


def _run_request(request: Request, asked: Mapping[str, Asked]) -> RunRequest:
    return RunRequest(
        run_key=run_key(request, asked),
        tags=request.keys.tags,
        asset_selection=[AssetKey(stage) for stage in request.stages],
    )


def _work(document: DocumentPlan, row: DocumentRow, parameters: Mapping[str, str]) -> str:
    return _digest(row.seen_sha256 or "", *(f"{stage}={parameters[stage]}" for stage in document.stages))


def _digest(*parts: str) -> str:
    return fingerprints.digest(*parts)[:12]
