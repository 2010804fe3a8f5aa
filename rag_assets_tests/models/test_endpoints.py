"""Which addresses belong to the own house, and what HTTP statuses mean."""

from __future__ import annotations

import pytest

from rag_assets.models.endpoints import is_outside


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:11434",
        "http://localhost:8000/v1",
        "http://[::1]:8000",
        "http://ollama:11434",
        "https://10.1.2.3/v1",
        "http://192.168.0.7",
        "http://gpu.campus.local:8000",
        "http://gpu.internal",
        "127.0.0.1:11434",
    ],
)
def test_the_own_machine_and_network_are_no_outside(url: str) -> None:
    assert not is_outside(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.anthropic.com",
        "https://8.8.8.8/v1",
        "http://localhost.example.com",
        "http://127.0.0.1.nip.io",
        "http://0.0.0.0:80",
        "http://internal.example.org",
        "",
        "http://",
    ],
)
def test_everything_else_is(url: str) -> None:
    assert is_outside(url)
