"""Language models on an Ollama server: JSON schema, streams, and a context window made to fit each request.

Ollama cuts in silence what its context window does not hold, so the window is set from the request, and a request that
no window holds is an error.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from rag_assets.errors import ModelError
from rag_assets.models.endpoints import is_outside
from rag_assets.models.language.base import LanguageReply, LanguageRequest, StopReason, Usage
from rag_assets.models.ollama_server import OllamaServer

if TYPE_CHECKING:
    from ollama import ChatResponse

CONTEXT_TOKENS: Final = 32_768
#: Windows grow in steps, so that requests of similar length do not make the server load the model anew.
_STEP: Final = 4096
#: German prose has 3.2 characters a token with Llama's and Qwen's tokenizers; a little less leaves room.
_TOKEN_CHARS: Final = 2.8
_STOPS: Final = {"stop": StopReason.END, "length": StopReason.LENGTH}


class OllamaModel:
    """A language model served by Ollama; arguments as for `OllamaServer`.

    `context_tokens` is the largest window that is asked for; 0 for the usual.
    """

    provider: Final = "ollama"

    def __init__(
        self,
        model: str,
        *,
        url: str,
        timeout_s: float = 120.0,
        context_tokens: int = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = model
        self._server = OllamaServer(model, url=url, timeout_s=timeout_s, sleep=sleep)
        self.context_tokens = context_tokens or CONTEXT_TOKENS
        self.leaves_machine = is_outside(url)
        # By name, not by the server's digest: what is cached stays usable while the server is away.
        self.fingerprint = hashlib.sha256(f"ollama {model}".encode()).hexdigest()

    def complete(self, request: LanguageRequest) -> LanguageReply:
        """See `LanguageModel`."""
        parameters = self._parameters(request)
        reply = self._server.call(lambda: self._server.client.chat(**parameters))
        return self._read(reply, reply.message.content or "")

    def stream(self, request: LanguageRequest) -> Iterator[str | LanguageReply]:
        """See `LanguageModel`. Once text has come, a broken connection is an error: it cannot be asked for again."""
        parameters = self._parameters(request)

        def begin() -> tuple[Iterator[Any], Any]:
            replies = iter(self._server.client.chat(**parameters, stream=True))
            return replies, next(replies, None)

        replies, reply = self._server.call(begin)
        pieces: list[str] = []
        last = None
        try:
            while reply is not None:
                last = reply
                if reply.message.content:
                    pieces.append(reply.message.content)
                    yield reply.message.content
                reply = next(replies, None)
        except Exception as error:
            known = self._server.translate(error)
            if known is None:
                raise
            raise known from error
        if last is None:
            raise ModelError("model_reply", "an empty stream", model=self.name)
        yield self._read(last, "".join(pieces))

    def close(self) -> None:
        """See `LanguageModel`."""
        self._server.close()

    def _parameters(self, request: LanguageRequest) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.system}]
        messages += [{"role": message.role, "content": message.text} for message in request.messages]
        needed = int(request.characters / _TOKEN_CHARS) + request.max_output_tokens
        window = min(-(-needed // _STEP) * _STEP, self.context_tokens)
        if int(request.characters / _TOKEN_CHARS) >= window:
            raise ModelError(
                "text_too_long", "the request is longer than the context window", window=window, model=self.name
            )
        return {
            "model": self.name,
            "messages": messages,
            "format": dict(request.schema) if request.schema is not None else None,
            # Temperature 0: the same request should give the same reply.
            "options": {"num_ctx": window, "num_predict": request.max_output_tokens, "temperature": 0},
        }

    def _read(self, reply: ChatResponse, text: str) -> LanguageReply:
        stop = _STOPS.get(reply.done_reason or "") if reply.done else None
        if stop is None:
            raise ModelError("model_reply", "the reply broke off", model=self.name)
        return LanguageReply(
            text=text,
            model_version=reply.model or self.name,
            stop=stop,
            usage=Usage(input_tokens=reply.prompt_eval_count or 0, output_tokens=reply.eval_count or 0),
        )
