"""A home with Dagster's instance in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from rag_assets.config import Settings, load_settings
from rag_assets.orchestration.instance import open_instance


@pytest.fixture
def settings(home: Path, prepared_home: Path) -> Settings:
    """Settings of a home that is empty but for Dagster's storage; the fast embedder."""
    shutil.copytree(prepared_home, home, dirs_exist_ok=True)
    return load_settings(home=home, embedding="hashing")


@pytest.fixture
def dagster(settings: Settings) -> Iterator[DagsterInstance]:
    """Dagster's persistent instance in that home."""
    with open_instance(settings) as instance:
        yield instance
