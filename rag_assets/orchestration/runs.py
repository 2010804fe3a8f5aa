"""Dagster runs inside this process, on the persistent instance: what the command line does shows in Dagster's pages.

What has to be run is decided in `work`. Dagster's own log lines are kept off the terminal; our progress is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dagster import AssetKey, ExecuteInProcessResult

from rag_assets.ledger import owners, stage_events
from rag_assets.ledger.stages import DocumentPlan
from rag_assets.orchestration import history, instance, jobs, markers
from rag_assets.orchestration.build import build_defs
from rag_assets.orchestration.keys import sync_keys
from rag_assets.orchestration.requests import requests
from rag_assets.orchestration.versions import code_versions
from rag_assets.orchestration.watching import Watcher
from rag_assets.stores import documents as document_store

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from rag_assets.app import App

# Dagster's console logger would write every event to the terminal.
_SILENT: Mapping[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@contextmanager
def open_session(app: App, watcher: Watcher) -> Iterator[Session]:
    """Dagster's instance, opened once for all runs of a command; what dead processes left in it is mended first."""
    fresh = markers.is_fresh(app.settings.resolved_dagster_home)
    with instance.open_instance(app.settings) as dagster:
        if fresh:
            # A new home of Dagster knows nothing of what an older one was told.
            with app.database.write() as connection:
                stage_events.forget_events(connection)
        history.recover(dagster, app.settings)
        yield Session(app, dagster, watcher)


class Session:
    """Runs of this process on one instance, with definitions that hold the open application."""

    def __init__(self, app: App, dagster: DagsterInstance, watcher: Watcher) -> None:
        self._app = app
        self._dagster = dagster
        self._watcher = watcher
        self._markers = markers.folder(app.settings.resolved_dagster_home)
        self._defs = build_defs(source_names=(), resource_overrides={"rag": app, "watcher": watcher})

    def work_through(self, plan: Sequence[DocumentPlan]) -> tuple[str, ...]:
        """Run the planned work in as many runs as it takes; returns their ids.

        What documents failed is in `ledger.stages` afterwards. Work that Dagster was not told of is told first.

        Raises:
            Exception: what broke a run off as a whole, as it was raised.
        """
        order = sync_keys(self._app.database, self._dagster)
        history.repair(self._dagster, self._app.database, code_versions())
        if not plan:
            return ()
        self._watcher.planned(Counter(stage for document in plan for stage in document.stages), self._names(plan))
        try:
            return tuple(
                self._execute(jobs.INGEST, tags=request.keys.tags, assets=request.stages)
                for request in requests(plan, order)
            )
        finally:
            self._watcher.closed()

    def write_graph(self) -> str:
        """Write the graph of the present knowledge version, and check the base; returns the run's id.

        Raises:
            Exception: what broke the run off, as it was raised.
        """
        return self._execute(jobs.GRAPH)

    def _execute(self, job: str, *, tags: Mapping[str, str] | None = None, assets: Sequence[str] | None = None) -> str:
        """Run a job to its end, whether documents fail in it or not; returns the run's id."""
        run_id = str(uuid4())
        markers.put(self._markers, run_id)
        result = self._defs.resolve_job_def(job).execute_in_process(
            instance=self._dagster,
            run_id=run_id,
            tags={**(tags or {}), history.OWNER_TAG: owners.of_this_process()},
            asset_selection=None if assets is None else [AssetKey(stage) for stage in assets],
            run_config=_SILENT,
            raise_on_error=False,
        )
        markers.drop(self._markers, run_id)
        if self._watcher.error is not None:
            raise self._watcher.error
        if not result.success and not _failed_in_a_step(result):
            # Interrupted before or after the step, where nothing of ours could notice.
            raise KeyboardInterrupt
        return run_id

    def _names(self, plan: Sequence[DocumentPlan]) -> dict[str, str]:
        wanted = {document.uid for document in plan}
        with self._app.database.read() as connection:
            return {row.uid: row.source_path for row in document_store.list_all(connection) if row.uid in wanted}


def _failed_in_a_step(result: ExecuteInProcessResult) -> bool:
    return any(event.is_step_failure for event in result.all_events)
