"""What assets and jobs are given: the application, and who watches.

A resource makes plain library objects and closes them again; the command line gives its own, already open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext

from rag_assets.app import App, open_app
from rag_assets.config import load_settings
from rag_assets.orchestration import history
from rag_assets.orchestration.watching import Watcher


class AppResource(ConfigurableResource[App]):
    """Opens the application with the settings of this process's environment, for one run or one tick."""

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator[App]:
        """The application; a run is told who works on it first, so that its death can be noticed."""
        settings = load_settings()
        if context.run is not None and context.instance is not None:
            history.own(context.instance, context.run.run_id, settings)
        with open_app(settings) as app:
            yield app


class NobodyWatches(ConfigurableResource[Watcher]):
    """The watcher of runs that Dagster's own pages show."""

    def create_resource(self, context: InitResourceContext) -> Watcher:
        """A watcher that shows nothing."""
        return Watcher()
