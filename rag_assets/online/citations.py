"""Phase A8, first half: check every sentence of an answer against the sources that it names.

Strict about form and honest about meaning: a number must exist, quoted words must stand in the source, and the sentence
must stand there too, word for word or at least in its words, names, numbers and negation. What an answer only claims is
marked. Nothing here asks a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.models.generation.base import NO_SOURCE
from rag_assets.online.context import ContextSource
from rag_assets.text.lexical import content_words
from rag_assets.text.sentences import sentence_spans

#: Share of a sentence's content words that the source must hold when it is not a quotation.
ENOUGH_WORDS: Final = 0.6
_MARKS: Final = re.compile(r"(?:\s*\[Quelle\s+\d+(?:\s*,\s*(?:Quelle\s+)?\d+)*\])+")
_NUMBER: Final = re.compile(r"\d+")
_QUOTED: Final = re.compile(r"[„“\"»«]([^„“”\"»«]{3,}?)[“”\"«»]")
_NEGATION: Final = re.compile(r"\b(?:nicht|kein\w*|nie|niemals|weder|ohne|nirgends|keinesfalls)\b", re.IGNORECASE)
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")
_LOOSE: Final = str.maketrans(dict.fromkeys("„“”‚‘’»«›‹\"'", ""))


@dataclass(frozen=True, slots=True)
class Verdict:
    """One sentence of the answer.

    Attributes:
        start, end: its span in the answer, without the marks.
        numbers: sources that it names.
        verdict: `verbatim`, `supported`, `unsupported`, `unknown_source` or `uncited`.
        quote: number → span of the words in the source's text, where they stand word for word.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    verdict: str
    quote: tuple[tuple[int, int, int], ...] = ()

    @property
    def good(self) -> bool:
        """Whether a source stands behind the sentence."""
        return self.verdict in {"verbatim", "supported"}


def verify(answer: str, sources: Sequence[ContextSource]) -> tuple[Verdict, ...]:
    """A verdict for each sentence of the answer, in order; none for an abstention."""
    if answer.strip() == NO_SOURCE:
        return ()
    texts = {source.number: source.text for source in sources}
    verdicts: list[Verdict] = []
    start = 0
    for marks in [*_MARKS.finditer(answer), None]:
        end = marks.start() if marks else len(answer)
        spans = _claims(answer, start, end, texts if marks else {}, _numbers(marks))
        numbers = _numbers(marks)
        for place, (a, b) in enumerate(spans):
            cited = numbers if marks and place == len(spans) - 1 else ()
            verdicts.append(_judge(answer, a, b, cited, texts))
        start = marks.end() if marks else end
    return tuple(verdicts)


def keep_supported(answer: str, verdicts: Sequence[Verdict]) -> str:
    """The answer without the sentences that nothing stands behind; `NO_SOURCE` when none is left."""
    kept = [
        f"{answer[verdict.start : verdict.end]} " + " ".join(f"[Quelle {number}]" for number in verdict.numbers)
        for verdict in verdicts
        if verdict.good
    ]
    return " ".join(kept) or NO_SOURCE


def find_verbatim(sentence: str, text: str) -> tuple[int, int] | None:
    """Span of the sentence in the text, white space aside; None when it does not stand there word for word."""
    words = sentence.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return (found.start(), found.end()) if found else None


def _numbers(marks: re.Match[str] | None) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for number in _NUMBER.findall(marks[0]))) if marks else ()


def _claims(
    answer: str, start: int, end: int, texts: dict[int, str], numbers: tuple[int, ...]
) -> list[tuple[int, int]]:
    """Sentences between two marks; a quotation that runs over several (a list) stays one."""
    stripped = answer[start:end].strip()
    if not stripped:
        return []
    begin = start + answer[start:end].index(stripped)
    whole = (begin, begin + len(stripped))
    if any(find_verbatim(stripped, texts[number]) for number in numbers if number in texts):
        return [whole]
    return [(start + a, start + b) for a, b in sentence_spans(answer[start:end])]


def _judge(answer: str, start: int, end: int, numbers: tuple[int, ...], texts: dict[int, str]) -> Verdict:
    sentence = answer[start:end]
    if not numbers:
        return Verdict(start, end, (), "uncited")
    if any(number not in texts for number in numbers):
        return Verdict(start, end, numbers, "unknown_source")
    quotes = []
    for number in numbers:
        span = find_verbatim(sentence, texts[number])
        if span:
            quotes.append((number, *span))
    if quotes:
        return Verdict(start, end, numbers, "verbatim", tuple(quotes))
    supported = any(_supports(texts[number], sentence) for number in numbers)
    return Verdict(start, end, numbers, "supported" if supported else "unsupported")


def _supports(text: str, sentence: str) -> bool:
    loose = " ".join(text.translate(_LOOSE).split())
    if any(" ".join(quoted.translate(_LOOSE).split()) not in loose for quoted in _QUOTED.findall(sentence)):
        return False
    if not set(_FIGURE.findall(sentence)) <= set(_FIGURE.findall(text)):
        return False
    words = set(content_words(sentence))
    if not words or len(words & set(content_words(text))) < ENOUGH_WORDS * len(words):
        return False
    # Negation is compared with the sentence of the source that has most of the words.
    best = max((text[a:b] for a, b in sentence_spans(text)), key=lambda part: len(words & set(content_words(part))))
    return bool(_NEGATION.search(best)) == bool(_NEGATION.search(sentence))
