"""Answers by a language model, whoever runs it: it gets the instructions, the sources and the question, nothing else."""

from __future__ import annotations

from rag_assets.errors import ModelError
from rag_assets.models.generation.base import Generation, GenerationRequest
from rag_assets.models.language.base import Ask, LanguageModel, LanguageRequest, Message, StopReason

_STOPS = {StopReason.END: "end", StopReason.LENGTH: "length", StopReason.REFUSED: "refused"}


class PromptedModel:
    """`AnswerModel` that asks a language model.

    Args:
        model: whom to ask.
        ask: how to reach it; whoever hands this out counts and limits the calls.
    """

    def __init__(self, model: LanguageModel, ask: Ask) -> None:
        self._ask = ask
        self.provider = model.provider
        self.name = model.name
        self.leaves_machine = model.leaves_machine

    def generate(self, request: GenerationRequest) -> Generation:
        """See `AnswerModel`. The request's temperature stays unused: not every provider takes one."""
        turns = tuple(Message(role=turn.role, text=turn.text) for turn in request.history)
        asked = Message(role="user", text=f"{request.context}\n\nFrage: {request.question}")
        reply = self._ask(
            LanguageRequest(system=request.system, messages=(*turns, asked), max_output_tokens=request.max_tokens)
        )
        if reply.stop is StopReason.CONTEXT:
            raise ModelError("text_too_long", "sources and answer are more than the model takes", model=self.name)
        return Generation(
            text=reply.text,
            model_version=reply.model_version,
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
            stop_reason=_STOPS[reply.stop],
        )
