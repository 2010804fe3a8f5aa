"""What all verbs share: options, the settings and the application of a command, JSON and text on standard output.

Results go to standard output, progress and remarks to standard error, so that a pipe gets results only.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rag_assets.knowledge.placement import COLLECTIONS

if TYPE_CHECKING:
    from rich.console import Console

    from rag_assets.app import App
    from rag_assets.cli.messages import Messages
    from rag_assets.config import Settings
    from rag_assets.offline.source import Source

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """`--json`: the result as one JSON object on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON (stable fields).")(command)


def debug_option(command: Command) -> Command:
    """`--debug` after the verb means what it means before it; `root.run` looks for it."""
    return click.option("--debug", is_flag=True, expose_value=False, hidden=True)(command)


def quiet_option(command: Command) -> Command:
    """`--quiet`: no progress."""
    return click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")(command)


def _folder(_context: click.Context, _option: click.Parameter, value: str | None) -> Path | None:
    # An empty word, as of a variable that is not set, would mean the folder one happens to stand in.
    if value is not None and not value.strip():
        raise click.UsageError("--source needs the path of a folder.")
    return None if value is None else Path(value)


def plain(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Bytes of the command line that are no text become a sign that no name has."""
    return None if value is None else value.encode("utf-8", "replace").decode()


def source_options(command: Command) -> Command:
    """`--source` and `--collection`: a folder that sources.yaml need not name."""
    collection = click.option(
        "--collection",
        type=click.Choice(COLLECTIONS),
        default="documents",
        show_default=True,
        help="What the folder of --source holds.",
    )
    source = click.option(
        "--source",
        "folder",
        callback=_folder,
        metavar="DIR",
        help="Only this folder, whether sources.yaml names it or not.",
    )
    return source(collection(command))


@dataclass(frozen=True, slots=True)
class Scope:
    """The application, and the sources that a command is about; None means all."""

    app: App
    settings: Settings
    say: Messages
    sources: tuple[Source, ...] | None

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the sources that the command is about."""
        return None if self.sources is None else [source.name for source in self.sources]


@contextmanager
def opened(folder: Path | None = None, collection: str = "documents") -> Iterator[Scope]:
    """The application with the environment's settings, for a folder named on the command line or for all sources.

    Raises:
        UsageError: `no_such_folder`.
        SettingsError: a setting or sources.yaml cannot be used.
    """
    from rag_assets.app import open_app
    from rag_assets.cli.messages import Messages
    from rag_assets.config import load_settings

    settings = load_settings()
    with open_app(settings) as app:
        sources = None
        if folder is not None:
            sources = (_ad_hoc(app, folder, collection),)
            app.watch_also(sources)
        yield Scope(app, settings, Messages(settings.language), sources)


def _ad_hoc(app: App, folder: Path, collection: str) -> Source:
    from rag_assets.errors import UsageError
    from rag_assets.offline.sources import ad_hoc_source

    if not os.path.isdir(folder):  # noqa: PTH112 - an endless name is no folder; pathlib raises
        raise UsageError("no_such_folder", "is not a folder", folder=folder)
    return ad_hoc_source(folder, collection, sources=app.sources)


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def console(*, stderr: bool = False) -> Console:
    """A terminal that knows its width; plain text where there is none."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, soft_wrap=not stream.isatty())
