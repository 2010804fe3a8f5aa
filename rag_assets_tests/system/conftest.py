"""The example campus, built once with the embedded default and shared by the tests that only read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_assets_tests.system.installation import Installation, install


@pytest.fixture(scope="session")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """All of `examples/`, built by `rag all` with the embedded default. Read it, do not change it."""
    installation = install(tmp_path_factory.mktemp("campus"), embedding="e5")
    installation.process("all", "--quiet")
    return installation


@pytest.fixture
def small(tmp_path: Path) -> Callable[..., Installation]:
    """Make an installation of a few example documents, with the `hashing` embedder; nothing is built yet."""

    def make(*only: str) -> Installation:
        return install(tmp_path / "small", embedding="hashing", only=only)

    return make
