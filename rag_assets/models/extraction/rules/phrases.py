"""Phrases and clauses: which name heads its phrase, where a clause ends, what stands between a verb and a name.

A shallow reading of German word order that says no when in doubt. Used by `relations` and `statements`.
"""

from __future__ import annotations

from typing import Final

from rag_assets.models.extraction.rules.analysis import Mention, Sentence
from rag_assets.models.extraction.rules.lexicon import (
    CLASS_NOUNS,
    CONJUNCTIONS,
    DETERMINERS,
    NEGATIONS,
    PERSON_ROLES,
    POINTING,
    PREPOSITIONS,
    RELATIVES,
    SUBORDINATORS,
    TIME_NOUNS,
)
from rag_assets.models.extraction.rules.verbs import FINITE, PARTICIPLES, Frame

_SIGNS: Final = frozenset("„“”\"»«'’‚‘().–-")
_STOPS: Final = frozenset(",;:!?")
_MAX_GAP: Final = 9
COINED: Final = frozenset({"begriff", "begriffe", "ausdruck", "wort"})

Group = tuple[Mention, ...]


def subject_left(sentence: Sentence, groups: list[Group], verb: int) -> Group | None:
    """The group that ends right before a verb, appositions and brackets between them apart, and heads its phrase."""
    group = next((g for g in reversed(groups) if g[-1].last < verb), None)
    while group is not None:
        between = sentence.words[group[-1].last + 1 : verb]
        if bridge(between):
            if heads(sentence, group[0], -1):
                return group
            return _carrier(sentence, groups, group)
        # The nearest mention may lie inside an apposition of the real subject.
        comma = next((i for i in range(group[0].first - 1, -1, -1) if sentence.words[i] == ","), None)
        if comma is None or not between or between[0] != "," or len(between) > 1:
            return None
        group = next((g for g in reversed(groups) if g[-1].last == comma - 1), None)
        if group is not None:
            return group if heads(sentence, group[0], -1) else None
    return None


def _carrier(sentence: Sentence, groups: list[Group], group: Group) -> Group | None:
    """The name that another hangs on: of "Feldtheorie von Kurt Lewin" the theory."""
    before = next((g for g in reversed(groups) if g[-1].last < group[0].first), None)
    if before is None or group[0].first - before[-1].last > 3:
        return None
    between = sentence.lows[before[-1].last + 1 : group[0].first]
    if between and between[0] in ("von", "nach", "nach", "bei", "im", "in") and heads(sentence, before[0], -1):
        return before
    return None


def bridge(between: list[str]) -> bool:
    """Nothing, adverbs, brackets, or one apposition between commas."""
    words = without_brackets(between)
    if len(words) > 1 and words[0] == "," and words[-1] == ",":
        return len(words) <= 14 and "," not in words[1:-1]
    return (
        len(words) <= 3
        and all(word not in _STOPS and (word in _SIGNS or word[0].islower()) for word in words)
        and not any(word in NEGATIONS or word in CONJUNCTIONS or word in PREPOSITIONS for word in words)
    )


def without_brackets(words: list[str]) -> list[str]:
    """The words outside of brackets, without quotation marks."""
    kept, depth = [], 0
    for word in words:
        if word == "(":
            depth += 1
        elif word == ")":
            depth = max(0, depth - 1)
        elif depth == 0 and word not in "„“”\"»«'’":
            kept.append(word)
    return kept


def heads(sentence: Sentence, mention: Mention, verb: int) -> bool:
    """Whether a mention heads its noun phrase: no preposition, no foreign noun in front of it."""
    index = mention.first - 1
    while index > verb and index >= 0:
        low, word = sentence.lows[index], sentence.words[index]
        if low in POINTING:
            return False
        if low in DETERMINERS or word in '„“"»«' or low in PERSON_ROLES or low in CLASS_NOUNS or word == ".":
            index -= 1
            continue
        if low in PREPOSITIONS and low != "als":
            return False
        if word[0].isupper() and index > 0:
            return False
        if word[0].isupper():
            return (
                low in CONJUNCTIONS
                or low in FINITE
                or low in ("auch", "später", "schon", "erst", "so", "zudem", "dabei")
            )
        if word in _STOPS or low in CONJUNCTIONS:
            return True
        if low.endswith(("e", "en", "er", "es", "em")) and low not in FINITE:
            index -= 1
            continue
        return True
    return True


