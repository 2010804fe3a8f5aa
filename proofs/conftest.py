"""What all proofs share: no setting of the developer's shell reaches them."""

from __future__ import annotations

import os

import pytest

# Before dagster is imported anywhere: it decides on import.
os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("RAG_", "DAGSTER_")) and not name.startswith("RAG_PROOF_") and name != "RAG_CORPORA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
