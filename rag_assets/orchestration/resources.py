"""What assets and jobs are given: the application, and who watches.

A resource makes plain library objects and closes them again; the command line gives its own, already open.
(Functions, not `ConfigurableResource`: there is nothing to configure here, and that class warns with this pydantic.)
"""
# No postponed annotations: Dagster looks at the types of a resource's arguments.

from collections.abc import Iterator

from dagster import InitResourceContext, resource

from rag_assets.app import App, open_app
from rag_assets.config import load_settings
from rag_assets.orchestration import history
from rag_assets.orchestration.watching import Watcher


@resource(description="The application with the settings of this process's environment, for one run or one tick.")
def open_rag(context: InitResourceContext) -> Iterator[App]:
    """The application; a run is told who works on it first, so that its death can be noticed."""
    settings = load_settings()
    if context.run is not None and context.instance is not None:
        history.own(context.instance, context.run.run_id, settings)
    with open_app(settings) as app:
        yield app


@resource(description="Watches a run; nobody does where Dagster's own pages show it.")
def nobody_watches(_: InitResourceContext) -> Watcher:
    """A watcher that shows nothing."""
    return Watcher()
