"""Statements in a sentence besides its verb relations: quantities and limits, rules, denials, claims, reported words.

Each is a candidate with a subject phrase that may become a mention; `extractor` decides that, and adds the quote.
Predicates are in base form ("umfassen höchstens", "dürfen weitergeben"), so that equal ones meet when conflicts are
looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    REPORTING,
)
from rag_assets.models.extraction.rules.phrases import clause_end


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
_ARTICLE: Final = re.compile(
    r"^(?:ein|eine|einen|einem|einer|eines|der|die|das|den|dem|kein|keine|keinen|keiner|keinem)\s+", re.IGNORECASE
)
_EXAMPLE: Final = re.compile(r"^(?:Zum Beispiel|Beispielsweise|Ein Beispiel|Beispiel:|Etwa\s|So\s+\w+\s+zum Beispiel)")
_INFINITIVE: Final = re.compile(r"(?:[a-zäöüß]{2,}(?:en|ern|eln)|sein|tun)$")
_TRIM: Final = ' \t\n.,;:!–-„“”"»«'


def find_statements(sentence: Sentence) -> Iterator[Candidate]:
    """Candidates of a sentence, at most one of each kind."""
    measured = next(_measures(sentence), None)
    if measured is not None:
        yield measured
    yield from _life_dates(sentence)
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


def _noun_phrase(sentence: Sentence, start: int, *, wide: bool = False) -> Phrase | None:
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


def _after(sentence: Sentence, phrase: Phrase) -> int:
    """First word after a phrase, a bracket, quotation mark or adverb skipped."""
    at = phrase.last + 1
    count = len(sentence.words)
    if at < count and sentence.words[at] in '“”"«':
        at += 1
    if at < count and sentence.words[at] == "(" and ")" in sentence.words[at : at + 6]:
        at = sentence.words.index(")", at) + 1
    return at


def _measures(sentence: Sentence) -> Iterator[Candidate]:
    verb = next((i for i, low in enumerate(sentence.lows) if low in _MEASURING), None)
    if verb is None:
        return
    subject = _subject_before(sentence, verb, wide=True) or _subject_after_verb(sentence, verb)
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


def _subject_before(sentence: Sentence, verb: int, *, wide: bool = False) -> Phrase | None:
    """The sentence-initial noun phrase whose verb (or modal, or aux) this is."""
    phrase = _noun_phrase(sentence, 0, wide=wide)
    if phrase is None or phrase.last >= verb:
        return None
    at = _after(sentence, phrase)
    finite = next((i for i in range(at, min(at + 3, len(sentence.words))) if _is_finite(sentence, i, verb)), None)
    if finite is None or any(
        sentence.words[i] in ",;:" or sentence.lows[i] in CONJUNCTIONS | PREPOSITIONS for i in range(at, finite)
    ):
        return None
    return phrase


def _is_finite(sentence: Sentence, index: int, verb: int) -> bool:
    return index == verb or sentence.lows[index] in MODAL_VERBS or sentence.lows[index] in _AUX


_AUX: Final = frozenset("wird werden wurde wurden ist sind hat haben kann können".split())


def _subject_after_verb(sentence: Sentence, verb: int) -> Phrase | None:
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
    return _noun_phrase(sentence, verb + 1)


def _life_dates(sentence: Sentence) -> Iterator[Candidate]:
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


def _rules(sentence: Sentence) -> Iterator[Candidate]:
    for index, low in enumerate(sentence.lows):
        if low in MODAL_VERBS:
            subject = _subject_before(sentence, index) or _subject_after_verb(sentence, index)
            if subject is not None:
                yield from _rule(sentence, subject, index, MODAL_VERBS[low])
            return
        if low == "verpflichtet" and not sentence.vocabulary.isdisjoint(("ist", "sind")):
            subject = _subject_before(sentence, index)
            if subject is not None and index + 2 < len(sentence.words):
                span = _literal(sentence, index + 1, len(sentence.words) - 1)
                if span is not None:
                    yield Candidate(
                        subject,
                        "verpflichtet sein",
                        span,
                        "rule",
                        _denied(sentence, subject.last, index),
                        0.75,
                        "normative",
                    )
            return


def _rule(sentence: Sentence, subject: Phrase, modal: int, base: str) -> Iterator[Candidate]:
    end = clause_end(sentence, modal)
    start = max(modal, subject.last) + 1
    verb = next(
        (
            i
            for i in range(end, start - 1, -1)
            if _INFINITIVE.match(sentence.lows[i]) and sentence.words[i][0].islower()
        ),
        None,
    )
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
    negated = _denied(sentence, start - 1, verb)
    first = start
    while first < verb and (
        sentence.lows[first] in NEGATIONS
        or sentence.lows[first] in ("auch", "daher", "also", "stets", "immer", "jedoch", "sich")
    ):
        first += 1
    span = _literal(sentence, first, verb - 1) if first < verb else None
    predicate = f"{base} {' '.join(words)}"
    if span is None:
        span, predicate = sentence.span(verb, verb + len(words) - 1), base
    yield Candidate(subject, predicate, span, "rule", negated, 0.75, "normative")


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
            span = _literal(sentence, that + 1, len(sentence.words) - 1)
            if span is not None:
                yield Candidate(
                    Phrase(person.first, person.last, person),
                    REPORTING[low],
                    span,
                    "factual_claim",
                    _denied(sentence, index - 2, that),
                    0.75,
                    "citing",
                )
            return


def _copula(sentence: Sentence) -> Iterator[Candidate]:
    be = next((i for i, low in enumerate(sentence.lows) if low in ("ist", "sind", "war", "waren")), None)
    if be is None or be + 1 >= len(sentence.words):
        return
    subject = _subject_before(sentence, be)
    if subject is None or _after(sentence, subject) != be:
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
    if not negated and (
        subject.mention is None or not rest or rest[0] not in ("ein", "eine", "einer") or len(rest) > 7
    ):
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
    span = _literal(sentence, first, stop)
    if span is not None:
        yield Candidate(
            subject, "sein", span, "factual_claim" if negated else "description", negated, 0.8 if negated else 0.7
        )


def _claims(sentence: Sentence) -> Iterator[Candidate]:
    verb = next((i for i, low in enumerate(sentence.lows) if low in _CLAIMS), None)
    if verb is None or verb + 1 >= len(sentence.words):
        return
    subject = _subject_before(sentence, verb) or _subject_after_verb(sentence, verb)
    if subject is None or subject.mention is None:
        return
    first = max(verb, subject.last) + 1
    end = clause_end(sentence, verb)
    negated = _denied(sentence, verb, end)
    while first <= end and (
        sentence.lows[first] in NEGATIONS
        or sentence.lows[first] in ("sich", "auch", "vor", "allem", "dabei", "häufig", "oft")
    ):
        first += 1
    if first > end or end - first > 16:
        return
    span = _literal(sentence, first, end)
    if span is not None:
        yield Candidate(subject, _CLAIMS[sentence.lows[verb]], span, "factual_claim", negated, 0.65)


def _denied(sentence: Sentence, first: int, last: int) -> bool:
    for index in range(max(0, first), min(last + 1, len(sentence.lows))):
        if sentence.lows[index] in NEGATIONS and sentence.lows[index + 1 : index + 2] not in (
            ["nur"],
            ["zuletzt"],
            ["mehr"],
        ):
            return True
    return False


def _literal(sentence: Sentence, first: int, last: int) -> tuple[int, int] | None:
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
