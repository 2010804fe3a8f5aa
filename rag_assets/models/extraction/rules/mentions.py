"""All mentions of a passage: gazetteer, works, persons, terms and defined terms, made to agree where they overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.rules.analysis import Mention, Sentence, Spans
from rag_assets.models.extraction.rules.definitions import Definition
from rag_assets.models.extraction.rules.gazetteer import Gazetteer
from rag_assets.models.extraction.rules.persons import find_persons
from rag_assets.models.extraction.rules.terms import find_abbreviations, find_terms, is_organisation
from rag_assets.models.extraction.rules.works import WorkFacts, find_works

_METHODS: Final = (
    "methode", "technik", "verfahren", "vorgehen", "vorgehensweise", "gesprächsform", "beratungsform", "intervention",
    "übung", "instrument", "werkzeug", "format", "gespräch", "frage", "therapieform",
)  # fmt: skip
_MODELS: Final = ("modell", "schema", "raster")
_ATTITUDES: Final = ("haltung", "einstellung")
_PERSONS: Final = frozenset(
    "psychologe psychologin soziologe soziologin therapeut therapeutin philosoph autor autorin".split()
)


@dataclass(frozen=True, slots=True)
class Found:
    """Mentions in order without overlaps, works with their facts, and (long form, abbreviation) pairs of mentions."""

    mentions: tuple[Mention, ...]
    works: tuple[WorkFacts, ...]
    abbreviations: tuple[tuple[Mention, Mention], ...]
    defined: dict[tuple[int, int], Mention]


def collect_mentions(
    ontology: Ontology,
    gazetteer: Gazetteer,
    text: str,
    sentences: Sequence[Sentence],
    definitions: Iterable[Definition],
    *,
    german: bool,
) -> Found:
    """Find and reconcile; afterwards every sentence knows its mentions."""
    curated = gazetteer.find(text)
    if not german:
        return _placed(sentences, curated, [], [], {})
    works = find_works(text, curated) if ontology.has_class("Werk") else []
    kept = _Kept()
    _keep_works(kept, works, curated, gazetteer, text)
    long_forms = _long_forms(ontology, text, sentences, curated)
    _keep_curated(kept, text, curated, long_forms)
    for mention in find_persons(sentences, kept.spans, gazetteer.surnames):
        kept.add(mention)
    defined = _keep_defined(kept, ontology, text, definitions)
    for mention in find_terms(sentences):
        if not ontology.has_class(mention.class_name):
            mention.class_name = "Konzept"
        kept.add(mention)
    taken = {id(mention) for mention in kept.mentions}
    pairs = [(a, b) for a, b in long_forms if id(a) in taken and id(b) in taken]
    return _placed(sentences, kept.mentions, works, pairs, defined)


def _keep_works(
    kept: _Kept, works: Iterable[WorkFacts], curated: Sequence[Mention], gazetteer: Gazetteer, text: str
) -> None:
    """Works first: what stands in a title is no mention of its own. Authors in a list of literature are persons.

    A book called like a curated method is a homonym: it gets a qualifier, and its quotation marks set its surface
    apart from the method's.
    """
    for work in works:
        mention = work.mention
        if mention.canonical is None and gazetteer.knows(text[mention.start : mention.end]):
            mention.canonical = f"{text[mention.start : mention.end]} (Werk)"
            if text[mention.start - 1 : mention.start] in _QUOTES and text[mention.end : mention.end + 1] in _QUOTES:
                mention.start, mention.end = mention.start - 1, mention.end + 1
        kept.add(work.mention)
        for start, end in work.authors:
            known = next((m for m in curated if m.start < end and start < m.end and m.class_name == "Person"), None)
            kept.add(Mention(start, end, "Person", 0.9, "literature", known.canonical if known else None))


def _keep_curated(
    kept: _Kept,
    text: str,
    curated: Sequence[Mention],
    long_forms: Sequence[tuple[Mention, Mention]],
) -> None:
    """Curated names, except where the passage itself gives an abbreviation another meaning."""
    own_meaning = {text[short.start : short.end]: long for long, short in long_forms}
    for mention in curated:
        local = own_meaning.get(text[mention.start : mention.end])
        if local is None or local.canonical == mention.canonical:
            kept.add(mention)
    for long, short in long_forms:
        kept.add(long)
        kept.add(short)
    for surface, long in own_meaning.items():
        _add_repeats(kept, text, surface, long)


def _keep_defined(
    kept: _Kept, ontology: Ontology, text: str, definitions: Iterable[Definition]
) -> dict[tuple[int, int], Mention]:
    """The mention of each defined term, known before or made for it."""
    defined: dict[tuple[int, int], Mention] = {}
    for definition in definitions:
        mention = kept.covering(definition.term)
        if mention is None:
            mention = _defined(ontology, text, definition)
            if mention is None or not kept.add(mention):
                continue
        defined[definition.term] = mention
    return defined


_QUOTES: Final = frozenset('„“”"»«')


class _Kept:
    """Mentions taken so far; what overlaps one of them comes too late."""

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self.spans = Spans()

    def add(self, mention: Mention) -> bool:
        if not self.spans.add(mention.start, mention.end):
            return False
        self.mentions.append(mention)
        return True

    def covering(self, span: tuple[int, int]) -> Mention | None:
        """The mention that is this span, give or take an article's worth of characters."""
        for mention in self.mentions:
            if (
                mention.start >= span[0]
                and mention.end <= span[1]
                and (span[1] - span[0]) - (mention.end - mention.start) <= 2
            ):
                return mention
            if mention.start <= span[0] and mention.end >= span[1]:
                return mention
        return None


