"""Progress of a build on standard error: a bar for each stage in a terminal, a line for each document elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

import click

from rag_assets.ledger.stages import STAGES
from rag_assets.orchestration.watching import Watcher

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from rag_assets.cli.messages import Messages
    from rag_assets.errors import RagError
    from rag_assets.offline.parts import StageReport


def open_watcher(say: Messages, *, quiet: bool) -> Watcher:
    """Who watches a build: nobody, bars, or lines."""
    if quiet:
        return Watcher()
    return Bars(say) if sys.stderr.isatty() else Lines(say, sys.stderr)


class Lines(Watcher):
    """A line for each document, when it is through."""

    def __init__(self, say: Messages, stream: TextIO) -> None:
        self._say = say
        self._stream = stream
        self._names: Mapping[str, str] = {}
        self._ended = 0
        self._begun = 0.0
        self._problem = ""

    def planned(self, totals: Mapping[str, int], names: Mapping[str, str]) -> None:
        """See `Watcher`."""
        self._names = names

    def started(self, document_uid: str, stage: str) -> None:
        """See `Watcher`."""
        self._begun = self._begun or time.monotonic()

    def failed(self, document_uid: str, stage: str, error: RagError) -> None:
        """See `Watcher`."""
        self._problem = self._say("progress.failed", stage=self._say(f"stage.{stage}"), code=error.code)

    def document_ended(self, document_uid: str) -> None:
        """See `Watcher`."""
        self._ended += 1
        total = len(self._names)
        seconds = time.monotonic() - self._begun if self._begun else 0.0
        what = self._problem or self._say("progress.done")
        name = self._names.get(document_uid, document_uid)
        click.echo(f"[{self._ended}/{total}] {name}: {what} ({seconds:.1f} s)", file=self._stream)
        self._begun, self._problem = 0.0, ""

    def settling(self) -> None:
        """See `Watcher`."""
        click.echo(f"{self._say('settling')} …", file=self._stream)


class Bars(Watcher):
    """A bar for each stage, with the document at work under them; failures stay above."""

    def __init__(self, say: Messages) -> None:
        self._say = say
        self._names: Mapping[str, str] = {}
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def planned(self, totals: Mapping[str, int], names: Mapping[str, str]) -> None:
        """See `Watcher`."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._names = names
        self._bars = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[name]}"),
            console=Console(stderr=True),
            transient=True,
        )
        for stage in STAGES:
            if totals.get(stage):
                self._tasks[stage] = self._bars.add_task(
                    self._say(f"stage.{stage}"), total=totals[stage], name="", start=False
                )
        self._bars.start()

    def started(self, document_uid: str, stage: str) -> None:
        """See `Watcher`."""
        if self._bars is not None and stage in self._tasks:
            self._bars.start_task(self._tasks[stage])
            self._bars.update(self._tasks[stage], name=self._names.get(document_uid, "")[-60:])

    def pieces(self, stage: str, document_uid: str, done: int, total: int, /) -> None:
        """See `Watcher`."""
        if self._bars is not None and stage in self._tasks and total:
            name = self._names.get(document_uid, "")[-50:]
            self._bars.update(self._tasks[stage], name=f"{name} {100 * done // total} %")

    def finished(self, report: StageReport) -> None:
        """See `Watcher`."""
        self._advance(report.stage)

    def failed(self, document_uid: str, stage: str, error: RagError) -> None:
        """See `Watcher`."""
        self._advance(stage)
        if self._bars is not None:
            name = self._names.get(document_uid, document_uid)
            what = self._say("progress.failed", stage=self._say(f"stage.{stage}"), code=error.code)
            self._bars.console.print(f"✗ {name}: {what}", markup=False, highlight=False)

    def out_of_reach(self, document_uid: str, stage: str) -> None:
        """See `Watcher`."""
        self._advance(stage)

    def settling(self) -> None:
        """See `Watcher`."""
        if self._bars is not None:
            for task in self._tasks.values():
                self._bars.update(task, name="")

    def closed(self) -> None:
        """See `Watcher`."""
        if self._bars is not None:
            self._bars.stop()

    def _advance(self, stage: str) -> None:
        if self._bars is not None and stage in self._tasks:
            self._bars.update(self._tasks[stage], advance=1, name="")
