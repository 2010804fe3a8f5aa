"""Settings are read from the environment, checked, and never show a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.config import Secret, Settings, load_settings
from rag_assets.errors import SettingsError


def test_each_kind_of_value_is_read() -> None:
    settings = load_settings(
        environment={
            "RAG_HOME": "/srv/rag",
            "DAGSTER_HOME": "/srv/dagster",
            "RAG_EMBEDDING": "hashing",
            "RAG_LANGUAGE": "en",
            "RAG_TOP_K": " 12",
            "RAG_LEASE_S": "1.5",
            "RAG_STRICT_COSINE": "True",
            "RAG_QDRANT_API_KEY": "geheim",
        }
    )
    assert (settings.home, settings.dagster_home) == (Path("/srv/rag"), Path("/srv/dagster"))
    assert (settings.embedding, settings.language) == ("hashing", "en")
    assert (settings.top_k, settings.lease_s, settings.strict_cosine) == (12, 1.5, True)
    assert settings.qdrant_api_key.reveal() == "geheim"


def test_what_is_given_wins_over_the_environment_and_an_empty_variable_is_none() -> None:
    settings = load_settings(environment={"RAG_HOME": "", "RAG_TOP_K": "viel"}, top_k=3)
    assert settings == Settings(top_k=3)


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("RAG_TOP_K", "abc", "must be a whole number"),
        ("RAG_TOP_K", "1.5", "must be a whole number"),
        ("RAG_TOP_K", "0", "must be at least 1"),
        ("RAG_TOP_K", "51", "must be at most 50"),
        ("RAG_LEASE_S", "0", "must be greater than 0"),
        ("RAG_LEASE_S", "nan", "must be greater than 0"),
        ("RAG_STRICT_COSINE", "vielleicht", "must be true or false"),
        ("RAG_LANGUAGE", "fr", "must be de or en"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_by_its_variable(variable: str, value: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=f"{variable}: {problem}$"):
        load_settings(environment={variable: value})


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environment={"RAG_TOP_K": "0", "RAG_CHUNK_MIN_TOKENS": "900", "RAG_CHUNK_OVERLAP_TOKENS": "900"})
    assert caught.value.message.split("; ") == [
        "RAG_TOP_K: must be at least 1",
        "RAG_CHUNK_OVERLAP_TOKENS must be smaller than RAG_CHUNK_MIN_TOKENS",
        "RAG_CHUNK_MIN_TOKENS must not be larger than RAG_CHUNK_MAX_TOKENS",
    ]


def test_a_secret_is_never_printed() -> None:
    settings = Settings(qdrant_api_key=Secret("geheim"))
    assert "geheim" not in f"{settings} {settings.qdrant_api_key!r} {settings.qdrant_api_key}"
