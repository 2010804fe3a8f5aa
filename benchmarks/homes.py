"""A base of generated documents in a temporary home, opened as the command line opens it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import campus
from benchmarks.measuring import PROJECT, temporary_folder
from rag_assets.app import App, open_app
from rag_assets.config import load_settings
from rag_assets.ledger import stages
from rag_assets.offline import pipeline


@dataclass(frozen=True, slots=True)
class Base:
    """A home, the folder that it watches, and its sources.yaml."""

    home: Path
    folder: Path
    sources: Path

    @contextmanager
    def opened(self) -> Iterator[App]:
        """The application over it, with the embedder that needs no model."""
        settings = load_settings(
            home=self.home, sources=self.sources, ontology=PROJECT / "ontology.yaml", embedding="hashing"
        )
        with open_app(settings) as app:
            yield app


@contextmanager
def new_base(documents: int = 0) -> Iterator[Base]:
    """An empty home over a folder with so many generated documents, gone afterwards."""
    with temporary_folder() as place:
        folder = place / "documents"
        campus.write_markdown(folder, range(documents))
        yield Base(place / "home", folder, campus.write_sources(place / "sources.yaml", folder))


def plan(app: App) -> list[stages.DocumentPlan]:
    """What is open."""
    with app.database.read() as connection:
        return stages.plan(connection, pipeline.parameters(app.parts))


def build_with_library(app: App) -> None:
    """Everything brought up to date without Dagster."""
    app.scan()
    for document in plan(app):
        for stage in document.stages:
            pipeline.run_stage(app.parts, document.uid, stage)
    pipeline.settle(app.parts)
