"""Curated names in text: names, labels and taxonomy terms of the ontology, in any German inflection.

Words are compared by their stems, with Aho–Corasick leftmost-longest over the stems of a passage, then the surface is
checked: nouns must be capitalised, abbreviations must stand letter by letter, titles of works must look like titles.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

from ahocorasick_rs import AhoCorasick, MatchKind

from rag_assets.knowledge.naming import canonical_key, is_acronym, lemma_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.rules.analysis import Mention
from rag_assets.models.extraction.rules.lexicon import NOT_A_SURNAME, WORK_CUES

_PART: Final = re.compile(r"[^\W_]+")
_OPENING: Final = "„“\"»«‚›'"
# Everyday words that are terms only with an article or the like before them.
_EVERYDAY: Final = frozenset({"Bitte", "Gefühl", "Appell", "Beobachtung", "Kontrakt"})
_PERSON: Final = "Person"
_WORK: Final = "Werk"


@dataclass(frozen=True, slots=True)
class _Entry:
    label: str
    name: str
    class_name: str
    is_name: bool
    curated: bool


class Gazetteer:
    """Finds curated names. Build it once per ontology; it keeps no state between passages."""

    def __init__(self, ontology: Ontology) -> None:
        self._is_work: Callable[[str], bool] = lambda name: (
            ontology.has_class(_WORK) and ontology.is_subclass(name, _WORK)
        )
        entries: dict[tuple[str, ...], list[_Entry]] = {}
        curated = {entry.name for entry in ontology.synonyms}
        for entry in ontology.synonyms:
            for label in (entry.name, *entry.labels):
                self._add(entries, _Entry(label, entry.name, entry.class_name, label == entry.name, True))
        for name, class_name in ontology.curated_classes.values():
            if name not in curated:
                self._add(entries, _Entry(name, name, class_name, True, False))
        self._entries = list(entries.values())
        patterns = ["".join(f"\x01{stem}\x02" for stem in stems) for stems in entries]
        self._automaton = AhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest) if patterns else None
        self.surnames = _surnames(ontology)
        self._keys = frozenset(
            canonical_key(entry.label)
            for known in entries.values()
            for entry in known
            if not self._is_work(entry.class_name)
        )

    @staticmethod
    def _add(entries: dict[tuple[str, ...], list[_Entry]], entry: _Entry) -> None:
        parts = _PART.findall(entry.label)
        stems = tuple(_stem(part) for part in parts)
        if not "".join(stems):
            return
        variants = {stems}
        if len(parts) > 1 and "-" in entry.label and " " not in entry.label:
            variants.add((_stem("".join(parts)),))
        for variant in variants:
            known = entries.setdefault(variant, [])
            if all(other.name != entry.name for other in known):
                known.append(entry)

    def knows(self, name: str) -> bool:
        """Whether a name is curated for something other than a work."""
        return canonical_key(name) in self._keys

    def find(self, text: str) -> list[Mention]:
        """Mentions of curated names in a passage, in order, never overlapping.

        A label that belongs to two entries gives a mention without canonical name.
        """
        if self._automaton is None:
            return []
        spans = [match.span() for match in _PART.finditer(text)]
        pieces = [_piece(text[start:end]) for start, end in spans]
        offsets = list(accumulate(map(len, pieces)))
        found = []
        for pattern, begin, end in self._automaton.find_matches_as_indexes("".join(pieces)):
            first = bisect_right(offsets, begin)
            last = bisect_left(offsets, end)
            mention = self._check(text, spans[first][0], spans[last][1], self._entries[pattern])
            if mention is not None:
                found.append(mention)
        return found

    def _check(self, text: str, start: int, end: int, entries: list[_Entry]) -> Mention | None:
        surface = text[start:end]
        if "\n\n" in surface or _glued(text, start, end):
            return None
        fitting = [entry for entry in entries if _surface_fits(surface, entry)]
        if not fitting:
            return None
        entry = fitting[0]
        if self._is_work(entry.class_name) and not _looks_like_title(text, start, end):
            return None
        if (
            entry.class_name == _PERSON
            and text[end : end + 1] in "'’"
            and text[end : end + 2].strip() == text[end : end + 1]
        ):
            end += 1
        if entry.class_name == _PERSON and _institution(text[end : end + 24]):
            return None
        if surface in _EVERYDAY and not entry.curated and not _has_article(text, start):
            return None
        confidence = 0.95 if entry.curated else 0.8
        if is_acronym(entry.label) or (entry.class_name == _PERSON and " " not in entry.label):
            confidence = 0.85
        unique = len({item.name for item in fitting}) == 1
        return Mention(
            start=start,
            end=end,
            class_name=entry.class_name,
            confidence=confidence if unique else 0.6,
            source="gazetteer",
            canonical=entry.name if unique else None,
            curated=entry.curated,
        )


@lru_cache(maxsize=65536)
def _stem(part: str) -> str:
    return lemma_key(canonical_key(part)) or part


@lru_cache(maxsize=65536)
def _piece(part: str) -> str:
    return f"\x01{_stem(part)}\x02"


def _surnames(ontology: Ontology) -> frozenset[str]:
    """Last words of curated persons' names, for bare surnames that are no label of their own."""
    return frozenset(
        entry.name.split()[-1]
        for entry in ontology.synonyms
        if entry.class_name == _PERSON and len(entry.name.split()) > 1
    )


