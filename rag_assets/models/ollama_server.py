"""An Ollama server as all of its users need it: the official client with a time limit, retries, and our errors.

The only module that imports `ollama`. The client has neither a time limit nor retries of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from rag_assets.errors import ModelError, RagError, ServiceError, SettingsError
from rag_assets.models.retrying import with_retries

if TYPE_CHECKING:
    import ollama

_Result = TypeVar("_Result")


class OllamaServer:
    """One model on one server.

    Args:
        model: name as in `ollama list`, e.g. `mxbai-embed-large`; `:latest` may be left out.
        url: address of the server.
        timeout_s: limit of one call; connecting has 5 seconds of it.
        sleep: waits between attempts; a test passes its own.
    """

    def __init__(self, model: str, *, url: str, timeout_s: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self.model = model
        self.url = url
        self._timeout_s = timeout_s
        self._sleep = sleep

    @cached_property
    def client(self) -> ollama.Client:
        """The official client.

        Raises:
            SettingsError: `missing_package`.
        """
        try:
            import httpx
            import ollama
        except ImportError as error:
            raise SettingsError(
                "missing_package", "the Ollama client is not installed", hint="pip install 'rag-assets[ollama]'"
            ) from error
        return ollama.Client(host=self.url, timeout=httpx.Timeout(self._timeout_s, connect=min(5.0, self._timeout_s)))

    @cached_property
    def digest(self) -> str:
        """The digest that the server reports for the model.

        Raises:
            ModelError: `model_missing`, the server does not have it.
            ServiceError: the server is out of reach.
        """
        listed = self.call(lambda: self.client.list())
        wanted = self.model if ":" in self.model.split("/")[-1] else f"{self.model}:latest"
        for entry in listed.models:
            if entry.model == wanted and entry.digest:
                return entry.digest
        raise self._missing()

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        client = self.__dict__.pop("client", None)
        if client is not None:
            client.close()

    def call(self, request: Callable[[], _Result]) -> _Result:
        """Run a request of the client's, again where that can help.

        Raises:
            ModelError: the model refuses this input, at once and every time.
            ServiceError: still out of reach or overloaded after the last attempt.
        """
        return with_retries(request, translate=self.translate, sleep=self._sleep)

    def translate(self, error: Exception) -> RagError | None:
        """Our error for what the client raised; None for what is none of the server's faults."""
        import httpx
        import ollama
        import pydantic

        where = {"url": self.url, "model": self.model}
        if isinstance(error, ollama.ResponseError):
            said = error.error.lower()
            if error.status_code == 404:
                return self._missing()
            if "context length" in said or "input length" in said or "context size" in said:
                return ModelError("text_too_long", "the model takes shorter texts", **where)
            if "nan" in said.split() or "unsupported value" in said:
                return ModelError("model_reply", "the model computed NaN for a text of this batch", **where)
            if error.status_code in (429, 503):
                return ServiceError("model_busy", "the server has no room", status=error.status_code, **where)
            if error.status_code >= 500:
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
        if isinstance(error, pydantic.ValidationError | httpx.HTTPError | ValueError | TypeError):
            return ModelError("model_reply", "the server's reply is not Ollama's", **where)
        return None

    def _missing(self) -> ModelError:
        return ModelError(
            "model_missing",
            "the Ollama server does not have this model",
            hint=f"ollama pull {self.model}",
            url=self.url,
            model=self.model,
        )
