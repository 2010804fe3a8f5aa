"""Terms that nobody curated: concepts and methods that their form gives away, in base form.

Three forms, each with a cue for the class: compounds like "Bindungstheorie", adjective and noun like "systemische
Beratung", abbreviations with their long form. Every other noun is left alone; definitions add their own subjects.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from rag_assets.knowledge.naming import abbreviates
from rag_assets.knowledge.words import words
from rag_assets.models.extraction.rules.analysis import Mention, Sentence

# Ending of a compound in any case → ending in base form; then the class.
_HEADS: Final = (
    ("methode|methoden", "methode", "Methode"),
    ("fragetechnik|fragetechniken", "fragetechnik", "Methode"),
    ("technik|techniken", "technik", "Methode"),
    ("intervention|interventionen", "intervention", "Methode"),
    ("gesprächsführung", "gesprächsführung", "Methode"),
    ("aufstellung|aufstellungen", "aufstellung", "Methode"),
    ("coaching|coachings", "coaching", "Methode"),
    ("mediation", "mediation", "Methode"),
    ("supervision|supervisionen", "supervision", "Methode"),
    ("therapie|therapien", "therapie", "Methode"),
    ("training|trainings", "training", "Methode"),
    ("modell|modells|modelle|modellen", "modell", "Modell"),
    ("theorie|theorien", "theorie", "Konzept"),
    ("prinzip|prinzips|prinzipien", "prinzip", "Konzept"),
    ("kompetenz|kompetenzen", "kompetenz", "Konzept"),
    ("ansatz|ansatzes|ansätze|ansätzen", "ansatz", "Konzept"),
    ("dynamik|dynamiken", "dynamik", "Konzept"),
    ("hypothese|hypothesen", "hypothese", "Konzept"),
    ("paradox|paradoxon|paradoxie|paradoxien", "", "Konzept"),
    ("orientierung", "orientierung", "Konzept"),
    ("axiom|axioms|axiome|axiomen", "axiom", "Konzept"),
    ("haltung|haltungen", "haltung", "Haltung"),
    ("psychologie", "psychologie", "Konzept"),
    ("pädagogik", "pädagogik", "Konzept"),
    ("konstruktion|konstruktionen", "konstruktion", "Konzept"),
)
_ENDINGS: Final = {ending: (base or ending, cls) for group, base, cls in _HEADS for ending in group.split("|")}
_COMPOUND: Final = re.compile(
    r"[A-ZÄÖÜ][\w-]{3,40}?(?P<head>" + "|".join(sorted(_ENDINGS, key=len, reverse=True)) + r")$"
)
_TECHNIQUES: Final = words(
    """frage gesprächs moderations kreativitäts interventions entspannungs visualisierungs präsentations verhandlungs lern
    atem feedback reframing hypnose coaching interview rollenspiel zuhör imaginations problemlöse beratungs assoziations
    vip feedback- deeskalations argumentations rede selbstmanagement"""
)
_NOT_TERMS: Final = words(
    """lösungsansatz lösungsansätze forschungsansatz forschungsansätze ausgangshypothese zinsansatz erstansatz
    handlungsansatz handlungsansätze denkansatz denkansätze arbeitsansatz arbeitsmethode arbeitsmethoden
    unterrichtsmethode grundprinzip grundprinzipien arbeitstechnik kernkompetenz kernkompetenzen buchhaltung
    unterhaltung veranstaltung erhaltung gestaltung verwaltung einhaltung beibehaltung vorhaltung geheimhaltung
    enthaltung instandhaltung aufrechterhaltung haushaltung körperhaltung aufzeichnung preismodell geschäftsmodell
    vergütungsmodell automodell fahrzeugmodell rechtsprinzip orientierung praxisorientierung neuorientierung
    desorientierung berufsorientierung auftragstherapie chemotherapie strahlentherapie physiotherapie krafttraining
    gehaltung weiterbildungstraining zurückhaltung ferienwohnung schaltung spaltung entfaltung verfaltung faltung
    datenhaltung tierhaltung lagerhaltung rufhaltung sachkompetenz preisansatz umsatz satz zusatz einsatz
    fertigstellung herstellung bestellung vorstellung darstellung einstellung feststellung ausstellung zusammenstellung
    aufstellung gegenüberstellung umstellung wiederherstellung fragestellung rekonstruktion grundhaltung erwartungshaltung
    geisteshaltung wirtschaftspsychologie schulpsychologie berufskompetenz fachkompetenz kostenaufstellung
    zeitplanungstraining fernaufstellung neuaufstellung haltung pflichthaltung stahlkonstruktion holzkonstruktion"""
)
_NOUNS: Final = {
    # base form → gender, class, other forms
    "Ansatz": ("m", "Konzept", "Ansatzes Ansatze Ansätze Ansätzen"),
    "Methode": ("f", "Methode", "Methoden"),
    "Theorie": ("f", "Konzept", "Theorien"),
    "Modell": ("n", "Modell", "Modells Modelle Modellen"),
    "Beratung": ("f", "Methode", "Beratungen"),
    "Therapie": ("f", "Methode", "Therapien"),
    "Kommunikation": ("f", "Konzept", ""),
    "Gesprächsführung": ("f", "Methode", ""),
    "Coaching": ("n", "Methode", "Coachings"),
    "Pädagogik": ("f", "Konzept", ""),
    "Psychologie": ("f", "Konzept", ""),
    "Intervention": ("f", "Methode", "Interventionen"),
    "Haltung": ("f", "Haltung", "Haltungen"),
    "Lernen": ("n", "Konzept", "Lernens"),
    "Führung": ("f", "Konzept", ""),
    "Frage": ("f", "Methode", "Fragen"),
    "Intelligenz": ("f", "Konzept", "Intelligenzen"),
    "Kompetenz": ("f", "Konzept", "Kompetenzen"),
    "Wirklichkeit": ("f", "Konzept", "Wirklichkeiten"),
    "Motivation": ("f", "Konzept", ""),
    "Supervision": ("f", "Methode", ""),
    "Organisation": ("f", "Konzept", "Organisationen"),
    "Bildung": ("f", "Konzept", ""),
}  # fmt: skip
_NOUN_FORMS: Final = {
    form: (base, gender, cls) for base, (gender, cls, others) in _NOUNS.items() for form in (base, *others.split())
}
_SPECIFIC: Final = re.compile(
    r"(?:zentriert|orientiert|fokussiert|basiert|geleitet|gestützt|direktiv|systemisch|konstruktivistisch|kollegial|zirkulär"
    r"|hypothetisch|humanistisch|behavioristisch|kognitiv|konstruktiv|dialogisch|narrativ|provokativ|paradox|"
    r"psychodynamisch|psychoanalytisch|tiefenpsychologisch|hypnosystemisch|integrativ|transaktional|transformational|emotional"
    r"|wertschätzend|gewaltfrei|nonverbal|verbal|intrinsisch|extrinsisch|ganzheitlich|existenziell|lateral|agil|situativ|reflexiv"
    r"|erfahrungsbasiert|selbstgesteuert|selbstorganisiert|lebenslang|zwischenmenschlich|experientiell|gestalttherapeutisch)"
    r"(?:e|er|es|en|em)$"
)
_UNSPECIFIC: Final = re.compile(
    r"^(?:praxis|ziel|zukunfts|ergebnis|kunden|problem|markt|prozess)orientiert|^wissensbasiert", re.IGNORECASE
)
_LONG_SHORT: Final = re.compile(
    r"\s?\((?:kurz:?\s|abgekürzt:?\s|Abk\.:?\s|im Folgenden:?\s)?(?P<short>[A-ZÄÖÜ][\w-]{1,9})\)"
)
_ORGANISATION: Final = re.compile(
    r"(?:gesellschaft|verband|verein|institut|universität|ministerium|gmbh|bund|kammer|stiftung|behörde|amt|partei|union|"
    r"federation|association|society|hochschule|akademie|zentrum|bank|rat|kommission|agentur)(?:s|es|en|e)?$",
    re.IGNORECASE,
)
_ENDING: Final = {"m": "er", "f": "e", "n": "es"}


def find_terms(sentences: Iterable[Sentence]) -> Iterator[Mention]:
    """Compounds and adjective–noun terms with a cue for their class; `canonical` is the base form."""
    for sentence in sentences:
        for index, word in enumerate(sentence.words):
            if len(word) < 5 or not word[0].isupper():
                continue
            noun = _NOUN_FORMS.get(word)
            if noun is not None and index and _SPECIFIC.search(sentence.lows[index - 1]):
                adjective = sentence.lows[index - 1]
                if not _UNSPECIFIC.match(adjective) and sentence.starts[index] - sentence.ends[index - 1] == 1:
                    base, gender, cls = noun
                    stem = re.sub(r"(?:er|es|en|em|e)$", "", adjective)
                    start, end = sentence.span(index - 1, index)
                    name = f"{stem[0].upper()}{stem[1:]}{_ENDING[gender]} {base}"
                    yield Mention(start, end, cls, 0.7, "term", name)
                    continue
            compound = _compound(word)
            if compound is not None:
                yield Mention(sentence.starts[index], sentence.ends[index], compound[1], 0.65, "term", compound[0])


@lru_cache(maxsize=32768)
def _compound(word: str) -> tuple[str, str] | None:
    match = _COMPOUND.match(word)
    if match is None or word.lower() in _NOT_TERMS or "-" in word[-3:]:
        return None
    head = match["head"]
    prefix = word[: match.start("head")]
    base, cls = _ENDINGS[head]
    if base in ("technik", "intervention", "konstruktion") and prefix.lower().strip("-") not in _TECHNIQUES:
        return None
    if (base == "haltung" and prefix.lower().endswith(("er", "ent", "in", "auf", "bei", "vor"))) or len(
        prefix.strip("-")
    ) < 3:
        return None
    if (
        prefix.lower().startswith(("gesamt", "haupt", "grund", "teil", "kern", "ausbildungs", "prüfungs", "einzel"))
        and base != "therapie"
    ):
        return None
    return prefix + base, cls


def find_abbreviations(text: str, sentences: Iterable[Sentence]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Spans of (long form, abbreviation) where the text gives both: "Themenzentrierte Interaktion (TZI)"."""
    for sentence in sentences:
        if "(" not in sentence.vocabulary:
            continue
        for match in _LONG_SHORT.finditer(text, sentence.start, sentence.end):
            short = match["short"]
            if sum(1 for c in short if c.isupper()) < 2:
                continue
            long = _long_form(sentence, match.start(), text, short)
            if long is not None:
                yield long, match.span("short")


def _long_form(sentence: Sentence, end: int, text: str, short: str) -> tuple[int, int] | None:
    last = bisect_right(sentence.ends, end) - 1
    if last < 0 or not sentence.is_capital(last):
        return None
    best = None
    for first in range(last, max(-1, last - len(short) - 3), -1):
        if not sentence.words[first][0].isalpha():
            break
        if not (sentence.is_capital(first) or sentence.lows[first].endswith(("e", "en", "er", "es"))):
            continue
        start = sentence.starts[first]
        if abbreviates(short, text[start : sentence.ends[last]]):
            best = (start, sentence.ends[last])
    return best


def is_organisation(name: str) -> bool:
    """Whether a long form names an institution; the ontology has no class for those."""
    return any(_ORGANISATION.search(part) for part in name.split())
