"""Statements in a sentence besides verb relations and measures: rules, denials, claims, reported words.

Each is a candidate with a subject phrase that may become a mention; `assembly` decides that, and adds the quote.
Predicates are in base form ("dürfen weitergeben"), so that equal ones meet when conflicts are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rag_assets.models.extraction.rules.analysis import Sentence
from rag_assets.models.extraction.rules.lexicon import (
    CONJUNCTIONS,
    MODAL_VERBS,
    NEGATIONS,
    PREPOSITIONS,
    REPORTING,
)
from rag_assets.models.extraction.rules.measures import find_dates, find_measures
from rag_assets.models.extraction.rules.phrases import clause_end
from rag_assets.models.extraction.rules.subjects import (
    Candidate,
    Phrase,
    after,
    denied,
    literal,
    subject_after_verb,
    subject_before,
)

_CLAIMS: Final = {
    "hilft": "helfen", "helfen": "helfen", "half": "helfen", "fördert": "fördern", "fördern": "fördern",
    "stärkt": "stärken", "stärken": "stärken", "verbessert": "verbessern", "verbessern": "verbessern",
    "ermöglicht": "ermöglichen", "ermöglichen": "ermöglichen", "unterstützt": "unterstützen",
    "unterstützen": "unterstützen", "verhindert": "verhindern", "verhindern": "verhindern",
    "erleichtert": "erleichtern", "erleichtern": "erleichtern", "führt": "führen", "führen": "führen",
    "bewirkt": "bewirken", "bewirken": "bewirken", "erfordert": "erfordern", "erfordern": "erfordern",
    "eignet": "eignen", "eignen": "eignen", "dient": "dienen", "dienen": "dienen", "vermeidet": "vermeiden",
    "reduziert": "reduzieren", "schützt": "schützen", "wirkt": "wirken", "wirken": "wirken", "ersetzt": "ersetzen",
    "ersetzen": "ersetzen", "braucht": "brauchen", "brauchen": "brauchen", "betont": "betonen",
    "betonte": "betonen", "unterscheidet": "unterscheiden", "unterscheiden": "unterscheiden", "zielt": "zielen",
    "zielen": "zielen", "beruht": "beruhen", "beruhen": "beruhen", "basiert": "basieren", "basieren": "basieren",
    "steigert": "steigern", "senkt": "senken", "verändert": "verändern", "kritisierte": "kritisieren",
}  # fmt: skip
_EXAMPLE: Final = re.compile(r"^(?:Zum Beispiel|Beispielsweise|Ein Beispiel|Beispiel:|Etwa\s|So\s+\w+\s+zum Beispiel)")
_INFINITIVE: Final = re.compile(r"(?:[a-zäöüß]{2,}(?:en|ern|eln)|sein|tun)$")


def find_statements(sentence: Sentence) -> Iterator[Candidate]:
    """Candidates of a sentence, at most one of each kind."""
    measured = next(find_measures(sentence), None)
    if measured is not None:
        yield measured
    yield from find_dates(sentence)
    rule = next(_rules(sentence), None)
    if rule is not None:
        if measured is None:
            yield rule
        return
    reported = next(_reports(sentence), None)
    if reported is not None:
        yield reported
        return
    yield from _copula(sentence)
    yield from _claims(sentence)


def is_example(sentence: Sentence) -> bool:
    """Whether a sentence announces itself as an example."""
    return (
        _EXAMPLE.match(sentence.text[sentence.start : sentence.end]) is not None
        or "z. B." in sentence.text[sentence.start : sentence.start + 12]
    )


def _rules(sentence: Sentence) -> Iterator[Candidate]:
    for index, low in enumerate(sentence.lows):
        if low in MODAL_VERBS:
            subject = subject_before(sentence, index) or subject_after_verb(sentence, index)
            if subject is not None:
                yield from _rule(sentence, subject, index, MODAL_VERBS[low])
            return
        if low == "verpflichtet" and not sentence.vocabulary.isdisjoint(("ist", "sind")):
            subject = subject_before(sentence, index)
            if subject is not None and index + 2 < len(sentence.words):
                span = literal(sentence, index + 1, len(sentence.words) - 1)
                if span is not None:
                    yield Candidate(
                        subject,
                        "verpflichtet sein",
                        span,
                        "rule",
                        denied(sentence, subject.last, index),
                        0.75,
                        "normative",
                    )
            return


def _rule(sentence: Sentence, subject: Phrase, modal: int, base: str) -> Iterator[Candidate]:
    end = clause_end(sentence, modal)
    start = max(modal, subject.last) + 1
    verb = next((i for i in range(start, end + 1) if _closes(sentence, i, end)), None)
    if verb is None:
        return
    words = [sentence.lows[verb]]
    if (
        words[0] in ("werden", "sein", "haben")
        and verb - 1 >= start
        and sentence.lows[verb - 1].startswith(("ge", "ver", "be", "ein", "ab", "auf", "ent", "er"))
        and sentence.lows[verb - 1].endswith(("t", "en"))
    ):
        verb -= 1
        words.insert(0, sentence.lows[verb])
    negated = denied(sentence, start - 1, verb)
    first = start
    while first < verb and (
        sentence.lows[first] in NEGATIONS
        or sentence.lows[first] in ("auch", "daher", "also", "stets", "immer", "jedoch", "sich")
    ):
        first += 1
    stop = verb - 1
    while stop >= first and sentence.lows[stop] in NEGATIONS:
        stop -= 1
    span = literal(sentence, first, stop) if first <= stop else None
    predicate = f"{base} {' '.join(words)}"
    if span is None:
        span, predicate = sentence.span(verb, verb + len(words) - 1), base
    yield Candidate(subject, predicate, span, "rule", negated, 0.75, "normative")


def _closes(sentence: Sentence, index: int, end: int) -> bool:
    """Whether an infinitive ends its part of the clause here."""
    low = sentence.lows[index]
    if not sentence.words[index][0].islower() or not _INFINITIVE.match(low) or low in CONJUNCTIONS | PREPOSITIONS:
        return False
    return index == end or sentence.lows[index + 1] in ("und", "oder", "sowie", ",", ".", ";", "–", ":", "!", "(")


def _reports(sentence: Sentence) -> Iterator[Candidate]:
    for index, low in enumerate(sentence.lows):
        if low in REPORTING:
            person = next(
                (
                    m
                    for m in sentence.mentions
                    if m.class_name == "Person" and (m.last == index - 1 or m.first == index + 1)
                ),
                None,
            )
            tail = sentence.lows[index + 1 : index + 5]
            if person is None or not ({"dass", "daß"} & set(tail)):
                continue
            that = next(i for i in range(index + 1, index + 5) if sentence.lows[i] in ("dass", "daß"))
            span = literal(sentence, that + 1, len(sentence.words) - 1)
            if span is not None:
                yield Candidate(
                    Phrase(person.first, person.last, person),
                    REPORTING[low],
                    span,
                    "factual_claim",
                    denied(sentence, index - 2, that),
                    0.75,
                    "citing",
                )
            return


def _copula(sentence: Sentence) -> Iterator[Candidate]:
    be = next((i for i, low in enumerate(sentence.lows) if low in ("ist", "sind", "war", "waren")), None)
    if be is None or be + 1 >= len(sentence.words):
        return
    subject = subject_before(sentence, be)
    if subject is None or after(sentence, subject) != be:
        return
    end = clause_end(sentence, be)
    stop = next((i for i in range(be + 1, end + 1) if sentence.words[i] in ",;:"), end + 1) - 1
    rest = sentence.lows[be + 1 : stop + 1]
    negated = bool(rest) and (
        rest[0] in NEGATIONS
        or (
            len(rest) > 1 and rest[0] in ("also", "damit", "daher", "jedoch", "aber", "selbst") and rest[1] in NEGATIONS
        )
    )
    if not negated and (subject.mention is None or not rest or rest[0] not in ("ein", "eine") or len(rest) > 7):
        return
    first = be + 1
    while first <= stop and (
        sentence.lows[first] in NEGATIONS
        or sentence.lows[first] in ("also", "damit", "daher", "jedoch", "aber", "selbst")
    ):
        first += 1
    if (
        first > stop
        or stop - first > 9
        or rest[:2] == ["nicht", "nur"]
        or not any(sentence.is_capital(i) or negated for i in range(first, stop + 1))
    ):
        return
    if sentence.lows[stop] in ("worden", "werden") or (rest[-1].startswith("ge") and rest[-1].endswith("t")):
        return  # passive and perfect, not a copula
    span = literal(sentence, first, stop)
    if span is not None and (negated or " " in sentence.text[span[0] : span[1]]):
        yield Candidate(
            subject, "sein", span, "factual_claim" if negated else "description", negated, 0.8 if negated else 0.7
        )


def _claims(sentence: Sentence) -> Iterator[Candidate]:
    verb = next((i for i, low in enumerate(sentence.lows) if low in _CLAIMS), None)
    if verb is None or verb + 1 >= len(sentence.words):
        return
    subject = subject_before(sentence, verb) or subject_after_verb(sentence, verb)
    if subject is None or subject.mention is None:
        return
    first = max(verb, subject.last) + 1
    end = clause_end(sentence, verb)
    negated = denied(sentence, verb, end)
    while first <= end and (
        sentence.lows[first] in NEGATIONS
        or sentence.lows[first] in ("sich", "auch", "vor", "allem", "dabei", "häufig", "oft")
    ):
        first += 1
    if first > end or end - first > 16 or sentence.lows[first] in CONJUNCTIONS:
        return
    span = literal(sentence, first, end)
    if span is not None:
        yield Candidate(subject, _CLAIMS[sentence.lows[verb]], span, "factual_claim", negated, 0.65)
