"""Measures, limits and dates: "umfasst höchstens zehn Sitzungen", "beträgt 48 Stunden", "(1902–1987)", "erschien 1984".

The facts that contradict each other most often. Predicates are those that ontology.yaml lists as single-valued.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rag_assets.models.extraction.rules.analysis import Sentence
from rag_assets.models.extraction.rules.lexicon import (
    NEGATIONS,
)
from rag_assets.models.extraction.rules.phrases import clause_end
from rag_assets.models.extraction.rules.subjects import Candidate, Phrase, subject_after_verb, subject_before

_NUMBER: Final = (
    r"(?:\d{1,3}(?:\.\d{3})+|\d+(?:,\d+)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn"
    r"|sechzehn|achtzehn|zwanzig|fünfundzwanzig|dreißig|vierzig|fünfzig|sechzig|neunzig|hundert|ein(?:e|en|em)?)"
)
_QUANTITY: Final = re.compile(
    r"\b(?:(?P<limit>höchstens|maximal|bis zu|nicht mehr als|nicht länger als|mindestens|wenigstens|nicht weniger als)\s+)?"
    rf"(?P<value>(?P<number>{_NUMBER})(?:\s*(?:bis|–|-)\s*{_NUMBER})?\s*(?:[a-zäöüß]+e[nrs]?\s+)?"
    r"(?P<unit>[A-ZÄÖÜ][\wäöüß]*[a-zäöüß](?:-[A-ZÄÖÜ][\wäöüß]+)?|€|%))(?![\wäöüß-])"
)
_UPPER: Final = frozenset({"höchstens", "maximal", "bis zu", "nicht mehr als", "nicht länger als"})
_MEASURING: Final = {
    "umfasst": "umfassen", "umfassen": "umfassen", "dauert": "dauern", "dauern": "dauern", "beträgt": "betragen",
    "betragen": "betragen", "kostet": "kosten", "kosten": "kosten", "besteht": "bestehen aus",
    "bestehen": "bestehen aus", "umfasste": "umfassen", "dauerte": "dauern", "aufbewahrt": "aufbewahren",
    "aufzubewahren": "aufbewahren", "aufbewahren": "aufbewahren",
}  # fmt: skip
_LIVED: Final = re.compile(
    r"\s?\((?:\*\s?)?(?P<born>1[4-9]\d\d|20[01]\d)\s?(?:[–-]|bis|;\s?†)\s?†?\s?(?P<died>1[4-9]\d\d|20\d\d)\)"
)
_APPEARED: Final = re.compile(
    r"^[^.,;]{0,40}?\b(?:erschien|erscheint)\b[^.,;]{0,25}?\b(?P<year>1[5-9]\d\d|20[0-4]\d)\b"
)
_APPEARED_FRONT: Final = re.compile(r"\b(?P<year>1[5-9]\d\d|20[0-4]\d)\s+erschien\b[^.,;]{0,40}$")


def find_measures(sentence: Sentence) -> Iterator[Candidate]:
    """What something measures, costs or lasts, with its limit in the predicate."""
    verb = next((i for i, low in enumerate(sentence.lows) if low in _MEASURING), None)
    if verb is None:
        return
    subject = subject_before(sentence, verb, wide=True) or subject_after_verb(sentence, verb)
    if subject is None:
        return
    predicate = _MEASURING[sentence.lows[verb]]
    text, end = sentence.text, sentence.ends[clause_end(sentence, verb)]
    start = sentence.ends[max(subject.last, 0)]
    match = _QUANTITY.search(text, start, end)
    if match is None:
        return
    if match["number"].startswith("ein") and predicate not in ("dauern", "kosten", "aufbewahren"):
        return
    # The quantity belongs to the verb: right after it, or before an infinitive or participle that closes the clause.
    head = sentence.ends[max(verb, subject.last)]
    between = (
        text[head : match.start()] if match.start() > sentence.ends[verb] else text[match.end() : sentence.starts[verb]]
    )
    foreign = [word for word in re.findall(r"[\w]+|[,;:]", between) if word[0].isupper() or word in ",;:"]
    if foreign and foreign != ["Regel"]:
        return
    limit = match["limit"]
    if limit:
        predicate = f"{predicate} {'höchstens' if limit in _UPPER else 'mindestens'}"
    if predicate.startswith("bestehen aus") and "aus" not in sentence.lows[verb:]:
        return
    negated = any(low in NEGATIONS for low in sentence.lows[subject.last + 1 : verb]) and not limit
    yield Candidate(subject, predicate, match.span("value"), "factual_claim", negated, 0.8)


def find_dates(sentence: Sentence) -> Iterator[Candidate]:
    """Years of birth and death after a name, years of publication beside a title."""
    for mention in sentence.mentions:
        phrase = Phrase(mention.first, mention.last, mention)
        if mention.class_name == "Person":
            lived = _LIVED.match(sentence.text, mention.end, sentence.end)
            if lived is not None:
                yield Candidate(phrase, "geboren", lived.span("born"), "factual_claim", False, 0.85)
                yield Candidate(phrase, "gestorben", lived.span("died"), "factual_claim", False, 0.85)
        elif mention.class_name == "Werk":
            after = _APPEARED.match(sentence.text[mention.end : sentence.end].lstrip('“”"«» '))
            if after is not None:
                at = sentence.text.index(after["year"], mention.end, sentence.end)
                yield Candidate(phrase, "erscheinen", (at, at + 4), "factual_claim", False, 0.85)
                continue
            front = _APPEARED_FRONT.search(sentence.text[sentence.start : mention.start].rstrip('„"«» '))
            if front is not None:
                at = sentence.start + front.start("year")
                yield Candidate(phrase, "erscheinen", (at, at + 4), "factual_claim", False, 0.8)
