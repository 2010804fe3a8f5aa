"""Campuses for tests of the offline stages, the same as those of the ledger's tests."""

from pathlib import Path

import pytest

from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Database
from rag_assets_tests.ledger.conftest import any_campus, campus, new_campus, template
from rag_assets_tests.offline.folders import Watched

__all__ = ["any_campus", "campus", "new_campus", "template"]


@pytest.fixture
def watched(database: Database, tmp_path: Path) -> Watched:
    return Watched(database, tmp_path / "folder", Archive(tmp_path / "archive"))
