"""Subjects and objects of statements: the noun phrase before or after a verb, and the words that make a literal.

`statements` and `measures` look for predicates with these. Shallow, and none when in doubt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rag_assets.models.extraction.rules.analysis import Mention, Sentence
from rag_assets.models.extraction.rules.lexicon import (
    ADVERBS,
    CONJUNCTIONS,
    DETERMINERS,
    MODAL_VERBS,
    NEGATIONS,
    POINTING,
    PREPOSITIONS,
    PRONOUNS,
)

_ARTICLE: Final = re.compile(
    r"^(?:ein|eine|einen|einem|einer|eines|der|die|das|den|dem|kein|keine|keinen|keiner|keinem)\s+", re.IGNORECASE
)
_TRIM: Final = ' \t\n.,;:!–-„“”"»«'


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase in subject position: its span in words, and the mention in it if there is one."""

    first: int
    last: int
    mention: Mention | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement before it is weighed. `object_span` are passage offsets of the literal; `forced` a known modality."""

    subject: Phrase
    predicate: str
    object_span: tuple[int, int]
    kind: str
    negated: bool
    confidence: float
    forced: str | None = None


def noun_phrase(sentence: Sentence, start: int, *, wide: bool = False) -> Phrase | None:
    """The noun phrase that begins at a word: article, adjectives, noun; `wide` takes a genitive or für/bei along."""
    words, lows, count = sentence.words, sentence.lows, len(sentence.words)
    at = start
    while at < count and words[at] in '•*#–-„“"»':
        at += 1
    if at < count and (
        lows[at] in POINTING
        or (lows[at] in PRONOUNS and not (lows[at] == "das" and at + 1 < count and words[at + 1][0].isupper()))
    ):
        return None
    if at < count and lows[at] in DETERMINERS:
        at += 1
    first = at
    if _capital_adjective(sentence, at):
        at += 1  # "Elektronische Notizen": the adjective has its capital from the sentence
    while (
        at < count - 1
        and at - first < 2
        and words[at][0].islower()
        and lows[at].endswith(("e", "en", "er", "es", "em"))
        and lows[at] not in PREPOSITIONS | CONJUNCTIONS
    ):
        at += 1
    mention = next((item for item in sentence.mentions if item.first <= at <= item.last), None)
    if mention is not None:
        return Phrase(mention.first, mention.last, mention)
    if at >= count or not words[at][0].isupper() or len(words[at]) < 4 or lows[at] in _NO_NOUN:
        return None
    last = at
    if (
        wide
        and last + 2 < count
        and lows[last + 1] in ("der", "des", "für", "bei", "eines", "einer", "von", "zur", "zum")
    ):
        end = last + 2
        if lows[end] in DETERMINERS and end + 1 < count:
            end += 1
        if end + 1 < count and words[end][0].islower() and words[end + 1][0].isupper():
            end += 1
        if words[end][0].isupper():
            last = end
    return Phrase(first, last, None)


_NO_NOUN: Final = ADVERBS | PREPOSITIONS | CONJUNCTIONS | PRONOUNS | NEGATIONS | POINTING | DETERMINERS


def after(sentence: Sentence, phrase: Phrase) -> int:
    """First word after a phrase, a bracket, quotation mark or adverb skipped."""
    at = phrase.last + 1
    count = len(sentence.words)
    if at < count and sentence.words[at] in '“”"«':
        at += 1
    if at < count and sentence.words[at] == "(" and ")" in sentence.words[at : at + 6]:
        at = sentence.words.index(")", at) + 1
    return at


def subject_before(sentence: Sentence, verb: int, *, wide: bool = False) -> Phrase | None:
    """The sentence-initial noun phrase whose verb (or modal, or aux) this is."""
    phrase = noun_phrase(sentence, 0, wide=wide)
    if phrase is None or phrase.last >= verb:
        return None
    at = after(sentence, phrase)
    finite = next((i for i in range(at, min(at + 3, len(sentence.words))) if _is_finite(sentence, i, verb)), None)
    if finite is None or any(
        sentence.words[i] in ",;:" or sentence.lows[i] in CONJUNCTIONS | PREPOSITIONS for i in range(at, finite)
    ):
        return None
    if any(word in ",;:" for word in sentence.words[finite:verb]):
        return None  # the verb belongs to a later clause
    return None if _object_first(sentence, phrase, finite) else phrase


def _capital_adjective(sentence: Sentence, at: int) -> bool:
    return (
        at + 1 < len(sentence.words)
        and sentence.lows[at].endswith(("e", "en", "er", "es"))
        and sentence.is_capital(at)
        and sentence.is_capital(at + 1)
        and not any(item.first <= at <= item.last for item in sentence.mentions)
    )


def _object_first(sentence: Sentence, phrase: Phrase, finite: int) -> bool:
    """As in "Eine Verletzung muss der Campus anzeigen": what follows the verb is the subject."""
    after = sentence.lows[finite + 1 : finite + 2]
    if after and after[0] in ("er", "sie", "wir", "man", "ich", "es"):
        return True
    before = sentence.lows[phrase.first - 1] if phrase.first else ""
    return after == ["der"] and before != "der" and finite + 2 < len(sentence.words) and sentence.is_capital(finite + 2)


def _is_finite(sentence: Sentence, index: int, verb: int) -> bool:
    return index == verb or sentence.lows[index] in MODAL_VERBS or sentence.lows[index] in _AUX


_AUX: Final = frozenset("wird werden wurde wurden ist sind hat haben kann können".split())


def subject_after_verb(sentence: Sentence, verb: int) -> Phrase | None:
    """As in "In der Regel dauert ein Coaching …": a circumstance, the verb, then the subject."""
    if verb == 0 or verb > 6 or (sentence.lows[0] not in PREPOSITIONS and verb > 1):
        return None
    if any(word in ",;:" for word in sentence.words[:verb]) or sentence.lows[0] in POINTING | PRONOUNS:
        return None
    if (
        verb == 1
        and sentence.words[0][0].isupper()
        and (sentence.lows[0] in DETERMINERS or any(m.first == 0 for m in sentence.mentions))
    ):
        return None
    return noun_phrase(sentence, verb + 1)


def denied(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a negation stands among the words first..last."""
    for index in range(max(0, first), min(last + 1, len(sentence.lows))):
        if sentence.lows[index] in NEGATIONS and sentence.lows[index + 1 : index + 2] not in (
            ["nur"],
            ["zuletzt"],
            ["mehr"],
        ):
            return True
    return False


def literal(sentence: Sentence, first: int, last: int) -> tuple[int, int] | None:
    """Passage offsets of the words first..last without signs and article at the edges; None when nothing is left."""
    if first > last or last >= len(sentence.words):
        return None
    start, end = sentence.span(first, last)
    text = sentence.text[start:end]
    left = len(text) - len(text.lstrip(_TRIM))
    text = text[left:].rstrip(_TRIM)
    start += left
    article = _ARTICLE.match(text)
    if article is not None and len(text) > article.end():
        start += article.end()
        text = text[article.end() :]
    return (start, start + len(text)) if len(text) > 1 else None
