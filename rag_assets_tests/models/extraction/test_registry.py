"""The setting chooses the extractor."""

from __future__ import annotations

import pytest

from rag_assets.config import Settings, load_settings
from rag_assets.errors import SettingsError
from rag_assets.models.extraction.registry import open_extractor
from rag_assets_tests.knowledge.sample import ontology


def test_rules_are_the_default() -> None:
    assert open_extractor(Settings(), ontology()).name == "rules"


def test_an_unknown_name_is_a_settings_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EXTRACTION", "orakel")
    with pytest.raises(SettingsError, match="RAG_EXTRACTION"):
        load_settings()
