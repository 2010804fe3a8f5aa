"""A base with three documents, and an empty one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.stores.database import Database
from rag_assets_tests.campus import Campus
from rag_assets_tests.online.desk import CONTRACT, FEEDBACK, FEES, Desk


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("desk") / "campus.sqlite"
    Campus.create(f"sqlite:///{file}").database.close()
    return file


@pytest.fixture
def empty(_template: Path, tmp_path: Path) -> Iterator[Desk]:
    file = tmp_path / "campus.sqlite"
    shutil.copy(_template, file)
    campus = Campus(Database(f"sqlite:///{file}"))
    yield Desk(campus, tmp_path / "index")
    campus.database.close()


@pytest.fixture
def desk(empty: Desk) -> Desk:
    empty.put("campus/feedback.md", FEEDBACK, title="Feedback geben")
    empty.put("campus/kontrakt.md", CONTRACT, title="Coaching-Handbuch")
    empty.put("campus/gebuehren.md", FEES, title=None)
    return empty