def _placed(
    sentences: Sequence[Sentence],
    mentions: list[Mention],
    works: Sequence[WorkFacts],
    pairs: Sequence[tuple[Mention, Mention]],
    defined: dict[tuple[int, int], Mention],
) -> Found:
    ordered = sorted(mentions, key=lambda item: item.start)
    starts = [sentence.start for sentence in sentences]
    for mention in ordered:
        number = bisect_right(starts, mention.start) - 1
        if number >= 0 and mention.end <= sentences[number].end:
            sentences[number].place(mention)
    return Found(tuple(ordered), tuple(works), tuple(pairs), defined)


def _long_forms(
    ontology: Ontology, text: str, sentences: Sequence[Sentence], curated: Sequence[Mention]
) -> list[tuple[Mention, Mention]]:
    found = []
    by_span = {(m.start, m.end): m for m in curated}
    for long_span, short_span in find_abbreviations(text, sentences):
        long_text = text[long_span[0] : long_span[1]]
        known = by_span.get(long_span)
        if known is None and (is_organisation(long_text) or not ontology.has_class("Konzept")):
            # Institutions have no class; the pair is kept out, and so is a curated reading of the abbreviation.
            continue
        cls = known.class_name if known else _class_by_head(ontology, long_text.split()[-1].lower())
        name = known.canonical if known and known.canonical else _base_form(long_text)
        long = known or Mention(*long_span, cls, 0.75, "long_form", name)
        found.append((long, Mention(*short_span, cls, 0.8, "abbreviation", name)))
    return found


def _base_form(name: str) -> str:
    return name[0].upper() + name[1:]


def _add_repeats(kept: _Kept, text: str, short: str, long: Mention) -> None:
    """Further places where an abbreviation that the passage explains stands alone."""
    at = text.find(short)
    while at >= 0:
        end = at + len(short)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum() or text[end : end + 1] == "-"):
            kept.add(Mention(at, end, long.class_name, 0.8, "abbreviation", long.canonical))
        at = text.find(short, end)


def _class_by_head(ontology: Ontology, head: str) -> str:
    for endings, name in ((_MODELS, "Modell"), (_ATTITUDES, "Haltung"), (_METHODS, "Methode")):
        if head.endswith(endings) and ontology.has_class(name):
            return name
    return "Konzept"


def _defined(ontology: Ontology, text: str, definition: Definition) -> Mention | None:
    """A mention for a defined term that nothing else knows; its class follows from the genus of the definition."""
    start, end = definition.term
    if not canonical_key(text[start:end]) or definition.confidence < 0.7:
        return None
    body = text[definition.body[0] : definition.body[1]]
    genus = next((word for word in body.replace(",", " ").split() if word[:1].isupper()), "").lower()
    if genus in _PERSONS:
        return None
    cls = _class_by_head(ontology, genus) if genus else "Konzept"
    return Mention(start, end, cls, round(definition.confidence - 0.15, 3), "definition")
