"""The query job answers with the same function as the command line, and Dagster is told no word of the answer."""

from __future__ import annotations

from typing import Any

import pytest
from dagster import DagsterInstance, ExecuteInProcessResult

from rag_assets.app import App
from rag_assets.orchestration import jobs
from rag_assets.orchestration.build import build_defs
from rag_assets.orchestration.watching import Watcher
from rag_assets.orchestration.work import bring_up_to_date
from rag_assets.stores import chats
from rag_assets_tests.orchestration.small_base import opened, write

MORE = "Die Hospitation dauert drei Tage und endet mit einem Abschlussgespräch im Gelben Salon."


def run(app: App, dagster: DagsterInstance, **config: str) -> ExecuteInProcessResult:
    defs = build_defs(source_names=(), resource_overrides={"rag": app, "watcher": Watcher()})
    return defs.resolve_job_def(jobs.QUERY).execute_in_process(
        instance=dagster,
        run_config={"ops": {"answer_question": {"config": config}}},
        raise_on_error=False,
    )


def told(dagster: DagsterInstance, run_id: str) -> Any:
    """Metadata of the op's output, and the failure's description."""
    for record in dagster.get_records_for_run(run_id).records:
        event = record.event_log_entry.dagster_event
        if event is not None and event.is_successful_output:
            return {name: value.value for name, value in event.step_output_data.metadata.items()}
        if event is not None and event.is_step_failure:
            failure = event.step_failure_data.user_failure_data
            return None if failure is None else failure.description
    return None


@pytest.mark.slow
def test_a_question_is_answered_and_dagster_learns_uids_and_counts(settings, tmp_path, dagster):
    folder = tmp_path / "Skripte"
    write(folder, "a.md", "Carl Rogers", 3, more=MORE)
    with opened(settings, folder) as app:
        outcome = bring_up_to_date(app)
        result = run(app, dagster, question="Wo endet die Hospitation mit einem Abschlussgespräch?")
        assert result.success
        metadata = told(dagster, result.run_id)
        with app.database.read() as connection:
            message = chats.get_message(connection, metadata["message"])
    assert metadata["knowledge_version"] == outcome.version
    assert metadata["outcome"] == "answered"
    assert "Gelben Salon" in message.content
    for file in settings.resolved_dagster_home.rglob("*"):
        assert not file.is_file() or b"Gelben Salon" not in file.read_bytes()


def test_without_knowledge_it_refuses_and_says_what_to_do(settings, tmp_path, dagster):
    (tmp_path / "leer").mkdir()
    with opened(settings, tmp_path / "leer") as app:
        result = run(app, dagster, question="Was ist Coaching?")
    assert not result.success
    said = told(dagster, result.run_id)
    assert said.startswith("nothing_to_answer_from")
    assert "rag all" in said
