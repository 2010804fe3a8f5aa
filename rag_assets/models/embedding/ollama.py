"""Embedding models on an Ollama server. `truncate=False` turns a text that the model would cut into an error."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from rag_assets.models.embedding.base import Vectors, unit_rows
from rag_assets.models.ollama_server import OllamaServer

BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model wants before a question and before a passage."""

    query: str = ""
    passage: str = ""


#: From the models' own cards; a model that is not listed gets no prefix.
PREFIXES: Final[dict[str, Prefixes]] = {
    "mxbai-embed-large": Prefixes(query="Represent this sentence for searching relevant passages: "),
    "nomic-embed-text": Prefixes(query="search_query: ", passage="search_document: "),
    "snowflake-arctic-embed": Prefixes(query="Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed2": Prefixes(query="query: "),
    "multilingual-e5-small": Prefixes(query="query: ", passage="passage: "),
    "multilingual-e5-base": Prefixes(query="query: ", passage="passage: "),
    "multilingual-e5-large": Prefixes(query="query: ", passage="passage: "),
}


class OllamaEmbedder:
    """An embedding model served by Ollama; its dimension is read from the first vector.

    Args:
        model: name as in `ollama list`, e.g. `mxbai-embed-large`; `:latest` may be left out.
        url: address of the server.
        timeout_s: limit of one call; connecting has 5 seconds of it.
        sleep: waits between attempts; a test passes its own.
    """

    provider: Final = "ollama"
    background: Final = None

    def __init__(
        self, model: str, *, url: str, timeout_s: float = 120.0, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = model
        self._server = OllamaServer(model, url=url, timeout_s=timeout_s, sleep=sleep)
        family = model.split("/")[-1].split(":")[0]
        self._prefixes = PREFIXES.get(family, Prefixes())

    @cached_property
    def digest(self) -> str:
        """Hash over the digest that the server reports for the model and the prefixes used.

        Raises:
            ModelError: `model_missing`, the server does not have it.
            ServiceError: the server is out of reach.
        """
        fixed = f"{self._server.digest} {self._prefixes.query}|{self._prefixes.passage}"
        return hashlib.sha256(fixed.encode()).hexdigest()

    @cached_property
    def dimension(self) -> int:
        """Length of a vector, read from one that the model made."""
        return int(self._embed(["Dimension"], None).shape[1])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`; sent in batches of 16."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        prefixed = [self._prefixes.passage + text for text in texts]
        return np.vstack(
            [self._embed(prefixed[start : start + BATCH], self.dimension) for start in range(0, len(texts), BATCH)]
        )

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`."""
        vector: Vectors = self._embed([self._prefixes.query + text], self.dimension)[0]
        return vector

    def _embed(self, texts: Sequence[str], dimension: int | None) -> Vectors:
        # A lone surrogate cannot travel as UTF-8.
        sent = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        reply = self._server.call(lambda: self._server.client.embed(model=self.name, input=sent, truncate=False))
        return unit_rows(reply.embeddings, expected=len(texts), dimension=dimension, model=self.name)
