"""`rag` in a process that is really killed: at a commit of a database, or beside a call; or interrupted there.

Two things save time and change nothing that is executed: the processes are forked from one that has imported everything
and has no thread (a start of Python and Dagster takes seconds), and Dagster, which makes an engine for every single
connection and so compiles each statement anew, keeps its engines. What is compared after a kill lives in
`knowledge_rows`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.context import ForkContext, ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from dagster._core.storage.schedules.sqlite import sqlite_schedule_storage
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from rag_assets.cli.root import run
from rag_assets.errors import INTERRUPTED
from rag_assets.offline import extraction
from rag_assets.stores import installation as installation_store
from rag_assets_tests.system.installation import Installation, only_environment

Side = Literal["before", "after"]
Of = Literal["knowledge", "dagster"]

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [__name__, "rag_assets.cli.building", "rag_assets.app", "rag_assets.orchestration.runs"]
)


@dataclass(frozen=True)
class AtCommit:
    """Right before or right after the n-th commit, from 1, of a transaction that writes: in our database or Dagster's."""

    number: int
    side: Side = "after"
    of: Of = "knowledge"


@dataclass(frozen=True)
class AtCall:
    """Right before or right after the n-th call, from 1, of `package.module:Class.method` or `package.module:function`."""

    name: str
    number: int = 1
    side: Side = "after"
    by: signal.Signals = signal.SIGKILL


Point = AtCommit | AtCall


def start(
    installation: Installation, *arguments: str, point: Point | None = None, namespace: UUID | None = None
) -> BaseProcess:
    """Start `rag` with these arguments; its exit status is the process's. What it prints goes to `<pid>.log`.

    `namespace` is what it finds when it draws one for a database that it makes.
    """
    process = _processes().Process(
        target=_child, args=(installation, arguments or ("all", "--quiet"), point, namespace)
    )
    process.start()
    return process


def kill(installation: Installation, point: Point, *, namespace: UUID | None = None) -> None:
    """Run `rag all` until it is killed at the point; it is an error when it never gets there."""
    process = start(installation, point=point, namespace=namespace)
    process.join(300)
    assert process.exitcode == -signal.SIGKILL, f"{point} was not reached: {process.exitcode}\n{installation.logs()}"


def interrupt(installation: Installation, name: str, number: int) -> str:
    """Run `rag all` and press Ctrl-C right after the n-th call; returns what that process printed.

    Like a terminal it tells every process that belongs to the command.
    """
    process = start(installation, point=AtCall(name, number, by=signal.SIGINT))
    process.join(300)
    assert process.exitcode == INTERRUPTED, f"{name} {number}: {process.exitcode}\n{installation.logs()}"
    return _log(installation, process.pid).read_text()


def finish(installation: Installation, *, namespace: UUID | None = None) -> None:
    """Run `rag all` to its end, which must be a good one."""
    process = start(installation, namespace=namespace)
    process.join(300)
    assert process.exitcode == 0, f"{process.exitcode}\n{installation.logs()}"


def count_commits(installation: Installation) -> dict[Of, int]:
    """Run `rag all` to its end and count the commits of transactions that write, by database."""
    file = installation.folder / "commits"
    process = _processes().Process(target=_counting_child, args=(installation, file))
    process.start()
    process.join(300)
    assert process.exitcode == 0, f"{process.exitcode}\n{installation.logs()}"
    counted = Counter(file.read_text().split())
    return {"knowledge": counted["knowledge"], "dagster": counted["dagster"]}


def _processes() -> ForkServerContext | ForkContext:
    # A process of the fork server has everything imported and no thread either: it is forked itself.
    return PROCESSES if multiprocessing.parent_process() is None else multiprocessing.get_context("fork")


def _child(installation: Installation, arguments: tuple[str, ...], point: Point | None, namespace: UUID | None) -> None:
    if namespace is not None:
        vars(installation_store)["uuid4"] = lambda: namespace
    match point:
        case AtCommit():
            _watch_commits(point)
        case AtCall():
            if point.by is signal.SIGINT:
                os.setsid()  # a terminal's Ctrl-C reaches the whole group
            _watch_calls(point)
    sys.exit(_run(installation, arguments))


def _counting_child(installation: Installation, file: Path) -> None:
    seen: list[Of] = []
    event.listen(Engine, "commit", lambda connection: seen.extend(_written(connection)))
    status = _run(installation, ("all", "--quiet"))
    file.write_text(" ".join(seen))
    sys.exit(status)


def _run(installation: Installation, arguments: tuple[str, ...]) -> int:
    _keep_dagsters_engines()
    # As with a slow model every answer is stored by itself, so that a build has as many commits on every machine.
    vars(extraction)["_STORE_AFTER_MS"] = 0
    log = _log(installation, os.getpid())
    with (
        only_environment(installation.environment()),
        contextlib.chdir(installation.folder),
        log.open("w") as file,
        contextlib.redirect_stdout(file),
        contextlib.redirect_stderr(file),
    ):
        return run(("--debug", *arguments))


def _log(installation: Installation, process: int | None) -> Path:
    return installation.folder / f"{process}.log"


def _keep_dagsters_engines() -> None:
    kept: dict[str, Engine] = {}

    def keep(url: str, **options: Any) -> Engine:
        if url not in kept:
            kept[url] = create_engine(url, **options)
        return kept[url]

    for module in (sqlite_event_log, sqlite_run_storage, sqlite_schedule_storage):
        vars(module)["create_engine"] = keep


def _written(connection: Connection) -> tuple[Of, ...]:
    """The database in which this transaction has written, if it has."""
    if connection.get_execution_options().get("rag_write"):
        return ("knowledge",)
    raw: Any = connection.connection.dbapi_connection
    # Dagster leaves it to the driver to begin, which does so at the first statement that writes; ours begin by themselves.
    if isinstance(raw, sqlite3.Connection) and raw.isolation_level is not None and raw.in_transaction:
        return ("dagster",)
    return ()


def _die(by: signal.Signals = signal.SIGKILL) -> None:
    if by is signal.SIGINT:
        os.killpg(os.getpid(), by)
    else:
        os.kill(os.getpid(), by)


def _watch_commits(point: AtCommit) -> None:
    left = point.number
    dying = False

    def before_commit(connection: Connection) -> None:
        nonlocal left, dying
        if point.of not in _written(connection):
            return
        left -= 1
        if left == 0:
            if point.side == "before":
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
    left = point.number

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        last = left == 0
        if last and point.side == "before":
            _die(point.by)
        result = called(*arguments, **options)
        if last and point.side == "after":
            _die(point.by)
        return result

    setattr(owner, name, call)
