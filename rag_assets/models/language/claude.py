"""Claude, through the official SDK: structured output, the prompt cache, streams, and batches at half price.

The only module that imports `anthropic`. The SDK's own retries are off: a server may ask for an hour's pause, which is
not waited for here (`models.retrying`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rag_assets.errors import ModelError, RagError, ServiceError, SettingsError
from rag_assets.models.endpoints import error_of_status, is_outside
from rag_assets.models.language.base import BatchItem, LanguageReply, LanguageRequest, StopReason, Usage
from rag_assets.models.retrying import with_retries

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message as SdkMessage

_Result = TypeVar("_Result")

CONTEXT_TOKENS: Final = 200_000
_STOPS: Final = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "max_tokens": StopReason.LENGTH,
    "refusal": StopReason.REFUSED,
    "model_context_window_exceeded": StopReason.CONTEXT,
}


class ClaudeModel:
    """A Claude model.

    Args:
        model: the provider's id of the model.
        api_key: key; an empty one is refused at the first call.
        url: address of the API or of a gateway that speaks it.
        effort: `low`, `medium` or `high`: how much the model thinks before it answers.
        timeout_s: limit of one call.
        context_tokens: what request and reply may have together; 0 for the provider's usual.
        sleep: waits between attempts; a test passes its own.
    """

    provider: Final = "claude"

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        url: str,
        effort: str = "low",
        timeout_s: float = 120.0,
        context_tokens: int = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = model
        self._api_key = api_key
        self._url = url
        self._effort = effort
        self._timeout_s = timeout_s
        self._sleep = sleep
        self.context_tokens = context_tokens or CONTEXT_TOKENS
        self.leaves_machine = is_outside(url)
        self.fingerprint = hashlib.sha256(f"claude {model} {effort}".encode()).hexdigest()

    def complete(self, request: LanguageRequest) -> LanguageReply:
        """See `LanguageModel`."""
        return self._read(self._call(lambda: self._client.messages.create(**self._parameters(request))))

    def stream(self, request: LanguageRequest) -> Iterator[str | LanguageReply]:
        """See `LanguageModel`. Once text has come, a broken connection is an error: it cannot be asked for again."""
        manager = self._client.messages.stream(**self._parameters(request))
        events = self._call(manager.__enter__)
        try:
            yield from events.text_stream
            yield self._read(events.get_final_message())
        except Exception as error:
            known = self._translate(error)
            if known is None:
                raise
            raise known from error
        finally:
            events.close()

    def submit(self, requests: Mapping[str, LanguageRequest]) -> str:
        """See `BatchLanguageModel`."""
        entries: list[Any] = [
            {"custom_id": key, "params": self._parameters(request)} for key, request in requests.items()
        ]
        return self._call(lambda: self._client.messages.batches.create(requests=entries)).id

    def ready(self, batch: str) -> bool:
        """See `BatchLanguageModel`."""
        return self._call(lambda: self._client.messages.batches.retrieve(batch)).processing_status == "ended"

    def collect(self, batch: str) -> Sequence[BatchItem]:
        """See `BatchLanguageModel`."""
        entries = self._call(lambda: list(self._client.messages.batches.results(batch)))
        return [self._item(entry.custom_id, entry.result) for entry in entries]

    def close(self) -> None:
        """See `LanguageModel`."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _item(self, key: str, result: Any) -> BatchItem:
        if result.type == "succeeded":
            try:
                return BatchItem(request_sha256=key, reply=self._read(result.message))
            except ModelError as error:
                return BatchItem(request_sha256=key, reply=None, error_code=error.code)
        if result.type == "errored":
            kind = result.error.error.type
            code = "model_reply" if kind == "invalid_request_error" else "model_busy"
            return BatchItem(request_sha256=key, reply=None, error_code=code)
        # Expired or cancelled: it was never asked, and can be asked again.
        return BatchItem(request_sha256=key, reply=None, error_code="model_busy")

    def _parameters(self, request: LanguageRequest) -> dict[str, Any]:
        output: dict[str, Any] = {"effort": self._effort}
        if request.schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        return {
            "model": self.name,
            "max_tokens": request.max_output_tokens,
            # The instructions are the same for many requests: the provider keeps them.
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
            "output_config": output,
        }

    def _read(self, message: SdkMessage) -> LanguageReply:
        # The SDK takes any JSON for a message.
        stop = _STOPS.get(getattr(message, "stop_reason", None) or "")
        if stop is None:
            raise ModelError("model_reply", "the reply ended for a reason that is not known here", model=self.name)
        usage = message.usage
        cached = usage.cache_read_input_tokens or 0
        return LanguageReply(
            text="".join(block.text for block in message.content if block.type == "text"),
            model_version=message.model,
            stop=stop,
            usage=Usage(
                input_tokens=usage.input_tokens + cached + (usage.cache_creation_input_tokens or 0),
                output_tokens=usage.output_tokens,
                cached_tokens=cached,
            ),
        )

    @cached_property
    def _client(self) -> anthropic.Anthropic:
        try:
            import anthropic
        except ImportError as error:
            raise SettingsError(
                "missing_package", "the Claude client is not installed", hint="pip install 'rag-assets[claude]'"
            ) from error
        if not self._api_key:
            raise SettingsError("settings", "Claude needs a key", hint="Set ANTHROPIC_API_KEY.")
        return anthropic.Anthropic(api_key=self._api_key, base_url=self._url, timeout=self._timeout_s, max_retries=0)

    def _call(self, request: Callable[[], _Result]) -> _Result:
        return with_retries(request, translate=self._translate, sleep=self._sleep)

    def _translate(self, error: Exception) -> RagError | None:
        """Our error for what the SDK raised. The provider's message is left out: it may quote the request."""
        import anthropic
        import httpx2

        where = {"url": self._url, "model": self.name}
        if isinstance(error, anthropic.APIStatusError):
            return error_of_status(
                error.status_code, str(error), error.response.headers, key="ANTHROPIC_API_KEY", **where
            )
        if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | ConnectionError):
            return ServiceError(
                "model_unreachable", "no answer from Claude's API", hint="Check the network, then run again.", **where
            )
        if isinstance(error, anthropic.APIError | httpx2.HTTPError | ValueError):
            return ModelError("model_reply", "the reply is not Claude's", **where)
        return None
