"""What a person's name looks like: shapes of surnames, runs of given names, roles, nouns that are no names.

Used by `persons`, which decides what counts as a mention.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rag_assets.knowledge import given_names
from rag_assets.knowledge.naming import PARTICLES
from rag_assets.models.extraction.rules.analysis import Sentence
from rag_assets.models.extraction.rules.lexicon import (
    ABSTRACT_ENDINGS,
    ABSTRACT_SUBJECTS,
    ADVERBS,
    CLASS_NOUNS,
    CONJUNCTIONS,
    DETERMINERS,
    NOT_A_SURNAME,
    PERSON_ROLES,
    POINTING,
    PREPOSITIONS,
    PRONOUNS,
    TIME_NOUNS,
    WORK_CUES,
)

_SURE: Final = (given_names.FEMALE | given_names.MALE) - given_names.AMBIGUOUS
_SURNAME: Final = re.compile(r"[A-ZÄÖÜÉÁÇŠŽŁÓØÅÍ][\wäöüß'’]+(?:[-‐][A-ZÄÖÜÉÁ][\w]+)?$|[A-ZÄÖÜ]{2}[A-ZÄÖÜß-]+$")
_CAPITALS: Final = re.compile(r"[A-ZÄÖÜ]{3,}(?:-[A-ZÄÖÜ]+)?$")
# Surnames that are everyday words too: bare, they count only after the full name, and without an article.
_EVERYDAY_SURNAMES: Final = frozenset(
    "Berg Schmidt Wolf König Kaiser Koch Fischer Müller Meyer Vogel Stein Bach Lang Klein Groß Weiß Schwarz Braun Richter "
    "Schneider Bauer Jäger Becker Zimmermann Graf Winter Sommer Herzog Engel Haase Hahn Busch Roth Kurz Krieger".split()
)
_NEVER: Final = (
    DETERMINERS | POINTING | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | CLASS_NOUNS | TIME_NOUNS | WORK_CUES
    | NOT_A_SURNAME | ABSTRACT_SUBJECTS | ADVERBS
)  # fmt: skip


@lru_cache(maxsize=32768)
def may_be_surname(word: str, low: str) -> bool:
    """Whether a word has the shape of a surname and is no known other word."""
    if not _SURNAME.match(word) or low in _NEVER or low in PERSON_ROLES:
        return False
    if len(word) > 7 and low.endswith(ABSTRACT_ENDINGS):
        return False
    return len(word) > 2 or word in ("Li", "Yu", "Ma", "Wu", "Ng", "Bo")


@lru_cache(maxsize=32768)
def is_given(low: str) -> bool:
    """Whether a lower-case word is a known given name, or two joined by a hyphen."""
    if low in given_names.ALL:
        return True
    first, hyphen, second = low.partition("-")
    return bool(hyphen) and first in given_names.ALL and second in given_names.ALL


@lru_cache(maxsize=32768)
def looks_like_noun(low: str) -> bool:
    """Whether a lower-case word has an ending of ordinary nouns."""
    return low in _NEVER or (len(low) > 6 and low.endswith((*ABSTRACT_ENDINGS, "en", "innen", "nis")))


@lru_cache(maxsize=32768)
def is_role(low: str) -> bool:
    """Whether a lower-case word names a role or profession, also at the end of a compound."""
    if low in PERSON_ROLES:
        return True
    head = low.rsplit("-", 1)[-1]
    return len(low) > 9 and (head in PERSON_ROLES or (low.endswith(_ROLE_ENDINGS) and not low.endswith("leiter")))


_ROLE_ENDINGS: Final = tuple(
    role for role in sorted(PERSON_ROLES) if len(role) > 6 and role not in ("experte", "general", "kapitän", "berater")
)


def unknown_name(sentence: Sentence, index: int) -> bool:
    """Whether the word may be a name that no list knows."""
    word, low = sentence.words[index], sentence.lows[index]
    return (
        len(word) > 3
        and may_be_surname(word, low)
        and not looks_like_noun(low)
        and "-" not in word
        and not word.isupper()
    )


def given_run(sentence: Sentence, index: int) -> tuple[int, int, int, bool] | None:
    """Given names and initials, particles, one surname: (first, last, surname, is the given name sure)."""
    words, lows, count = sentence.words, sentence.lows, len(sentence.words)
    at, names = index, 0
    sure = False
    while at < count:
        if words[at][:1].isupper() and is_given(lows[at]):
            sure = sure or lows[at] in _SURE or "-" in lows[at]
            names += 1
            at += 1
        elif len(words[at]) == 1 and words[at].isupper() and at + 1 < count and words[at + 1] == ".":
            at += 2
        else:
            break
    if names == 0:
        return None
    surname = surname_at(sentence, at) if at < count else None
    if surname is not None:
        return index, surname, surname, sure
    if names > 1 and words[at - 1] != ".":
        return index, at - 1, at - 1, sure  # "Hans Peter": the last given name is the surname
    return None


def surname_at(sentence: Sentence, index: int) -> int | None:
    """Index of the last word of a surname (particles before it) that begins at `index`; None when it is none."""
    words, lows, count = sentence.words, sentence.lows, len(sentence.words)
    at = index
    while at < count and at - index < 3 and lows[at] in PARTICLES and words[at].islower():
        at += 1
    if at >= count or not may_be_surname(words[at], lows[at]):
        return None
    # "Schulz von Thun", "Varga von Kibéd", "Meyer zu Bexten"
    if at + 2 < count and lows[at + 1] in ("von", "zu", "van", "de") and words[at + 1].islower():
        after = at + 2
        while after < count - 1 and lows[after] in PARTICLES and words[after].islower():
            after += 1
        next_low = lows[after + 1] if after + 1 < count else ""
        if at != index or lows[at + 1] == "von":
            # "Peter Müller von Siemens" is more often a person of a firm; only particles right after a rare shape count.
            return at
        if may_be_surname(words[after], lows[after]) and next_low not in NOT_A_SURNAME:
            return after
    return at
