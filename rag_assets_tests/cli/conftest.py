"""Folders with documents for the tests of bad input: fresh, built once, and a copy of the built one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag_assets_tests.cli.trouble import lay, rag


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """One document; nothing is built."""
    return lay(tmp_path / "place")


@pytest.fixture
def prepared(place: Path, prepared_home: Path) -> Path:
    """The same with a home in which Dagster's storage was made."""
    shutil.copytree(prepared_home, place / "home")
    return place


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, prepared_home: Path) -> Path:
    """A built home with its documents, for tests that only read."""
    folder = lay(tmp_path_factory.mktemp("built") / "place")
    shutil.copytree(prepared_home, folder / "home")
    (folder / "Notizen" / "eins").mkdir()
    shutil.copy(folder / "Notizen" / "hospitation.md", folder / "Notizen" / "eins" / "notiz.md")
    with (folder / "Notizen" / "eins" / "notiz.md").open("a") as file:
        file.write("\nNoch ein Satz.\n")
    (folder / "Notizen" / "zwei").mkdir()
    (folder / "Notizen" / "zwei" / "notiz.md").write_text("# Haus\n\nDas Haus schließt um acht Uhr abends.\n")
    result = rag(folder, "all", "--quiet")
    assert result.status == 0, result
    return folder


@pytest.fixture
def built(shared: Path, tmp_path: Path) -> Path:
    """A copy of a built home with its documents."""
    return Path(shutil.copytree(shared, tmp_path / "place"))
