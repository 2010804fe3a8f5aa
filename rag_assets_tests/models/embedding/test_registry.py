"""The setting names the embedder; a wrong one says what may stand there."""

from __future__ import annotations

import pytest

from rag_assets.config import Settings, load_settings
from rag_assets.errors import SettingsError
from rag_assets.models.embedding.registry import open_embedder


@pytest.mark.parametrize(
    ("setting", "provider"),
    [("e5", "e5"), ("hashing", "hashing"), ("ollama:mxbai-embed-large", "ollama"), ("ollama:bge-m3:567m", "ollama")],
)
def test_each_choice_opens_without_a_server_or_a_load(setting: str, provider: str) -> None:
    """Opening must cost nothing: `rag status` does it as well. The Ollama address given here answers nobody."""
    embedder = open_embedder(Settings(embedding=setting, ollama_url="http://127.0.0.1:9"))
    assert embedder.provider == provider
    if ":" in setting:
        assert embedder.name == setting.split(":", 1)[1]


@pytest.mark.parametrize("setting", ["", "e6", "ollama", "ollama:", "e5:large", "hashing:8"])
def test_a_wrong_choice_is_refused_with_the_right_ones(setting: str) -> None:
    """Not taken for something similar, and not only found out at the first document."""
    with pytest.raises(SettingsError) as caught:
        load_settings(embedding=setting)
    assert "hashing" in caught.value.message
