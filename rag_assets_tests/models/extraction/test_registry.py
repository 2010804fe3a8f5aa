"""The setting chooses the extractor."""

from __future__ import annotations

import pytest

from rag_assets.config import Settings, load_settings
from rag_assets.errors import SettingsError
from rag_assets.models.extraction.base import AskingExtractor
from rag_assets.models.extraction.registry import open_extractor
from rag_assets_tests.knowledge.sample import ontology


def test_rules_are_the_default() -> None:
    assert open_extractor(Settings(), ontology()).name == "rules"


def test_an_unknown_name_is_a_settings_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EXTRACTION", "orakel")
    with pytest.raises(SettingsError, match="RAG_EXTRACTION"):
        load_settings()


def test_a_language_model_is_asked_where_one_is_named() -> None:
    found = open_extractor(Settings(extraction="ollama:llama3.1"), ontology())
    assert isinstance(found, AskingExtractor)
    assert (found.model.provider, found.model.name) == ("ollama", "llama3.1")


@pytest.mark.parametrize("wrong", ["ollama:", "ollama", "gpt:4", ":x"])
def test_half_a_name_says_what_may_stand_there(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("RAG_EXTRACTION", wrong)
    with pytest.raises(SettingsError, match="rules, claude:MODEL, ollama:MODEL, openai:MODEL"):
        load_settings()
