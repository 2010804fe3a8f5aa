"""Answers made of the sources' own sentences: no model server, nothing invented, every sentence verbatim.

From the best sources the sentences are taken that fit the question best: by the words they share with it, by the
similarity of their vectors, by the form of a definition when one is asked for. Each is followed by its `[Quelle n]`.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
MOST_EMBEDDED: Final = 12
_CACHED: Final = 4096
#: A second sentence must reach this share of the best one's score, each further one a little more.
_GOOD_ENOUGH: Final = 0.88
_MORE_EACH: Final = 0.03
#: Sentences that share this much of their words say the same.
_SAME: Final = 0.6
# Weights of the parts of a sentence's score. Chosen by reading answers to 35 questions, not fitted.
_WEIGHT_VECTOR: Final = 0.45
_WEIGHT_WORDS: Final = 0.30
_WEIGHT_SOURCE: Final = 0.30
_WORDS_ABOVE: Final = 0.7
_FOCUS_BONUS: Final = 0.1
_LEANING: Final = 0.1
#: Similarity, stretched from background to 1, that a sentence which answers reaches on average.
_REACHED: Final = 0.45

#: What a question asks for, how a sentence looks that gives it, what that is worth, and how many of the question's
#: words must stand at its beginning or above it.
_FORMS: Final = (
    (  # a definition
        re.compile(
            r"^(?!.*\bunterschied)\s*(?:was\s+(?:ist|sind|bedeutet|bedeuten|heißt|heisst|meint|versteht)|wofür\s+steht|"
            r"wie\s+(?:ist|lautet|wird)\b.*\b(?:definiert|definition)|definiere|erkläre|erklär|begriff)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:ist|sind)\s+(?:ein|eine|einer|eines|der|die|das|jede[rs]?)\b|\bbezeichne[nt]|\bversteht\s+man\b|"
            r"\bmeint\b|\bbedeutet\b|\bheißt\b|\bsteht\s+für\b|\bgemeint\b|\bnennt\s+man\b|\bbeschreibt\b",
            re.IGNORECASE,
        ),
        0.3,
        1,
    ),
    (  # a difference, between two things that are named
        re.compile(r"\bunterschied|\bunterscheide|\babgrenz|\babgegrenzt", re.IGNORECASE),
        re.compile(
            r"\bunterscheide[nt]|\bunterschied|\b(?:ist|sind)\s+kein|\bim\s+gegensatz|\banders\s+als\b|\bdagegen\b|"
            r"\bwährend\b|\bhingegen\b|\bersetzt\b.*\bnicht\b",
            re.IGNORECASE,
        ),
        0.3,
        2,
    ),
    (  # a figure
        re.compile(
            r"\bwie\s+(?:viele?n?|lange?|hoch|oft|teuer|groß|alt|schnell|weit)\b|\bwann\b|\bkostet\b|\bwelche[ms]\s+"
            r"(?:jahr|betrag|alter|monat|tag)\b|\bum\s+wie\s?viel\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\d|\b(?:einmal|zwei(?:mal)?|drei(?:mal)?|vier(?:mal)?|fünf|sechs|sieben|acht|neun|zehn|elf|"
            r"zwölf|halbe[nrs]?|täglich|wöchentlich|monatlich|jährlich|stündlich|nächtlich|kostenfrei|kostenlos)\b",
            re.IGNORECASE,
        ),
        0.1,
        1,
    ),
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
    """A piece of a source: its text, the same with the sentence it leans on, its words, those above it, its score."""

    source: SourceText
    piece: Piece
    text: str
    meant: str
    words: frozenset[str]
    above: frozenset[str]
    score: float = 0.0


class ExtractiveModel:
    """`AnswerModel` that quotes. With the same sources and question it always gives the same answer.

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
        """See `AnswerModel`; `NO_SOURCE` when the sources hold no quotable sentence."""
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
        sources = sorted(request.sources, key=lambda source: source.number)[:MOST_SOURCES]
        found = [candidate for source in sources for candidate in _candidates(source)]
        if not found:
            return []
        rough = sorted(_by_words(request.question, found), key=_best_first)[:MOST_EMBEDDED]
        scored = sorted(self._by_vectors(request.question, rough), key=_best_first)
        best = scored[0]
        chosen = [best]
        for candidate in scored[1:]:
            enough = _GOOD_ENOUGH + _MORE_EACH * (len(chosen) - 1)
            if len(chosen) == MOST_SENTENCES or candidate.score < enough * best.score:
                break
            if candidate.piece.is_row and not best.piece.is_row:
                continue  # among sentences a row explains nothing
            if not any(_alike(candidate, other) for other in chosen):
                chosen.append(candidate)
        return _in_reading_order(_understandable(chosen, found))

    def _by_vectors(self, question: str, rough: Sequence[_Candidate]) -> list[_Candidate]:
        """The candidates with the similarity of their vectors added to the score."""
        asked = self._embedder.embed_query(question)
        cosines = self._passages([candidate.meant for candidate in rough]) @ asked
        background = self._embedder.background or 0.0
        reached = [(float(cosine) - background) / (1 - background) / _REACHED for cosine in cosines]
        return [
            replace(candidate, score=candidate.score + _WEIGHT_VECTOR * min(1.2, max(0.0, value)))
            for candidate, value in zip(rough, reached, strict=True)
        ]

    def _passages(self, texts: Sequence[str]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            for text, vector in zip(missing, self._embedder.embed_passages(missing), strict=True):
                self._vectors[text] = vector
        rows = np.vstack([self._vectors[text] for text in texts])
        while len(self._vectors) > _CACHED:
            self._vectors.popitem(last=False)
        return rows


def _candidates(source: SourceText) -> list[_Candidate]:
    found: list[_Candidate] = []
    for piece in quotable(source.text, in_table=bool(source.table_header)):
        text = source.text[piece.start : piece.end]
        if "[Quelle" in text:  # it would read as a citation of ours
            continue
        # A table that began before the text has its header row beside it.
        title = source.text[slice(*piece.above)] if piece.above else source.table_header if piece.is_row else ""
        above = frozenset(content_words(title))
        meant = text
        if found and found[-1].piece.block == piece.block and _LEANS.match(text) and not piece.is_row:
            above |= found[-1].words  # "Sie dauert …": what she is stands there
            meant = f"{found[-1].text} {text}"
        found.append(_Candidate(source, piece, text, meant, frozenset(content_words(text)), above))
    return found


def _by_words(question: str, found: Sequence[_Candidate]) -> list[_Candidate]:
    """The candidates with what words, place and form say about them as their score."""
    asked = frozenset(content_words(question))
    weights = _weights(asked, found)
    wanted = [(gives, worth, least) for asks, gives, worth, least in _FORMS if asks.search(question)]
    most = max((candidate.source.relevance for candidate in found), default=0.0) or 1.0
    scored = []
    for candidate in found:
        source, piece = candidate.source, candidate.piece
        score = _WEIGHT_WORDS * _share(asked, weights, candidate) + _WEIGHT_SOURCE * source.relevance / most
        if source.focus and piece.start < source.focus[1] and piece.end > source.focus[0]:
            score += _FOCUS_BONUS
        opening = frozenset(content_words(candidate.text[:80])) | candidate.above
        named = sum(1 for word in asked if _holds(opening, word))
        fitting = [worth for gives, worth, least in wanted if named >= least and gives.search(candidate.text)]
        score += max(fitting, default=0.0)
        if _LEANS.match(candidate.text):
            score -= _LEANING
        scored.append(replace(candidate, score=score))
    return scored


def _weights(asked: frozenset[str], found: Sequence[_Candidate]) -> dict[str, float]:
    """How much each word of the question tells these candidates apart; one that none holds tells nothing."""
    weights = {}
    for word in asked:
        holding = sum(1 for candidate in found if _holds(candidate.words | candidate.above, word))
        weights[word] = math.log((len(found) + 1) / (holding + 0.5)) if holding else 0.0
    return weights


def _share(asked: frozenset[str], weights: Mapping[str, float], candidate: _Candidate) -> float:
    """Weighted share of the question's words that the candidate holds, or at less weight what stands above it."""
    total = sum(weights.values())
    if total <= 0:
        return 0.0
    held = sum(
        weights[word] * max(_holds(candidate.words, word), _WORDS_ABOVE * _holds(candidate.above, word))
        for word in asked
    )
    return held / total


def _holds(words: frozenset[str], word: str) -> float:
    """1 when the word is there, 0.6 when it is part of a compound there or one there is part of it, else 0."""
    if word in words:
        return 1.0
    part = len(word) >= 5 and any(word in other or (len(other) >= 5 and other in word) for other in words)
    return 0.6 if part else 0.0


def _best_first(candidate: _Candidate) -> tuple[float, int, int]:
    return -candidate.score, candidate.source.number, candidate.piece.start


def _alike(one: _Candidate, other: _Candidate) -> bool:
    union = one.words | other.words
    return bool(union) and len(one.words & other.words) / len(union) > _SAME


def _understandable(chosen: Sequence[_Candidate], found: Sequence[_Candidate]) -> list[_Candidate]:
    """The chosen ones, each that leans on the sentence before it together with that sentence, as far as room is."""
    result = list(chosen)
    for candidate in chosen:
        if not _LEANS.match(candidate.text) or len(result) >= MOST_SENTENCES:
            continue
        place = found.index(next(other for other in found if _same_piece(other, candidate)))
        before = found[place - 1] if place else None
        if (
            before is not None
            and before.source.number == candidate.source.number
            and before.piece.block == candidate.piece.block
            and not any(_same_piece(before, other) for other in result)
        ):
            result.append(before)
    return result


def _same_piece(one: _Candidate, other: _Candidate) -> bool:
    return one.source.number == other.source.number and one.piece.start == other.piece.start


def _in_reading_order(chosen: Sequence[_Candidate]) -> list[_Candidate]:
    """Sources in the order of their best sentence, within a source as in the document."""
    order = list(dict.fromkeys(candidate.source.number for candidate in chosen))
    return sorted(chosen, key=lambda candidate: (order.index(candidate.source.number), candidate.piece.start))


def _shown(candidate: _Candidate) -> str:
    """The quotation with white space as it reads best; the words stay as they are."""
    if candidate.piece.is_list:
        return re.sub(r"\s*\n\s*", "\n", candidate.text)
    return re.sub(r"\s+", " ", candidate.text)
