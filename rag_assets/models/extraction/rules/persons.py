"""Names of persons in German text: titles, given names, initials, "Nachname, Vorname", roles, bare surnames.

Guards: the first word of a sentence, institutions and places named after people, nouns that only look like names.
Curated persons come from the gazetteer; what it found is never found again here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from rag_assets.knowledge import given_names
from rag_assets.knowledge.naming import PARTICLES, canonical_key
from rag_assets.knowledge.words import words
from rag_assets.models.extraction.rules.analysis import Mention, Sentence, Spans
from rag_assets.models.extraction.rules.lexicon import (
    CONJUNCTIONS,
    DETERMINERS,
    NOT_A_SURNAME,
    PERSON_ROLES,
    POINTING,
    PREPOSITIONS,
)
from rag_assets.models.extraction.rules.name_shapes import (
    given_run,
    is_given,
    is_role,
    looks_like_noun,
    may_be_surname,
    surname_at,
    unknown_name,
)

_TITLES: Final = frozenset({"prof", "professor", "professorin", "dr", "drs", "dipl.-psych", "pd", "mag", "doktor"})
_SALUTATIONS: Final = frozenset({"herr", "herrn", "frau", "hr", "fr", "sir", "lord", "lady", "mister", "mr", "mrs"})
_TITLE_PARTS: Final = frozenset(
    {"phil", "med", "rer", "nat", "h", "c", "psych", "habil", "dipl", "ing", "em", "univ", "jur"}
)


_CONTRACTED: Final = words("im am vom zum zur beim ins ans seit bis ende anfang mitte")
_CAPITALS: Final = re.compile(r"[A-ZÄÖÜ]{3,}(?:-[A-ZÄÖÜ]+)?$")
# Surnames that are everyday words too: bare, they count only after the full name, and without an article.
_EVERYDAY_SURNAMES: Final = words(
    """Berg Schmidt Wolf König Kaiser Koch Fischer Müller Meyer Vogel Stein Bach Lang Klein Groß Weiß Schwarz Braun
    Richter Schneider Bauer Jäger Becker Zimmermann Graf Winter Sommer Herzog Engel Haase Hahn Busch Roth Kurz Krieger"""
)


def find_persons(
    sentences: Iterable[Sentence], taken: Iterable[tuple[int, int]], surnames: frozenset[str]
) -> list[Mention]:
    """Mentions of persons that the gazetteer does not know, in order.

    `taken` are spans that other mentions hold; `surnames` are last words of curated persons' names.
    """
    found: list[Mention] = []
    known: set[str] = set()
    sentences = list(sentences)
    blocked = Spans(taken)
    for sentence in sentences:
        for first, last, confidence, surname in _scan(sentence):
            start, end = sentence.span(first, last)
            if not blocked.add(start, end):
                continue
            known.add(sentence.words[surname])
            found.append(Mention(start, end, "Person", confidence, "person"))
    for sentence in sentences:
        for index, word in enumerate(sentence.words):
            bare = word if word in known or word in surnames else word.removesuffix("s")
            if (bare in known or bare in surnames) and _bare_ok(sentence, index, bare, in_passage=bare in known):
                start, end = sentence.span(index, index)
                if blocked.add(start, end):
                    found.append(Mention(start, end, "Person", 0.7 if bare in known else 0.6, "surname"))
    return sorted(found, key=lambda item: item.start)


def _scan(sentence: Sentence) -> Iterator[tuple[int, int, float, int]]:
    """Candidates as (first word, last word, confidence, index of the surname)."""
    index, count = 0, len(sentence.words)
    while index < count:
        word, low = sentence.words[index], sentence.lows[index]
        if word == low and low not in _SPEAKING:
            index += 1
            continue
        result = None
        if low in _TITLES or low in _SALUTATIONS:
            result = _titled(sentence, index)
        elif low in given_names.ALL or "-" in word:
            result = _given(sentence, index)
        elif len(word) == 1 and word.isupper():
            result = _initials(sentence, index)
        elif is_role(low):
            result = _role(sentence, index)
        elif low in _SPEAKING:
            result = _speaker(sentence, index)
        if result is None and index + 2 < count and sentence.words[index + 1] == ",":
            result = _inverted(sentence, index)
        if result is None:
            index += 1
        else:
            yield result
            index = max(index, result[1]) + 1


def _titled(sentence: Sentence, index: int) -> tuple[int, int, float, int] | None:
    at = index + 1
    while at < len(sentence.words) and (
        sentence.words[at] == "." or sentence.lows[at] in _TITLES or sentence.lows[at] in _TITLE_PARTS
    ):
        at += 1
    if at >= len(sentence.words):
        return None
    run = given_run(sentence, at)
    if run is not None:
        return run[0], run[1], 0.95, run[2]
    last = surname_at(sentence, at)
    if last is None:
        return None
    confidence = 0.85 if sentence.lows[index] not in ("doktor", "sir", "lord") else 0.6
    return at, last, confidence, last


def _given(sentence: Sentence, index: int) -> tuple[int, int, float, int] | None:
    run = given_run(sentence, index)
    if run is None:
        return None
    first, last, surname, sure = run[0], run[1], run[2], run[3]
    if last + 1 < len(sentence.words) and sentence.lows[last + 1] in NOT_A_SURNAME:
        return None  # "Carl Rogers Institut"
    if index and sentence.lows[index - 1] in (
        "universität",
        "hochschule",
        "schule",
        "sankt",
        "st",
        "schloss",
        "villa",
        "kloster",
    ):
        return None
    if not sure and (index == 0 or sentence.lows[index - 1] in DETERMINERS | _CONTRACTED):
        return None
    return first, last, 0.9 if sure else 0.7, surname


def _initials(sentence: Sentence, index: int) -> tuple[int, int, float, int] | None:
    words, count = sentence.words, len(sentence.words)
    at, letters = index, 0
    while at + 1 < count and len(words[at]) == 1 and words[at].isupper() and words[at + 1] == ".":
        letters += 1
        at += 2
        if at < count and words[at] == "-":
            at += 1
    if letters == 0 or at >= count:
        return None
    if (
        index
        and sentence.is_capital(index - 1)
        and sentence.lows[index - 1] not in PERSON_ROLES | CONJUNCTIONS | _TITLES
    ):
        return None  # "Vitamin C. Danach", "Typ B. Menschen"
    if index and (words[index - 1].isdigit() or words[index - 1] in ".§"):
        return None
    last = surname_at(sentence, at)
    if last is None or not words[last][0].isupper() or looks_like_noun(sentence.lows[last]):
        return None
    if letters == 1 and words[index] in "SBNV" and last + 1 < count and words[last + 1].isdigit():
        return None
    return index, last, 0.8 if letters == 1 else 0.9, last


def _role(sentence: Sentence, index: int) -> tuple[int, int, float, int] | None:
    """An unknown name after a role: "die Psychologin Meyerhof", "Regisseur Hayao Miyazaki"."""
    at, count = index + 1, len(sentence.words)
    if at >= count or not sentence.is_capital(index) or is_given(sentence.lows[at]):
        return None
    if not unknown_name(sentence, at) or (index and sentence.lows[index - 1] in ("aller", "vieler", "alle")):
        return None
    if at + 1 < count and sentence.is_capital(at + 1):
        if not unknown_name(sentence, at + 1) or (at + 2 < count and sentence.is_capital(at + 2)):
            return None
        return at, at + 1, 0.75, at + 1
    return at, at, 0.7, at


def _speaker(sentence: Sentence, index: int) -> tuple[int, int, float, int] | None:
    """A bare name that says, writes or develops something: "Kolb entwickelte", "sagt Möller".

    German nouns in the singular take an article there, names do not.
    """
    words, lows, count = sentence.words, sentence.lows, len(sentence.words)
    if lows[index] not in _SPEAKING:
        return None
    before, after = index - 1, index + 1
    if before == 0 or (before > 0 and words[before - 1] in ',;:–„“"»('):
        if unknown_name(sentence, before) and not lows[before].endswith("en"):
            return before, before, 0.65, before
    elif after < count and unknown_name(sentence, after) and (after + 1 == count or words[after + 1] in ",.;:"):
        return after, after, 0.65, after
    return None


_SPEAKING: Final = frozenset(
    "sagt sagte meinte erklärte betonte betont schrieb behauptet behauptete argumentierte entwickelte veröffentlichte "
    "begründete publizierte formulierte kritisierte prägte berichtete forderte".split()
)


def _inverted(sentence: Sentence, index: int) -> tuple[int, int, float, int] | None:
    """Names like "Rogers, Carl" and "ROGERS, C. R." as in lists of literature."""
    words, lows, count = sentence.words, sentence.lows, len(sentence.words)
    if not may_be_surname(words[index], lows[index]) or index + 2 >= count or looks_like_noun(lows[index]):
        return None
    if index and sentence.is_capital(index - 1):
        return None
    at, names, initials = index + 2, 0, 0
    end = index
    while at < count:
        if words[at][:1].isupper() and is_given(lows[at]):
            names += 1
            end = at
            at += 1
        elif len(words[at]) == 1 and words[at].isupper() and at + 1 < count and words[at + 1] == ".":
            initials += 1
            end = at + 1
            at += 2
        else:
            break
    following = words[at] if at < count else "."
    if (
        not (names or initials)
        or following not in ".(:;&/,–-"
        or (names and not initials and following == "," and index)
    ):
        return None
    if index and words[index - 1] not in ";&.,–•*-/" and lows[index - 1] not in ("und", "von", "vgl", "siehe"):
        return None
    first = index
    if index > 1 and lows[index - 1] in PARTICLES:
        first = index - 1
    if names and not initials and index == 0 and following not in "(:" and not _CAPITALS.match(words[index]):
        return None  # "Anna, Peter und Karl"
    return first, end, 0.85, index


def _bare_ok(sentence: Sentence, index: int, surname: str, *, in_passage: bool) -> bool:
    before = sentence.lows[index - 1] if index else ""
    after = sentence.lows[index + 1] if index + 1 < len(sentence.lows) else ""
    if after in NOT_A_SURNAME or before in NOT_A_SURNAME or len(surname) < 3:
        return False
    if index and (is_given(before) or (sentence.is_capital(index - 1) and before not in PERSON_ROLES | CONJUNCTIONS)):
        return before in _TITLES or before in _SALUTATIONS or (index == 1 and before in PREPOSITIONS | DETERMINERS)
    if surname in _EVERYDAY_SURNAMES:
        return in_passage and index > 0 and before not in DETERMINERS | POINTING
    return (
        before not in ("ein", "eine", "einen", "einem", "kein", "das", "dem")
        and canonical_key(surname) not in given_names.ALL
    )
