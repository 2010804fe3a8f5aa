"""From the setting `RAG_EMBEDDING` to an embedder. What may stand there is checked in `config`."""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.embedding.e5 import E5Embedder
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.models.embedding.ollama import OllamaEmbedder


def open_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name. Nothing is loaded and no server is asked before its first use."""
    kind, _, model = settings.embedding.partition(":")
    if kind == "e5" and not model:
        return E5Embedder()
    if kind == "hashing" and not model:
        return HashingEmbedder()
    if kind == "ollama" and model:
        return OllamaEmbedder(model, url=settings.ollama_url, timeout_s=settings.model_timeout_s)
    raise AssertionError("the settings take no other embedder")
