"""What a killed process leaves in Dagster is mended: its run is reported failed, and unreported work is reported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from dagster import AssetKey, DagsterEvent, DagsterEventType, DagsterRun, DagsterRunStatus, job, op
from sqlalchemy import insert, select

from rag_assets.app import App, open_app
from rag_assets.knowledge.ids import uid
from rag_assets.ledger import owners, stages
from rag_assets.orchestration import history, lineage, markers, partitions
from rag_assets.orchestration.versions import code_versions
from rag_assets.stores.installation import namespace
from rag_assets.stores.schema.sources import Document, DocumentStage, DocumentVersion

_AT = datetime(2026, 5, 4, 12, tzinfo=UTC)

# Starts a run as the command line does, says so, and waits to be killed in the middle of it.
_RUN = """
import sys
from dagster import job, op
from rag_assets.config import load_settings
from rag_assets.orchestration import history
from rag_assets.orchestration.instance import open_instance

@op
def wait(context):
    history.own(context.instance, context.run_id, load_settings())
    print(context.run_id, flush=True)
    sys.stdin.read()

@job
def waiting():
    wait()

with open_instance(load_settings()) as instance:
    waiting.execute_in_process(instance=instance)
"""


@pytest.mark.slow
def test_the_run_of_a_killed_process_is_reported_failed(dagster, settings):
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN],
        env={**os.environ, "RAG_HOME": str(settings.home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    run_id = process.stdout.readline().strip()
    folder = markers.folder(settings.resolved_dagster_home)

    # Alive: nobody touches it.
    assert history.recover(dagster, settings) == []
    assert markers.left_behind(folder) == []
    assert dagster.get_run_by_id(run_id).status is DagsterRunStatus.STARTED

    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert markers.left_behind(folder) == [run_id]
    assert dagster.get_run_by_id(run_id).status is DagsterRunStatus.STARTED

    assert history.recover(dagster, settings) == [run_id]
    assert dagster.get_run_by_id(run_id).status is DagsterRunStatus.FAILURE
    assert markers.left_behind(folder) == []
    assert history.recover(dagster, settings) == []


@op
def nothing() -> None:
    """Does nothing."""


@job
def nothing_job() -> None:
    """A job that is only ever created here."""
    nothing()


@pytest.mark.parametrize(
    ("owner", "minutes", "expected"),
    [
        pytest.param("here", 999, DagsterRunStatus.STARTED, id="alive, however old"),
        pytest.param("elsewhere:boot:1:1", 999, DagsterRunStatus.STARTED, id="another host: unknown"),
        pytest.param(None, 1, DagsterRunStatus.STARTED, id="nameless and young"),
        pytest.param(None, 11, DagsterRunStatus.FAILURE, id="nameless and old"),
        pytest.param("rebooted", 0, DagsterRunStatus.FAILURE, id="this host before its last start"),
    ],
)
def test_only_runs_without_a_living_owner_are_reported(dagster, settings, owner, minutes, expected):
    here = owners.of_this_process()
    host = here.rsplit(":", 3)[0]
    name = {"here": here, "rebooted": f"{host}:otherboot:1:1"}.get(owner, owner)
    run = dagster.create_run_for_job(nothing_job, tags={history.OWNER_TAG: name} if name else {})
    dagster.report_engine_event("started", run)
    dagster.handle_run_event(run.run_id, _started(run))
    history.recover(dagster, settings, now=datetime.now(UTC) + timedelta(minutes=minutes))
    assert dagster.get_run_by_id(run.run_id).status is expected


def _started(run: DagsterRun) -> DagsterEvent:
    return DagsterEvent(event_type_value=DagsterEventType.RUN_START.value, job_name=run.job_name)


def test_work_that_dagster_does_not_know_is_reported_with_its_lineage(dagster, settings):
    """A process killed between its commit and the event: the event comes with the next run, once."""
    with open_app(settings) as app:
        dagster.add_dynamic_partitions(partitions.DOCUMENTS, ["k-1"])
        version_id = _document(app, "k-1", {"documents": "a" * 64, "chunks": "b" * 64})
        assert history.repair(dagster, app.database, code_versions()) == 2
        assert history.repair(dagster, app.database, code_versions()) == 0
        with app.database.read() as connection:
            rows = stages.rows_of(connection, version_id)
        assert rows["documents"].event == lineage.latest_event(dagster, "documents", "k-1")
        assert rows["chunks"].event == lineage.latest_event(dagster, "chunks", "k-1")
        event = dagster.get_latest_materialization_event(_key("chunks"))
        assert event.dagster_event.partition == "k-1"
        assert event.dagster_event.step_materialization_data.materialization.tags == lineage.tags(
            "chunks", "b" * 64, code_versions()["chunks"], lineage.Made("a" * 64, rows["documents"].event or 0)
        )


def test_work_of_a_document_that_a_run_has_in_hand_is_left_to_that_run(dagster, settings):
    with open_app(settings) as app:
        dagster.add_dynamic_partitions(partitions.DOCUMENTS, ["k-1", "k-2", "k-3"])
        for key in ("k-1", "k-2", "k-3"):
            _document(app, key, {"documents": key * 20})
        tags = {partitions.RANGE_START_TAG: "k-1", partitions.RANGE_END_TAG: "k-2"}
        run = dagster.create_run_for_job(nothing_job, tags=tags)
        assert history.keys_at_work(dagster) == {"k-1", "k-2"}
        assert history.repair(dagster, app.database, code_versions()) == 1
        dagster.report_run_failed(run)
        assert history.keys_at_work(dagster) == frozenset()
        assert history.repair(dagster, app.database, code_versions()) == 2


def _key(stage: str) -> AssetKey:
    return AssetKey(stage)


def _document(app: App, key: str, done: dict[str, str]) -> int:
    """A document with one version whose stages in `done` (stage → data version) were finished."""
    with app.database.write() as connection:
        space = namespace(connection)
        connection.execute(
            insert(Document).values(
                uid=uid(space, "document", key),
                source_path=f"campus/{key}.md",
                source="campus",
                collection="documents",
                type="skript",
                language="de",
                partition_key=key,
                authority=0.5,
                half_life_years=5.0,
                audience="all",
                personal=False,
                local_only=False,
                status="done",
                seen_sha256=key.ljust(64, "0"),
                created_at=_AT,
            )
        )
        document_id = connection.scalar(select(Document.id).where(Document.partition_key == key))
        connection.execute(
            insert(DocumentVersion).values(
                uid=uid(space, "document_version", key),
                document_id=document_id,
                number=1,
                sha256=key.ljust(64, "0"),
                byte_size=1,
                needs_ocr_pages=0,
                created_at=_AT,
            )
        )
        version_id = connection.scalar(select(DocumentVersion.id).where(DocumentVersion.document_id == document_id))
        for stage, data_version in done.items():
            connection.execute(
                insert(DocumentStage).values(
                    document_version_id=version_id,
                    stage=stage,
                    status="done",
                    fingerprint="f" * 64,
                    data_version=data_version[:64],
                    counts='{"chunks": 3}',
                    updated_at=_AT,
                )
            )
    assert version_id is not None
    return version_id
