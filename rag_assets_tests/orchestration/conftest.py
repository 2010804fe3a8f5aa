"""A home with Dagster's instance in it, made once and copied: making its storage takes seconds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from rag_assets.config import Settings, load_settings
from rag_assets.orchestration.instance import open_instance, prepare_home


@pytest.fixture(scope="session")
def prepared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose Dagster storage was made."""
    folder = tmp_path_factory.mktemp("prepared")
    prepare_home(load_settings(home=folder))
    return folder


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
