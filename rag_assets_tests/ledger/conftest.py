"""Campuses for tests of what holds."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag_assets.stores.database import Database
from rag_assets_tests.campus import Campus


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty campus on SQLite, made once: a migration takes longer than a copy."""
    file = tmp_path_factory.mktemp("template") / "campus.sqlite"
    Campus.create(f"sqlite:///{file}").database.close()
    return file


@pytest.fixture
def new_campus(template: Path, tmp_path: Path) -> Iterator[Callable[[], Campus]]:
    """Makes fresh campuses on SQLite, all with the same namespace."""
    made: list[Campus] = []

    def make() -> Campus:
        file = tmp_path / f"campus{len(made)}.sqlite"
        shutil.copy(template, file)
        made.append(Campus(Database(f"sqlite:///{file}")))
        return made[-1]

    yield make
    for campus in made:
        campus.database.close()


@pytest.fixture
def campus(new_campus: Callable[[], Campus]) -> Campus:
    """A fresh campus on SQLite."""
    return new_campus()


@pytest.fixture
def any_campus(database_url: str) -> Iterator[Campus]:
    """A fresh campus, once on SQLite and once on MariaDB."""
    made = Campus.create(database_url)
    yield made
    made.database.close()
