"""Feature hashing passes the contract and is the same in every process."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from rag_assets.errors import SettingsError
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets_tests.models.embedding.contract import EmbedderContract


class TestHashingEmbedder(EmbedderContract):
    """The contract, by words alone."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()


def test_another_process_computes_the_same_vector() -> None:
    """Python salts `hash()` per process; vectors that differ between processes would find nothing."""
    code = (
        "from rag_assets.models.embedding.hashing import HashingEmbedder as H;"
        "print(H(dimension=64).embed_query('Zirkuläre Fragen').tobytes().hex())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] == HashingEmbedder(dimension=64).embed_query("Zirkuläre Fragen").tobytes().hex()


def test_shared_words_bring_texts_nearer_than_none() -> None:
    """The one thing that hashing can tell."""
    near, far = HashingEmbedder().embed_passages(["Feedback im Team", "Steuern in Kanada"])
    question = HashingEmbedder().embed_query("Wie gebe ich einem Team Feedback?")
    assert float(near @ question) > 0.3 > abs(float(far @ question)) * 2


def test_the_background_is_what_unrelated_texts_have() -> None:
    """Calibration falls back to it when a base is too small to measure one."""
    topics = ["Bienen tanzen", "Zinsen steigen", "Gotische Kirchen", "Quarks färben", "Pilze sporen", "Opern klingen"]
    rows = HashingEmbedder().embed_passages(topics)
    pairs = (rows @ rows.T)[~np.eye(len(topics), dtype=bool)]
    assert abs(float(pairs.mean()) - HashingEmbedder.background) < 0.05


def test_too_few_dimensions_are_refused() -> None:
    """Everything would collide."""
    with pytest.raises(SettingsError):
        HashingEmbedder(dimension=4)
