"""Doing it again when nothing changed: the whole command, the work inside it, and a scan of many files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from dagster import DagsterInstance, build_sensor_context

from benchmarks.homes import new_base
from benchmarks.measuring import Spent, environment_for, median_spent, process_spent, rag_command, spent_by
from benchmarks.rows import Row
from rag_assets.app import App
from rag_assets.offline import pipeline
from rag_assets.orchestration.partitions import DOCUMENTS
from rag_assets.orchestration.sensors import source_sensor
from rag_assets.orchestration.work import bring_up_to_date
from rag_assets.stores import documents

NAME = "rerun"


def run(*, quick: bool) -> list[Row]:
    """`rag all` over a small and a larger base (`quick`: a tiny one), and scans of 5,000 and 20,000 unchanged files."""
    sizes, files, repeats = ((2,), (50, 100), 1) if quick else ((10, 100), (5_000, 20_000), 3)
    rows = []
    for size in sizes:
        rows += _nothing_changed(size, repeats)
    return rows + _scans(files, repeats)


def _nothing_changed(size: int, repeats: int) -> list[Row]:
    with new_base(size) as base:
        with base.opened() as app:
            bring_up_to_date(app)
            inside = median_spent(lambda: bring_up_to_date(app), repeats)
            scan = median_spent(app.scan, repeats)
            settle = median_spent(lambda: pipeline.settle(app.parts), repeats)
        environment = environment_for(base.home, base.sources)
        pairs = [
            (
                process_spent(rag_command("all", "--quiet"), environment),
                process_spent(rag_command("status", "--json"), environment),
            )
            for _ in range(repeats + 1)
        ]
    # The first start compiles what was not yet compiled.
    command = median(one.cpu_ms for one, _ in pairs[1:])
    ratio = median(one.cpu_ms / two.cpu_ms for one, two in pairs[1:])
    of = f"{size} documents"
    return [
        Row(NAME, f"`rag all`, nothing changed, {of}", command, "ms CPU", ratio, "`rag status`"),
        Row(NAME, f"the same inside a running process, {of}", inside.cpu_ms, "ms CPU"),
        Row(NAME, f"of which scan, {of}", scan.cpu_ms, "ms CPU", scan.cpu_ms / inside.cpu_ms, "the above"),
        Row(NAME, f"of which settle, {of}", settle.cpu_ms, "ms CPU", settle.cpu_ms / inside.cpu_ms, "the above"),
    ]


def _scans(sizes: Sequence[int], repeats: int) -> list[Row]:
    """Folders of several sizes; for all but the first, how many times as much as the first they cost."""
    rows: list[Row] = []
    for files in sizes:
        found = _scan(files, repeats)
        if rows:
            factor = f"as {sizes[0]:,} files ({files / sizes[0]:.3g} × as many)"
            # What is compared with the bare stat keeps that ratio.
            found = [
                replace(row, ratio=row.value / first.value, against=factor) if row.ratio is None else row
                for row, first in zip(found, rows[: len(found)], strict=True)
            ]
        rows += found
    return rows


def _scan(files: int, repeats: int) -> list[Row]:
    with new_base() as base:
        for number in range(files):
            file = base.folder / f"{number // 100:03}" / f"notiz-{number:05}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# Notiz {number}\n\nEine kurze Notiz.\n", encoding="utf-8")
        with base.opened() as app:
            app.database  # noqa: B018 - opened before it is measured
            first = spent_by(app.scan)
            again = median_spent(app.scan, repeats)
            assert app.scan().unchanged == files
            tick = _tick(app, repeats)
        bare = median_spent(lambda: _look(base.folder), repeats)
    of = f"{files:,} files"
    return [
        Row(NAME, f"first scan of {of} (all hashed)", first.cpu_ms, "ms CPU"),
        Row(NAME, f"scan of {of}, unchanged", again.cpu_ms, "ms CPU"),
        Row(
            NAME,
            f"scan of {of}, unchanged, against bare stat",
            again.cpu_ms,
            "ms CPU",
            again.cpu_ms / bare.cpu_ms,
            "bare stat",
        ),
        Row(NAME, f"scan of {of}, unchanged, elapsed", again.wall_ms, "ms"),
        Row(NAME, f"a sensor's tick, {of}, unchanged and still to be read", tick.cpu_ms, "ms CPU"),
        Row(NAME, f"stat of {of}, nothing else", bare.cpu_ms, "ms CPU"),
    ]


def _tick(app: App, repeats: int) -> Spent:
    """A tick of the source's sensor while all its documents wait to be read: the longest that one can take."""
    (source,) = app.sources
    watch = source_sensor(source.name, 60)
    with DagsterInstance.ephemeral() as instance, app.database.read() as connection:
        keys = [row.partition_key for row in documents.list_all(connection)]
        instance.add_dynamic_partitions(DOCUMENTS, keys)
        cursor: str | None = None

        def once() -> None:
            nonlocal cursor
            with build_sensor_context(instance=instance, cursor=cursor, resources={"rag": app}) as context:
                cursor = watch.evaluate_tick(context).cursor

        return median_spent(once, repeats)


def _look(folder: Path) -> int:
    """The least that a scan must do: list the folders and ask each file for its size and time."""
    count = 0
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            count += _look(Path(entry.path))
        elif entry.stat(follow_symlinks=False).st_size:
            count += 1
    return count
