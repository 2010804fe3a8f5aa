"""Definitions, put together anew at each call: for Dagster's pages and daemon, for the command line, for tests.

Nothing is wired when a module is imported. What a definition does lives in the module of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dagster import Definitions, in_process_executor

from rag_assets.config import load_settings
from rag_assets.offline.sources import load_sources
from rag_assets.orchestration import assets, checks, graph_assets, jobs, queries, schedules, sensors
from rag_assets.orchestration.resources import nobody_watches, open_rag


def build_defs(
    *, source_names: Sequence[str] | None = None, resource_overrides: Mapping[str, object] | None = None
) -> Definitions:
    """All assets, checks, jobs, sensors and schedules.

    `source_names` are the sources that get a sensor, by default those of sources.yaml. `resource_overrides` take the
    place of `rag` (the application) and `watcher`.

    Raises:
        SettingsError: sources.yaml or a setting cannot be used.
    """
    settings = load_settings()
    if source_names is None:
        source_names = [source.name for source in load_sources(settings.sources)]
    interval_s = settings.sensor_interval_s
    return Definitions(
        assets=[assets.document_assets(), graph_assets.ontology_asset(), graph_assets.graph_asset()],
        asset_checks=[checks.base_checks()],
        jobs=[jobs.scan_job(), jobs.ingest_job(), jobs.settle_job(), jobs.graph_job(), queries.query_job()],
        schedules=[schedules.nightly_scan(), schedules.nightly_checks(), schedules.weekly_full_scan()],
        sensors=[
            *(sensors.source_sensor(name, interval_s) for name in source_names),
            sensors.settle_sensor(interval_s),
            sensors.graph_sensor(interval_s),
        ],
        resources={"rag": open_rag, "watcher": nobody_watches, **(resource_overrides or {})},
        executor=in_process_executor,
    )
