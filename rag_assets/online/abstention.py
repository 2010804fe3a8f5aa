"""Whether the passages found are good enough to answer from; asked before any model is.

Three signs are weighed. How far the best passage lies above the background of the question (distance). How much of what
the question is about stands in the best passages, words weighing more the fewer passages hold them (support). And
whether a name, figure or abbreviation of the question stands in none of them (strangers). None is enough alone: a close
topic without the answer is near, and a common word is soon found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.knowledge.person_names import is_given_name
from rag_assets.models.embedding.base import Embedder
from rag_assets.online.intake import Question
from rag_assets.online.ranking import COMPARED, Ranked, terms_of
from rag_assets.text.lexical import content_words

#: How much support counts beside distance, and what each stranger takes off. Chosen on 35 answerable and 24
#: unanswerable questions to the example campus that are not part of its evaluation sets.
SUPPORT_WEIGHT: Final = 0.1
STRANGER_COST: Final = 0.1
MOST_STRANGERS: Final = 2
#: What distance + 0.1 · support − 0.1 · strangers must reach, by provider of the embedding model. With e5, of 92
#: answerable questions 7 fall below, of 39 unanswerable ones 28 do; most of the other 11 ask for a detail of a subject
#: that the campus does treat.
FLOORS: Final[dict[str, float]] = {"e5": 0.273, "hashing": 0.12}
DEFAULT_FLOOR: Final = 0.273
#: The best passages that are looked into.
LOOKED_AT: Final = 3
_PARTLY: Final = 0.8
_LEAST_LIKENESS: Final = 0.75
_LEAST_FUZZY: Final = 7
_LEAST_HEAD: Final = 4
_LEAST_INNER: Final = 5

_WORD: Final = re.compile(r"[^\W_]+(?:[-–][^\W_]+)*")
_ABBREVIATION: Final = re.compile(r"[A-ZÄÖÜ]{2,}[A-Za-z]?$")


@dataclass(frozen=True, slots=True)
class Confidence:
    """Why an answer is given or not: `value` against `floor`."""

    distance: float
    support: float
    strangers: int
    value: float
    floor: float

    @property
    def enough(self) -> bool:
        """Whether to answer."""
        return self.value >= self.floor


def judge(question: Question, best: Sequence[Ranked], pool: Sequence[Ranked], embedder: Embedder) -> Confidence:
    """The confidence that the `best` passages answer the question; `pool` holds all that were found."""
    floor = FLOORS.get(embedder.provider, DEFAULT_FLOOR)
    if not best:
        return Confidence(0.0, 0.0, 0, 0.0, floor)
    distance = max(item.distance for item in best)
    looked_at = [frozenset(terms_of(item.passage.chunk)) for item in best[:LOOKED_AT]]
    found = support(question.words, looked_at, [frozenset(terms_of(item.passage.chunk)) for item in pool[:COMPARED]])
    unknown = strangers(question.text, frozenset().union(*looked_at))
    value = distance + SUPPORT_WEIGHT * found - STRANGER_COST * min(unknown, MOST_STRANGERS)
    return Confidence(distance, found, unknown, value, floor)


def support(words: frozenset[str], best: Sequence[frozenset[str]], pool: Sequence[frozenset[str]]) -> float:
    """Weighted share of the question's words that the best of the passages holds; 0..1.

    A word's weight falls with the share of the pool that holds it.
    """
    weights = {}
    for word in words:
        holding = sum(1 for there in pool if _holds(there, word) > 0)
        weights[word] = math.log((len(pool) + 1) / (holding + 0.5))
    total = sum(weights.values())
    if total <= 0:
        return 1.0 if words and best else 0.0
    return max(
        (sum(weight * _holds(there, word) for word, weight in weights.items()) / total for there in best), default=0
    )


def strangers(question: str, there: frozenset[str]) -> int:
    """How many names, figures and abbreviations of the question stand nowhere in these words."""
    return sum(1 for stems in _names(question) if stems and not all(_holds(there, stem) >= _PARTLY for stem in stems))


def _names(question: str) -> list[list[str]]:
    """Stems of what names one particular thing: EMDR, 2014, Fritz Perls, the Riemann-Thomann of a …-Modell."""
    tokens = _WORD.findall(question)
    found = []
    for place, token in enumerate(tokens):
        parts = re.split(r"[-–]", token)
        if len(parts) > 2 and all(part[0].isupper() for part in parts):
            found.append([stem for part in parts[:-1] for stem in content_words(part)])
        elif _ABBREVIATION.match(parts[0]) or (token.isdigit() and len(token) > 1):
            found.append(content_words(parts[0]))
        elif place and token[0].isupper() and is_given_name(tokens[place - 1]):
            found.append(content_words(token))
    return found


def _holds(there: frozenset[str], word: str) -> float:
    """1 when the word is there; less when it is part of a compound there or one there part of it, or nearly the same.

    A compound of the question counts by how much of it is there: "platz" says little about "parkplatz".
    """
    if word in there:
        return 1.0
    best = 0.0
    grams = _grams(word)
    for other in there:
        if len(word) >= _LEAST_HEAD and other.startswith(word) and len(other) >= len(word) + _LEAST_HEAD:
            return _PARTLY
        if len(word) < _LEAST_INNER or len(other) < _LEAST_INNER:
            continue
        near = len(word) >= _LEAST_FUZZY and abs(len(word) - len(other)) <= 2 and _alike(grams, _grams(other))
        if near or word in other:
            return _PARTLY
        if other in word:
            best = max(best, _PARTLY * (len(other) / len(word)) ** 2)
    return best


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return 2 * len(one & other) >= _LEAST_LIKENESS * (len(one) + len(other))


def _grams(word: str) -> frozenset[str]:
    padded = f"^{word}$"
    return frozenset(padded[start : start + 2] for start in range(len(padded) - 1))
