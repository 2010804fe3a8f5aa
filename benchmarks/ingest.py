"""Taking documents in: by the library alone and through the Dagster job, stage by stage, and what is written.

The difference between the two is Dagster's part: a run, and an event for each stage of each document. The reading
process is counted with the stage `documents`.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from sqlalchemy import event

from benchmarks import campus
from benchmarks.homes import Base, new_base, plan
from benchmarks.measuring import Spent, cpu_ms_of, spent_by
from benchmarks.rows import Row
from rag_assets.app import App
from rag_assets.ledger.stages import STAGES
from rag_assets.offline import pipeline

NAME = "ingest"


@dataclass
class _Measured:
    """One repetition: CPU milliseconds and counts by part, elapsed milliseconds of the whole."""

    cpu_ms: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    commits: Counter[str] = field(default_factory=Counter)
    statements: Counter[str] = field(default_factory=Counter)
    wall_ms: float = 0.0
    one_cpu_ms: float = 0.0
    events: int = 0
    graph_ms: float = 0.0

    @property
    def total_ms(self) -> float:
        """CPU time of all parts."""
        return sum(self.cpu_ms.values())


def run(*, quick: bool) -> list[Row]:
    """Rows a document, from a run over many (`quick`: few) documents."""
    count, repeats = (3, 1) if quick else (50, 3)
    library, dagster = [], []
    for seed in range(repeats):
        # One after the other, so that a change in the machine's load meets both.
        library.append(_by_library(count, seed))
        dagster.append(_through_dagster(count, seed))
    return _rows(count, library, dagster)


def _by_library(count: int, seed: int) -> _Measured:
    measured = _Measured()
    with new_base() as base, base.opened() as app:
        _warm_up(base, app, seed)
        campus.write_markdown(base.folder, range(1, count + 1), seed=seed)
        counting = _Counting(app, measured)
        begun = time.perf_counter()
        _library_pass(app, counting)
        measured.wall_ms = (time.perf_counter() - begun) * 1000
        campus.write_markdown(base.folder, [count], seed=seed + 1000)
        alone = _Measured()
        _library_pass(app, _Counting(app, alone))
        measured.one_cpu_ms = alone.total_ms
    return measured


def _library_pass(app: App, counting: _Counting) -> None:
    with counting.part("scan"):
        app.scan()
        planned = plan(app)
    for document in planned:
        for stage in document.stages:
            with counting.part(stage):
                pipeline.run_stage(app.parts, document.uid, stage)
    with counting.part("settle"):
        pipeline.settle(app.parts)


def _through_dagster(count: int, seed: int) -> _Measured:
    from rag_assets.orchestration.instance import open_instance
    from rag_assets.orchestration.runs import open_session
    from rag_assets.orchestration.watching import Watcher

    measured = _Measured()
    with new_base() as base, base.opened() as app:
        _warm_up(base, app, seed)
        _dagster_pass(app)
        with open_session(app, Watcher()) as session:
            session.write_graph()
        campus.write_markdown(base.folder, range(1, count + 1), seed=seed)
        counting = _Counting(app, measured)
        run_ids: tuple[str, ...] = ()
        begun = time.perf_counter()
        with counting.part("all"):
            run_ids = _dagster_pass(app)
        measured.wall_ms = (time.perf_counter() - begun) * 1000
        with open_instance(app.settings) as instance:
            measured.events = sum(len(instance.all_logs(run_id)) for run_id in run_ids)
        with open_session(app, Watcher()) as session:
            measured.graph_ms = spent_by(session.write_graph).cpu_ms
        campus.write_markdown(base.folder, [count], seed=seed + 1000)
        alone = _Measured()
        with _Counting(app, alone).part("all"):
            _dagster_pass(app)
        measured.one_cpu_ms = alone.total_ms
    return measured


def _dagster_pass(app: App) -> tuple[str, ...]:
    from rag_assets.orchestration.runs import open_session
    from rag_assets.orchestration.watching import Watcher

    app.scan()
    with open_session(app, Watcher()) as session:
        return session.work_through(plan(app))


def _warm_up(base: Base, app: App, seed: int) -> None:
    """One document through everything: modules, models and the reading process are there afterwards."""
    campus.write_markdown(base.folder, [0], seed=seed)
    _library_pass(app, _Counting(app, _Measured()))


class _Counting:
    """Books CPU time, write transactions and statements on the part that is being worked on."""

    def __init__(self, app: App, measured: _Measured) -> None:
        self._app = app
        self._measured = measured
        self._part = ""
        self._before = Spent(0, 0)
        event.listen(app.database.engine, "commit", self._commit)
        event.listen(app.database.engine, "before_cursor_execute", self._statement)

    def part(self, name: str) -> _Counting:
        """What happens in the block belongs to this part."""
        self._part = name
        return self

    def __enter__(self) -> None:
        self._before = self._now()

    def __exit__(self, *_error: object) -> None:
        self._measured.cpu_ms[self._part] += self._now().cpu_ms - self._before.cpu_ms
        self._part = ""

    def _now(self) -> Spent:
        return Spent(time.process_time() * 1000 + cpu_ms_of(self._app.worker.process_id), 0)

    def _commit(self, connection: Any) -> None:
        if self._part and connection.get_execution_options().get("rag_write"):
            self._measured.commits[self._part] += 1

    def _statement(self, *_arguments: Any) -> None:
        if self._part:
            self._measured.statements[self._part] += 1


def _rows(count: int, library: list[_Measured], dagster: list[_Measured]) -> list[Row]:
    words = sum(len(campus.markdown(number).split()) for number in range(1, count + 1)) / count

    def each(values: list[float]) -> float:
        return median(values) / count

    whole = each([one.total_ms for one in library])
    both = each([one.total_ms for one in dagster])
    parts = [median(two.total_ms - one.total_ms for one, two in zip(library, dagster, strict=True)) / count]
    rows = [
        Row(NAME, "words in a document", words, "words"),
        Row(NAME, f"library, a document of {count}", whole, "ms CPU"),
        Row(NAME, f"library and Dagster, a document of {count}", both, "ms CPU", both / whole, "library"),
        Row(NAME, "Dagster's part (difference)", parts[0], "ms CPU", parts[0] / whole, "library"),
    ]
    for part in ("scan", *STAGES, "settle"):
        value = each([one.cpu_ms[part] for one in library])
        rows.append(Row(NAME, f"library: `{part}`", value, "ms CPU", value / whole, "library"))
    elapsed = each([one.wall_ms for one in library])
    elapsed_both = each([one.wall_ms for one in dagster])
    rows += [
        Row(NAME, "library, elapsed", elapsed, "ms", elapsed / whole, "its CPU time"),
        Row(NAME, "library and Dagster, elapsed", elapsed_both, "ms", elapsed_both / both, "its CPU time"),
    ]
    alone, alone_both = median(one.one_cpu_ms for one in library), median(one.one_cpu_ms for one in dagster)
    rows += [
        Row(NAME, "one changed document, library", alone, "ms CPU", alone / whole, "a document of many"),
        Row(NAME, "one changed document, run of its own", alone_both, "ms CPU", alone_both / alone, "library"),
        Row(NAME, "graph and checks, once a run", median(one.graph_ms for one in dagster), "ms CPU"),
        Row(NAME, "Dagster events a document", each([one.events for one in dagster]), "events"),
    ]
    what = "write transactions a document"
    rows.append(Row(NAME, f"{what}, library", each([one.commits.total() for one in library]), "commits"))
    rows += [
        Row(NAME, f"{what}: `{stage}`", each([one.commits[stage] for one in library]), "commits") for stage in STAGES
    ]
    rows += [
        Row(NAME, f"{what}, with Dagster", each([one.commits.total() for one in dagster]), "commits"),
        Row(NAME, "statements a document, library", each([one.statements.total() for one in library]), "statements"),
    ]
    return rows
