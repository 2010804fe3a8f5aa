"""Runs over documents, on Dagster's persistent instance as the command line makes them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterInstance, DagsterRunStatus
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from rag_assets.config import Settings
from rag_assets.errors import ServiceError
from rag_assets.ledger import stage_events, stages
from rag_assets.ledger.stages import STAGES
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.orchestration import history
from rag_assets.orchestration.build import build_defs
from rag_assets.orchestration.instance import open_instance
from rag_assets.orchestration.partitions import DOCUMENTS, documents_partitions
from rag_assets.orchestration.watching import Watcher
from rag_assets.orchestration.work import EMBED, PROCESS
from rag_assets.stores import documents as document_store
from rag_assets_tests.orchestration.small_base import FragileExtractor, build, opened, write
from rag_assets_tests.services import REPOSITORY

GREEN, RED = "MATERIALIZED", "FAILED"
CANARY = "Kanarienvogelgezwitscher"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "Skripte"
    write(folder, "a.md", "Carl Rogers", 3)
    write(folder, "b.md", "Virginia Satir", 3)
    write(folder, "c.md", "Marion Mustermann", 4)
    return folder


def keys(settings: Settings, folder: Path) -> dict[str, str]:
    """Partition key by file name."""
    with opened(settings, folder) as app, app.database.read() as connection:
        return {row.file_name: row.partition_key for row in document_store.list_all(connection)}


def colours(settings: Settings, key: str) -> dict[str, str | None]:
    """What Dagster's pages show of one document, by stage."""
    with open_instance(settings) as dagster:
        found: dict[str, str | None] = {}
        for stage in STAGES:
            statuses = dagster.get_status_by_partition(AssetKey(stage), [key], documents_partitions) or {}
            status = statuses.get(key)
            found[stage] = None if status is None else status.value
        return found


def runs(settings: Settings) -> list[tuple[str, DagsterRunStatus]]:
    with open_instance(settings) as dagster:
        return [(run.job_name, run.status) for run in reversed(dagster.get_runs())]


@pytest.mark.slow
def test_good_documents_are_green_and_bad_ones_red_from_the_failing_stage_on(settings, folder):
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n")
    write(folder, "late.md", "Otto Spät", 5, more="STOLPERSTEIN")
    extractor = FragileExtractor({"STOLPERSTEIN": ServiceError("model_unreachable")})

    outcome = build(settings, folder, extractor)

    by_name = {path.rsplit("/", 1)[-1]: code for path, code in outcome.failed}
    assert by_name == {"damaged.pdf": "damaged", "late.md": "model_unreachable"}
    key = keys(settings, folder)
    for good in ("a.md", "b.md", "c.md"):
        assert colours(settings, key[good]) == dict.fromkeys(STAGES, GREEN)
    assert colours(settings, key["damaged.pdf"]) == dict.fromkeys(STAGES, RED)
    assert colours(settings, key["late.md"]) == {
        **dict.fromkeys(("documents", "chunks", "embeddings"), GREEN),
        **dict.fromkeys(("entities", "statements"), RED),
    }
    assert runs(settings) == [("ingest", DagsterRunStatus.FAILURE), ("graph", DagsterRunStatus.SUCCESS)]

    # The failure says in Dagster's pages which document, where and why.
    with open_instance(settings) as dagster:
        (run_id,) = [run.run_id for run in dagster.get_runs() if run.job_name == "ingest"]
        (failure,) = [
            record.event_log_entry.dagster_event
            for record in dagster.get_records_for_run(run_id).records
            if record.event_log_entry.dagster_event and record.event_log_entry.dagster_event.is_step_failure
        ]
    user_failure = failure.step_failure_data.user_failure_data
    said = (user_failure.description if user_failure else None) or ""
    assert f"{key['damaged.pdf']}: documents: damaged" in said
    assert f"{key['late.md']}: entities: model_unreachable" in said

    # Mended: only what was open is worked on, and it becomes green.
    outcome = build(settings, folder)
    assert len(outcome.worked_on) == 1
    assert [code for _, code in outcome.failed] == ["damaged"]
    assert colours(settings, key["late.md"]) == dict.fromkeys(STAGES, GREEN)


@pytest.mark.slow
def test_a_second_build_makes_no_run_and_writes_nothing(settings, folder):
    build(settings, folder)
    before = {file: file.read_bytes() for file in settings.home.rglob("*") if file.is_file()}
    outcome = build(settings, folder)
    assert (outcome.worked_on, outcome.runs, outcome.settled) == ((), (), False)
    after = {file: file.read_bytes() for file in settings.home.rglob("*") if file.is_file()}
    changed = {file.name for file in before.keys() | after.keys() if before.get(file) != after.get(file)}
    assert changed <= {"rag.sqlite-shm"}, "SQLite's lock table is no content"


@pytest.mark.slow
def test_staleness_is_exact_for_each_document(settings, folder):
    """Judged by Dagster's own resolver, which reads nothing but the tags of our events."""
    build(settings, folder)
    key = keys(settings, folder)
    write(folder, "a.md", "Carl Rogers", 9)
    build(settings, folder, wanted=PROCESS)
    with open_instance(settings) as dagster:
        assert stale(dagster, key["a.md"]) == {"embeddings"}
        assert stale(dagster, key["b.md"]) == set()
    build(settings, folder, wanted=EMBED)
    with open_instance(settings) as dagster:
        assert stale(dagster, key["a.md"]) == set()
        assert stale(dagster, key["b.md"]) == set()


