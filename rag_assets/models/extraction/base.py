"""What an extractor takes and gives. Adapters (rules, language models) live beside this; nobody stores anything here.

All offsets are in the document's coordinates: `quote == document_text[start:end]`. Entity names inside properties,
relations and statements are surfaces that occur among the mentions of the same extraction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol, runtime_checkable

from rag_assets.models.language.base import Ask, LanguageModel, LanguageRequest

STATEMENT_TYPES = ("definition", "factual_claim", "rule", "description", "example")
MODALITIES = ("assertive", "hypothetical", "normative", "citing")
POLARITIES = ("affirmed", "negated")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRequest:
    """One passage to extract from. `start` is the document offset of `text[0]`."""

    text: str
    start: int
    title: str
    title_path: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionFound:
    """A name as it stands in the text.

    `canonical` is the curated name when the surface is one of its labels, or the long form that the passage itself
    gives for an abbreviation; None when the surface has to speak for itself.
    """

    surface: str
    class_name: str
    start: int
    end: int
    confidence: float
    canonical: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyFound:
    """A value of a property of the class of `entity`, with the span that says so."""

    entity: str
    property: str
    value: str
    start: int
    end: int
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationFound:
    """A directed relation between two mentions; its orientation already fits the ontology."""

    source: str
    target: str
    type: str
    start: int
    end: int
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFound:
    """Subject, predicate (base form) and exactly one of `object_entity`, `object_literal`."""

    subject: str
    predicate: str
    object_entity: str | None
    object_literal: str | None
    statement_type: str
    modality: str
    polarity: str
    start: int
    end: int
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedFound:
    """How many candidates of a kind were turned or refused, and why. Codes only, never text."""

    kind: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """All that one passage gave, in a fixed order (by position, then by content)."""

    mentions: tuple[MentionFound, ...] = ()
    properties: tuple[PropertyFound, ...] = ()
    relations: tuple[RelationFound, ...] = ()
    statements: tuple[StatementFound, ...] = ()
    refused: tuple[RefusedFound, ...] = ()

    def to_json(self) -> str:
        """Compact JSON with sorted keys; `from_json` gives back an equal value."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Extraction:
        """Inverse of `to_json`. Raises ValueError when the text is not such a JSON."""
        raw = json.loads(text)
        if not isinstance(raw, dict) or not set(raw) <= set(_ROWS):
            raise ValueError("not an extraction")
        try:
            return cls(**{name: tuple(_row(kind, row) for row in raw.get(name, ())) for name, kind in _ROWS.items()})
        except TypeError as error:
            raise ValueError("not an extraction") from error


_ROWS: Mapping[str, type[Any]] = {
    "mentions": MentionFound,
    "properties": PropertyFound,
    "relations": RelationFound,
    "statements": StatementFound,
    "refused": RefusedFound,
}


def _row(kind: type[Any], row: Mapping[str, Any]) -> Any:
    if not isinstance(row, dict) or not set(row) <= {field.name for field in fields(kind)}:
        raise ValueError("not an extraction")
    return kind(**row)


class Extractor(Protocol):
    """Finds mentions, properties, relations and statements in one passage."""

    @property
    def name(self) -> str:
        """Short name of the technology, e.g. `rules`."""

    @property
    def version(self) -> str:
        """Version of the code (and prompt) behind the results."""

    @property
    def fingerprint(self) -> str:
        """Hash of everything that a result depends on besides the request."""

    def extract(self, request: ExtractionRequest) -> Extraction:
        """Everything found in `request.text`. The same request always gives the same result."""


@runtime_checkable
class AskingExtractor(Extractor, Protocol):
    """An extractor that asks a language model."""

    @property
    def model(self) -> LanguageModel:
        """Whom it asks."""

    def first_request(self, request: ExtractionRequest) -> LanguageRequest:
        """What `extract` asks first: for estimates, and for asking many at once."""

    def asking(self, ask: Ask) -> Extractor:
        """The same extractor, making every call through `ask`."""
