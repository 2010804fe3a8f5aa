"""Any server that speaks OpenAI's chat completions (vLLM, llama.cpp, hosted in the EU), through the official SDK.

The only module that imports `openai`. The SDK's own retries are off, see `models.retrying`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rag_assets.errors import ModelError, RagError, ServiceError, SettingsError
from rag_assets.models.endpoints import error_of_status, is_outside
from rag_assets.models.language.base import LanguageReply, LanguageRequest, StopReason, Usage
from rag_assets.models.retrying import with_retries

if TYPE_CHECKING:
    import openai

_Result = TypeVar("_Result")

CONTEXT_TOKENS: Final = 32_000
_STOPS: Final = {"stop": StopReason.END, "length": StopReason.LENGTH, "content_filter": StopReason.REFUSED}


class OpenAiModel:
    """A model behind a chat-completions address.

    Args:
        model: the server's name of the model.
        api_key: key; servers of one's own often want none.
        url: address up to `/v1`.
        timeout_s: limit of one call.
        context_tokens: what request and reply may have together; 0 for a cautious guess.
        sleep: waits between attempts; a test passes its own.
    """

    provider: Final = "openai"

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        url: str,
        timeout_s: float = 120.0,
        context_tokens: int = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = model
        self._api_key = api_key
        self._url = url
        self._timeout_s = timeout_s
        self._sleep = sleep
        self.context_tokens = context_tokens or CONTEXT_TOKENS
        self.leaves_machine = is_outside(url)
        self.fingerprint = hashlib.sha256(f"openai {url} {model}".encode()).hexdigest()

    def complete(self, request: LanguageRequest) -> LanguageReply:
        """See `LanguageModel`."""
        reply = self._call(lambda: self._create(**self._parameters(request)))
        choices = getattr(reply, "choices", None)  # the SDK takes any JSON for a reply
        if not isinstance(choices, list) or not choices:
            raise ModelError("model_reply", "a reply without choices", model=self.name)
        choice = choices[0]
        return self._reply(
            choice.message.content or "", choice.finish_reason, reply.model, reply.usage, refused=choice.message.refusal
        )

    def stream(self, request: LanguageRequest) -> Iterator[str | LanguageReply]:
        """See `LanguageModel`. Once text has come, a broken connection is an error: it cannot be asked for again."""
        options = {"stream": True, "stream_options": {"include_usage": True}}
        events = self._call(lambda: self._create(**self._parameters(request), **options))
        pieces: list[str] = []
        finish: str | None = None
        version, usage = self.name, None
        try:
            with events:
                for event in events:
                    version, usage = event.model or version, event.usage or usage
                    for choice in event.choices[:1]:
                        finish = choice.finish_reason or finish
                        if choice.delta.content:
                            pieces.append(choice.delta.content)
                            yield choice.delta.content
        except Exception as error:
            known = self._translate(error)
            if known is None:
                raise
            raise known from error
        yield self._reply("".join(pieces), finish, version, usage, refused=None)

    def _parameters(self, request: LanguageRequest) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.system}]
        messages += [{"role": message.role, "content": message.text} for message in request.messages]
        parameters: dict[str, Any] = {
            "model": self.name,
            "messages": messages,
            "max_completion_tokens": request.max_output_tokens,
        }
        if request.schema is not None:
            schema = {"name": "antwort", "strict": True, "schema": dict(request.schema)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        if not self._is_openais_own:
            # The provider's own reasoning models refuse a temperature; everybody else's should not guess.
            parameters["temperature"] = 0
        return parameters

    @property
    def _is_openais_own(self) -> bool:
        return "//api.openai.com" in self._url

    def _reply(self, text: str, finish: str | None, version: str, usage: Any, *, refused: str | None) -> LanguageReply:
        stop = StopReason.REFUSED if refused else _STOPS.get(finish or "")
        if stop is None:
            raise ModelError("model_reply", "the reply ended for a reason that is not known here", model=self.name)
        details = getattr(usage, "prompt_tokens_details", None)
        return LanguageReply(
            text=text,
            model_version=version,
            stop=stop,
            usage=Usage(
                input_tokens=getattr(usage, "prompt_tokens", None) or 0,
                output_tokens=getattr(usage, "completion_tokens", None) or 0,
                cached_tokens=getattr(details, "cached_tokens", None) or 0,
            ),
        )

    def close(self) -> None:
        """See `LanguageModel`."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    @property
    def _create(self) -> Any:
        # Any: the SDK's overloads tell streams from whole replies by literals, which a shared dictionary hides.
        return self._client.chat.completions.create

    @cached_property
    def _client(self) -> openai.OpenAI:
        try:
            import openai
        except ImportError as error:
            raise SettingsError(
                "missing_package", "the OpenAI client is not installed", hint="pip install 'rag-assets[openai]'"
            ) from error
        return openai.OpenAI(
            api_key=self._api_key or "none", base_url=self._url, timeout=self._timeout_s, max_retries=0
        )

    def _call(self, request: Callable[[], _Result]) -> _Result:
        return with_retries(request, translate=self._translate, sleep=self._sleep)

    def _translate(self, error: Exception) -> RagError | None:
        """Our error for what the SDK raised. The server's message is left out: it may quote the request."""
        import httpx2
        import openai

        where = {"url": self._url, "model": self.name}
        if isinstance(error, openai.APIStatusError):
            return error_of_status(error.status_code, str(error), error.response.headers, key="OPENAI_API_KEY", **where)
        if isinstance(error, openai.APIConnectionError | httpx2.TransportError | ConnectionError):
            return ServiceError(
                "model_unreachable",
                "no answer from the model's server",
                hint="Start it, or set RAG_OPENAI_URL.",
                **where,
            )
        if isinstance(error, openai.APIError | httpx2.HTTPError | ValueError):
            return ModelError("model_reply", "the reply is not that of a chat-completions server", **where)
        return None
