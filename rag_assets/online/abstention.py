"""Whether the passages found are good enough to answer from; asked before any model is.

Two signs are weighed: how far the best passage lies above the background of the question (similarity), and how much of
what the question is about stands in the best passages (support). Neither is enough: a close topic without the answer
is similar, and a common word is soon found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.models.embedding.base import Embedder
from rag_assets.online.intake import Question
from rag_assets.online.ranking import Ranked
from rag_assets.text.lexical import content_words

#: How much support counts beside similarity; fitted (logistic) on 857 answerable questions of four German sets and
#: the same questions with their passage taken out: 5.8 · similarity + 1.8 · support.
SUPPORT_WEIGHT: Final = 0.3
#: What similarity + 0.3 · support must reach. With e5, 95 % of the answerable questions of the four sets lie above
#: .24–.46 (by set); of questions from another field 95 % lie below .27 (law) to .38 (encyclopaedia).
FLOORS: Final[dict[str, float]] = {"e5": 0.36, "hashing": 0.25}
DEFAULT_FLOOR: Final = 0.36
#: The best passages that may share the support: an answer may rest on more than one.
LOOKED_AT: Final = 3


@dataclass(frozen=True, slots=True)
class Confidence:
    """Why an answer is given or not: `value` = similarity + 0.3 · support, against `floor`."""

    similarity: float
    support: float
    value: float
    floor: float

    @property
    def enough(self) -> bool:
        """Whether to answer."""
        return self.value >= self.floor


def judge(question: Question, ranked: Sequence[Ranked], embedder: Embedder) -> Confidence:
    """The confidence that these passages, best first, answer the question."""
    floor = FLOORS.get(embedder.provider, DEFAULT_FLOOR)
    if not ranked:
        return Confidence(0.0, 0.0, 0.0, floor)
    similarity = max(item.similarity for item in ranked)
    texts = [f"{item.passage.chunk.title_path}\n{item.passage.chunk.content}" for item in ranked[:LOOKED_AT]]
    found = support(question.words, texts)
    return Confidence(similarity, found, similarity + SUPPORT_WEIGHT * found, floor)


def support(words: frozenset[str], texts: Sequence[str]) -> float:
    """Share of the words that the best of the texts holds, as a word or within a compound; 0..1."""
    if not words:
        return 0.0
    best = 0.0
    for text in texts:
        there = frozenset(content_words(text))
        best = max(best, sum(1 for word in words if _holds(there, word)) / len(words))
    return best


def _holds(there: frozenset[str], word: str) -> bool:
    if word in there:
        return True
    return len(word) >= 5 and any(word in other or (len(other) >= 5 and other in word) for other in there)
