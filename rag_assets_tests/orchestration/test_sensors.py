"""What the sensors ask for when a folder changes. Called directly: Dagster's own tick fails over keys it adds itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from dagster import SkipReason, build_schedule_context, build_sensor_context, job

from rag_assets.app import App
from rag_assets.errors import ServiceError
from rag_assets.ledger.stages import STAGES
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.orchestration import graph_files, history, jobs, partitions, schedules, sensors
from rag_assets.orchestration.partitions import DOCUMENTS, PARTITION_TAG, RANGE_END_TAG, RANGE_START_TAG
from rag_assets.orchestration.work import bring_up_to_date
from rag_assets.stores import documents as document_store
from rag_assets_tests.orchestration.small_base import FragileExtractor, opened, write
from rag_assets_tests.orchestration.test_history import nothing_job


@job(name=jobs.GRAPH)
def graph_job():
    pass


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "Skripte"
    for name, person in (("a.md", "Carl Rogers"), ("b.md", "Virginia Satir"), ("c.md", "Marion Mustermann")):
        write(folder, name, person, 3)
    return folder


@pytest.fixture
def app(settings, folder):
    with opened(settings, folder) as app:
        yield app


@pytest.fixture
def tick(app, dagster, folder):
    """One tick of the folder's sensor; what it asks of Dagster's list of keys is done, its cursor kept."""
    name = ad_hoc_source(folder, "documents").name
    watch = sensors.source_sensor(name, 60)
    kept: dict[str, str | None] = {"cursor": None}

    def once() -> Any:
        with build_sensor_context(instance=dagster, cursor=kept["cursor"], resources={"rag": app}) as context:
            result: Any = watch(context)
        for change in result.dynamic_partitions_requests or ():
            if type(change).__name__.startswith("Add"):
                dagster.add_dynamic_partitions(DOCUMENTS, list(change.partition_keys))
            else:
                for key in change.partition_keys:
                    dagster.delete_dynamic_partition(DOCUMENTS, key)
        kept["cursor"] = result.cursor
        return result

    return once


def keys(app: App) -> dict[str, str]:
    with app.database.read() as connection:
        return {row.file_name: row.partition_key for row in document_store.list_all(connection, include_removed=True)}


def test_newcomers_are_added_in_one_request_and_asked_for_as_one_range(tick, app, dagster):
    result = tick()
    key = keys(app)
    assert list(dagster.get_dynamic_partitions(DOCUMENTS)) == [key["a.md"], key["b.md"], key["c.md"]]
    (request,) = result.run_requests
    assert request.tags[RANGE_START_TAG] == key["a.md"]
    assert request.tags[RANGE_END_TAG] == key["c.md"]
    assert [asset.to_user_string() for asset in request.asset_selection] == list(STAGES)


def test_a_run_that_waits_is_not_asked_for_again_and_a_lost_one_is(tick, dagster):
    (first,) = tick().run_requests
    run = dagster.create_run_for_job(nothing_job, tags=dict(first.tags))
    assert tick().run_requests == []
    dagster.report_run_failed(run)
    (second,) = tick().run_requests
    assert second.tags == first.tags
    assert second.run_key != first.run_key, "Dagster runs a run key once"


def test_what_is_in_vain_is_given_up_until_the_content_changes(tick, folder, app):
    for _ in range(sensors.MAX_TIMES):
        assert len(tick().run_requests) == 1
    result = tick()
    assert result.run_requests == []
    assert "open: 3" in result.skip_reason.skip_message, "who looks at the sensor's page sees why nothing happens"
    write(folder, "b.md", "Virginia Satir", 30)
    (request,) = tick().run_requests
    assert request.tags == {PARTITION_TAG: keys(app)["b.md"]}


@pytest.mark.slow
def test_only_what_changed_is_asked_for_and_the_cursor_forgets_what_is_done(tick, folder, app):
    tick()
    bring_up_to_date(app)
    result = tick()
    assert (result.run_requests, json.loads(result.cursor)) == ([], {})

    write(folder, "b.md", "Virginia Satir", 30)
    (folder / "c.md").rename(folder / "verschoben.md")
    (request,) = tick().run_requests
    assert request.tags == {PARTITION_TAG: keys(app)["b.md"]}


@pytest.mark.slow
def test_removed_documents_leave_the_list_and_the_base_is_brought_in_line(tick, folder, app, dagster):
    tick()
    bring_up_to_date(app)
    gone = keys(app)["c.md"]
    (folder / "c.md").unlink()
    assert tick().run_requests == []
    assert gone not in dagster.get_dynamic_partitions(DOCUMENTS)

    gone_sensor: Any = sensors.settle_sensor(60)
    with build_sensor_context(instance=dagster, resources={"rag": app}) as context:
        (request,) = gone_sensor(context).run_requests
    assert request.run_key.startswith("settle-")
    bring_up_to_date(app)
    with build_sensor_context(instance=dagster, resources={"rag": app}) as context:
        assert isinstance(gone_sensor(context), SkipReason)


def test_a_tick_asks_for_no_more_than_its_cap_and_for_the_rest_next_time(tick, folder, app, dagster, monkeypatch):
    monkeypatch.setattr(sensors, "MAX_RUNS_A_TICK", 1)
    tick()
    # A gap: `b` is at work, so that `a` and `c` are two runs.
    dagster.create_run_for_job(nothing_job, tags={PARTITION_TAG: keys(app)["b.md"]})
    first = tick()
    second = tick()
    assert [len(first.run_requests), len(second.run_requests)] == [1, 1]


@pytest.mark.slow
def test_the_graph_is_asked_for_once_facts_changed_and_nobody_works(app, dagster):
    graph: Any = sensors.graph_sensor(60)
    cursor: str | None = None

    def ask() -> Any:
        """A skip, or the key of the run that is asked for."""
        nonlocal cursor
        with build_sensor_context(instance=dagster, cursor=cursor, resources={"rag": app}) as context:
            found = graph(context)
        if isinstance(found, SkipReason):
            return found
        cursor = found.cursor
        (request,) = found.run_requests
        return request.run_key

    assert isinstance(ask(), SkipReason), "no knowledge yet"
    outcome = bring_up_to_date(app)
    assert isinstance(ask(), SkipReason), "the build has written it"
    assert outcome.version is not None
    graph_files.path(app.settings, outcome.version).unlink()
    assert isinstance(ask(), SkipReason), "something may still be moving"
    clock = app.clock
    app.clock = lambda: clock() + sensors.quiet(app.settings) * 2
    run = dagster.create_run_for_job(nothing_job, tags={PARTITION_TAG: keys(app)["a.md"]})
    assert isinstance(ask(), SkipReason), "documents are being worked on"
    app.clock = lambda: clock() + sensors.at_the_latest(app.settings) * 2
    first = ask()
    assert first.startswith(f"graph-{outcome.version}-")
    dagster.report_run_failed(run)
    app.clock = lambda: clock() + sensors.quiet(app.settings) * 2
    waiting = dagster.create_run_for_job(graph_job)
    assert isinstance(ask(), SkipReason), "one at a time"
    dagster.report_run_failed(waiting)
    second = ask()
    assert second != first, "what was killed is asked for again: Dagster runs a run key once"
    ask()
    assert isinstance(ask(), SkipReason), "in vain"
    app.clock = lambda: clock() + timedelta(days=1)
    assert not isinstance(ask(), SkipReason), "a new day"


@pytest.mark.slow
def test_the_night_asks_for_what_the_sensors_have_given_up(settings, folder, dagster):
    extractor = FragileExtractor({"Satir": ServiceError("model_unreachable")})
    with opened(settings, folder, extractor) as app:
        bring_up_to_date(app)
        with build_schedule_context(
            instance=dagster, resources={"rag": app}, scheduled_execution_time=datetime(2026, 5, 4, 2, tzinfo=UTC)
        ) as context:
            asked: Any = schedules.nightly_scan()(context)
    (request,) = asked
    assert request.tags == {PARTITION_TAG: keys(app)["b.md"]}
    assert [asset.to_user_string() for asset in request.asset_selection] == ["entities", "statements"]


def test_a_dead_run_is_reported_by_the_next_tick(tick, dagster):
    run = dagster.create_run_for_job(nothing_job, tags={history.OWNER_TAG: _dead_owner()})
    tick()
    assert dagster.get_run_by_id(run.run_id).is_finished


def _dead_owner() -> str:
    import subprocess
    import sys

    from rag_assets.ledger import owners

    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = owners.of_process(process.pid)
    process.communicate(b"\n")
    return name


def test_keys_stay_within_what_backfills_take(app, tick):
    tick()
    for key in keys(app).values():
        assert not set(key) - set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert partitions.MAX_KEYS_A_RUN <= 50
