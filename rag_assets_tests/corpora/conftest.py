"""One installation over all public fault cases, built once for the tests of a session that only look."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.app import open_app
from rag_assets.config import load_settings
from rag_assets.offline.sources import ad_hoc_source
from rag_assets_tests.corpora.library import Library, build, forget_peak, lay_out, memory_mb
from rag_assets_tests.services import REPOSITORY
from rag_assets_tests.system.installation import only_environment


@pytest.fixture(scope="session")
def cases(corpora: Path) -> Path:
    return corpora / "cases"


@pytest.fixture(scope="session")
def library(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """All cases, through all stages, with the embedder that needs no model; reading may take 20 s a document."""
    folder = tmp_path_factory.mktemp("cases")
    lay_out(cases, folder / "quellen")
    with only_environment({name: value for name, value in os.environ.items() if not name.startswith("RAG_")}):
        settings = load_settings(
            home=folder / "home",
            ontology=REPOSITORY / "ontology.yaml",
            embedding="hashing",
            vision="none",
            read_timeout_s=20,
        )
        with open_app(settings, sources=(ad_hoc_source(folder / "quellen", "documents"),)) as app:
            before = memory_mb("self", "VmRSS")
            forget_peak()
            build(app)
            grown = memory_mb("self", "VmHWM") - before
            yield Library(app, cases, grown, memory_mb(app.worker.process_id or "self", "VmHWM"))
