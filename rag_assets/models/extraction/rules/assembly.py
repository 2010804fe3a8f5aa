"""From findings to an Extraction: orientation, polarity and modality, evidence spans, de-duplication, order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.relations import Orientation, orient
from rag_assets.models.extraction.base import (
    Extraction,
    ExtractionRequest,
    MentionFound,
    PropertyFound,
    RefusedFound,
    RelationFound,
    StatementFound,
)
from rag_assets.models.extraction.rules.analysis import Mention, Sentence, Spans
from rag_assets.models.extraction.rules.definitions import Definition
from rag_assets.models.extraction.rules.lexicon import ABSTRACT_ENDINGS, ABSTRACT_SUBJECTS, ROLE_NOUNS
from rag_assets.models.extraction.rules.mentions import Found
from rag_assets.models.extraction.rules.modality import is_negated, is_question, modality
from rag_assets.models.extraction.rules.patterns import find_noun_relations, find_portraits
from rag_assets.models.extraction.rules.relations import Clause, find_clauses
from rag_assets.models.extraction.rules.statements import find_statements, is_example
from rag_assets.models.extraction.rules.subjects import Candidate

_QUOTE_LIMIT: Final = 900
"""Longest sentence quoted whole; evidence keeps at most 1,000 characters."""
_WEAK_LIMIT: Final = 5
_WEAK: Final = 0.25


class Assembly:
    """Collects one passage's results. Not shared, not reused."""

    def __init__(self, ontology: Ontology, request: ExtractionRequest, found: Found) -> None:
        self._ontology = ontology
        self._request = request
        self._text = request.text
        self._found = found
        self._mentions: list[Mention] = list(found.mentions)
        self._taken = Spans((m.start, m.end) for m in found.mentions)
        self._properties: dict[tuple[object, ...], PropertyFound] = {}
        self._relations: dict[tuple[object, ...], RelationFound] = {}
        self._statements: dict[tuple[object, ...], StatementFound] = {}
        self._refused: Counter[tuple[str, str]] = Counter()
        self._linked: set[frozenset[tuple[int, int]]] = set()
        self._defined: set[tuple[int, int]] = set()

    # ------------------------------------------------------------ parts

    def add_works(self) -> None:
        """Properties of works and their authors from lists of literature."""
        for work in self._found.works:
            for name, value, start, end in work.properties:
                span = (min(start, work.mention.start), max(end, work.mention.end))
                self._property(work.mention, name, value, span, work.mention.confidence)
            for mention in self._mentions:
                if (mention.start, mention.end) in work.authors:
                    self._relation("AUTHORED_BY", work.mention, mention, work.span, 0.9)

    def add_definitions(self, definitions: Iterable[Definition]) -> None:
        """The defining property of the term's class, and a statement of type definition."""
        for item in definitions:
            mention = self._found.defined.get(item.term)
            if mention is None:
                continue
            body = self._text[item.body[0] : item.body[1]]
            names = {prop.name for prop in self._ontology.properties_of(mention.class_name)}
            if mention.class_name == "Person":
                continue
            name = "beschreibung" if "beschreibung" in names else "definition" if "definition" in names else None
            if name is not None:
                self._property(mention, name, body, item.sentence, item.confidence)
            self._defined.add(item.sentence)
            self._statement(
                mention, "sein", item.body, "definition", "assertive", "affirmed", item.sentence, item.confidence
            )

    def add_sentence(self, sentence: Sentence) -> None:
        """Relations and statements of one sentence. A question asserts nothing."""
        if is_question(sentence):
            return
        span = (sentence.start, sentence.end)
        for kind, source, target, confidence in find_noun_relations(sentence):
            first, last = min(source.first, target.first), max(source.last, target.last)
            mode = "assertive" if sentence.is_heading else modality(sentence, first, last)
            if is_negated(sentence, first, last):
                self._refused["relation", "negated"] += 1
            elif mode == "hypothetical" and kind != "SYNONYM_OF":
                self._refused["relation", mode] += 1
            else:
                self._relation(kind, source, target, span, confidence)
        if sentence.is_heading:
            return
        for person, what in find_portraits(sentence):
            self._property(person, "wirkungsbereich", self._text[slice(*what)], span, 0.75)
        verbs: set[tuple[int, str]] = set()
        for clause in find_clauses(sentence):
            self._clause(sentence, clause, modality(sentence, clause.first, clause.last))
            verbs.add((clause.subject.start, clause.frame.verb))
        for candidate in find_statements(sentence):
            known = candidate.subject.mention
            if known is not None and (known.start, candidate.predicate) in verbs:
                continue
            subject = candidate.subject
            self._candidate(sentence, candidate, modality(sentence, subject.first, subject.last + 1))

    def add_abbreviations(self) -> None:
        """An abbreviation and its long form: a merge proposal between two surfaces."""
        for long, short in self._found.abbreviations:
            self._relation("SYNONYM_OF", short, long, (long.start, short.end), 0.9)

    def add_cooccurrence(self, sentences: Iterable[Sentence]) -> None:
        """Weak RELATED_TO between neighbours in a sentence that nothing else joins, a few per passage."""
        count = 0
        for sentence in sentences:
            sure = [m for m in sentence.mentions if m.confidence >= 0.75]
            for one, other in pairwise(sure):
                pair = frozenset(((one.start, one.end), (other.start, other.end)))
                if count >= _WEAK_LIMIT or pair in self._linked or self._name(one) == self._name(other):
                    continue
                if self._relation("RELATED_TO", one, other, (sentence.start, sentence.end), _WEAK, weak=True):
                    count += 1

    def result(self) -> Extraction:
        """Everything in document coordinates and in a fixed order."""
        shift = self._request.start
        mentions = tuple(
            MentionFound(
                surface=self._text[m.start : m.end],
                class_name=m.class_name,
                start=m.start + shift,
                end=m.end + shift,
                confidence=m.confidence,
                canonical=m.canonical,
            )
            for m in sorted(self._mentions, key=lambda item: item.start)
        )
        return Extraction(
            mentions=mentions,
            properties=tuple(
                sorted(self._properties.values(), key=lambda p: (p.start, p.end, p.entity, p.property, p.value))
            ),
            relations=tuple(
                sorted(self._relations.values(), key=lambda r: (r.start, r.end, r.type, r.source, r.target))
            ),
            statements=tuple(
                sorted(
                    self._statements.values(),
                    key=lambda s: (s.start, s.end, s.subject, s.predicate, s.object_entity or s.object_literal or ""),
                )
            ),
            refused=tuple(
                RefusedFound(kind=kind, reason=reason, count=count)
                for (kind, reason), count in sorted(self._refused.items())
            ),
        )

    # ------------------------------------------------------------ weighing

    def _clause(self, sentence: Sentence, clause: Clause, mode: str) -> None:
        negated = is_negated(sentence, clause.first, clause.last)
        span = (sentence.start, sentence.end)
        polarity = "negated" if negated else "affirmed"
        self._statement(
            clause.subject, clause.frame.verb, clause.object, "factual_claim", mode, polarity, span, clause.confidence
        )
        if clause.frame.type is None:
            return
        if negated or mode != "assertive":
            self._refused["relation", "negated" if negated else mode] += 1
            return
        source, target = (clause.object, clause.subject) if clause.frame.turned else (clause.subject, clause.object)
        self._relation(clause.frame.type, source, target, span, clause.confidence)

    def _candidate(self, sentence: Sentence, item: Candidate, mode: str) -> None:
        span = (sentence.start, sentence.end)
        if item.predicate == "sein" and span in self._defined:
            return
        subject = item.subject.mention or self._new_subject(sentence, item)
        if subject is None:
            return
        kind = item.kind
        if is_example(sentence) and kind in ("factual_claim", "description"):
            kind = "example"
        meant = item.forced or mode
        if item.forced == "normative" and mode in ("citing", "hypothetical"):
            meant = mode
        if meant == "normative" and kind == "factual_claim":
            kind = "rule"
        polarity = "negated" if item.negated else "affirmed"
        target: Mention | tuple[int, int] = next(
            (m for m in sentence.mentions if (m.start, m.end) == item.object_span and m is not subject),
            item.object_span,
        )
        self._statement(subject, item.predicate, target, kind, meant, polarity, span, item.confidence)

    def _new_subject(self, sentence: Sentence, item: Candidate) -> Mention | None:
        """A mention for the subject of a measure, a rule or a denial that nothing else names; None when too vague."""
        first, last = item.subject.first, item.subject.last
        noun = next((i for i in range(first, last + 1) if sentence.is_capital(i)), last)
        low = sentence.lows[noun]
        measure = item.kind == "factual_claim" and not item.negated
        if low in ABSTRACT_SUBJECTS or not (
            low in ROLE_NOUNS or (measure and len(low) > 4) or len(low) > 8 or low.endswith(ABSTRACT_ENDINGS)
        ):
            self._refused["statement", "vague_subject"] += 1
            return None
        start, end = sentence.span(first, last)
        if not self._taken.add(start, end):
            return None
        name = "Konzept" if self._ontology.has_class("Konzept") else self._ontology.classes[0].name
        mention = Mention(start, end, name, 0.5, "subject")
        self._mentions.append(mention)
        sentence.place(mention)
        return mention

    # ------------------------------------------------------------ rows

    def _property(self, mention: Mention, name: str, value: str, span: tuple[int, int], confidence: float) -> None:
        if all(prop.name != name for prop in self._ontology.properties_of(mention.class_name)):
            return
        start, end = self._evidence(span, mention)
        found = PropertyFound(
            entity=self._text[mention.start : mention.end],
            property=name,
            value=value,
            start=start + self._request.start,
            end=end + self._request.start,
            quote=self._text[start:end],
            confidence=round(confidence, 3),
        )
        self._properties.setdefault((found.entity, name, value), found)

    def _relation(
        self,
        kind: str,
        source: Mention,
        target: Mention,
        span: tuple[int, int],
        confidence: float,
        *,
        weak: bool = False,
    ) -> bool:
        oriented = orient(self._ontology, kind, source.class_name, target.class_name)
        if oriented.orientation is Orientation.REJECTED:
            if not weak:
                self._refused["relation", oriented.reason or "rejected"] += 1
            return False
        if oriented.orientation is Orientation.TURNED:
            source, target = target, source
            self._refused["relation", "turned"] += 1
        # An abbreviation and its long form share the canonical name; as a synonym that is the point.
        same = self._name(source) == self._name(target)
        if same and (kind != "SYNONYM_OF" or self._surface(source) == self._surface(target)):
            self._refused["relation", "self"] += 1
            return False
        self._linked.add(frozenset(((source.start, source.end), (target.start, target.end))))
        start, end = self._evidence(span, source, target)
        found = RelationFound(
            source=self._surface(source),
            target=self._surface(target),
            type=kind,
            start=start + self._request.start,
            end=end + self._request.start,
            quote=self._text[start:end],
            confidence=round(confidence * min(1.0, 0.4 + 0.7 * min(source.confidence, target.confidence)), 3)
            if not weak
            else _WEAK,
        )
        key = (self._name(source), kind, self._name(target), found.start)
        known = self._relations.get(key)
        if known is None or found.confidence > known.confidence:
            self._relations[key] = found
        return True

    def _statement(
        self,
        subject: Mention,
        predicate: str,
        target: Mention | tuple[int, int],
        kind: str,
        mode: str,
        polarity: str,
        span: tuple[int, int],
        confidence: float,
    ) -> None:
        literal = self._text[slice(*target)] if isinstance(target, tuple) else None
        entity = self._surface(target) if isinstance(target, Mention) else None
        if isinstance(target, Mention) and self._name(target) == self._name(subject):
            return
        start, end = self._evidence(span, subject)
        found = StatementFound(
            subject=self._surface(subject),
            predicate=predicate,
            object_entity=entity,
            object_literal=literal,
            statement_type=kind,
            modality=mode,
            polarity=polarity,
            start=start + self._request.start,
            end=end + self._request.start,
            quote=self._text[start:end],
            confidence=round(confidence, 3),
        )
        key = (found.subject, predicate, entity, literal, polarity, found.start)
        self._statements.setdefault(key, found)

    def _evidence(self, span: tuple[int, int], *mentions: Mention) -> tuple[int, int]:
        """The span, or of one too long to quote the part around the mentions."""
        start, end = span
        if end - start <= _QUOTE_LIMIT:
            return start, end
        first = max(start, min(m.start for m in mentions))
        last = max(m.end for m in mentions)
        return first, min(end, max(last, first + _QUOTE_LIMIT // 2), first + _QUOTE_LIMIT)

    def _surface(self, mention: Mention) -> str:
        return self._text[mention.start : mention.end]

    def _name(self, mention: Mention) -> str:
        return canonical_key(mention.canonical or self._surface(mention))
