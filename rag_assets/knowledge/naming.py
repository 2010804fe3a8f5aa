"""Names: the key under which an entity is known, and what can be told from the form of a name.

Here: `canonical_key`, keys of variants (spacing, inflection, word order), qualifiers, reasons why two similar names
are not one. Parts of person names are in `person_names`. Not here: deciding which entities are one (`resolution`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from rag_assets.knowledge import given_names
from rag_assets.knowledge.words import words

TITLES: Final = words("""
    dr drs prof professor professorin doktor doktorin dipl diplom ing mag mba msc bsc ma ba phd habil hc med phil rer
    nat jur pol oec theol psych paed soz pd priv doz em univ med dres
    """)
SALUTATIONS: Final = {"herr": "m", "herrn": "m", "hr": "m", "frau": "f", "fr": "f", "mr": "m", "mrs": "f", "ms": "f"}
PARTICLES: Final = words("von vom zu zur zum van der den de del della di da dos du la le ten ter el al bin ibn af av")

_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_NOT_KEY: Final = re.compile(r"[^\w+#]|_")
_FUNCTION_WORDS: Final = words("der die das des dem den ein eine einer eines einem einen und im in am zum zur")
_QUALIFIED: Final = re.compile(r"^(?P<base>.*\S)\s*\((?P<qualifier>[^()]+)\)\s*$")
# After `_spell` nothing upper-case is left, so the same test holds for every spelling of a name.
_INVERTED: Final = re.compile(r"^\s*(?P<surname>[^,;:()]+?)\s*,\s*(?P<given>[^,;:()]+?)\s*$")


@lru_cache(maxsize=65536)
def canonical_key(name: str) -> str:
    """The key of a name: the same for every spelling that can only mean the same thing.

    Case, Unicode form, ß/ss, ä/ae, accents, punctuation, hyphens, white space, academic titles and salutations do not
    count; "Rogers, Carl" equals "Carl Rogers". Idempotent. A name of signs alone is its own key; "" stays "".
    """
    spelled = _spell(name)
    inverted = _INVERTED.match(spelled)
    if inverted and _is_given(inverted["given"]) and not any(c.isdigit() for c in inverted["surname"]):
        spelled = f"{inverted['given']} {inverted['surname']}"
    tokens = [token for token in _NOT_KEY.sub(" ", spelled).split() if any(c.isalnum() for c in token)]
    if not tokens:
        return " ".join(spelled.split())
    return " ".join(_without_titles(tokens))


def key_without_spaces(key: str) -> str:
    """A canonical key with its words run together: equal for "Coaching-Prozess" and "Coachingprozess"."""
    return key.replace(" ", "")


def sorted_key(key: str) -> str:
    """A canonical key with its words in order: equal for "Carl Rogers" and "ROGERS Carl"."""
    return " ".join(sorted(key.split()))


def lemma_key(key: str) -> str:
    """A canonical key without the endings of German nouns and adjectives: equal for "Systemtheorien" and its kin.

    A key for comparing, not a word. Short stems keep their endings, so that "Kurs" and "Kur" stay apart; changes of
    the vowel ("Rat", "Räte") are not followed.
    """
    return " ".join(_stem(token) for token in key.split())


def split_qualifier(name: str) -> tuple[str, str | None]:
    """Name and qualifier of a homonym: "Aufstellung (Methode)" → ("Aufstellung", "Methode"); else (name, None)."""
    found = _QUALIFIED.match(name)
    if found is None:
        return name, None
    return found["base"], found["qualifier"].strip()


def is_acronym(name: str) -> bool:
    """Whether a name looks like an abbreviation: GFK, DSGVO, SySt, 4-OM; two capitals at least, no long word."""
    capitals = sum(1 for c in name if c.isupper())
    return 2 <= len(name) <= 10 and " " not in name.strip() and capitals >= 2 and capitals * 2 >= len(name) - 1


def abbreviates(short: str, long: str) -> bool:
    """Whether the letters of `short` are initials of the words (or of parts of compounds) of `long`, in order."""
    letters = [c for c in _spell(short) if c.isalnum()]
    words = canonical_key(long).split()
    if len(letters) < 2 or not words or letters[0] != words[0][0] or len("".join(words)) <= len(letters) + 2:
        return False
    heads = [word[0] for word in words if word not in _FUNCTION_WORDS] or [word[0] for word in words]
    if letters == heads or letters == [word[0] for word in words]:
        return True
    # Compounds: "Datenschutzgrundverordnung" → DSGVO. Every word must give a letter, the rest stands in order.
    rest = iter("".join(words))
    return len(heads) <= len(letters) and all(letter in rest for letter in letters) and _is_subsequence(heads, letters)


def merge_veto(left: str, right: str) -> str | None:
    """Why two similar names must not be taken for one: `number`, `negation`, `qualifier`, `salutation`; else None."""
    left_base, left_qualifier = split_qualifier(left)
    right_base, right_qualifier = split_qualifier(right)
    if left_qualifier and right_qualifier and canonical_key(left_qualifier) != canonical_key(right_qualifier):
        return "qualifier"
    salutations = {salutation(left), salutation(right)} - {None}
    if len(salutations) > 1:
        return "salutation"
    a, b = canonical_key(left_base).split(), canonical_key(right_base).split()
    if _numbers(a) != _numbers(b):
        return "number"
    if _negates(a, b) or _negates(b, a):
        return "negation"
    return None


def salutation(name: str) -> str | None:
    """`m` or `f` when the name begins with Herr, Frau or their like; else None."""
    words = _spell(name).replace(".", " ").split()
    return SALUTATIONS.get(words[0]) if len(words) > 1 else None


def _spell(name: str) -> str:
    """Lower case, one Unicode form, no umlauts, no accents. Idempotent."""
    if name.isascii():
        return name.lower().translate(_QUOTES)
    previous, current = None, name
    while current != previous:  # a few characters need a second round, e.g. those that casefold to a decomposition
        previous = current
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", current).casefold())
        folded = unicodedata.normalize("NFC", folded).translate(_UMLAUTS)
        bare = "".join(c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c))
        current = unicodedata.normalize("NFKC", bare)
    return current.translate(_QUOTES)


_QUOTES: Final = str.maketrans(dict.fromkeys("\u2019\u2018\u00b4`\u02bc", "'"))


def _without_titles(tokens: list[str]) -> list[str]:
    rest = tokens
    while rest and (rest[0] in TITLES or rest[0] in SALUTATIONS):
        rest = rest[1:]
    # "Herr der Ringe" is no person, "Med" alone no title.
    if not rest or rest[0] in _FUNCTION_WORDS - PARTICLES or (rest is not tokens and rest[0] in ("der", "des", "im")):
        return tokens
    return rest


def _is_given(text: str) -> bool:
    words = [word for word in re.split(r"[\s.\-]+", text) if word]
    return (
        0 < len(words) <= 4
        and all(
            word in _GIVEN_KEYS or (len(word) == 1 and word.isalpha()) or word in PARTICLES or word in TITLES
            for word in words
        )
        and (words[0] in _GIVEN_KEYS or len(words[0]) == 1 or words[0] in TITLES)
    )


_GIVEN_KEYS: Final = frozenset(_spell(name) for name in given_names.ALL)

_ENDINGS: Final = ("en", "em", "er", "e", "n")


def _stem(token: str) -> str:
    if len(token) < 5 or not token.isalpha():
        return token
    for nisse in ("nissen", "nisses", "nisse"):
        if token.endswith(nisse):
            return token[: -len(nisse)] + "nis"
    return _without_case(_without_genitive(token))


def _without_genitive(token: str) -> str:
    # "Prozess", "Konstruktivismus", "Analysis", "Kosmos", "Themas" end in an s of their own, or keep it to be safe.
    if not token.endswith("s") or len(token) < 5 or token[-2] in "suioa":
        return token
    return token[:-2] if token.endswith(("ses", "zes", "xes", "ches", "des", "tes")) and len(token) > 5 else token[:-1]


def _without_case(token: str) -> str:
    for ending in _ENDINGS:
        stem = token[: -len(ending)]
        if token.endswith(ending) and len(stem) > 3 and (ending != "er" or _adjectival(stem)):
            return stem  # "Berater" keeps its end, "systemischer" loses it
    return token


def _adjectival(stem: str) -> bool:
    return stem.endswith(
        (
            "isch",
            "lich",
            "ig",
            "iv",
            "al",
            "ell",
            "iert",
            "zentriert",
            "orientiert",
            "end",
            "frei",
            "bar",
            "aer",
            "ent",
            "ant",
            "oes",
            "los",
            "sam",
            "haft",
            "voll",
        )
    )


_ORDINALS: Final = {
    **dict.fromkeys(("erst", "ersten", "erste", "erster", "erstes", "i"), "1"),
    **dict.fromkeys(("zweit", "zweiten", "zweite", "zweiter", "zweites", "ii"), "2"),
    **dict.fromkeys(("dritt", "dritten", "dritte", "dritter", "drittes", "iii"), "3"),
    **dict.fromkeys(("viert", "vierten", "vierte", "vierter", "viertes", "iv"), "4"),
    **dict.fromkeys(("fuenft", "fuenften", "fuenfte", "fuenfter", "v"), "5"),
    **dict.fromkeys(("zwei",), "2"), **dict.fromkeys(("drei",), "3"), **dict.fromkeys(("vier",), "4"),
    **dict.fromkeys(("fuenf",), "5"), **dict.fromkeys(("sechs",), "6"), **dict.fromkeys(("sieben",), "7"),
    **dict.fromkeys(("acht",), "8"), **dict.fromkeys(("neun",), "9"), **dict.fromkeys(("zehn",), "10"),
}  # fmt: skip


def _numbers(tokens: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for place, token in enumerate(tokens):
        if token in _ORDINALS and (place or len(token) > 2):
            found.append(_ORDINALS[token])
        else:
            found.extend(digits.lstrip("0") or "0" for digits in re.findall(r"\d+", token))
    return tuple(sorted(found))


_NEGATIONS: Final = words("nicht kein keine keiner keines ohne anti")
_ANTONYMS: Final = tuple(
    frozenset(pair.split("/"))
    for pair in sorted(
        words(
            "offen/geschlossen intern/extern formal/informell formell/informell positiv/negativ direkt/indirekt "
            "bewusst/unbewusst aktiv/passiv vertikal/horizontal primaer/sekundaer innen/aussen inner/aeusser "
            "individuum/gruppe einzel/gruppen einzel/team vor/nach deduktiv/induktiv explizit/implizit "
            "qualitativ/quantitativ statisch/dynamisch symmetrisch/komplementaer analog/digital"
        )
    )
)
_ANTONYM_PREFIXES: Final = ("un", "nicht", "in", "dis", "anti", "mikro", "makro", "meta", "inter", "intra", "prae", "post",
                            "hyper", "hypo", "mono", "poly", "in", "ex", "sub", "super", "neo", "pseudo", "selbst", "fremd")  # fmt: skip


def _negates(left: list[str], right: list[str]) -> bool:
    """Whether `left` says the opposite of `right`, or names another kind of the same: un-, meta-, offen/geschlossen."""
    if set(left) & _NEGATIONS != set(right) & _NEGATIONS:
        return True
    only_left, only_right = [t for t in left if t not in right], [t for t in right if t not in left]
    for a in only_left:
        for b in only_right:
            if any(a == prefix + b for prefix in _ANTONYM_PREFIXES):
                return True
            if any(_opposed(a, b, pair) for pair in _ANTONYMS):
                return True
    return False


def _opposed(a: str, b: str, pair: frozenset[str]) -> bool:
    for word in pair:
        (other,) = pair - {word}
        if a.startswith(word) and b.startswith(other) and a[len(word) :][:2] == b[len(other) :][:2]:
            return True
    return False


def _is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(item in rest for item in part)