def _surface_fits(surface: str, entry: _Entry) -> bool:
    if is_acronym(entry.label):
        return surface in (entry.label, entry.label + "s")
    if entry.class_name == _PERSON:
        return surface == entry.label or surface.removesuffix("s") == entry.label or surface.upper() == surface
    wanted, given = _PART.findall(entry.label), _PART.findall(surface)
    if len(given) == 1:
        word: str = given[0]
        return word[0].isupper() and word[1:].islower()
    if len(wanted) != len(given):
        return False
    # The noun keeps its capital; adjectives lose theirs inside a sentence.
    return all(
        have[0].isupper() or want[0].islower() or not _is_last(number, wanted)
        for number, (want, have) in enumerate(zip(wanted, given, strict=True))
    )


def _is_last(number: int, parts: list[str]) -> bool:
    return number == max((i for i, part in enumerate(parts) if part[0].isupper()), default=0)


def _glued(text: str, start: int, end: int) -> bool:
    """Whether the words are only part of a compound: "GFK-Training", "Schein-Empathie"."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if len(after) == 2 and after[0] in "-‑&/@" and (after[1].isalnum() or (after[0] == "-" and after[1] == " ")):
        return True
    return len(before) == 2 and before[1] in "-‑/@" and before[0].isalnum()


def _looks_like_title(text: str, start: int, end: int) -> bool:
    """Quoted, or after "Buch", "Werk" and the like, or before a year in brackets."""
    before = text[max(0, start - 40) : start].rstrip()
    if before[-1:] in _OPENING and before:
        return True
    tail = before.split()[-1:] or [""]
    if tail[0].strip("„“»«:,").lower() in WORK_CUES:
        return True
    return re.match(r"[“”\"«»]?\s*\((?:[^()]*\b)?(?:19|20)\d\d\b", text[end : end + 40]) is not None


def _institution(after: str) -> bool:
    """Whether a person's name only begins the name of an institution: "Carl Rogers Institut"."""
    words = after.split()
    return bool(words) and after[0] in " -" and words[0].strip("-.,").lower() in NOT_A_SURNAME


def _has_article(text: str, start: int) -> bool:
    before = text[max(0, start - 20) : start].split()
    return bool(before) and before[-1].lower() in (
        "der die das des dem den ein eine einer einen einem kein keine von beobachtung, gefühl, bedürfnis und".split()
    )
