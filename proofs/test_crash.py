"""`rag all` over eight documents, really killed at points spread evenly over its whole run; and several at once.

After each kill the next run must end exactly where a run ends that nobody killed: the same rows by uid, the audit
verifies, the invariants hold, and Dagster shows no run as running. The test suite tries a few of these points
(`rag_assets_tests/system/test_crash.py`, which also holds what is compared).

RAG_PROOF_POINTS (25; 200 takes about an hour) and RAG_PROOF_ROUNDS (3) make it longer.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs.record import parameter, record
from rag_assets_tests.system.killing import AtCall, AtCommit, Point
from rag_assets_tests.system.test_crash import (
    BETWEEN_COMMIT_AND_EVENT,
    BETWEEN_EVENT_AND_ITS_MARK,
    BETWEEN_MODEL_AND_COMMIT,
    BETWEEN_VECTORS_AND_STATUS,
    EIGHT,
    Unkilled,
    build_unkilled,
    survives,
)
from rag_assets_tests.system.test_together import built_by

POINTS = parameter("POINTS", 25)
ROUNDS = parameter("ROUNDS", 3)

# A kind of call between two writes that belong together → how many there are in a run over eight documents.
_CALLS = {
    BETWEEN_MODEL_AND_COMMIT: len(EIGHT),
    BETWEEN_VECTORS_AND_STATUS: len(EIGHT),
    BETWEEN_COMMIT_AND_EVENT: len(EIGHT) * 5,
    BETWEEN_EVENT_AND_ITS_MARK: len(EIGHT) * 5,
}
_SHARE_AT_CALLS = 5
"""One point of so many lies at a call; the others at commits."""


def point(number: int, commits: int) -> Point:
    """The point of this number: first those at commits, spread evenly, right before and right after in turn."""
    at_calls = POINTS // _SHARE_AT_CALLS
    at_commits = POINTS - at_calls
    if number < at_commits:
        moment = round((number + 0.5) * 2 * commits / at_commits - 0.5)
        return AtCommit(moment // 2 + 1, "after" if moment % 2 else "before")
    turn, kind = divmod(number - at_commits, len(_CALLS))
    name = list(_CALLS)[kind]
    turns = -(-at_calls // len(_CALLS))
    return AtCall(name, 1 + round(turn * (_CALLS[name] - 1) / max(1, turns - 1)) if turns > 1 else 4)


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Unkilled:
    """The run that nobody kills."""
    return build_unkilled(tmp_path_factory.mktemp("unkilled") / "here")


@pytest.fixture(scope="module")
def tally(unkilled: Unkilled) -> Iterator[Counter[str]]:
    """Recorded when every point was survived."""
    began = time.monotonic()
    counted: Counter[str] = Counter()
    yield counted
    if counted.total() != POINTS:
        return
    kinds = [f"{number} after `{name}`" for name, number in counted.items() if name != "commit"]
    record(
        "killed builds",
        [
            f"{POINTS} kills in runs of {unkilled.commits} commits over {len(EIGHT)} documents: "
            + ", ".join([f"{counted['commit']} at a commit", *kinds]),
            "after every one the next run ended with the rows of the run that was not killed: "
            + ", ".join(f"{unkilled.rows[name].total()} {name}" for name in ("chunks", "entities", "evidence"))
            + " and all others",
            f"{time.monotonic() - began:.0f} s",
        ],
    )


@pytest.mark.timeout(900)
@pytest.mark.parametrize("number", range(POINTS))
def test_a_killed_build_is_finished_by_the_next_one(
    number: int, unkilled: Unkilled, tmp_path: Path, tally: Counter[str]
) -> None:
    """One kill, one more run, everything compared."""
    where = point(number, unkilled.commits)
    survives(unkilled, tmp_path / "killed", where)
    tally["commit" if isinstance(where, AtCommit) else where.name.rpartition(":")[2]] += 1


@pytest.mark.timeout(1800)
def test_several_at_once_do_what_one_does_alone(tmp_path: Path) -> None:
    """Two and three in turn, with questions meanwhile."""
    began = time.monotonic()
    asked: Counter[str] = Counter()
    for number in range(ROUNDS):
        outcomes = built_by(2 + number % 2, tmp_path / str(number))
        assert outcomes[-1] in {"answered", "conflicting"}
        asked.update(outcomes)
    assert set(asked) <= {"nothing_to_answer_from", "no_source", "answered", "conflicting"}
    record(
        "several at once",
        [
            f"{ROUNDS} homes, each built by two or three `rag all` at the same time: all ended well, with the rows of"
            " one alone, no stage of a document done twice, no database locked",
            "questions meanwhile came to: " + ", ".join(f"{code} {n}" for code, n in asked.most_common()),
            f"{time.monotonic() - began:.0f} s",
        ],
    )
