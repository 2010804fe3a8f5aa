"""The embedded default passes the contract and knows German paraphrases that share no word."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from rag_assets.models.embedding.base import Embedder
from rag_assets.models.embedding.e5 import E5Embedder
from rag_assets_tests.models.embedding.contract import EmbedderContract

_SHARED = E5Embedder()


class TestE5Embedder(EmbedderContract):
    """The contract on the real model."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        return _SHARED


def test_it_finds_a_paraphrase_without_a_common_word() -> None:
    """What lexical search cannot do, and the reason for a model at all."""
    passages = ["Der Wagen springt bei Kälte nicht an.", "Der Vertrag endet nach zwei Jahren.", "Rosen brauchen Licht."]
    scores = _SHARED.embed_passages(passages) @ _SHARED.embed_query("Warum startet mein Auto im Winter so schlecht?")
    assert int(scores.argmax()) == 0


def test_questions_and_passages_get_different_prefixes() -> None:
    """multilingual-e5 was trained with `query: ` and `passage: `; without them it loses several points."""
    text = "Was ist Coaching?"
    assert not (_SHARED.embed_query(text) == _SHARED.embed_passages([text])[0]).all()


def test_a_nul_does_not_cut_the_text_off() -> None:
    """The engine takes C strings: everything behind a NUL would be lost in silence."""
    whole = _SHARED.embed_passages(["Anfang\0 und das eigentliche Thema: Konflikte im Team"])
    assert float((whole @ _SHARED.embed_passages(["Anfang"]).T)[0, 0]) < 0.99


def test_the_digest_names_the_weights_that_are_installed() -> None:
    """Stable, and taken from the installation's own record."""
    assert E5Embedder().digest == _SHARED.digest
    assert re.fullmatch(r"[0-9a-f]{64}", _SHARED.digest)


def test_tokens_are_counted_by_the_models_own_tokenizer() -> None:
    """Two special tokens and the prefix come on top of the words; German needs 1–3 pieces a word."""
    assert 8 <= _SHARED.count_tokens("Was ist systemisches Coaching?") <= 20


def test_waiting_threads_are_passive_before_the_engine_loads() -> None:
    """Set any later it has no effect, and spinning threads cost a busy machine two thirds of its speed."""
    code = (
        "import os, rag_assets.models.embedding.e5 as m;"
        "e = m.E5Embedder(); assert 'OMP_WAIT_POLICY' not in os.environ;"
        "e.dimension; print(os.environ['OMP_WAIT_POLICY'])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "passive"
