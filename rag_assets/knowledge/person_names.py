"""Parts of person names: given names, initials, surname with particles; when one name is a shorter form of another.

Works on canonical keys, so titles, case and "Nachname, Vorname" are gone already. Not here: finding names in text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rag_assets.knowledge import given_names
from rag_assets.knowledge.naming import PARTICLES, TITLES, canonical_key, salutation

_FEMALE: Final = frozenset(canonical_key(name) for name in given_names.FEMALE - given_names.UNISEX)
_MALE: Final = frozenset(canonical_key(name) for name in given_names.MALE - given_names.UNISEX)
_GIVEN: Final = frozenset(canonical_key(name) for name in given_names.ALL)
_SURE: Final = _GIVEN - frozenset(canonical_key(name) for name in given_names.AMBIGUOUS)
_CAPITALISED: Final = re.compile(r"^[A-ZÄÖÜÉÈÁÀÇŁŠŽÓØÅ][\w'’\-]*\.?$")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A person's name in parts, in the spelling of `canonical_key`.

    `given`: given names and single initials that lead the name; `rest`: what follows, surname last; `gender`: `m`,
    `f` or None, from a salutation or the first given name.
    """

    given: tuple[str, ...]
    rest: tuple[str, ...]
    gender: str | None

    @property
    def tokens(self) -> tuple[str, ...]:
        """All words of the name."""
        return self.given + self.rest

    @property
    def surname(self) -> str:
        """Surname with its particles: "von thun" comes with what stands before it only in a bare surname."""
        start = len(self.rest) - 1
        while start > 0 and self.rest[start - 1] in PARTICLES:
            start -= 1
        return " ".join(self.rest[start:])


def parse_person(name: str) -> PersonName:
    """Take a person's name (or its canonical key) apart. A single word counts as a surname."""
    tokens = canonical_key(name).split()
    count = 0
    while count < len(tokens) - 1 and (tokens[count] in _GIVEN or len(tokens[count]) == 1):
        count += 1
    gender = salutation(name)
    if gender is None and count:
        gender = "f" if tokens[0] in _FEMALE else "m" if tokens[0] in _MALE else None
    return PersonName(tuple(tokens[:count]), tuple(tokens[count:]), gender)


def is_person_name(name: str) -> bool:
    """Whether the form of a name says that it is a person: a known given name or initials before a capitalised surname."""
    parts = name.replace("-", " ").split()
    if len(parts) < 2 or len(parts) > 6 or any(c.isdigit() for c in name):
        return False
    if not all(_CAPITALISED.match(part.rstrip(",")) or part.lower() in PARTICLES for part in parts):
        return False
    if salutation(name) is not None:
        return True
    person = parse_person(name)
    return bool(person.given) and len(person.rest[-1]) > 1 and (person.given[0] in _SURE or len(person.given[0]) == 1)


def display_name(name: str) -> str:
    """A person's name as it is shown: "ROGERS, Carl" → "Carl Rogers", "Prof. Dr. C. Rogers" → "C. Rogers".

    The canonical key stays the same; a name that would lose it is given back as it is.
    """
    parts = name.split()
    while len(parts) > 1 and (parts[0].strip(".,").casefold() in TITLES or salutation(" ".join(parts)) is not None):
        parts = parts[1:]
    shown = " ".join(parts)
    surname, comma, given = shown.partition(",")
    if comma and canonical_key(f"{given} {surname}") == canonical_key(name):
        shown = f"{given.strip()} {surname.strip()}"
    shown = " ".join(
        word.title() if len(word) > 3 and word.isupper() and word.isalpha() else word for word in shown.split()
    )
    return shown if canonical_key(shown) == canonical_key(name) else name


def is_given_name(word: str) -> bool:
    """Whether a word is a known given name and not also an everyday word."""
    return canonical_key(word) in _SURE


def is_shorter_form(short: PersonName, full: PersonName) -> bool:
    """Whether `short` may stand for `full`: same surname, fewer or abbreviated given names, none that contradicts.

    A genitive ("Satirs") counts as its base form. Strict: never both ways for two names, never for equal names.
    """
    if short.tokens == full.tokens or not short.rest or not full.rest:
        return False
    if short.gender and full.gender and short.gender != full.gender:
        return False
    return any(_fits(short.given, rest, full, genitive=rest != short.rest) for rest in _base_forms(short.rest))


def same_surname(left: PersonName, right: PersonName) -> bool:
    """Whether two names share the surname, a genitive taken for its base form."""
    return bool({form[-1] for form in _base_forms(left.rest)} & {form[-1] for form in _base_forms(right.rest)})


def _base_forms(rest: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    if rest and len(rest[-1]) > 3 and rest[-1].endswith("s"):
        return rest, (*rest[:-1], rest[-1][:-1])
    return (rest,)


def _fits(given: tuple[str, ...], rest: tuple[str, ...], full: PersonName, *, genitive: bool) -> bool:
    tokens = full.tokens
    if tokens[-len(rest) :] != rest:
        return False
    before = tokens[: -len(rest)]
    if before and before[-1] in PARTICLES:
        return False  # "Thun" is no short form of "Schulz von Thun"
    if not given:
        return bool(before) or rest == tokens
    if not before or not _agree(given[0], before[0]):
        return False
    others = iter(before[1:])
    if not all(any(_agree(name, other) for other in others) for name in given[1:]):
        return False
    # Strictly less is said: fewer names, or as many of which more are initials; or it is the genitive of the same.
    return genitive or len(given) < len(before) or _initials(given) > _initials(before)


def _agree(short: str, full: str) -> bool:
    return short == full or (len(short) == 1 and full.startswith(short)) or (len(full) == 1 and short.startswith(full))


def _initials(names: tuple[str, ...]) -> int:
    return sum(1 for name in names if len(name) == 1)
