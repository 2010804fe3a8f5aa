"""Definitions: "X ist ein …, der …", "Unter X versteht man …", "X bezeichnet …", "Als X gilt …", glossary entries.

Gives the term's span, the defining words' span and how sure the pattern is. What the term is to the knowledge base
(mention, property, statement) is decided in `extractor`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rag_assets.models.extraction.rules.analysis import Sentence
from rag_assets.models.extraction.rules.lexicon import ABSTRACT_SUBJECTS, POINTING, PREPOSITIONS, PRONOUNS, ROLE_NOUNS

_DET: Final = r"(?P<det>(?:[Dd](?:er|ie|as|en|em)|[Ee]in(?:e[mnr]?)?)\s+)?"
_TERM: Final = (
    r"[„\"»]?(?P<term>(?:(?:[A-ZÄÖÜ]?[a-zäöüß]+(?:e[rsnm]?|-|isch|lich)\s+(?:(?:und|oder)\s+)?){0,3})"
    r"[A-ZÄÖÜ][\wäöüß]*(?:[-/][\wäöüßÄÖÜ]+)*"
    r"(?:\s+(?:(?:und|oder)\s+)[A-ZÄÖÜ][\wäöüß-]+)?(?:\s+(?:der|des|von|zur|im|für)\s+(?:[a-zäöüß]+e[nrs]\s+)?[A-ZÄÖÜ][\wäöüß-]+)?)[“\"«”]?"
)
_NOTE: Final = r"(?:\s+\((?P<note>[^()]{2,60})\))?"
_LAW: Final = r"(?P<law>\s+(?:im Sinne|i\.\s?S\.\s?d\.)\s+[^,;:.]{3,60}?)"
_COPULA: Final = re.compile(
    rf"^{_DET}{_TERM}{_NOTE}\s+(?:ist|sind)\s+(?:(?:dabei|hier|also|somit|demnach|nämlich|daher)\s+)?"
    r"(?P<body>(?P<article>ein|eine|eines?|der|die|das|jede[rs]?|Sammelbegriff|Oberbegriff|Bezeichnung)\b\s*.+)$",
    re.DOTALL,
)
_LEGAL: Final = re.compile(rf"^{_DET}{_TERM}{_NOTE}{_LAW}\s+(?:ist|sind)\s+(?P<body>.+)$", re.DOTALL)
_MEANS: Final = re.compile(
    rf"^{_DET}{_TERM}{_NOTE}\s+(?:bezeichnet|bedeutet|umschreibt|meint|steht für|heißt)\s+(?:(?:dabei|hier|also|in\s+\w+\s+\w+)\s+)?"
    r"(?P<body>(?:ein|eine|einen|die|den|das|der|alle|jede[nrs]?|dass|sowohl|zum einen|wörtlich)?\b.+)$",
    re.DOTALL,
)
_UNDER: Final = re.compile(
    rf"^Unter\s+{_DET}{_TERM}{_NOTE}{_LAW}?\s+(?P<verb>versteht|verstehen|verstand|wird|werden)\s+"
    r"(?:man|wir|sich|[A-ZÄÖÜ]\w+(?:\s[A-ZÄÖÜ]\w+)?)?\s*(?:(?:hier|dabei|im Allgemeinen|allgemein|in der Regel|meist)\s+)?(?P<body>.+)$",
    re.DOTALL,
)
_AS: Final = re.compile(
    rf"^Als\s+{_DET}{_TERM}{_NOTE}{_LAW}?\s+(?P<verb>bezeichnet|bezeichnen|wird|werden|gilt|gelten)\s+(?:man|wir)?\s*(?P<body>.+)$",
    re.DOTALL,
)
_DEFINED: Final = re.compile(
    rf"^{_DET}{_TERM}{_NOTE}\s+(?:wird|werden|ist|sind|lässt\s+sich|lassen\s+sich|versteht\s+sich)\s+"
    r"(?:(?:hier|dabei|allgemein|meist|oft)\s+)?(?:definiert\s+als|verstanden\s+als|definieren\s+als|als)\s+(?P<body>.+)$",
    re.DOTALL,
)
_ENTRY: Final = re.compile(
    r"^\s*(?:[-–•*]\s+)?(?P<term>[A-ZÄÖÜ][^\n:–|.!?,;()\"=@+]{1,58}?)(?:\s+\((?P<note>[^()\n]{2,60})\))?\s*(?::|\s[–-])\s+(?P<body>\S[^\n]{12,})$"
)
_ROW: Final = re.compile(r"^\s*(?P<term>[A-ZÄÖÜ][^\n|]{1,58}?)\s+\|\s+(?P<body>[^\n|]{15,})$")
_GLOSSARY: Final = re.compile(
    r"\b(?:glossar|begriffe|begriffserklärungen?|definitionen|lexikon|fachbegriffe|begriffsbestimmungen?)\b",
    re.IGNORECASE,
)
_DASH_ENTRY: Final = re.compile(r"^\s*[A-ZÄÖÜ][^\n:.]{1,58}\s[–-]\s")
_TRIGGERS: Final = frozenset(
    "ist sind bezeichnet bedeutet umschreibt meint steht heißt versteht verstehen verstand verstanden bezeichnen gilt gelten "
    "definiert definieren lässt".split()
)
_RELATIVE: Final = re.compile(
    r",\s+(?:(?:in|bei|mit|durch|an|auf|zu|von|für|nach|unter|über|aus)\s+)?(?:der|die|das|dem|den|deren|dessen|denen|welche[rsmn]?|wobei|bei|um|wie|wonach)\b"
)
_FIRST_NOUN: Final = re.compile(r"\b[A-ZÄÖÜ][\wäöüß-]+")
_TRAILING: Final = re.compile(r"[\s.;:,!]+$")
_PARTICIPLE_END: Final = re.compile(r"\s+(?:verstanden|bezeichnet|zusammengefasst|genannt|definiert)$")


@dataclass(frozen=True, slots=True)
class Definition:
    """A term and the words that define it, as passage spans; `sentence` is what is quoted."""

    term: tuple[int, int]
    body: tuple[int, int]
    sentence: tuple[int, int]
    confidence: float
    form: str
    note: tuple[int, int] | None = None


def find_definitions(text: str, sentences: Iterable[Sentence], title_path: str) -> Iterator[Definition]:
    """Definitions in a passage, in order."""
    glossary = bool(_GLOSSARY.search(title_path)) or _many_entries(text)
    last_heading = ""
    for sentence in sentences:
        if sentence.is_heading:
            last_heading = text[sentence.start : sentence.end]
            continue
        shown = text[sentence.start : sentence.end]
        if glossary or _GLOSSARY.search(last_heading):
            entry = _ENTRY.match(shown) or _ROW.match(shown)
            if entry is not None and _term_ok(entry["term"]) and _body_ok(entry["body"]):
                yield _made(sentence, entry, 0.9, "glossary")
                continue
        if not sentence.vocabulary.isdisjoint(_TRIGGERS) and "?" not in sentence.words:
            found = _pattern(sentence, shown.lstrip("#-–•* "), text)
            if found is not None:
                yield found


def _pattern(sentence: Sentence, shown: str, text: str) -> Definition | None:
    first = sentence.lows[0]
    if first == "unter":
        match = _UNDER.match(shown)
        if match and (match["verb"].startswith("v") or "verstanden" in sentence.vocabulary):
            return _checked(sentence, text, shown, match, 0.9, "under")
        return None
    if first == "als":
        match = _AS.match(shown)
        if match and (match["verb"] not in ("wird", "werden") or "bezeichnet" in sentence.vocabulary):
            return _checked(sentence, text, shown, match, 0.85, "as")
        return None
    if first in POINTING or (first in PRONOUNS and not (first == "das" and shown[4:5].isupper())):
        return None
    if (match := _LEGAL.match(shown)) is not None:
        return _checked(sentence, text, shown, match, 0.95, "legal")
    if (match := _DEFINED.match(shown)) is not None and (
        "definiert" in sentence.vocabulary
        or "definieren" in sentence.vocabulary
        or "verstanden" in sentence.vocabulary
        or "versteht" in sentence.vocabulary
    ):
        return _checked(sentence, text, shown, match, 0.9, "defined")
    if (match := _COPULA.match(shown)) is not None:
        return _copula(sentence, text, shown, match)
    if (match := _MEANS.match(shown)) is not None and not sentence.vocabulary & {"dass", "daß", "nicht", "man"}:
        return _checked(sentence, text, shown, match, 0.8, "means")
    return None


def _copula(sentence: Sentence, text: str, shown: str, match: re.Match[str]) -> Definition | None:
    body, article = match["body"], match["article"]
    noun = _FIRST_NOUN.search(body)
    if noun is None or len(body.split()) < 4:
        return None
    relative = bool(_RELATIVE.search(body))
    definite = (match["det"] or "").lower().startswith("d")
    if article.lower() in ("der", "die", "das"):
        # "Empathie ist die Fähigkeit, …" defines; "Der Kurs ist das Beste" does not.
        if not re.match(
            r"(?:der|die|das)\s+(?:\w+e\s+)?(?:Fähigkeit|Bereitschaft|Kunst|Lehre|Wissenschaft|Überzeugung|Annahme|"
            r"Gesamtheit|Summe|Prozess|Vorgang|Versuch|Tätigkeit|Haltung|Eigenschaft|Zustand|Vermögen|Vorstellung|Form|"
            r"Bezeichnung|Begriff|Verfahren|Methode|Maß|Grad|Teil|Phase|Technik|Einstellung|Erfahrung|Erwartung)\b",
            body,
        ):
            return None
        return _checked(sentence, text, shown, match, 0.85 if not definite else 0.75, "copula")
    genus = noun[0].lower()
    if genus in ABSTRACT_SUBJECTS - {"begriff", "teil", "weg"} and not relative:
        return None
    confidence = 0.9 if relative else 0.75
    if definite:
        confidence -= 0.1
        if not relative and genus not in _GENERA and not genus.endswith(_GENUS_ENDINGS):
            return None
    return _checked(sentence, text, shown, match, confidence, "copula")


_GENERA: Final = frozenset(
    "methode verfahren vorgehen technik modell konzept ansatz haltung form gespräch gesprächsform beratungsform theorie begriff "
    "instrument werkzeug intervention frage fragetechnik sammelbegriff prozess darstellung übung schema prinzip vorgehensweise "
    "buch werk aufsatz format teilgebiet disziplin richtung strömung schule verständigung variante art".split()
)
_GENUS_ENDINGS: Final = (
    "methode",
    "technik",
    "modell",
    "verfahren",
    "form",
    "ansatz",
    "theorie",
    "konzept",
    "prozess",
    "instrument",
)


def _checked(
    sentence: Sentence, text: str, shown: str, match: re.Match[str], confidence: float, form: str
) -> Definition | None:
    term = match["term"]
    if not _term_ok(term) and form != "legal":
        return None
    if form != "legal" and not _body_ok(match["body"]):
        return None
    return _made(sentence, match, confidence, form, shift=sentence.end - len(shown))


def _made(
    sentence: Sentence, match: re.Match[str], confidence: float, form: str, *, shift: int | None = None
) -> Definition:
    base = sentence.start if shift is None else shift
    start, end = match.span("body")
    body = _TRAILING.sub("", match["body"])
    if form in ("under", "as"):
        body = _PARTICIPLE_END.sub("", body)
    end = start + len(body)
    groups = match.groupdict()
    note = match.span("note") if groups.get("note") else None
    a, b = match.span("term")
    b = a + len(match["term"].rstrip())
    return Definition(
        (base + a, base + b),
        (base + start, base + end),
        (sentence.start, sentence.end),
        confidence,
        form,
        (base + note[0], base + note[1]) if note else None,
    )


def _term_ok(term: str) -> bool:
    parts = term.split()
    low = [part.lower() for part in parts]
    vague = low[-1] in ROLE_NOUNS or (len(parts) == 1 and low[0] in ABSTRACT_SUBJECTS)
    if (
        len(parts) > 6
        or vague
        or low[0] in PREPOSITIONS
        or low[0].endswith(_SUPERLATIVES)
        or low[0] in ABSTRACT_SUBJECTS | POINTING | PRONOUNS
    ):
        return False
    return len(term) > 2 and not term.isdigit() and low[0] not in _NOT_FIRST


_SUPERLATIVES: Final = ("ste", "sten", "ster", "stes", "eren", "ere")
_NOT_FIRST: Final = frozenset(
    "hier dort heute oft meist wichtig auch nur so dann zudem außerdem allerdings jedoch dabei damit eine einer ein kein keine "
    "beispiel achtung hinweis merke tipp wichtiges zentral ziel nicht erst schon".split()
)


def _body_ok(body: str) -> bool:
    words = body.split()
    return (
        len(words) >= 3 and not words[0].lower().startswith(("nicht", "kein")) and _FIRST_NOUN.search(body) is not None
    )


def _many_entries(text: str) -> bool:
    """Three lines at least that look like "Begriff – Erklärung"."""
    return sum(1 for line in text.split("\n") if _DASH_ENTRY.match(line)) >= 3
