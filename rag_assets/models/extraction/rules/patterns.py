"""Relations that nouns carry without a verb: "X nach Rosenberg", "Luhmanns „Soziale Systeme“", "X, auch Y genannt".

They name authors and other labels; verbs are the matter of `relations`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rag_assets.models.extraction.rules.analysis import Mention, Sentence
from rag_assets.models.extraction.rules.lexicon import WORK_CUES
from rag_assets.models.extraction.rules.name_shapes import is_role

_TITLES: Final = r"(?:(?:Prof|Dr|Dipl\.-Psych|Mag)\.?\s+)*"
_BY: Final = re.compile(rf"^[“”\"«»]?\s+von\s+{_TITLES}$")
_ACCORDING: Final = re.compile(rf"^[“”\"«»]?(?:\s+\([^()]{{2,20}}\))?\s+nach\s+{_TITLES}$")
_YEAR_BY: Final = re.compile(r"^[“”\"«»]?\s*\($")
_GENITIVE: Final = re.compile(r"^['’]?\s+[„“\"»]?$")
_CUE_GENITIVE: Final = re.compile(
    r"^['’]?\s+(?:(?:Haupt)?[Ww]erk|Buch|Aufsatz|Klassiker|Roman|Schrift|Studie|Hauptwerk|Standardwerk)s?\s+[„“\"»]$"
)
_CALLED: Final = re.compile(
    r"^[“”\"«»]?\s*[,(]\s*(?:auch|kurz|früher|engl\.|englisch|oft|manchmal)(?:\s+als)?:?\s+[„“\"»]?$"
)
_CALLED_END: Final = re.compile(r"^[“”\"«»]?\s*(?:genannt|bezeichnet|abgekürzt)?\s*[,).]")
_ALSO_SIGN: Final = re.compile(r"^[“”\"«»]?\s*(?:\(=\s?|=\s?)$")


def find_noun_relations(sentence: Sentence) -> Iterator[tuple[str, Mention, Mention, float]]:
    """(type, source, target, confidence) between neighbouring mentions of a sentence."""
    ordered = sorted(sentence.mentions, key=lambda item: item.start)
    for left, right in pairwise(ordered):
        between = sentence.text[left.end : right.start]
        if len(between) > 60 or "\n\n" in between:
            continue
        if right.class_name == "Person" and left.class_name != "Person":
            confidence = _author_after(sentence, left, right, between)
            if confidence:
                yield "AUTHORED_BY", left, right, confidence
        elif left.class_name == "Person" and right.class_name != "Person":
            confidence = _author_before(sentence, left, right, between)
            if confidence:
                yield "AUTHORED_BY", right, left, confidence
        elif _CALLED.match(between) and _CALLED_END.match(sentence.text[right.end : right.end + 14]):
            yield "SYNONYM_OF", right, left, 0.8
        elif _ALSO_SIGN.match(between):
            yield "SYNONYM_OF", right, left, 0.7


def _author_after(sentence: Sentence, work: Mention, person: Mention, between: str) -> float:
    """How sure "„Titel“ von X", "„Titel“ (X, 1969)", "Methode nach X", "Modell von X" name an author; 0: not at all."""
    if work.class_name == "Werk":
        if _BY.match(between):
            return 0.85
        return 0.8 if _YEAR_BY.match(between) and _year_follows(sentence, person) else 0.0
    if _ACCORDING.match(between):
        return 0.75
    by = work.class_name not in _SHARED and _BY.match(between) and sentence.vocabulary.isdisjoint(_PASSIVE)
    return 0.7 if by else 0.0


def _author_before(sentence: Sentence, person: Mention, work: Mention, between: str) -> float:
    """How sure "Luhmanns „Soziale Systeme“", "X: „Titel“" or "Kolbs Lernzyklus" name an author; 0: not at all."""
    if work.class_name == "Werk":
        genitive = _genitive(sentence, person) or between[:1] in ("'", "’")
        if genitive and (_GENITIVE.match(between) or _CUE_GENITIVE.match(between)):
            return 0.8
        return 0.75 if _colon_title(between) else 0.0
    if work.class_name in _SHARED or sentence.text[work.start : work.end].endswith("ismus"):
        return 0.0
    return 0.65 if between == " " and _genitive(sentence, person) else 0.0


def find_portraits(sentence: Sentence) -> Iterator[tuple[Mention, tuple[int, int]]]:
    """Persons with the words that say what they are: "X war ein Psychologe", "X, eine Pädagogin,", "der Soziologe X"."""
    for mention in sentence.mentions:
        if mention.class_name != "Person":
            continue
        match = _IS_A.match(sentence.text, mention.end, sentence.end)
        if match is not None and is_role(match["role"].lower()):
            yield mention, match.span("what")
            continue
        first = mention.first
        while first > 0 and sentence.lows[first - 1] in ("dr", "prof", "."):
            first -= 1
        if first > 1 and is_role(sentence.lows[first - 1]) and sentence.lows[first - 2].endswith(("sche", "scher")):
            yield mention, sentence.span(first - 2, first - 1)


_IS_A: Final = re.compile(
    r"(?:\s?\([^()]{2,30}\))?(?:,|\s+(?:ist|war)\b)\s+(?:ein|eine|der|die)\s+"
    r"(?P<what>(?:[a-zäöüß-]+(?:e|er|en)\s+){0,3}(?P<role>[A-ZÄÖÜ][\wäöüß-]+)(?:\s+und\s+(?:[A-ZÄÖÜ][\wäöüß-]+))?)(?=[\s,.;])"
)
_SHARED: Final = frozenset({"Person", "Haltung", "Werk"})
"""Classes that nobody owns by a genitive: "Rosenbergs Empathie" is how he was, not what he made."""
_PASSIVE: Final = frozenset({"wurde", "wurden", "wird", "werden", "worden"})


def _genitive(sentence: Sentence, mention: Mention) -> bool:
    """Whether a person's name stands in the genitive: one letter more than the name, or an apostrophe."""
    surface = sentence.text[mention.start : mention.end]
    if surface[-1] in "'’":
        return True
    return surface.endswith("s") and (mention.canonical is None or not mention.canonical.endswith(surface.split()[-1]))


def _year_follows(sentence: Sentence, person: Mention) -> bool:
    """As in "„Titel“ (Watzlawick, 1969)"."""
    return re.match(r"(?:\s(?:u\.\s?a\.|et al\.))?,?\s\d{4}\)", sentence.text[person.end : person.end + 20]) is not None


def _colon_title(between: str) -> bool:
    """As in "Paul Watzlawick: „Titel“", or with the kind of work between: "Rogers in seinem Buch „Titel“"."""
    if re.fullmatch(r"(?:\s\(\d{4}\))?:\s*[„“\"»]?", between):
        return True
    match = re.fullmatch(
        r"(?:\s\w+){0,3}?\s(?:in|mit)\s(?:seinem|ihrem|seinen|ihren)(?:\s[a-zäöü]+)?\s(\w+)\s+[„“\"»]", between
    )
    return match is not None and match[1].lower() in WORK_CUES
