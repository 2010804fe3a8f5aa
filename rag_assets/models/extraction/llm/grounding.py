"""Finding in a passage what a model says of it: names in any inflection, quotes whatever their white space and signs.

What cannot be found is not there: the callers refuse it. Every span is of the passage as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from itertools import pairwise
from typing import Final

from rag_assets.knowledge.naming import canonical_key, lemma_key

Span = tuple[int, int]

_WORD: Final = re.compile(r"[^\W_]+")
_SAME: Final = {
    **dict.fromkeys('„“”«»‟"', '"'),
    **dict.fromkeys("‚‘’\u201b‹›´`'", "'"),
    **dict.fromkeys("‐‑\u2012–—−-", "-"),
    "\u00ad": "",
    "\u200b": "",
}
_AROUND: Final = " \t\n\r\"'„“”«»‚‘’‹›"
#: Prefixes that a finite verb leaves at the end of its clause: "wendet … an".
_SEPARABLE: Final = (
    "ab an auf aus bei durch ein fest fort her hin los mit nach nieder um vor weg weiter zu zurück zusammen"
)
_SUPPLETIVE: Final = {
    "sein": "ist sind war waren sei seien wäre wären bin",
    "haben": "hat hatte hatten habe hätte",
    "werden": "wird wurde wurden würde worden",
    "geben": "gibt gab gaben gäbe",
    "nehmen": "nimmt nahm nahmen",
    "gehen": "ging gingen",
    "stehen": "stand standen",
    "denken": "dachte dachten",
    "bringen": "brachte brachten",
    "nennen": "nannte nannten",
    "kennen": "kannte kannten",
    "können": "kann konnte konnten",
    "müssen": "muss mussten muß",
    "dürfen": "darf durfte",
    "mögen": "mag mochte",
    "wissen": "weiß wusste",
    "ziehen": "zog zogen gezogen",
    "liegen": "lag lagen",
    "helfen": "hilft half halfen",
    "treffen": "trifft traf trafen",
    "sprechen": "spricht sprach sprachen",
    "gelten": "gilt galt galten",
}
_STEM: Final = 4
_SHORTEST_STEM: Final = 3


class Passage:
    """A passage that things are looked for in."""

    def __init__(self, text: str) -> None:
        self.text = text

    def occurrences(self, name: str) -> list[Span]:
        """Where a name stands, in order: the same words, each in any inflection, nothing but space and hyphens between.

        A word that the name writes with a capital must have one, so that "Bitte" is not found in "bitte".
        """
        wanted = [(_word_key(word), word[0].isupper()) for word in _WORD.findall(name)]
        if not wanted:
            return []
        found: list[Span] = []
        for place in self._places.get(wanted[0][0], ()):
            spans = self._words[place : place + len(wanted)]
            if len(spans) < len(wanted):
                continue
            fits = all(
                _word_key(self.text[start:end]) == key and (self.text[start].isupper() or not capital)
                for (start, end), (key, capital) in zip(spans, wanted, strict=True)
            )
            start, end = spans[0][0], spans[-1][1]
            if fits and self._is_joined(spans) and (not found or start >= found[-1][1]):
                found.append((start, end))
        return found

    def find_quote(self, quote: str) -> Span | None:
        """Where a quote stands: white space, kinds of quotation marks and dashes do not count, everything else does."""
        for wanted in (quote, quote.strip(_AROUND + ".")):
            needle = _flat(wanted).strip()
            at = self._flat_text.find(needle) if needle else -1
            if at >= 0:
                return self._origin[at], self._origin[at + len(needle) - 1] + 1
        return None

    def find_literal(self, literal: str) -> Span | None:
        """Like `find_quote`, but case does not count: a value may stand at the beginning of a sentence."""
        needle = _flat(literal).strip().strip(_AROUND).lower()
        at = self._lower_text.find(needle) if needle else -1
        return (self._origin[at], self._origin[at + len(needle) - 1] + 1) if at >= 0 else None

    @cached_property
    def _words(self) -> list[Span]:
        return [match.span() for match in _WORD.finditer(self.text)]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for number, (start, end) in enumerate(self._words):
            places.setdefault(_word_key(self.text[start:end]), []).append(number)
        return places

    def _is_joined(self, spans: list[Span]) -> bool:
        """Whether only what may stand within a name lies between its words: no end of a block, no other sign."""
        between = [self.text[a[1] : b[0]] for a, b in pairwise(spans)]
        return all(
            len(gap) <= 4 and "\n\n" not in gap and not gap.strip(" \n\t-‐‑–.'’&/\u00ad\u00a0") for gap in between
        )

    @cached_property
    def _flattened(self) -> tuple[str, list[int]]:
        pieces: list[str] = []
        origin: list[int] = []
        for offset, character in enumerate(self.text):
            for flat in _flat_character(character):
                if flat == " " and pieces and pieces[-1] == " ":
                    continue
                pieces.append(flat)
                origin.append(offset)
        return "".join(pieces), origin

    @property
    def _flat_text(self) -> str:
        return self._flattened[0]

    @property
    def _origin(self) -> list[int]:
        return self._flattened[1]

    @cached_property
    def _lower_text(self) -> str:
        # Character by character, so that offsets stay: a few characters have a lower case of two.
        return "".join(lower if len(lower := c.lower()) == 1 else c for c in self._flat_text)


def says_predicate(predicate: str, quote: str) -> bool:
    """Whether a predicate in base form stands in a quote: each of its words by stem, as German verbs change.

    A predicate in another language, or one that sums up instead of quoting, is not found.
    """
    said = [word.lower() for word in _WORD.findall(quote)]
    asked = [word.lower() for word in _WORD.findall(predicate)]
    return bool(asked) and all(any(_is_form(word, base) for word in said) for base in asked)


def _is_form(word: str, base: str) -> bool:
    for prefix in ("", *_SEPARABLE.split()):
        if not base.startswith(prefix):
            continue
        verb = base[len(prefix) :]
        if len(verb) < 3 and prefix:
            continue
        if any(word.removeprefix(prefix) == form for form in (*_SUPPLETIVE.get(verb, "").split(), verb)):
            return True
        bare = word.removeprefix(prefix)
        bare = bare.removeprefix("ge") if bare.startswith("ge") and not verb.startswith("ge") else bare
        stem = _stem_of(verb)
        if len(stem) >= _SHORTEST_STEM and _stem_of(bare).startswith(stem):
            return True
    return False


def _stem_of(word: str) -> str:
    """The first letters of a word that carry its meaning, vowels folded: verbs change theirs ("schreibt", "schrieb")."""
    folded = unicodedata.normalize("NFD", word.replace("ß", "ss"))
    letters = "".join(c for c in folded if not unicodedata.combining(c))
    for ending in ("en", "n", "t", "e"):
        if letters.endswith(ending) and len(letters) - len(ending) >= 3:
            letters = letters[: -len(ending)]
            break
    return letters[:_STEM]


def _word_key(word: str) -> str:
    return lemma_key(canonical_key(word))


def _flat_character(character: str) -> str:
    if character.isspace():
        return " "
    return _SAME.get(character, character)


def _flat(text: str) -> str:
    flat = "".join(_flat_character(character) for character in unicodedata.normalize("NFC", text))
    return re.sub(" +", " ", flat)
