"""`rag all` over eight documents, really killed at points spread evenly over its whole run.

After each kill the next run must end exactly where a run ends that nobody killed: the same rows by uid, nothing done
twice, the audit verifies, the invariants hold, and Dagster shows no run as running. The test suite tries a few of these
points (`rag_assets_tests/system/test_crash.py`, which also holds what is compared).

RAG_PROOF_POINTS (200) makes it shorter or longer; as many points are tried at a time as there are cores.
"""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import pytest

from proofs.record import parameter, record
from rag_assets_tests.system.killing import PROCESSES, AtCall, AtCommit, Of, Point, finish, kill
from rag_assets_tests.system.test_crash import (
    BETWEEN_COMMIT_AND_EVENT,
    BETWEEN_EVENT_AND_ITS_MARK,
    BETWEEN_MODEL_AND_COMMIT,
    BETWEEN_VECTORS_AND_STATUS,
    EIGHT,
    NAMESPACE,
    Work,
    assert_as_unkilled,
    build,
    fresh,
    survives,
    update,
)

POINTS = parameter("POINTS", 200)

# Kind of point → its share in all of them.
_AT_COMMITS = "at commits of a first build"
_AT_DAGSTERS = "at commits of Dagster's databases"
_AT_CALLS = "between writes that belong together"
_IN_UPDATE = "at commits of a build after changes"
_IN_MAKING = "while the databases were made"
_SHARES = {_AT_COMMITS: 0.5, _IN_UPDATE: 0.2, _AT_CALLS: 0.14, _AT_DAGSTERS: 0.1, _IN_MAKING: 0.06}

# Between two writes that belong together → how many such calls there are in a run over eight documents.
_CALLS = {
    BETWEEN_MODEL_AND_COMMIT: len(EIGHT),
    BETWEEN_VECTORS_AND_STATUS: len(EIGHT),
    BETWEEN_COMMIT_AND_EVENT: len(EIGHT) * 5,
    BETWEEN_EVENT_AND_ITS_MARK: len(EIGHT) * 5,
}
_DAGSTERS = "dagster._core.storage"
_MAKING: tuple[Point, ...] = (
    AtCall("rag_assets.stores.migrate:_run", side="before"),
    AtCall("rag_assets.stores.migrate:_run"),
    AtCall("rag_assets.stores.installation:ensure"),
    AtCommit(1, "before"),
    AtCommit(1, "after"),
    AtCall("rag_assets.orchestration.instance:_copy_settings"),
    # Dagster's databases: tables first, then the mark of their version.
    AtCall(f"{_DAGSTERS}.runs.sqlite.sqlite_run_storage:stamp_alembic_rev", side="before"),
    AtCall(f"{_DAGSTERS}.runs.sqlite.sqlite_run_storage:stamp_alembic_rev"),
    AtCall(f"{_DAGSTERS}.event_log.sqlite.sqlite_event_log:stamp_alembic_rev", side="before"),
    AtCall(f"{_DAGSTERS}.schedules.sqlite.sqlite_schedule_storage:stamp_alembic_rev", side="before"),
    AtCall("rag_assets.orchestration.instance:_make_storage"),
    AtCommit(2, "before"),
)


@dataclass(frozen=True)
class Trial:
    """One point at which one run is killed."""

    kind: str
    point: Point


def trials(commits: dict[Of, int], commits_of_update: int) -> list[Trial]:
    """All of them, as many as asked for."""
    number = {kind: round(POINTS * share) for kind, share in _SHARES.items()}
    number[_AT_COMMITS] += POINTS - sum(number.values())
    made = [Trial(_AT_COMMITS, point) for point in _spread(number[_AT_COMMITS], commits["knowledge"], "knowledge")]
    made += [Trial(_AT_DAGSTERS, point) for point in _spread(number[_AT_DAGSTERS], commits["dagster"], "dagster")]
    made += [Trial(_IN_UPDATE, point) for point in _spread(number[_IN_UPDATE], commits_of_update, "knowledge")]
    for index in range(number[_AT_CALLS]):
        turn, kind = divmod(index, len(_CALLS))
        turns = -(-number[_AT_CALLS] // len(_CALLS))
        name = list(_CALLS)[kind]
        made.append(Trial(_AT_CALLS, AtCall(name, 1 + round((turn + 0.5) / turns * (_CALLS[name] - 1)))))
    made += [Trial(_IN_MAKING, _MAKING[index % len(_MAKING)]) for index in range(number[_IN_MAKING])]
    return made


def _spread(number: int, commits: int, of: Of) -> list[Point]:
    """Evenly over the run, right before and right after in turn."""
    moments = [round((index + 0.5) * 2 * commits / number - 0.5) for index in range(number)]
    return [AtCommit(moment // 2 + 1, "after" if moment % 2 else "before", of) for moment in moments]


def attempt(trial: Trial, built: Work, updated: Work, folder: Path) -> None:
    """Kill, run once more, compare."""
    if trial.kind == _IN_MAKING:
        installation = fresh(folder)
        kill(installation, trial.point, namespace=NAMESPACE)
        finish(installation, namespace=NAMESPACE)
        assert_as_unkilled(built, installation)
    else:
        survives(updated if trial.kind == _IN_UPDATE else built, folder, trial.point)


@pytest.mark.timeout(6 * 3600)
def test_killed_builds_are_finished_by_the_next_one(tmp_path: Path) -> None:
    """A kill at each point, one more run, everything compared."""
    PROCESSES.set_forkserver_preload(["proofs.test_crash", "proofs.warm"])
    built = build(tmp_path / "build")
    updated = update(built, tmp_path / "update")
    began = time.monotonic()
    survived: Counter[str] = Counter()
    failed: list[str] = []
    # A process for each trial, so that no trial starts with what another one left in memory.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=PROCESSES, max_tasks_per_child=1) as pool:
        waiting = {}
        for index, trial in enumerate(trials(built.commits, updated.commits["knowledge"])):
            folder = tmp_path / f"killed-{index}"
            waiting[pool.submit(attempt, trial, built, updated, folder)] = (trial, folder)
        for future in as_completed(waiting):
            trial, folder = waiting[future]
            error = future.exception()
            if error is None:
                survived[trial.kind] += 1
                shutil.rmtree(folder)
            else:
                failed.append(f"{trial}: {error!r} (see {folder})")
                print(failed[-1], flush=True)
            print(f"{survived.total()} survived, {len(failed)} not, {time.monotonic() - began:.0f} s", flush=True)
    assert failed == [], "\n".join(failed)
    record(
        "killed builds",
        [
            f"{POINTS} kills: " + ", ".join(f"{survived[kind]} {kind}" for kind in _SHARES),
            f"a first build of {len(EIGHT)} documents has {built.commits['knowledge']} commits of ours and"
            f" {built.commits['dagster']} of Dagster, the one after changes {updated.commits['knowledge']} of ours",
            "after every one the next run ended with the rows of the run that was not killed: "
            + ", ".join(f"{built.rows[name].total()} {name}" for name in ("chunks", "entities", "evidence"))
            + " and all others; no stage of a document was done twice",
            f"{time.monotonic() - began:.0f} s",
        ],
    )
