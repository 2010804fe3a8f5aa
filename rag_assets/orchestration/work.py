"""Bringing everything up to date from the command line: scan, plan, and Dagster runs for what is open.

No dagster is imported here: when nothing is open, nothing is run and nothing is written, in a moment. The runs
themselves are in `runs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from rag_assets.app import App
from rag_assets.ledger import overview, stage_events, stages, versions
from rag_assets.ledger.stages import STAGES, DocumentPlan
from rag_assets.offline import pipeline
from rag_assets.offline.scan import ScanReport
from rag_assets.orchestration import graph_files, markers
from rag_assets.orchestration.watching import Watcher

if TYPE_CHECKING:
    from rag_assets.offline.source import Source
    from rag_assets.orchestration.runs import Session

PROCESS: tuple[str, ...] = ("documents", "chunks", "entities", "statements")
EMBED: tuple[str, ...] = ("embeddings",)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it. `runs` are the ids of the Dagster runs; none when nothing was open."""

    scan: ScanReport
    worked_on: tuple[str, ...]
    """Uids of the documents that needed work."""
    runs: tuple[str, ...]
    settled: bool
    """Whether the base was brought in line without a run, and that changed something."""
    version: str | None
    failed: tuple[tuple[str, str], ...]
    """(source path, code) of the documents in error now, whether this call tried them or not."""


def bring_up_to_date(
    app: App,
    *,
    wanted: Sequence[str] = STAGES,
    sources: tuple[Source, ...] | None = None,
    file: str | None = None,
    retry_failed: bool = False,
    watcher: Watcher | None = None,
) -> Outcome:
    """Scan the sources and take every document that needs it through the wanted stages.

    `sources` narrows it to these; `file` to the one document at this source path.

    Raises:
        StoreError: `dimension_mismatch`, the index was built with another model.
        RagError: a source or a setting cannot be used.
    """
    parts = app.parts
    report = app.scan(sources)
    if "embeddings" in wanted:
        pipeline.check_model(parts)
    plan = _plan(app, wanted, sources, file, retry_failed=retry_failed)
    run_ids: tuple[str, ...] = ()
    settled = False
    with _LazySession(app, watcher or Watcher()) as session:
        if plan or _history_open(app):
            run_ids = session.get().work_through(plan)
        if not plan:
            settled = pipeline.settle(parts).changed
        if not _graph_written(app):
            run_ids += (session.get().write_graph(),)
    names = None if sources is None else [source.name for source in sources]
    with app.database.read() as connection:
        version = versions.latest(connection)
        failed = overview.failed_documents(connection, sources=names)
    worked_on = tuple(document.uid for document in plan)
    return Outcome(report, worked_on, run_ids, settled, None if version is None else str(version), failed)


class _LazySession:
    """Opens Dagster at the first need: importing it takes seconds."""

    def __init__(self, app: App, watcher: Watcher) -> None:
        self._app = app
        self._watcher = watcher
        self._stack = ExitStack()
        self._session: Session | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self) -> Session:
        """The session, opened now or before."""
        if self._session is None:
            from rag_assets.orchestration.runs import open_session

            self._session = self._stack.enter_context(open_session(self._app, self._watcher))
        return self._session


def _plan(
    app: App,
    wanted: Sequence[str],
    sources: tuple[Source, ...] | None,
    file: str | None,
    *,
    retry_failed: bool,
) -> list[DocumentPlan]:
    from rag_assets.stores import documents

    with app.database.read() as connection:
        chosen: set[int] | None = None
        if sources is not None:
            names = [source.name for source in sources]
            rows = documents.list_all(connection, sources=names)
            chosen = {row.id for row in rows if file is None or row.source_path == file}
        return stages.plan(
            connection,
            pipeline.parameters(app.parts),
            stages=wanted,
            documents=chosen,
            retry_failed=retry_failed,
        )


def _history_open(app: App) -> bool:
    """Whether Dagster has to be told something: of runs left behind by dead processes, or of work it does not know."""
    home = app.settings.resolved_dagster_home
    if markers.left_behind(markers.folder(home)):
        return True
    with app.database.read() as connection:
        if markers.is_fresh(home) and stage_events.has_events(connection):
            return True
        return bool(stage_events.without_event(connection))


def _graph_written(app: App) -> bool:
    with app.database.read() as connection:
        version = versions.latest(connection)
    return version is None or graph_files.path(app.settings, str(version)).exists()
