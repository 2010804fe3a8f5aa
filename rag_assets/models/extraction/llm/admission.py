"""From the items of a reply to what the passage bears out; the rest is refused with a reason and counted.

A name must stand in the passage, a quote must stand there too and hold what it is quoted for, values and predicates must
be in their quotes. What holds of the ontology in general (properties of classes, direction of relations) is checked for
every extractor alike where extractions are taken in, not here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import (
    MODALITIES,
    POLARITIES,
    STATEMENT_TYPES,
    Extraction,
    MentionFound,
    PropertyFound,
    RefusedFound,
    RelationFound,
    StatementFound,
)
from rag_assets.models.extraction.llm.grounding import Passage, Span, says_predicate
from rag_assets.models.extraction.llm.reply import RawReply
from rag_assets.text.sentences import sentence_spans

#: What a model's own estimate is worth at most: nobody calibrated it.
_MOST_CONFIDENCE: Final = 0.9
_DEFAULT_CONFIDENCE: Final = 0.6
_LONGEST_QUOTE: Final = 1000
#: What models write for classes, whatever the schema says.
_CLASS_WORDS: Final = {
    "person": "Person", "concept": "Konzept", "konzept": "Konzept", "begriff": "Konzept", "term": "Konzept",
    "method": "Methode", "methode": "Methode", "technique": "Methode", "work": "Werk", "book": "Werk", "buch": "Werk",
    "werk": "Werk", "model": "Modell", "modell": "Modell", "attitude": "Haltung", "haltung": "Haltung",
}  # fmt: skip
_DEFAULT_CLASS: Final = "Konzept"


@dataclass(slots=True)
class _Kept:
    mentions: list[MentionFound] = field(default_factory=list)
    properties: list[PropertyFound] = field(default_factory=list)
    relations: list[RelationFound] = field(default_factory=list)
    statements: list[StatementFound] = field(default_factory=list)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)


class Admission:
    """Takes in the replies to one passage (several, where it had to be cut) and gives its extraction.

    Args:
        ontology: classes and relation types.
        text: the passage.
        curated: canonical name and class of curated entities, by canonical key of each of their labels.
    """

    def __init__(self, ontology: Ontology, text: str, curated: Mapping[str, tuple[str, str]]) -> None:
        self._ontology = ontology
        self._passage = Passage(text)
        self._sentences = sentence_spans(text)
        self._curated = curated
        self._kept = _Kept()
        self._surfaces: dict[str, str] = {}
        """Surface in the passage by canonical key of the name that the model gave."""

    def take(self, reply: RawReply) -> None:
        """Take in one reply."""
        if reply.malformed:
            self._kept.refused["item", "malformed"] += reply.malformed
        self._take_entities(reply.entities)
        for kind, items, take in (
            ("relation", reply.relations, self._relation),
            ("statement", reply.statements, self._statement),
        ):
            for item in items:
                problem = take(item)
                if problem:
                    self._kept.refused[kind, problem] += 1

    def result(self, *, start: int) -> Extraction:
        """Everything admitted, each thing once, in the order of the text; `start` is added to all offsets."""
        kept = self._kept

        def placed(items: list[Any]) -> tuple[Any, ...]:
            return tuple(_moved(item, start) for item in sorted(set(items), key=lambda i: (i.start, i.end, repr(i))))

        return Extraction(
            mentions=placed(kept.mentions),
            properties=placed(kept.properties),
            relations=placed(kept.relations),
            statements=placed(kept.statements),
            refused=tuple(
                RefusedFound(kind=kind, reason=reason, count=count)
                for (kind, reason), count in sorted(kept.refused.items())
            ),
        )

    def _take_entities(self, items: tuple[Mapping[str, Any], ...]) -> None:
        # Long names first: "Coaching" inside "Systemisches Coaching" is no mention of its own.
        taken: list[Span] = [(m.start, m.end) for m in self._kept.mentions]
        for item in sorted(items, key=lambda item: -len(_text(item, "name"))):
            name = _text(item, "name")
            key = canonical_key(name)
            if not key or key in self._surfaces:
                self._kept.refused["mention", "duplicate" if key else "no_name"] += 1
                continue
            spans = self._passage.occurrences(name)
            if not spans:
                self._kept.refused["mention", "not_in_text"] += 1
                continue
            free = [span for span in spans if not any(a <= span[0] and span[1] <= b for a, b in taken)] or spans[:1]
            taken += free
            canonical, class_name = self._class_of(item, key)
            surface = self._passage.text[free[0][0] : free[0][1]]
            self._surfaces[key] = surface
            for start, end in free:
                self._kept.mentions.append(
                    MentionFound(
                        surface=self._passage.text[start:end],
                        class_name=class_name,
                        start=start,
                        end=end,
                        confidence=_confidence(item),
                        canonical=canonical,
                    )
                )
            self._take_properties(item, surface)

    def _class_of(self, item: Mapping[str, Any], key: str) -> tuple[str | None, str]:
        """Curated name, if it is one, and class: what people curated counts before what the model says."""
        if key in self._curated:
            return self._curated[key]
        said = _text(item, "class") or _text(item, "type")
        if self._ontology.has_class(said):
            return None, said
        meant = _CLASS_WORDS.get(said.lower(), _DEFAULT_CLASS)
        self._kept.refused["class", "unknown_class"] += 1
        return None, meant if self._ontology.has_class(meant) else self._ontology.classes[0].name

    def _take_properties(self, item: Mapping[str, Any], surface: str) -> None:
        properties = item.get("properties")
        for found in properties if isinstance(properties, list) else []:
            if not isinstance(found, dict):
                self._kept.refused["property", "malformed"] += 1
                continue
            value = _text(found, "value")
            span = self._quote(found) if _text(found, "quote") else self._passage.find_literal(value)
            problem = _quote_problem(span)
            if problem is None and span is not None:
                quote = self._passage.text[span[0] : span[1]]
                if Passage(quote).find_literal(value) is None:
                    problem = "value_not_in_quote"
                else:
                    self._kept.properties.append(
                        PropertyFound(
                            entity=surface,
                            property=_text(found, "property").lower(),
                            value=value,
                            start=span[0],
                            end=span[1],
                            quote=quote,
                            confidence=_confidence(item),
                        )
                    )
            if problem:
                self._kept.refused["property", problem] += 1

    def _relation(self, item: Mapping[str, Any]) -> str | None:
        source, target = self._surface(item, "source"), self._surface(item, "target")
        if source is None or target is None:
            return "unknown_name"
        if canonical_key(source) == canonical_key(target):
            return "reflexive"
        code = _text(item, "type").upper().replace(" ", "_")
        if self._ontology.find_relation_type(code) is None:
            return "unknown_type"
        span = self._passage_for(item, source, target)
        problem = _quote_problem(span) or self._unrelated(span, source, target)
        if problem or span is None:
            return problem
        self._kept.relations.append(
            RelationFound(
                source=source,
                target=target,
                type=code,
                start=span[0],
                end=span[1],
                quote=self._passage.text[span[0] : span[1]],
                confidence=_confidence(item),
            )
        )
        return None

    def _statement(self, item: Mapping[str, Any]) -> str | None:
        subject = self._surface(item, "subject")
        said, predicate = _text(item, "object"), _text(item, "predicate")
        if subject is None:
            return "unknown_name"
        if not said or not predicate:
            return "empty"
        target = self._surface(item, "object")
        if target is not None and canonical_key(target) == canonical_key(subject):
            return "reflexive"
        codes = (
            _code(item, "type", STATEMENT_TYPES),
            _code(item, "modality", MODALITIES),
            _code(item, "polarity", POLARITIES),
        )
        if not all(codes):
            return "unknown_code"
        span = self._quote(item)
        problem = _quote_problem(span) or self._unrelated(span, subject, target or said)
        if problem or span is None:
            return problem
        quote = self._passage.text[span[0] : span[1]]
        if target is None and Passage(quote).find_literal(said) is None:
            return "object_not_in_quote"
        if not says_predicate(predicate, quote):
            return "predicate_not_in_quote"
        statement_type, modality, polarity = codes
        self._kept.statements.append(
            StatementFound(
                subject=subject,
                predicate=" ".join(predicate.split()),
                object_entity=target,
                object_literal=None if target is not None else said,
                statement_type=statement_type,
                modality=modality,
                polarity=polarity,
                start=span[0],
                end=span[1],
                quote=quote,
                confidence=_confidence(item),
            )
        )
        return None

    def _surface(self, item: Mapping[str, Any], name: str) -> str | None:
        return self._surfaces.get(canonical_key(_text(item, name)))

    def _quote(self, item: Mapping[str, Any]) -> Span | None:
        return self._passage.find_quote(_text(item, "quote"))

    def _passage_for(self, item: Mapping[str, Any], source: str, target: str) -> Span | None:
        """The quote; where none was given, the first sentence that holds both names."""
        if _text(item, "quote"):
            return self._quote(item)
        for start, end in self._sentences:
            sentence = Passage(self._passage.text[start:end])
            if sentence.occurrences(source) and sentence.occurrences(target):
                return start, end
        return None

    def _unrelated(self, span: Span | None, *names: str) -> str | None:
        """`quote_unrelated` when a quote holds none of the things that it is to bear out."""
        if span is None:
            return None
        quote = Passage(self._passage.text[span[0] : span[1]])
        named = any(quote.occurrences(name) or quote.find_literal(name) for name in names)
        return None if named else "quote_unrelated"


def _quote_problem(span: Span | None) -> str | None:
    if span is None:
        return "quote_mismatch"
    return "quote_too_long" if span[1] - span[0] > _LONGEST_QUOTE else None


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _code(item: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    said = _text(item, name).lower()
    return said if said in known else ""


def _confidence(item: Mapping[str, Any]) -> float:
    """The model's estimate between 0 and 0.9; a number written the German way is one too."""
    value = item.get("confidence")
    if isinstance(value, str):
        try:
            value = float(value.strip().replace(",", "."))
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return _DEFAULT_CONFIDENCE
    return min(float(value), _MOST_CONFIDENCE)


def _moved(item: Any, start: int) -> Any:
    return replace(item, start=item.start + start, end=item.end + start) if start else item
