"""Phase A2: preselection by similarity. Windows are found in the index and grouped to their chunks; nothing more.

Similarity is not relevance: order, diversity and whether anything is good enough are decided in later phases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.errors import UsageError
from rag_assets.online.intake import Question
from rag_assets.stores.vectors.base import (
    RANK_DECIMALS,
    Filter,
    Hit,
    ModelRef,
    Query,
    VectorIndex,
    refuse_other_model,
)

#: Chunks that later phases choose from; the index is asked for windows until there are so many.
CANDIDATES: Final = 50
#: Windows that stand for "any passage" when the background has to be measured.
SAMPLE: Final = 256


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that was found, with the scores of its best window (`uid`).

    `relevance` is cosine + weight · lexical, the figure that chunks are ordered by.
    """

    collection: str
    chunk_id: int
    document_id: int
    uid: str
    cosine: float
    lexical: float
    relevance: float


def refuse_another_model(index: VectorIndex, collections: Sequence[str], model: ModelRef) -> tuple[str, ...]:
    """Those of the collections that exist, all of them made with this model.

    Raises:
        UsageError: `nothing_to_answer_from`, none exists.
        StoreError: `dimension_mismatch`, one was made with another model.
    """
    found = []
    for collection in collections:
        recorded = index.model(collection)
        if recorded is not None:
            refuse_other_model(collection, recorded, model)
            found.append(collection)
    if not found:
        raise UsageError("nothing_to_answer_from")
    return tuple(found)


def select(
    index: VectorIndex,
    question: Question,
    collections: Sequence[str],
    *,
    wanted: int = CANDIDATES,
    lexical_weight: float,
    where: Filter | None = None,
) -> list[Candidate]:
    """The best chunks of all collections by their best window, at most `wanted`, best first, ties by window."""
    terms = question.terms if lexical_weight > 0 else ()
    query = Query(question.vector, terms)
    candidates: list[Candidate] = []
    for collection in collections:
        candidates += _of_collection(index, query, collection, wanted, lexical_weight, where)
    candidates.sort(key=lambda candidate: (-candidate.relevance, candidate.uid))
    return candidates[:wanted]


def background(index: VectorIndex, question: Question, collections: Sequence[str], known: float | None) -> float:
    """Mean cosine of a question with a passage that has nothing to do with it.

    The model's known mean where there is one. Else the mean over a sample of passages for this question: a makeshift,
    since a question on the base's subject is nearer to all of its passages than one that is not, and that difference
    is worth keeping (of a right and a wrong passage the better one was told in 86 % with the known mean, in 73 % with
    the question's own).
    """
    if known is not None:
        return known
    cosines = [
        float(vector @ question.vector) for collection in collections for vector in index.sample(collection, SAMPLE)
    ]
    return sum(cosines) / len(cosines) if cosines else 0.0


def _of_collection(
    index: VectorIndex, query: Query, collection: str, wanted: int, weight: float, where: Filter | None
) -> list[Candidate]:
    limit = 2 * wanted
    while True:
        hits = index.search(collection, query, limit=limit, lexical_weight=weight, where=where)
        best: dict[int, Hit] = {}
        for hit in hits:
            best.setdefault(hit.chunk_id, hit)
        if len(best) >= wanted or len(hits) < limit:
            break
        limit *= 2
    return [
        Candidate(
            collection, hit.chunk_id, hit.document_id, hit.uid, hit.cosine, hit.lexical,
            round(hit.cosine + weight * hit.lexical, RANK_DECIMALS),
        )
        for hit in list(best.values())[:wanted]
    ]  # fmt: skip
