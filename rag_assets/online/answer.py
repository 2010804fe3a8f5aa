"""Answering one question: the phases A0–A8 one after the other. Chat, Dagster's query job and the web call this.

The order and the hand-overs live here, the work of each phase in the module of its name. No model is called inside a
transaction.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rag_assets.ledger import disagreements, versions
from rag_assets.ledger.disagreements import FoundConflict
from rag_assets.models.generation.base import NO_SOURCE, Generation
from rag_assets.online import chat, citations, disagreement, loading, ranking
from rag_assets.online.abstention import Confidence
from rag_assets.online.citations import Verdict
from rag_assets.online.context import Context, ContextSource, build_context
from rag_assets.online.disagreement import ShownConflict
from rag_assets.online.parts import AnswerParts, Options
from rag_assets.online.prompt import ANSWER_PROMPT, compose
from rag_assets.online.ranking import Ranked
from rag_assets.online.retrieval import Retrieved, retrieve
from rag_assets.online.sources import Source, describe, list_sources
from rag_assets.prompts import registry as prompts
from rag_assets.stores import places
from rag_assets.stores.database import Connection

ANSWERED: Final = "answered"
NO_SOURCE_OUTCOME: Final = "no_source"
CONFLICTING: Final = "conflicting"
#: Documents that are named when nothing is good enough.
HINTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer as every surface shows it.

    `sources` are those that the model got, best first; those that the answer names have `used`. With outcome
    `no_source` they are empty and `nearest` names where one might look. `version` is the knowledge version answered
    from, None before the first; `model` names provider, model and its exact version.
    """

    answer: str
    outcome: str
    sources: tuple[Source, ...]
    conflicts: tuple[ShownConflict, ...]
    nearest: tuple[Source, ...]
    session: str
    message: str
    version: str | None
    model: str
    verdicts: tuple[Verdict, ...]
    confidence: Confidence

    def to_json(self) -> dict[str, Any]:
        """What `rag ask --json` prints."""
        return {
            "answer": self.answer,
            "outcome": self.outcome,
            "sources": [source.to_json() for source in self.sources],
            "conflicts": [conflict.to_json() for conflict in self.conflicts],
            "session": self.session,
            "message": self.message,
            "version": self.version,
            "model": self.model,
            "nearest": [source.to_json() for source in self.nearest],
        }


