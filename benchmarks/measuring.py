"""Measuring: time of this process and of others, memory, medians; and a place where no setting of the shell counts.

CPU time is what a piece of work costs on a busy machine too; elapsed time is given where waiting for the disk is part
of the matter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU time and elapsed time, in milliseconds."""

    cpu_ms: float
    wall_ms: float


def spent_by(work: Callable[[], object]) -> Spent:
    """What a call costs in this process, all its threads together."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent((time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000)


def median_spent(work: Callable[[], object], repeats: int) -> Spent:
    """The medians of several calls, after one that warms up."""
    work()
    spent = [spent_by(work) for _ in range(repeats)]
    return Spent(median(one.cpu_ms for one in spent), median(one.wall_ms for one in spent))


def process_spent(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """What a process costs from its start to its end, with the processes that it waited for.

    Raises:
        RuntimeError: it failed.
    """
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env=dict(environment), cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    wall_ms = (time.perf_counter() - begun) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Spent((usage.ru_utime + usage.ru_stime) * 1000, wall_ms)


def cpu_ms_of(process_id: int | None) -> float:
    """CPU time that another running process has used so far; 0 where the system does not tell (no /proc)."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    # The second field is the name in parentheses and may hold spaces.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def memory_mb() -> dict[str, float]:
    """Resident memory of this process in MB: `anonymous` (its own) and `mapped` (files); empty without /proc."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    names = {"RssAnon": "anonymous", "RssFile": "mapped"}
    fields = (line.split() for line in lines)
    return {names[field[0][:-1]]: int(field[1]) / 1024 for field in fields if field and field[0][:-1] in names}


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as folder:
        yield Path(folder)


@contextmanager
def without_settings() -> Iterator[None]:
    """Take the RAG_* and DAGSTER_* of the developer's shell away, but for the place of the corpora."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(("RAG_", "DAGSTER_")) and name != "RAG_CORPORA":
            del os.environ[name]
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    # Modules compiled in memory only would make every start several times as slow as it is for users.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def environment_for(home: Path, sources: Path) -> dict[str, str]:
    """The environment of a `rag` command over a home and its sources.yaml, with the embedder that needs no model."""
    return os.environ | {
        "RAG_HOME": str(home),
        "RAG_SOURCES": str(sources),
        "RAG_ONTOLOGY": str(PROJECT / "ontology.yaml"),
        "RAG_EMBEDDING": "hashing",
        "PYTHONPATH": str(PROJECT),
    }


def rag_command(*arguments: str) -> list[str]:
    """The command line of `rag` in this environment."""
    return [sys.executable, "-c", "from rag_assets.cli import main; main()", *arguments]


@dataclass(frozen=True, slots=True)
class Machine:
    """What the figures were measured on."""

    date: str
    python: str
    cores: int
    load: float
    """Processes waiting for a core, on average over the last minute; above the number of cores the machine is busy."""

    def __str__(self) -> str:
        return f"{self.date}, Python {self.python}, {self.cores} cores, load {self.load:.1f}"


def this_machine() -> Machine:
    """The machine as it is now."""
    return Machine(
        date=time.strftime("%Y-%m-%d"),
        python=".".join(map(str, sys.version_info[:3])),
        cores=os.cpu_count() or 1,
        load=os.getloadavg()[0],
    )
