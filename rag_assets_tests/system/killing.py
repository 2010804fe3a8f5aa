"""`rag` in a process that is really killed (SIGKILL): at a commit of the knowledge database, or beside a call.

The processes are forked from one that has imported everything already: a start of Python and Dagster takes seconds.
What is compared after a kill lives in `knowledge_rows`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from rag_assets.cli.root import run
from rag_assets_tests.system.installation import Installation, only_environment

Side = Literal["before", "after"]

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(
    [__name__, "rag_assets.cli.building", "rag_assets.app", "rag_assets.orchestration.runs"]
)


@dataclass(frozen=True)
class AtCommit:
    """Right before or right after the n-th commit of a write transaction of the knowledge database, from 1."""

    number: int
    side: Side = "after"


@dataclass(frozen=True)
class AtCall:
    """Right before or right after the n-th call, from 1, of `package.module:Class.method` or `package.module:function`."""

    name: str
    number: int
    side: Side = "after"


Point = AtCommit | AtCall


def start(installation: Installation, *arguments: str, point: Point | None = None) -> BaseProcess:
    """Start `rag` with these arguments; its exit status is the process's. What it prints goes to `<pid>.log`."""
    process = _PROCESSES.Process(target=_child, args=(installation, arguments, point))
    process.start()
    return process


def kill(installation: Installation, point: Point, *arguments: str) -> None:
    """Run `rag` until it is killed at the point; it is an error when it never gets there."""
    process = start(installation, *(arguments or ("all", "--quiet")), point=point)
    process.join(300)
    assert process.exitcode == -signal.SIGKILL, f"{point} was not reached: {process.exitcode}"


def count_commits(installation: Installation, *arguments: str) -> int:
    """Run `rag` to its end and count the commits of write transactions of the knowledge database."""
    file = installation.folder / "commits"
    process = _PROCESSES.Process(target=_counting_child, args=(installation, arguments, file))
    process.start()
    process.join(300)
    assert process.exitcode == 0, process.exitcode
    return int(file.read_text())


def _child(installation: Installation, arguments: tuple[str, ...], point: Point | None) -> None:
    match point:
        case AtCommit():
            _watch_commits(_Countdown(point.number), point.side)
        case AtCall():
            _watch_calls(point)
    sys.exit(_run(installation, arguments))


def _counting_child(installation: Installation, arguments: tuple[str, ...], file: Path) -> None:
    countdown = _Countdown(0)
    _watch_commits(countdown, "after")
    status = _run(installation, arguments)
    file.write_text(str(-countdown.left))
    sys.exit(status)


def _run(installation: Installation, arguments: tuple[str, ...]) -> int:
    log = installation.folder / f"{os.getpid()}.log"
    with (
        only_environment(installation.environment()),
        contextlib.chdir(installation.folder),
        log.open("w") as file,
        contextlib.redirect_stdout(file),
        contextlib.redirect_stderr(file),
    ):
        return run(("--debug", *arguments))


@dataclass
class _Countdown:
    left: int

    def reached(self) -> bool:
        self.left -= 1
        return self.left == 0


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watch_commits(countdown: _Countdown, side: Side) -> None:
    dying = False

    def before_commit(connection: Connection) -> None:
        nonlocal dying
        # Dagster's own databases go through the same library; ours mark what writes.
        if connection.get_execution_options().get("rag_write") and countdown.reached():
            if side == "before":
                _die()
            dying = True

    def do_commit(dialect: SQLiteDialect_pysqlite, dbapi_connection: Any) -> None:
        committed(dialect, dbapi_connection)
        if dying:
            _die()

    committed: Callable[[SQLiteDialect_pysqlite, Any], None] = SQLiteDialect_pysqlite.do_commit
    event.listen(Engine, "commit", before_commit)
    SQLiteDialect_pysqlite.do_commit = do_commit  # type: ignore[method-assign, assignment]


def _watch_calls(point: AtCall) -> None:
    module, _, path = point.name.partition(":")
    *owners, name = path.split(".")
    owner: Any = import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    called: Callable[..., Any] = getattr(owner, name)
    countdown = _Countdown(point.number)

    def call(*arguments: Any, **options: Any) -> Any:
        last = countdown.reached()
        if last and point.side == "before":
            _die()
        result = called(*arguments, **options)
        if last:
            _die()
        return result

    setattr(owner, name, call)
