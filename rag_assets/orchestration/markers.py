"""Small files that say which process works on which Dagster run. No dagster here.

They answer in a millisecond whether a run was left behind by a dead process, which otherwise only Dagster itself
could tell, and importing it takes seconds. What is done about such a run lives in `history`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rag_assets.ledger import owners

READY: Final = ".ready"
"""Lies in Dagster's home once its storage was made; its absence means a fresh home."""


def folder(dagster_home: Path) -> Path:
    """Where the markers of runs at work lie."""
    return dagster_home / "running"


def is_fresh(dagster_home: Path) -> bool:
    """Whether Dagster's home was not made yet: whatever it once knew is gone."""
    return not (dagster_home / READY).exists()


def put(folder: Path, run_id: str) -> None:
    """Note that this process works on the run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / run_id).write_text(owners.of_this_process())


def drop(folder: Path, run_id: str) -> None:
    """The run has ended in Dagster too."""
    (folder / run_id).unlink(missing_ok=True)


def left_behind(folder: Path) -> list[str]:
    """Ids of runs whose process is dead, whether Dagster knows of their end or not."""
    return sorted(run_id for run_id, owner in _all(folder) if not owners.is_alive(owner))


def _all(folder: Path) -> Iterator[tuple[str, str]]:
    if folder.is_dir():
        for file in folder.iterdir():
            try:
                yield file.name, file.read_text()
            except FileNotFoundError:  # another process has just dropped it
                continue
