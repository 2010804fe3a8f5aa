"""A small base that is built through Dagster in a moment: Markdown in the test notation, the fast embedder.

Also a program, so that a test can have a real process killed: `python -m … small_base HOME FOLDER N` builds and kills
itself when the N-th stage begins.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag_assets.app import App, open_app
from rag_assets.config import Settings, load_settings
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import Extraction, ExtractionRequest
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.orchestration.watching import Watcher
from rag_assets.orchestration.work import Outcome, bring_up_to_date
from rag_assets_tests.campus import ONTOLOGY, NotationExtractor


class FragileExtractor(NotationExtractor):
    """Reads the notation; what stands in `broken` (word → exception) is raised at the first text with that word."""

    def __init__(self, broken: dict[str, Exception] | None = None) -> None:
        super().__init__()
        self.broken = broken or {}

    def extract(self, request: ExtractionRequest) -> Extraction:
        """See `NotationExtractor`."""
        for word, error in self.broken.items():
            if word in request.text:
                raise error
        return super().extract(request)


def write(folder: Path, name: str, person: str, years: int, more: str = "") -> Path:
    """A document that names a person and says how long something takes."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(
        f"# Über {person}\n\n[{person}|Person] kam zur Tagung.\n\n[Empathie|Konzept] :dauern: {years} Jahre\n\n{more}\n"
    )
    return file


@contextmanager
def opened(settings: Settings, folder: Path, extractor: Any = None) -> Iterator[App]:
    """The application over one folder."""
    with open_app(
        settings,
        extractor=extractor or NotationExtractor(),
        ontology=Ontology.from_mapping(ONTOLOGY),
        sources=(ad_hoc_source(folder, "documents"),),
    ) as app:
        yield app


def build(settings: Settings, folder: Path, extractor: Any = None, **options: Any) -> Outcome:
    """Bring everything up to date."""
    with opened(settings, folder, extractor) as app:
        return bring_up_to_date(app, **options)


class Killer(Watcher):
    """Kills this process when the n-th stage begins."""

    def __init__(self, number: int) -> None:
        self.left = number

    def started(self, document_uid: str, stage: str) -> None:
        """See `Watcher`."""
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    home, documents, number = sys.argv[1:]
    build(load_settings(home=home, embedding="hashing"), Path(documents), watcher=Killer(int(number)))
