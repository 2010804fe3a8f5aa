"""What every language model takes and gives, whoever runs it. Extraction, answering and judging build on this.

A request holds all that a reply may depend on: equal requests to the same model may share a reply. Here is no
technology, no prompt text, no retry and no price.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Protocol, runtime_checkable


class StopReason(StrEnum):
    """Why a reply ended. All but `END` leave it incomplete; such a reply is never cached."""

    END = "end"
    LENGTH = "length"
    """The reply reached `max_output_tokens`."""
    REFUSED = "refused"
    """The model declined to answer."""
    CONTEXT = "context"
    """Request and reply together filled the model's context window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn; `role` is `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRequest:
    """Everything that a model gets to see.

    Attributes:
        system: what stays the same over many requests; providers with a prompt cache keep it.
        messages: the turns, the user's last.
        schema: JSON schema of the reply; None for free text. Providers enforce its form, never its truth.
        max_output_tokens: longest reply.
    """

    system: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_output_tokens: int = 4096

    def sha256(self, model: str) -> str:
        """Identity of this request to `model` (its `fingerprint`): the key of the reply cache."""
        whole = [model, self.system, [(m.role, m.text) for m in self.messages], self.schema, self.max_output_tokens]
        return sha256(json.dumps(whole, ensure_ascii=False, sort_keys=True).encode()).hexdigest()

    @property
    def characters(self) -> int:
        """Length of all that is sent, in characters."""
        return len(self.system) + sum(len(message.text) for message in self.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call. `cached_tokens` is the part of `input_tokens` that came from the provider's prompt cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageReply:
    """What came back. `model_version` names the model as the provider says that it answered."""

    text: str
    model_version: str
    stop: StopReason = StopReason.END
    usage: Usage = field(default_factory=Usage)


@runtime_checkable
class LanguageModel(Protocol):
    """A model that completes a conversation. Thread-safe: several requests may be under way at once."""

    @property
    def provider(self) -> str:
        """Technology that runs the model: `claude`, `ollama` or `openai`."""
        ...

    @property
    def name(self) -> str:
        """The model's own name there."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of everything besides the request that a reply depends on: provider, model, its settings."""
        ...

    @property
    def leaves_machine(self) -> bool:
        """Whether what is sent leaves this machine; such a model never gets `local_only` text."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that request and reply may have together."""
        ...

    def complete(self, request: LanguageRequest) -> LanguageReply:
        """The whole reply.

        Raises:
            ModelError: `model_missing`; `text_too_long`, the request does not fit the context; `model_reply`, the
                provider refuses the request or its answer is none of its protocol.
            ServiceError: `model_unreachable`, `model_busy` (with `retry_after_s` among its ids where the provider
                says it): the same call may succeed later. Raised after the adapter's own bounded retries.
            SettingsError: `missing_package`, or `settings` for a missing or refused key.
        """
        ...

    def stream(self, request: LanguageRequest) -> Iterator[str | LanguageReply]:
        """The reply in pieces as they come, at the end the whole `LanguageReply`. Errors as for `complete`."""
        ...

    def close(self) -> None:
        """Close connections; a later call opens new ones."""
        ...


def is_whole(reply: LanguageReply) -> bool:
    """Whether a reply ended by itself."""
    return reply.stop is StopReason.END


class Ask(Protocol):
    """How a user of a model reaches it: whoever hands this out decides on caching, budgets and records."""

    def __call__(
        self, request: LanguageRequest, /, *, usable: Callable[[LanguageReply], bool] = is_whole
    ) -> LanguageReply:
        """The reply to a request, kept for the next time it is made only if `usable` says so.

        Raises:
            RagError: as `LanguageModel.complete`; `budget`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchItem:
    """Outcome of one request of a batch: a reply, or the code of the error that it met."""

    request_sha256: str
    reply: LanguageReply | None
    error_code: str | None = None


@runtime_checkable
class BatchLanguageModel(LanguageModel, Protocol):
    """A model that also takes many requests at once and answers within a day, at a lower price."""

    def submit(self, requests: Mapping[str, LanguageRequest]) -> str:
        """Hand in requests, keyed by `request.sha256(...)`; returns the provider's id of the batch."""
        ...

    def ready(self, batch: str) -> bool:
        """Whether the batch has ended, so that `collect` gives every outcome."""
        ...

    def collect(self, batch: str) -> Sequence[BatchItem]:
        """Outcomes in any order; a request that the provider lost is missing."""
        ...