def gap_ok(sentence: Sentence, first: int, stop: int, frame: Frame | None) -> bool:
    """Whether the words before an object leave it the verb's own: no clause border, no other noun, no negation."""
    if stop - first > _MAX_GAP + 4:
        return False
    words = sentence.words[first:stop]
    plain = without_brackets(words)
    if len(plain) > _MAX_GAP:
        return False
    last_preposition = -1
    for offset, word in enumerate(plain):
        low = word.lower()
        if word in _STOPS or low in CONJUNCTIONS - {"als", "wie"} or low in FINITE or low in PARTICIPLES:
            return False
        if low in PREPOSITIONS:
            last_preposition = offset
        elif (
            word[0].isupper()
            and low not in CLASS_NOUNS
            and low not in TIME_NOUNS
            and low not in PERSON_ROLES
            and low not in COINED
        ):
            return False
        elif low in TIME_NOUNS or word.isdigit():
            last_preposition = -1
    governed = plain[last_preposition].lower() if last_preposition >= 0 else None
    if frame is not None and frame.preposition:
        return governed in frame.preposition
    # "nach Rosenberg", "bei Rogers": the name is a circumstance, not the object.
    return governed is None


def plain(sentence: Sentence, first: int, stop: int) -> bool:
    """Whether only small words without a preposition stand between."""
    return all(
        word[0].islower() and low not in PREPOSITIONS - {"im", "als"}
        for word, low in zip(sentence.words[first:stop], sentence.lows[first:stop], strict=True)
    )


def fronted(sentence: Sentence, groups: list[Group], verb: int) -> bool:
    """Whether what stands before the verb is a circumstance ("1961", "Im Jahr 1961", "Später") without a name."""
    start = clause_start(sentence, verb)
    if any(start <= group[0].first < verb for group in groups):
        return False
    words = sentence.words[start:verb]
    return 0 < len(words) <= 6 and (
        sentence.lows[start] in PREPOSITIONS
        or words[0].isdigit()
        or (len(words) == 1 and words[0].lower() not in DETERMINERS)
    )


def preposition(sentence: Sentence, mention: Mention) -> str | None:
    """The preposition that governs a mention, roles, titles and articles between them apart."""
    index = mention.first - 1
    while index >= 0 and mention.first - index <= 6:
        low = sentence.lows[index]
        if low in PREPOSITIONS:
            return low
        if low in DETERMINERS or low in PERSON_ROLES or sentence.words[index] in '„“".)' or (
            sentence.words[index][0].islower() and low.endswith(("en", "em", "er", "es", "e"))
        ) or low in ("dr", "prof"):  # fmt: skip
            index -= 1
            continue
        return None
    return None


def clause_start(sentence: Sentence, index: int) -> int:
    """First word of the clause: after the last comma, semicolon, colon or dash before `index`."""
    while index > 0 and sentence.words[index - 1] not in (",", ";", ":", "–"):
        index -= 1
    return index


def clause_end(sentence: Sentence, index: int) -> int:
    """Last word before a comma that opens a subordinate clause, a semicolon or the end."""
    count = len(sentence.words)
    at = index
    while at + 1 < count:
        word = sentence.words[at + 1]
        if word in ";:.!?":
            if word == "." and at + 2 < count:
                at += 1
                continue
            break
        if word == "," and at + 2 < count:
            following = sentence.lows[at + 2]
            if following in SUBORDINATORS or following in RELATIVES or following in PREPOSITIONS or following in FINITE:
                break
        at += 1
    return at


def starts_subordinate(sentence: Sentence, verb: int) -> bool:
    """Whether the clause of a verb opens with a subordinating conjunction or a relative pronoun."""
    start = clause_start(sentence, verb)
    return (
        verb - start > 1
        and sentence.lows[start] in SUBORDINATORS | RELATIVES
        and (start > 0 or sentence.lows[0] in SUBORDINATORS - RELATIVES)
    )


def group_mentions(sentence: Sentence) -> list[Group]:
    """Mentions joined by commas and "und" belong together: "Rogers und Rosenberg entwickelten"."""
    groups: list[list[Mention]] = []
    for mention in sorted(sentence.mentions, key=lambda item: item.first):
        if groups:
            between = sentence.lows[groups[-1][-1].last + 1 : mention.first]
            joint = [low for low in between if low not in DETERMINERS and low not in _SIGNS]
            if between and joint in (["und"], [","], ["sowie"], ["&"], [",", "und"]) and len(between) <= 3:
                same = (groups[-1][-1].class_name == "Person") == (mention.class_name == "Person")
                if same:
                    groups[-1].append(mention)
                    continue
        groups.append([mention])
    return [tuple(group) for group in groups]
