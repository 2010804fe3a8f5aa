"""Embedding models on an Ollama server, through its official client.

The only embedding module that imports `ollama`. The client has neither a time limit nor retries of its own, so both
are set here. `truncate=False` turns a text that the model would cut in silence into an error.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from rag_assets.errors import ModelError, RagError, ServiceError, SettingsError
from rag_assets.models.embedding.base import Vectors, unit_rows

if TYPE_CHECKING:
    import ollama

_Result = TypeVar("_Result")

BATCH: Final = 16
ATTEMPTS: Final = 4
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 8.0


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
        self._url = url
        self._timeout_s = timeout_s
        self._sleep = sleep
        family = model.split("/")[-1].split(":")[0]
        self._prefixes = PREFIXES.get(family, Prefixes())

    @cached_property
    def _client(self) -> ollama.Client:
        try:
            import httpx
            import ollama
        except ImportError as error:
            raise SettingsError(
                "missing_package", "the Ollama client is not installed", hint="pip install 'rag-assets[ollama]'"
            ) from error
        return ollama.Client(host=self._url, timeout=httpx.Timeout(self._timeout_s, connect=min(5.0, self._timeout_s)))

    @cached_property
    def digest(self) -> str:
        """Hash over the digest that the server reports for the model and the prefixes used.

        Raises:
            ModelError: `model_missing`, the server does not have it.
            ServiceError: the server is out of reach.
        """
        listed = self._call(lambda: self._client.list())
        wanted = self.name if ":" in self.name.split("/")[-1] else f"{self.name}:latest"
        for entry in listed.models:
            if entry.model == wanted and entry.digest:
                fixed = f"{entry.digest} {self._prefixes.query}|{self._prefixes.passage}"
                return hashlib.sha256(fixed.encode()).hexdigest()
        raise self._missing()

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
        reply = self._call(lambda: self._client.embed(model=self.name, input=sent, truncate=False))
        return unit_rows(reply.embeddings, expected=len(texts), dimension=dimension, model=self.name)

    def _call(self, request: Callable[[], _Result]) -> _Result:
        """Run a request; wait and repeat what may pass by itself, with growing, jittered pauses.

        Raises:
            ModelError: the model refuses this input, at once and every time.
            ServiceError: still out of reach or overloaded after the last attempt.
        """
        wait = FIRST_WAIT_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return request()
            except Exception as error:
                known = self._translate(error)
                if known is None:
                    raise
                if not known.transient or attempt == ATTEMPTS:
                    raise known from error
            self._sleep(random.uniform(wait / 2, wait))
            wait = min(wait * 2, LONGEST_WAIT_S)
        raise AssertionError("unreachable")

    def _translate(self, error: Exception) -> RagError | None:
        """Our error for what the client raised; None for what is none of the server's faults."""
        import httpx
        import ollama
        import pydantic

        where = {"url": self._url, "model": self.name}
        if isinstance(error, ollama.ResponseError):
            said = error.error.lower()
            if error.status_code == 404:
                return self._missing()
            if "context length" in said or "input length" in said:
                return ModelError("text_too_long", "the model takes shorter texts", **where)
            if "nan" in said.split() or "unsupported value" in said:
                return ModelError("model_reply", "the model computed NaN for a text of this batch", **where)
            if error.status_code == 429 or error.status_code >= 500:
                return ServiceError(
                    "model_unreachable", "the server answers with an error", status=error.status_code, **where
                )
            return ModelError("model_reply", "the server refuses the request", status=error.status_code, **where)
        if isinstance(error, ConnectionError | httpx.TransportError):
            return ServiceError(
                "model_unreachable",
                "no answer from the Ollama server",
                hint="Start it (`ollama serve`) or set RAG_OLLAMA_URL.",
                **where,
            )
        if isinstance(error, pydantic.ValidationError | httpx.HTTPError | ValueError):
            return ModelError("model_reply", "the server's reply is not Ollama's", **where)
        return None

    def _missing(self) -> ModelError:
        return ModelError(
            "model_missing",
            "the Ollama server does not have this model",
            hint=f"ollama pull {self.name}",
            url=self._url,
            model=self.name,
        )
