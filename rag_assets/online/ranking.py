"""Phase A4: from preselected passages to the few that go on: score, near-duplicates, a cap per document, diversity.

Score = 0.7·similarity + 0.1·recency + 0.2·authority. Similarity is the relevance that passages were found by (cosine and
lexical score), calibrated: how far it lies between the background of the question and 1, through a logistic curve. The
bare distance is no good measure: right and wrong passages differ by .1 of it, and half a point of authority would weigh
as much. The curve keeps the order, never clips (clipping ties what was apart: MRR@10 .706 → .577), and is steep where
right and wrong passages lie.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag_assets.knowledge.scoring import Weights, recency, score
from rag_assets.online.loading import Passage
from rag_assets.online.selection import Candidate
from rag_assets.stores.answering import LoadedChunk
from rag_assets.text.lexical import content_words

PER_DOCUMENT: Final = 2
#: Distance from the background at which similarity is ½, and width of the curve. On four German sets the right passage
#: has a median distance of .34–.50, the best wrong one of .26–.34; a logistic fit gives .36 and .13. The steeper curve
#: put the right document among the first three for 24 of 35 hard questions, as relevance alone did (23); bare
#: distance 19.
HALFWAY: Final = 0.30
WIDTH: Final = 0.10
#: Share of the score in maximal marginal relevance; the rest is distance from what is chosen already.
MMR_LAMBDA: Final = 0.7
#: Passages of which the smaller shares this much of its word triples with another say the same.
SAME_SHARE: Final = 0.8
_SHINGLE: Final = 3
# A base of one text over and over has a background of 1; and beyond e^500 floats end.
_LEAST_SPAN: Final = 1e-3
_STEEPEST: Final = 500.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with its score and the three parts, each in 0..1; `distance` is what similarity was made of."""

    passage: Passage
    similarity: float
    recency: float
    authority: float
    score: float
    distance: float


def rate(passages: Sequence[Passage], *, background: float, weights: Weights, now: datetime) -> list[Ranked]:
    """All passages with their scores, best first, ties by the window's uid."""
    rated = []
    for passage in passages:
        relevance = passage.candidate.relevance
        distance = (relevance - background) / max(1 - background, _LEAST_SPAN)
        similarity = similarity_of(distance)
        fresh = recency(_age_days(passage.chunk, now), passage.chunk.half_life_years)
        total = score(similarity, fresh, passage.chunk.authority, weights)
        rated.append(Ranked(passage, similarity, fresh, passage.chunk.authority, total, distance))
    rated.sort(key=lambda ranked: (-ranked.score, ranked.passage.candidate.uid))
    return rated


def similarity_of(distance: float) -> float:
    """Similarity, 0..1, of a passage this far from the background (0) towards identity (1)."""
    return 1.0 / (1.0 + math.exp(min(_STEEPEST, (HALFWAY - distance) / WIDTH)))


def unranked(chunk: LoadedChunk) -> Ranked:
    """A chunk that no search found, e.g. the other side of a conflict: similarity, recency and score 0."""
    candidate = Candidate(chunk.collection, chunk.id, chunk.document_id, "", 0.0, 0.0, 0.0)
    return Ranked(Passage(candidate, chunk, (0, len(chunk.content))), 0.0, 0.0, chunk.authority, 0.0, 0.0)


def choose(
    rated: Sequence[Ranked],
    vectors: Mapping[str, NDArray[np.float32]],
    *,
    top_k: int,
    per_document: int = PER_DOCUMENT,
) -> list[Ranked]:
    """At most `top_k` of the passages, best first: no two that say the same, few of one document, different ones.

    `vectors` maps a window's uid to its unit vector; a passage without one counts as unlike all others.
    """
    left = without_repeats(rated, at_least=4 * top_k)
    chosen: list[Ranked] = []
    of_document: dict[int, int] = {}
    likeness: dict[str, float] = {}
    while left and len(chosen) < top_k:
        best = max(left, key=lambda ranked: _marginal(ranked, likeness.get(ranked.passage.candidate.uid, 0.0)))
        chosen.append(best)
        document = best.passage.chunk.document_id
        of_document[document] = of_document.get(document, 0) + 1
        left = [
            ranked
            for ranked in left
            if ranked is not best and of_document.get(ranked.passage.chunk.document_id, 0) < per_document
        ]
        taken = vectors.get(best.passage.candidate.uid)
        for ranked in left:
            uid = ranked.passage.candidate.uid
            if taken is not None and uid in vectors:
                likeness[uid] = max(likeness.get(uid, 0.0), float(vectors[uid] @ taken))
    return sorted(chosen, key=lambda ranked: (-ranked.score, ranked.passage.candidate.uid))


def without_repeats(rated: Sequence[Ranked], *, at_least: int) -> list[Ranked]:
    """The passages in their order without those that repeat a better one; stops once `at_least` are found."""
    kept: list[Ranked] = []
    shingles: list[frozenset[tuple[str, ...]]] = []
    for ranked in rated:
        own = _shingles(ranked.passage.chunk.content)
        if not any(_same(own, other) for other in shingles):
            kept.append(ranked)
            shingles.append(own)
            if len(kept) >= at_least:
                break
    return kept


def _marginal(ranked: Ranked, likeness: float) -> float:
    return MMR_LAMBDA * ranked.score - (1 - MMR_LAMBDA) * likeness


def _age_days(chunk: LoadedChunk, now: datetime) -> float:
    written = chunk.published_on or chunk.version_created_at.date()
    return float((now.date() - written).days)


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = content_words(text)
    if len(words) < _SHINGLE:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1))


def _same(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return len(one & other) >= SAME_SHARE * min(len(one), len(other))