def stale(dagster: DagsterInstance, key: str) -> set[str]:
    graph = build_defs(source_names=()).get_repository_def().asset_graph
    resolver = CachingStaleStatusResolver(dagster, graph, LoadingContextForTest(dagster))
    status = {stage: resolver.get_status(AssetKey(stage), key) for stage in STAGES}
    assert StaleStatus.MISSING not in status.values()
    return {stage for stage, found in status.items() if found is StaleStatus.STALE}


@pytest.mark.slow
def test_no_text_reaches_dagster(settings, folder, monkeypatch):
    """Neither through metadata nor through what goes wrong: an unexpected error that quotes the document."""

    def fail(*_args: object, **_options: object) -> None:
        raise ValueError(f"cannot embed: {CANARY}")

    write(folder, "a.md", f"Carl {CANARY}", 3)
    monkeypatch.setattr(HashingEmbedder, "embed_passages", fail)
    outcome = build(settings, folder)
    assert {code for _, code in outcome.failed} == {"internal"}
    stored = [file for file in settings.resolved_dagster_home.rglob("*") if file.is_file()]
    assert any(b"document_stages" in file.read_bytes() for file in stored), "the history is looked at where it lies"
    assert [file for file in stored if CANARY.encode() in file.read_bytes()] == []


@pytest.mark.slow
def test_what_breaks_a_run_off_is_told_without_text_and_raised_as_it_was(settings, folder, monkeypatch):
    """Not a document but the whole: the caller gets the error itself, Dagster its type and where it came from."""

    def fail(*_args: object, **_options: object) -> None:
        raise ValueError(f"cannot reconcile: {CANARY}")

    monkeypatch.setattr("rag_assets.offline.pipeline.settle", fail)
    with pytest.raises(ValueError, match=CANARY):
        build(settings, folder)
    with open_instance(settings) as dagster:
        (run,) = dagster.get_runs()
        assert run.status is DagsterRunStatus.FAILURE
    stored = [file.read_bytes() for file in settings.resolved_dagster_home.rglob("*") if file.is_file()]
    assert any(b"internal: ValueError" in content for content in stored)
    assert not any(CANARY.encode() in content for content in stored)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("stage", [4, 9])
def test_a_really_killed_build_is_finished_by_the_next_one(settings, folder, stage):
    """Killed when this stage (of three documents through five) begins; compared with a build that was not killed."""
    killed = subprocess.run(
        [
            sys.executable,
            "-m",
            "rag_assets_tests.orchestration.small_base",
            settings.home,
            folder,
            str(stage),
        ],
        cwd=REPOSITORY,
        check=False,
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with open_instance(settings) as dagster:
        assert [run.status for run in dagster.get_runs()] == [DagsterRunStatus.STARTED]

    outcome = build(settings, folder)

    assert outcome.failed == ()
    with open_instance(settings) as dagster:
        assert [run.status for run in dagster.get_runs()].count(DagsterRunStatus.STARTED) == 0
        assert history.keys_at_work(dagster) == frozenset()
    with opened(settings, folder) as app, app.database.read() as connection:
        assert stages.count_by_status(connection) == {(name, "done"): 3 for name in STAGES}
        assert stage_events.without_event(connection) == []
    for key in keys(settings, folder).values():
        assert colours(settings, key) == dict.fromkeys(STAGES, GREEN)


@pytest.mark.slow
def test_a_lost_history_is_told_again(settings, folder):
    """Dagster's home was removed: its pages are filled again from what SQL knows, without any work on documents."""
    import shutil

    build(settings, folder)
    shutil.rmtree(settings.resolved_dagster_home)
    outcome = build(settings, folder)
    assert (outcome.worked_on, outcome.failed) == ((), ())
    for key in keys(settings, folder).values():
        assert colours(settings, key) == dict.fromkeys(STAGES, GREEN)
        with open_instance(settings) as dagster:
            assert stale(dagster, key) == set()


@pytest.mark.slow
def test_removed_documents_leave_dagsters_list_and_return_to_it(settings, folder):
    build(settings, folder)
    key = keys(settings, folder)
    file = folder / "b.md"
    text = file.read_text()
    file.unlink()
    outcome = build(settings, folder)
    assert (outcome.worked_on, outcome.settled) == ((), True)
    write(folder, "d.md", "Dora Neu", 1)
    build(settings, folder)
    with open_instance(settings) as dagster:
        known = dagster.get_dynamic_partitions(DOCUMENTS)
    assert key["b.md"] not in known
    file.write_text(text)
    build(settings, folder)
    with open_instance(settings) as dagster:
        assert dagster.get_dynamic_partitions(DOCUMENTS)[-1] == key["b.md"]
    assert colours(settings, key["b.md"]) == dict.fromkeys(STAGES, GREEN)


class Interrupter(Watcher):
    """Presses Ctrl-C when the fourth stage begins."""

    begun = 0

    def started(self, document_uid: str, stage: str) -> None:
        self.begun += 1
        if self.begun == 4:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.slow
def test_an_interrupted_build_ends_at_once_and_goes_on_later(settings, folder):
    """Dagster swallows the interrupt; a command that then said "done" would be believed."""
    watcher = Interrupter()
    with pytest.raises(KeyboardInterrupt):
        build(settings, folder, watcher=watcher)
    assert watcher.begun == 4
    with open_instance(settings) as dagster:
        (run,) = dagster.get_runs()
        assert run.is_finished
    assert build(settings, folder).failed == ()
