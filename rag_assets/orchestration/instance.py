"""Dagster's instance: where its home is, how it is made, how it is opened.

Every entry point of ours comes through here, so that two processes never make a fresh home at once: Dagster's own
migrations of a new SQLite home break when they run twice side by side.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dagster import DagsterInstance

from rag_assets.config import PROJECT_FOLDER, Settings
from rag_assets.errors import SettingsError
from rag_assets.orchestration import markers
from rag_assets.stores import failures

TEMPLATE: Final = PROJECT_FOLDER / "dagster.yaml"


@contextmanager
def open_instance(settings: Settings) -> Iterator[DagsterInstance]:
    """The persistent instance of these settings, its home made when there is none.

    Raises:
        SettingsError: Dagster's home holds a dagster.yaml that cannot be used.
        StoreError: `no_permission`, the home cannot be made or written; `database_damaged`, its storage is.
        ServiceError: `disk_full`.
    """
    home = prepare_home(settings)
    try:
        instance = DagsterInstance.from_config(str(home))
    except Exception as error:
        raise failures.known(error) or _unusable(home, error) from error
    with instance:
        yield instance


def prepare_home(settings: Settings) -> Path:
    """Make Dagster's home with its settings and storage, unless that was done."""
    home = settings.resolved_dagster_home
    try:
        home.mkdir(parents=True, exist_ok=True)
        with _locked(home / ".lock"):
            if not (home / "dagster.yaml").exists():
                _copy_settings(home)
            if not (home / markers.READY).exists():
                _make_storage(home)
                (home / markers.READY).touch()
    except OSError as error:
        raise failures.known(error) or _unusable(home, error) from error
    return home


def _copy_settings(home: Path) -> None:
    if not TEMPLATE.exists():
        raise SettingsError("settings", "dagster.yaml is missing from the project folder", expected=TEMPLATE)
    # Beside and then moved: another process never reads half of it.
    draft = home / f"dagster.yaml.{os.getpid()}"
    shutil.copyfile(TEMPLATE, draft)
    draft.replace(home / "dagster.yaml")


def _make_storage(home: Path) -> None:
    try:
        with DagsterInstance.from_config(str(home)) as instance:
            instance.get_runs(limit=1)
            instance.get_dynamic_partitions("documents")
            instance.all_instigator_state()
    except Exception as error:
        raise failures.known(error) or _unusable(home, error) from error


def _unusable(home: Path, error: Exception) -> SettingsError:
    return SettingsError(
        "settings",
        f"Dagster's home cannot be opened ({type(error).__name__})",
        hint="Check dagster.yaml and the storage that it names, or unset DAGSTER_HOME.",
        home=home,
    )


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
