"""Answers made of the sources' own sentences: no model server, nothing invented, every sentence verbatim.

From the best sources the sentences are taken that fit the question best: by the words they share with it, by the
similarity of their vectors, by the form of a definition when one is asked for. Each is followed by its `[Quelle n]`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rag_assets.models.embedding.base import Embedder, Vectors
from rag_assets.models.generation.base import NO_SOURCE, Generation, GenerationRequest, SourceText
from rag_assets.text.lexical import content_words
from rag_assets.text.passages import Piece, quotable

VERSION: Final = "1"
MOST_SOURCES: Final = 4
MOST_SENTENCES: Final = 4
#: Sentences whose vectors are computed, at most; each costs about 20 ms with the embedded model.
MOST_EMBEDDED: Final = 10
_CACHED: Final = 4096
#: A further sentence must reach this share of the best one's score.
_GOOD_ENOUGH: Final = 0.8
_SAME: Final = 0.6
_WEIGHT_VECTOR: Final = 0.5
_WEIGHT_WORDS: Final = 0.35
_WEIGHT_SOURCE: Final = 0.15
_DEFINITION_BONUS: Final = 0.2
_FOCUS_BONUS: Final = 0.1
_LEANING: Final = 0.12

_ASKS_DEFINITION: Final = re.compile(
    r"^\s*(?:was\s+(?:ist|sind|bedeutet|bedeuten|heißt|heisst|meint|versteht)|wofür\s+steht|wie\s+(?:ist|lautet|wird)\b.*"
    r"\b(?:definiert|definition)|definiere|erkläre|erklär|begriff)\b",
    re.IGNORECASE,
)
_DEFINES: Final = re.compile(
    r"\b(?:ist|sind)\s+(?:ein|eine|einer|eines|der|die|das|jede[rs]?)\b|\bbezeichne[nt]|\bversteht\s+man\b|\bmeint\b"
    r"|\bbedeutet\b|\bheißt\b|\bsteht\s+für\b|\bgemeint\b|\bnennt\s+man\b|\bbeschreibt\b",
    re.IGNORECASE,
)
#: First words that lean on a sentence before; alone such a sentence is hard to understand.
_LEANS: Final = re.compile(
    r"(?:er|sie|es|dies|dieser|diese|dieses|diesen|diesem|das|dabei|dadurch|dafür|dagegen|daher|damit|danach|dann|daran|"
    r"darauf|daraus|darin|darum|davon|dazu|deren|dessen|deshalb|deswegen|außerdem|zudem|ferner|auch|aber|doch|jedoch|"
    r"hier|hierbei|hierzu|so|sonst|trotzdem|stattdessen|umgekehrt|ebenso|beide|beides|ihr|ihre|sein|seine|solche|"
    r"letztere|erstere)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: SourceText
    piece: Piece
    text: str
    words: frozenset[str]
    score: float


class ExtractiveModel:
    """`LanguageModel` that quotes. With the same sources and question it always gives the same answer.

    >>> from rag_assets.models.embedding.hashing import HashingEmbedder
    >>> source = SourceText(1, "Glossar", "Feedback ist eine Rückmeldung zu beobachtetem Verhalten.")
    >>> request = GenerationRequest("", "", "Was ist Feedback?", (source,))
    >>> ExtractiveModel(HashingEmbedder()).generate(request).text
    'Feedback ist eine Rückmeldung zu beobachtetem Verhalten. [Quelle 1]'
    """

    provider: Final = "extractive"
    name: Final = "sentences"
    leaves_machine: Final = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def generate(self, request: GenerationRequest) -> Generation:
        """See `LanguageModel`; `NO_SOURCE` when the sources hold no quotable sentence."""
        version = f"{self.name}-{VERSION} {self._embedder.provider}:{self._embedder.name}"
        chosen = self._choose(request)
        if not chosen:
            return Generation(NO_SOURCE, version, 0, 0)
        parts: list[str] = []
        for candidate in chosen:
            cited = f"{_shown(candidate)} [Quelle {candidate.source.number}]"
            parts.append(("\n\n" if candidate.piece.is_list else " ") + cited if parts else cited)
        return Generation("".join(parts), version, 0, 0)

    def _choose(self, request: GenerationRequest) -> list[_Candidate]:
        question = frozenset(content_words(request.question))
        wants_definition = bool(_ASKS_DEFINITION.match(request.question))
        sources = sorted(request.sources, key=lambda source: source.number)[:MOST_SOURCES]
        rough = [candidate for source in sources for candidate in _candidates(source, question, wants=wants_definition)]
        if not rough:
            return []
        rough.sort(key=lambda candidate: (-candidate.score, candidate.source.number, candidate.piece.start))
        scored = self._with_vectors(request.question, rough[:MOST_EMBEDDED])
        best = scored[0]
        chosen = [best]
        for candidate in scored[1:]:
            if len(chosen) == MOST_SENTENCES or candidate.score < _GOOD_ENOUGH * best.score:
                break
            if not any(_alike(candidate, other) for other in chosen):
                chosen.append(candidate)
        return _in_reading_order(chosen)

    def _with_vectors(self, question: str, rough: Sequence[_Candidate]) -> list[_Candidate]:
        """The candidates with the similarity of their vectors added to the score, best first."""
        asked = self._embedder.embed_query(question)
        cosines = self._passages([candidate.text for candidate in rough]) @ asked
        background = self._embedder.background or 0.0
        scored = [
            _Candidate(
                candidate.source, candidate.piece, candidate.text, candidate.words,
                candidate.score + _WEIGHT_VECTOR * max(0.0, (float(cosine) - background) / (1 - background)),
            )
            for candidate, cosine in zip(rough, cosines, strict=True)
        ]  # fmt: skip
        scored.sort(key=lambda candidate: (-candidate.score, candidate.source.number, candidate.piece.start))
        return scored

    def _passages(self, texts: Sequence[str]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            for text, vector in zip(missing, self._embedder.embed_passages(missing), strict=True):
                self._vectors[text] = vector
        rows = np.vstack([self._vectors[text] for text in texts])
        while len(self._vectors) > _CACHED:
            self._vectors.popitem(last=False)
        return rows


def _candidates(source: SourceText, question: frozenset[str], *, wants: bool) -> list[_Candidate]:
    found = []
    for piece in quotable(source.text):
        text = source.text[piece.start : piece.end]
        if "[Quelle" in text:
            continue  # it would read as a citation of ours
        words = frozenset(content_words(text))
        score = _WEIGHT_WORDS * shared_share(question, words) + _WEIGHT_SOURCE * source.relevance
        if source.focus and piece.start < source.focus[1] and piece.end > source.focus[0]:
            score += _FOCUS_BONUS
        if wants and _DEFINES.search(text) and shared_share(question, frozenset(content_words(text[:80]))) > 0:
            score += _DEFINITION_BONUS
        if _LEANS.match(text):
            score -= _LEANING
        found.append(_Candidate(source, piece, text, words, score))
    return found


def shared_share(question: frozenset[str], words: frozenset[str]) -> float:
    """Share of the question's content words that the words hold, alone or as part of a compound; 0..1."""
    if not question:
        return 0.0
    hit = sum(1.0 if word in words else 0.6 if _in_compound(word, words) else 0.0 for word in question)
    return hit / len(question)


def _in_compound(word: str, words: frozenset[str]) -> bool:
    return len(word) >= 5 and any(word in other or (len(other) >= 5 and other in word) for other in words)


def _alike(one: _Candidate, other: _Candidate) -> bool:
    union = one.words | other.words
    return bool(union) and len(one.words & other.words) / len(union) > _SAME


def _in_reading_order(chosen: Sequence[_Candidate]) -> list[_Candidate]:
    """Sources in the order of their best sentence, within a source as in the document."""
    order = list(dict.fromkeys(candidate.source.number for candidate in chosen))
    return sorted(chosen, key=lambda candidate: (order.index(candidate.source.number), candidate.piece.start))


def _shown(candidate: _Candidate) -> str:
    """The quotation with white space as it reads best; the words stay as they are."""
    if candidate.piece.is_list:
        return re.sub(r"\s*\n\s*", "\n", candidate.text)
    return re.sub(r"\s+", " ", candidate.text)
