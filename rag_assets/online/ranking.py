"""Phase A4: from preselected passages to the few that go on: relevance, score, near-duplicates, a cap, diversity.

Relevance is the best window's cosine plus a little of how well the whole passage fits by words (BM25 over its possible
maximum, as in the index, but counted over the passage: words of one answer are spread over its windows).

Score = 0.7·similarity + 0.1·recency + 0.2·authority. Similarity says how relevant a passage is beside the best one
found, times how far the best one lies above what unrelated texts have. The bare distance is no good measure: right and
wrong passages for one question differ by .01–.03 of cosine, and half a point of authority would weigh .10. On 92
questions to the example campus, the right document was among the first three for 74 with this similarity, for 59 with
the bare distance, for 72 by relevance alone. It never clips: what is cut off ties (MRR@10 .706 → .577).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag_assets.knowledge.scoring import Weights, recency, score
from rag_assets.online.intake import Question
from rag_assets.online.loading import Passage
from rag_assets.online.selection import Candidate
from rag_assets.stores.answering import LoadedChunk
from rag_assets.stores.vectors.base import RANK_DECIMALS, inverse_frequency, reach, term_weight
from rag_assets.text.lexical import analyse, content_words

PER_DOCUMENT: Final = 2
#: Passages that are compared by their words; each costs two milliseconds of analysis when it is first seen.
COMPARED: Final = 30
#: So much less cosine than the best makes a passage e times less similar. .02 and .03 were equally good.
STEP: Final = 0.02
#: Distance from the background (0) towards identity (1) at which the best passage's similarity is ½, and the width of
#: the curve. Nothing that answers lies as low: floors of abstention begin at .2.
HALFWAY: Final = 0.05
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


def weigh_words(question: Question, passages: Sequence[Passage], *, weight: float) -> list[Passage]:
    """The passages with `relevance` counted over their whole text, most relevant first, ties by the window's uid.

    Those beyond the first 30 stay behind them with the relevance of their window. Weight 0 changes nothing.
    """
    if weight <= 0 or not question.terms:
        return list(passages)
    compared = passages[:COMPARED]
    counts = [terms_of(passage.chunk) for passage in compared]
    frequencies = {
        term: inverse_frequency(len(compared), sum(1 for there in counts if term in there)) for term in question.terms
    }
    reachable = reach(list(frequencies.values())) or 1.0
    weighed = []
    for passage, there in zip(compared, counts, strict=True):
        held = sum(term_weight(float(there[term])) * f for term, f in frequencies.items() if term in there)
        lexical = float(held) / reachable
        relevance = round(passage.candidate.cosine + weight * lexical, RANK_DECIMALS)
        candidate = replace(passage.candidate, lexical=lexical, relevance=relevance)
        weighed.append(replace(passage, candidate=candidate))
    weighed.sort(key=lambda passage: (-passage.candidate.relevance, passage.candidate.uid))
    return [*weighed, *passages[COMPARED:]]


def rate(passages: Sequence[Passage], *, background: float, weights: Weights, now: datetime) -> list[Ranked]:
    """All passages with their scores, best first, ties by the window's uid."""
    if not passages:
        return []
    best = max(passage.candidate.relevance for passage in passages)
    rated = []
    for passage in passages:
        relevance = passage.candidate.relevance
        distance = (relevance - background) / max(1 - background, _LEAST_SPAN)
        similarity = similarity_of((best - background) / max(1 - background, _LEAST_SPAN), best - relevance)
        fresh = recency(_age_days(passage.chunk, now), passage.chunk.half_life_years)
        total = score(similarity, fresh, passage.chunk.authority, weights)
        rated.append(Ranked(passage, similarity, fresh, passage.chunk.authority, total, distance))
    rated.sort(key=lambda ranked: (-ranked.score, ranked.passage.candidate.uid))
    return rated


def similarity_of(best_distance: float, behind: float) -> float:
    """Similarity, 0..1, of a passage that is `behind` the best one, which lies at `best_distance`."""
    best = 1.0 / (1.0 + math.exp(min(_STEEPEST, (HALFWAY - best_distance) / WIDTH)))
    return best * math.exp(-max(0.0, behind) / STEP)


def terms_of(chunk: LoadedChunk) -> Counter[str]:
    """Terms of the passage and of the titles above it, with their counts."""
    return _terms(f"{chunk.title_path}\n{chunk.content}")


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


@lru_cache(maxsize=1024)
def _terms(text: str) -> Counter[str]:
    return Counter(analyse(text))


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
