"""Several at work on one home at the same time, and questions meanwhile: as if one had done it alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.app import open_app
from rag_assets.errors import RagError
from rag_assets.ledger.stages import STAGES
from rag_assets.orchestration.instance import open_instance, prepare_home
from rag_assets.stores import installation as installation_store
from rag_assets.stores.database import Database
from rag_assets_tests.system.installation import PROJECT, Installation
from rag_assets_tests.system.killing import finish, start
from rag_assets_tests.system.knowledge_rows import (
    assert_in_order,
    differences,
    knowledge,
    set_up,
    settings_of,
    work_reported,
)
from rag_assets_tests.system.test_crash import EIGHT, fresh

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

QUESTION = "Wie lange dauert eine Sitzung im Coaching?"
ANSWERED = {"answered", "conflicting"}
OUTCOMES = {"nothing_to_answer_from", "no_source", *ANSWERED}


def ask(installation: Installation) -> str:
    """What a question comes to: its outcome, or the code of the error."""
    try:
        with open_app(settings_of(installation)) as app:
            return str(app.ask(QUESTION).outcome)
    except RagError as error:
        return error.code


def built_by(number: int, installation: Installation) -> list[str]:
    """Have this many processes build one home at once; returns what questions came to meanwhile."""
    processes = [start(installation) for _ in range(number)]
    outcomes = [ask(installation)]
    while any(process.is_alive() for process in processes):
        outcomes.append(ask(installation))
        processes[0].join(0.3)  # the questions do not take the machine from those that build
    assert [process.exitcode for process in processes] == [0] * number, installation.logs()
    outcomes.append(ask(installation))
    assert set(outcomes) <= OUTCOMES
    assert outcomes[-1] in ANSWERED
    return outcomes


def assert_as_alone(installation: Installation, folder: Path, only: tuple[str, ...] = EIGHT) -> None:
    """In order, nothing done twice, and the rows that one `rag all` makes which is alone."""
    assert_in_order(installation)
    twice = {work: number for work, number in work_reported(installation).items() if number > 1}
    assert twice == {}, twice
    assert len(work_reported(installation)) == len(only) * len(STAGES)
    database = Database(installation.url)
    with database.read() as connection:
        namespace = installation_store.namespace(connection)
    database.close()
    alone = fresh(folder, only)
    set_up(alone, namespace=namespace)
    finish(alone)
    found = differences(knowledge(alone), knowledge(installation))
    assert found == {}, found


@contextmanager
def daemon(installation: Installation) -> Iterator[None]:
    """Dagster's daemon over this home, from when its sensors have asked for the first run."""
    prepare_home(settings_of(installation))
    variables = installation.environment() | {
        "DAGSTER_HOME": str(installation.home / "dagster"),
        "PYTHONPATH": str(PROJECT),
    }
    with (installation.folder / "daemon.log").open("w") as log:
        process = subprocess.Popen(
            [str(Path(sys.executable).parent / "dagster-daemon"), "run", "-w", str(PROJECT / "workspace.yaml")],
            cwd=PROJECT,
            env=variables,
            stdout=log,
            stderr=log,
            start_new_session=True,  # with the processes that it starts in turn
        )
    try:
        _until(installation, lambda open_runs, runs: runs > 0)
        yield
        _until(installation, lambda open_runs, runs: open_runs == 0)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _until(installation: Installation, holds: Callable[[int, int], bool]) -> None:
    """Wait until it holds for the numbers of open runs and of all runs."""
    with open_instance(settings_of(installation)) as dagster:
        for _ in range(600):
            runs = dagster.get_runs()
            if holds(len([run for run in runs if not run.is_finished]), len(runs)):
                return
            time.sleep(0.5)
    raise AssertionError(installation.logs())


@pytest.mark.long
def test_two_at_once_do_what_one_does_alone(tmp_path):
    installation = fresh(tmp_path / "together", EIGHT[1:5])
    built_by(2, installation)
    assert_as_alone(installation, tmp_path / "alone", EIGHT[1:5])


def test_two_at_once_on_a_server(tmp_path, mariadb_url):
    installation = replace(fresh(tmp_path / "together", EIGHT[1:5]), database_url=mariadb_url)
    built_by(2, installation)
    assert_as_alone(installation, tmp_path / "alone", EIGHT[1:5])


@pytest.mark.long
def test_two_beside_dagsters_daemon_do_what_one_does_alone(tmp_path):
    installation = fresh(tmp_path / "together")
    with daemon(installation):
        built_by(2, installation)
    assert_as_alone(installation, tmp_path / "alone")
