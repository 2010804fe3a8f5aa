"""Relations in a sentence by the verb lexicon: active, inverted, perfect, passive, relative and attributive forms.

A relation is found only when the words between verb and names leave no doubt about who does what: no foreign noun,
no clause border, no preposition that makes the name a mere circumstance. Direction against the ontology, negation
and modality are weighed by `extractor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rag_assets.models.extraction.rules.analysis import Mention, Sentence
from rag_assets.models.extraction.rules.lexicon import DETERMINERS, MODAL_VERBS, RELATIVES, SUBORDINATORS
from rag_assets.models.extraction.rules.phrases import (
    COINED,
    Group,
    clause_end,
    clause_start,
    fronted,
    gap_ok,
    group_mentions,
    heads,
    plain,
    preposition,
    starts_subordinate,
    subject_left,
)
from rag_assets.models.extraction.rules.verbs import (
    ATTRIBUTIVE,
    BE,
    FINITE,
    NOMINAL,
    PARTICIPLES,
    PASSIVE,
    PERFECT,
    Frame,
)

_PRONOUNS: Final = frozenset({"wir", "man", "er", "ich", "es"})
_VERB_FORMS: Final = frozenset(FINITE) | PASSIVE | PERFECT | BE | frozenset(MODAL_VERBS)


@dataclass(frozen=True, slots=True)
class Clause:
    """Subject and object of a verb, both as mentions, and the words that the clause covers."""

    frame: Frame
    subject: Mention
    object: Mention
    first: int
    last: int
    confidence: float


def find_clauses(sentence: Sentence) -> Iterator[Clause]:
    """Verb clauses whose subject and object are mentions, in the order of the verbs."""
    if len(sentence.mentions) < 2:
        return
    groups = group_mentions(sentence)
    shared: Group | None = None
    for index, low in enumerate(sentence.lows):
        if low in PARTICIPLES:
            found = list(_participle(sentence, groups, index, PARTICIPLES[low]))
            if found or not low.endswith("t") or low not in FINITE:
                yield from found
                continue
        spoken = False
        if low in FINITE:
            for frame in FINITE[low]:
                found = list(_finite(sentence, groups, index, frame, shared))
                yield from found
                if found:
                    spoken = True
                    shared = tuple(dict.fromkeys(clause.subject for clause in found))
                    break
        if low in ATTRIBUTIVE and not spoken:
            yield from _attributive(sentence, groups, index, ATTRIBUTIVE[low])
        elif low in NOMINAL:
            yield from _nominal(sentence, groups, index, NOMINAL[low])


def _finite(sentence: Sentence, groups: list[Group], verb: int, frame: Frame, shared: Group | None) -> Iterator[Clause]:
    end = clause_end(sentence, verb)
    if frame.particle and frame.particle not in sentence.lows[verb + 1 : end + 1]:
        return
    if starts_subordinate(sentence, verb) and (
        verb == end or sentence.words[verb + 1 : verb + 2] in ([","], ["."], [])
    ):
        yield from _verb_final(sentence, groups, verb, frame)
        return
    left = subject_left(sentence, groups, verb)
    if left is None and shared is not None and verb and sentence.lows[verb - 1] == "und":
        left = shared  # "Satir entwickelte X und prägte Y"
    right = [group for group in groups if group[0].first > verb and group[-1].last <= end]
    if left is not None and right and gap_ok(sentence, verb + 1, right[0][0].first, frame):
        frame = _coined(sentence, frame, verb, right[0][0].first)
        yield from _pairs(frame, left, _own(sentence, right[0]), left[0].first, end, frame.confidence)
    elif (
        # "1961 veröffentlichte Rogers das Buch …"; "Auf der Systemtheorie baut … auf" is left alone.
        left is None
        and len(right) > 1
        and heads(sentence, right[0][0], verb)
        and fronted(sentence, groups, verb)
        and gap_ok(sentence, verb + 1, right[0][0].first, None)
        and gap_ok(sentence, right[0][-1].last + 1, right[1][0].first, frame)
    ):
        frame = _coined(sentence, frame, verb, right[1][0].first)
        yield from _pairs(frame, right[0], right[1], verb, end, frame.confidence - 0.1)


def _verb_final(sentence: Sentence, groups: list[Group], verb: int, frame: Frame) -> Iterator[Clause]:
    """As in "…, weil Rosenberg die GFK entwickelte" and "Rosenberg, der die GFK entwickelte, …"."""
    start = clause_start(sentence, verb)
    inside = [group for group in groups if start <= group[0].first and group[-1].last < verb]
    first = sentence.lows[start]
    if first in SUBORDINATORS - RELATIVES and len(inside) == 2:
        if gap_ok(sentence, start + 1, inside[0][0].first, None) and gap_ok(
            sentence, inside[0][-1].last + 1, inside[1][0].first, frame
        ):
            yield from _pairs(frame, inside[0], inside[1], start, verb, frame.confidence - 0.1)
    elif not _PRONOUNS.isdisjoint(sentence.lows[start:verb]):
        return  # "dessen Lernzyklus wir verwenden"
    elif first in RELATIVES and len(inside) == 1 and start > 1 and sentence.words[start - 1] == ",":
        antecedent = next((group for group in groups if group[-1].last == start - 2), None)
        if antecedent is None or len(antecedent) > 1 or not gap_ok(sentence, start + 1, inside[0][0].first, frame):
            return
        if frame.turned and inside[0][0].class_name == "Person" and antecedent[0].class_name != "Person":
            yield from _pairs(frame, inside[0], antecedent, antecedent[0].first, verb, frame.confidence - 0.1)
        elif antecedent[0].class_name == "Person" or not frame.turned:
            yield from _pairs(frame, antecedent, inside[0], antecedent[0].first, verb, frame.confidence - 0.1)


def _participle(sentence: Sentence, groups: list[Group], verb: int, frame: Frame) -> Iterator[Clause]:
    start, end = clause_start(sentence, verb), clause_end(sentence, verb)
    lows = sentence.lows
    aux = next((i for i in range(verb - 1, start - 1, -1) if lows[i] in PASSIVE or lows[i] in PERFECT), None)
    if aux is None and verb + 1 <= end and lows[verb + 1] in PASSIVE | PERFECT:
        aux = verb + 1
    if aux is None:
        return
    if lows[aux] in PERFECT:
        left = subject_left(sentence, groups, aux) if aux < verb else None
        inside = [group for group in groups if aux < group[0].first and group[-1].last < verb]
        if left is not None and inside and gap_ok(sentence, aux + 1, inside[0][0].first, frame):
            yield from _pairs(frame, left, inside[0], left[0].first, verb, frame.confidence)
        return
    agents = [
        group for group in groups
        if start <= group[0].first <= end and preposition(sentence, group[0]) in ("von", "vom", "durch") and group[-1].last < verb
        and not _adnominal(sentence, group[0], aux)
    ]  # fmt: skip
    if len(agents) != 1 or frame.preposition:
        return
    agent = agents[0]
    patient = subject_left(sentence, groups, aux) if aux < verb else None
    if patient is None:
        if lows[start] in RELATIVES and start > 1:
            patient = next((group for group in groups if group[-1].last == start - 2), None)
        else:
            between = [group for group in groups if aux < group[0].first and group[-1].last < agent[0].first]
            if between and gap_ok(sentence, aux + 1, between[0][0].first, None) and fronted(sentence, groups, aux):
                patient = between[0]
    if patient is not None and patient is not agent and lows[aux] not in ("ist", "sind", "war", "waren"):
        yield from _pairs(frame, agent, patient, min(patient[0].first, agent[0].first), verb, frame.confidence)


def _attributive(sentence: Sentence, groups: list[Group], verb: int, frame: Frame) -> Iterator[Clause]:
    """As in "die von Marshall Rosenberg entwickelte Gewaltfreie Kommunikation"."""
    agent = next((g for g in groups if g[-1].last < verb and verb - g[-1].last <= 5), None)
    for group in groups:
        if group[-1].last < verb and verb - group[-1].last <= 5:
            agent = group
    patient = next((group for group in groups if group[0].first > verb), None)
    if agent is None or patient is None or preposition(sentence, agent[0]) not in ("von", "vom", "durch"):
        return
    # "Die Schülerin von Rogers entwickelte die …" is a sentence, "die von Rogers entwickelte …" a phrase.
    by = next(i for i in range(agent[0].first - 1, -1, -1) if sentence.lows[i] in ("von", "vom", "durch"))
    if by == 0 or sentence.lows[by - 1] not in DETERMINERS or sentence.lows[verb + 1] in DETERMINERS:
        return
    if gap_ok(sentence, agent[-1].last + 1, verb, None) and gap_ok(sentence, verb + 1, patient[0].first, None):
        yield from _pairs(frame, agent, patient, agent[0].first, patient[-1].last, frame.confidence - 0.05)


def _nominal(sentence: Sentence, groups: list[Group], noun: int, frame: Frame) -> Iterator[Clause]:
    """As in "X ist Teil von Y", "X, der Begründer der Y,", "Begründer der Y ist X"."""
    following = next((group for group in groups if group[0].first > noun), None)
    if following is None or following[0].first - noun > 5 or not gap_ok(sentence, noun + 1, following[0].first, None):
        return
    between = sentence.lows[noun + 1 : following[0].first]
    if not between or between[0] not in (
        "von",
        "vom",
        "der",
        "des",
        "zu",
        "zur",
        "zum",
        "dieser",
        "einer",
        "eines",
        "„",
    ):
        return
    before = sentence.lows[max(0, noun - 5) : noun]
    be = next((i for i in range(noun - 1, max(-1, noun - 6), -1) if sentence.lows[i] in BE), None)
    if be is not None:
        left = subject_left(sentence, groups, be)
        if left is not None and plain(sentence, be + 1, noun):
            yield from _pairs(
                frame, left, _own(sentence, following), left[0].first, following[-1].last, frame.confidence
            )
            return
    if frame.turned:
        # Apposition: "Rosenberg, der Begründer der GFK," and the order "Begründer der GFK ist Rosenberg".
        left = next((g for g in groups if g[-1].last < noun and sentence.words[g[-1].last + 1] == ","), None)
        if left is not None and before and noun - left[-1].last <= 4 and left[0].class_name == "Person":
            yield from _pairs(frame, left, following, left[0].first, following[-1].last, frame.confidence - 0.05)
            return
        after = following[-1].last + 1
        if after < len(sentence.words) and sentence.lows[after] in ("ist", "war", "sind", "waren", ","):
            later = next((g for g in groups if g[0].first > after), None)
            if (
                later is not None
                and later[0].class_name == "Person"
                and gap_ok(sentence, after + 1, later[0].first, None)
            ):
                yield from _pairs(frame, later, following, noun, later[-1].last, frame.confidence - 0.05)


def _own(sentence: Sentence, group: Group) -> Group:
    """The members of an object group that are objects: what stands right before a verb opens the next clause."""
    after = group[-1].last + 1
    if len(group) < 2 or after >= len(sentence.words) or sentence.lows[after] not in _VERB_FORMS:
        return group
    for number in range(1, len(group)):
        if "," in sentence.words[group[number - 1].last + 1 : group[number].first]:
            return group[:number]
    return group[:1]


def _pairs(frame: Frame, subjects: Group, objects: Group, first: int, last: int, confidence: float) -> Iterator[Clause]:
    for subject in subjects:
        for item in objects:
            if subject is not item:
                yield Clause(frame, subject, item, first, last, confidence)


def _coined(sentence: Sentence, frame: Frame, verb: int, stop: int) -> Frame:
    """As in "prägte den Begriff der Autopoiesis" is authorship, not influence."""
    if frame.verb == "prägen" and not COINED.isdisjoint(sentence.lows[verb:stop]):
        return Frame("prägen", "AUTHORED_BY", turned=True, confidence=0.8)
    return frame


def _adnominal(sentence: Sentence, mention: Mention, aux: int) -> bool:
    """As in "Das Buch von Rogers wurde …": "von" belongs to the noun before it, not to the verb."""
    return mention.last < aux