def answer(
    text: str,
    parts: AnswerParts,
    options: Options | None = None,
    *,
    session: str | None = None,
    message: str | None = None,
) -> Answer:
    """Answer a question from the documents, with sources, and keep both in a session.

    Args:
        text: the question; not looked at when `message` names one that is stored.
        parts: what to answer with.
        options: choices for this question.
        session: uid of the session to go on with; None opens one.
        message: uid of a stored question that waits for its answer.

    Raises:
        UsageError, StoreError, ModelError, ServiceError: as `retrieve`; `unknown_session`, `unknown_message`.
    """
    chosen = options or Options()
    asked: str | None = text
    if message is not None:
        with parts.database.read() as connection:
            session, text = chat.pending_question(connection, message, user_ref=chosen.user_ref)
        asked = None
    began = time.monotonic()
    found = retrieve(text, parts, chosen)
    if asked is not None:
        asked = found.question.text
    with parts.database.read() as connection:
        version = versions.latest(connection)
    prompt = prompts.load(ANSWER_PROMPT)
    draft = _formulate(found, parts, chosen)
    with parts.database.write() as connection:
        session_uid, message_uid = chat.keep(
            connection,
            session_uid=session,
            user_ref=chosen.user_ref,
            question=asked,
            answer=draft.text,
            outcome=draft.outcome,
            sources=draft.sources,
            verdicts=draft.verdicts,
            knowledge_version_id=None if version is None else version.id,
            model=draft.model,
            prompt=prompt,
            parameters=_parameters(chosen, found, draft, time.monotonic() - began),
            at=parts.clock(),
            retention_days=chosen.retention_days,
        )
    return Answer(
        answer=draft.text,
        outcome=draft.outcome,
        sources=draft.sources,
        conflicts=draft.conflicts,
        nearest=draft.nearest,
        session=session_uid,
        message=message_uid,
        version=None if version is None else str(version),
        model=draft.model,
        verdicts=draft.verdicts,
        confidence=found.confidence,
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    text: str
    outcome: str
    model: str
    context_tokens: int = 0
    sources: tuple[Source, ...] = ()
    conflicts: tuple[ShownConflict, ...] = ()
    nearest: tuple[Source, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    generation: Generation | None = None


def _formulate(found: Retrieved, parts: AnswerParts, options: Options) -> _Draft:
    """Phases A5–A8 without keeping anything."""
    name = f"{parts.model.provider}:{parts.model.name}"
    if not found.confidence.enough:
        return _abstain(found, parts, name)
    context = build_context(found.ranked, limit=options.token_limit, tokens=parts.tokens)
    request = compose(
        found.question,
        context,
        prompts.load(ANSWER_PROMPT),
        max_tokens=options.max_tokens,
        temperature=options.temperature,
    )
    generation = parts.model.generate(request)
    name = f"{name} ({generation.model_version})"
    text = generation.text.strip()
    verdicts = citations.verify(text, context.sources)
    if not options.keep_unsupported:
        text = citations.keep_supported(text, verdicts)
        verdicts = citations.verify(text, context.sources)
    if not text or text == NO_SOURCE:
        return replace(_abstain(found, parts, name), generation=generation)
    with parts.database.read() as connection:
        conflicts = disagreements.conflicts_for_chunks(connection, [item.passage.chunk.id for item in found.ranked])
        version_ids = [item.passage.chunk.version_id for item in found.ranked]
        known = places.places(connection, version_ids)
        sources = list_sources(context.sources, verdicts, found.question.words, known)
        shown, further = _disagreement(connection, conflicts, found, context, text, verdicts, options)
    block = disagreement.block(shown)
    return _Draft(
        text=f"{text}\n\n{block}" if block else text,
        outcome=CONFLICTING if shown else ANSWERED,
        model=name,
        context_tokens=context.tokens,
        sources=_named(sources, shown, further),
        conflicts=tuple(shown),
        verdicts=verdicts,
        generation=generation,
    )


def _abstain(found: Retrieved, parts: AnswerParts, model: str) -> _Draft:
    """No answer, but where one might look: the nearest documents, one entry each."""
    nearest: dict[str, Ranked] = {}
    for item in found.ranked:
        nearest.setdefault(item.passage.chunk.document_uid, item)
    chosen = list(nearest.values())[:HINTS]
    with parts.database.read() as connection:
        known = places.places(connection, [item.passage.chunk.version_id for item in chosen])
    entries = list_sources(
        [ContextSource(n, "", item.passage.chunk.content, 0, item) for n, item in enumerate(chosen, 1)],
        (),
        found.question.words,
        known,
    )
    return _Draft(NO_SOURCE, NO_SOURCE_OUTCOME, model, nearest=tuple(entries))


def _disagreement(
    connection: Connection,
    conflicts: Sequence[FoundConflict],
    found: Retrieved,
    context: Context,
    text: str,
    verdicts: Sequence[Verdict],
    options: Options,
) -> tuple[list[ShownConflict], list[Source]]:
    """The conflicts of this question, and the sources that only they bring in."""
    said = [text[verdict.start : verdict.end] for verdict in verdicts]
    about = disagreement.relevant(conflicts, found.question.words, said)
    if not about:
        return [], []
    numbers = {source.ranked.passage.chunk.id: source.number for source in context.sources}
    outside = [
        passage
        for conflict in about
        for position in conflict.positions
        if not any(passage.chunk_id in numbers for passage in position.evidence)
        for passage in position.evidence[:1]
    ]
    loaded = loading.by_id(connection, [passage.chunk_id for passage in outside if passage.chunk_id is not None])
    further: list[Source] = []
    for passage in outside:
        chunk = loaded.get(passage.chunk_id or 0)
        if chunk is None or chunk.id in numbers or not loading.may_see(chunk, options.audiences):
            continue
        numbers[chunk.id] = len(context.sources) + len(further) + 1
        known = places.places(connection, [chunk.version_id])
        ranked = ranking.unranked(chunk)
        further.append(
            describe(
                ranked, number=numbers[chunk.id], quote=passage.quote, start=passage.start, used=True, places=known
            )
        )
    return disagreement.show(about, numbers), further


def _named(
    sources: Sequence[Source], conflicts: Sequence[ShownConflict], further: Sequence[Source]
) -> tuple[Source, ...]:
    """All sources, those marked as used that the block of conflicts names."""
    named = {shown.source for conflict in conflicts for shown in conflict.positions}
    listed = [replace(source, used=True) if source.number in named else source for source in sources]
    return (*listed, *(source for source in further if source.number in named))


def _parameters(options: Options, found: Retrieved, draft: _Draft, seconds: float) -> dict[str, Any]:
    """What the answer was made with: settings and counts, no text."""
    generation = draft.generation
    return {
        "top_k": options.top_k,
        "token_limit": options.token_limit,
        "context_tokens": draft.context_tokens,
        "strict": options.strict,
        "lexical_weight": options.lexical_weight,
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "distance": round(found.confidence.distance, 4),
        "support": round(found.confidence.support, 4),
        "strangers": found.confidence.strangers,
        "floor": found.confidence.floor,
        "input_tokens": None if generation is None else generation.input_tokens,
        "output_tokens": None if generation is None else generation.output_tokens,
        "stop_reason": None if generation is None else generation.stop_reason,
        "seconds": round(seconds, 3),
    }
