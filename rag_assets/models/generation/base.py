"""The protocol that every answering model fulfils, and its values.

A model formulates; it adds no knowledge. What it may use stands in the request and nowhere else, so that equal requests
to the same model can share a reply. Here is no technology and no prompt text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

#: What stands for "nothing is known" in every answer, word for word.
NO_SOURCE = "Keine Quelle gefunden."


@dataclass(frozen=True, slots=True)
class SourceText:
    """One source as the model gets it.

    Attributes:
        number: what `[Quelle n]` names it by, from 1.
        title: as in the context's header.
        text: its text, unchanged, as it stands in the context.
        relevance: calibrated similarity to the question, 0..1.
        focus: span of the passage in `text` that was found; None when all of it was.
        table_header: header row of the table that `text` goes on with; it stands above it in the context.
    """

    number: int
    title: str
    text: str
    relevance: float = 1.0
    focus: tuple[int, int] | None = None
    table_header: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question or answer of the session; `role` is `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """All that a model gets to see.

    `context` is the sources as one text with headers, for models that read a prompt; `sources` are the same texts one
    by one, for models that take them apart (extractive, citations of an API). `temperature` None leaves the choice to
    the provider; some take none.
    """

    system: str
    context: str
    question: str
    sources: tuple[SourceText, ...]
    history: tuple[Turn, ...] = ()
    max_tokens: int = 1000
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model returned. Token counts are None where the provider tells none.

    `stop_reason` is `end` (finished), `length` (max_tokens reached) or `refused`.
    """

    text: str
    model_version: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    stop_reason: str = "end"
    details: dict[str, str] = field(default_factory=dict)


@runtime_checkable
class AnswerModel(Protocol):
    """A model that answers from sources, each sentence followed by the `[Quelle n]` that it rests on."""

    @property
    def provider(self) -> str:
        """Technology that runs the model, e.g. `extractive`, `claude`, `ollama`."""
        ...

    @property
    def name(self) -> str:
        """The model's own name there."""
        ...

    @property
    def leaves_machine(self) -> bool:
        """Whether what is sent to it leaves the own machine or network; such a model never gets `local_only` text."""
        ...

    def generate(self, request: GenerationRequest) -> Generation:
        """Answer the request's question from its sources.

        Raises:
            ModelError: the model refused, or returned nothing usable.
            ServiceError: its server is out of reach; the same call may succeed later.
        """
        ...
