"""Dagster's home: made once, by one process, with our settings; never overwritten."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rag_assets.config import load_settings
from rag_assets.errors import SettingsError
from rag_assets.orchestration import markers
from rag_assets.orchestration.instance import TEMPLATE, open_instance, prepare_home

_OPEN = """
from rag_assets.config import load_settings
from rag_assets.orchestration.instance import open_instance
with open_instance(load_settings()) as instance:
    print(len(instance.get_runs()))
"""


@pytest.mark.slow
def test_two_processes_may_open_a_fresh_home_at_once(home):
    """Dagster's own migrations of a new SQLite home break when they run twice side by side."""
    environment = {**os.environ, "RAG_HOME": str(home)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", _OPEN], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    ended = [process.communicate(timeout=100) for process in both]
    assert [(process.returncode, out) for process, (out, _) in zip(both, ended, strict=True)] == [(0, "0\n")] * 2


def test_the_home_gets_our_settings_and_reports_on_nobody(dagster, settings):
    home = settings.resolved_dagster_home
    assert (home / "dagster.yaml").read_bytes() == TEMPLATE.read_bytes()
    assert dagster.telemetry_enabled is False
    assert dagster.is_persistent
    assert not markers.is_fresh(home)


def test_a_home_elsewhere_keeps_its_own_settings(home, tmp_path, monkeypatch):
    elsewhere = tmp_path / "dagster"
    elsewhere.mkdir()
    (elsewhere / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    monkeypatch.setenv("DAGSTER_HOME", str(elsewhere))
    assert prepare_home(load_settings()) == elsewhere
    assert (elsewhere / "dagster.yaml").read_text() == "telemetry:\n  enabled: false\n"
    assert not (home / "dagster").exists()


def test_a_broken_dagster_yaml_is_named(home):
    folder = home / "dagster"
    folder.mkdir()
    (folder / "dagster.yaml").write_text("storage: {nonsense: true}\n")
    with pytest.raises(SettingsError) as raised, open_instance(load_settings()):
        pass
    assert raised.value.code == "settings"
    assert "DAGSTER_HOME" in raised.value.hint
