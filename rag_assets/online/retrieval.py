"""Phases A0–A4 one after the other: from a question to the passages it is answered from, and how sure they are.

What `answer` begins with, and all that an evaluation of retrieval needs. Nothing is formulated or kept here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rag_assets.ledger.lookup import authors_of
from rag_assets.ledger.spaces import model_ref
from rag_assets.online import intake, loading, ranking, selection
from rag_assets.online.abstention import Confidence, judge
from rag_assets.online.intake import Question
from rag_assets.online.parts import AnswerParts, Options
from rag_assets.online.ranking import Ranked
from rag_assets.online.widening import names_meant
from rag_assets.stores import places


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What retrieval found for a question, before anything is formulated; `ranked` is best first."""

    question: Question
    ranked: tuple[Ranked, ...]
    confidence: Confidence


def retrieve(text: str, parts: AnswerParts, options: Options) -> Retrieved:
    """Phases A0–A4: the passages for a question, and whether they are good enough.

    Raises:
        UsageError: `empty_question`, `question_too_long`, `nothing_to_answer_from`.
        StoreError: `dimension_mismatch`, the vectors are of another model.
        ModelError, ServiceError: the embedding model or a server failed.
    """
    plain = intake.tidy(text)
    with parts.database.read() as connection:
        wanted = options.collections or places.collections(connection)
        meant = () if options.strict else names_meant(plain, partial(authors_of, connection))
    model = model_ref(parts.embedder)
    collections = selection.refuse_another_model(parts.index, wanted, model)
    question = intake.take(plain, parts.embedder, also=meant)
    weight = 0.0 if options.strict else options.lexical_weight
    candidates = selection.select(
        parts.index,
        question,
        collections,
        lexical_weight=weight,
        where=options.where,
    )
    with parts.database.read() as connection:
        passages = loading.load(
            connection,
            candidates,
            model=model,
            audiences=options.audiences,
            without_local=parts.model.leaves_machine,
        )
    passages = ranking.weigh_words(question, passages, weight=weight)
    background = selection.background(parts.index, question, collections, parts.embedder.background)
    rated = ranking.rate(passages, background=background, weights=options.weights, now=parts.clock())
    chosen = ranking.choose(rated, _vectors(parts, rated), top_k=options.top_k)
    return Retrieved(question, tuple(chosen), judge(question, chosen, rated, parts.embedder))


def _vectors(parts: AnswerParts, rated: Sequence[Ranked]) -> Mapping[str, NDArray[np.float32]]:
    by_collection: dict[str, list[str]] = {}
    for item in rated:
        by_collection.setdefault(item.passage.candidate.collection, []).append(item.passage.candidate.uid)
    found: dict[str, NDArray[np.float32]] = {}
    for collection, uids in by_collection.items():
        found.update(parts.index.vectors(collection, uids))
    return found
