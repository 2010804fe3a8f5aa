"""Phase A6: put system prompt, context and question together. The context goes in unchanged, nothing is added to it.

Sources are data: in the text that a prompt-reading model gets they stand between two lines that hold a number nobody
who wrote a document could know, since it depends on the whole context and the question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rag_assets.models.generation.base import GenerationRequest, SourceText, Turn
from rag_assets.online.context import Context
from rag_assets.online.intake import Question
from rag_assets.prompts.registry import Prompt

ANSWER_PROMPT = "antwort"


def compose(
    question: Question,
    context: Context,
    prompt: Prompt,
    *,
    history: Sequence[Turn] = (),
    max_tokens: int,
    temperature: float | None,
) -> GenerationRequest:
    """The request for a model; equal inputs give equal requests, so that replies can be kept."""
    fence = hashlib.sha256(f"{context.text}\0{question.text}".encode("utf-8", "replace")).hexdigest()[:16]
    return GenerationRequest(
        system=prompt.template.replace("{grenze}", fence),
        context=f"<<<quellen {fence}>>>\n{context.text}\n<<<ende {fence}>>>",
        question=question.text,
        sources=tuple(
            SourceText(
                number=source.number,
                title=source.title,
                text=source.text,
                relevance=source.ranked.similarity,
                focus=_focus(source.ranked.passage.focus, source.offset, len(source.text)),
                table_header=source.table_header,
            )
            for source in context.sources
        ),
        history=tuple(history),
        max_tokens=max_tokens,
        temperature=temperature,
    )


def _focus(focus: tuple[int, int], offset: int, length: int) -> tuple[int, int] | None:
    """The found passage's span within the source's text, which may begin later and end earlier than the chunk."""
    start, end = max(0, focus[0] - offset), min(length, focus[1] - offset)
    return (start, end) if start < end else None
