"""The rules extractor: puts the parts together, weighs what they found, and reports in document coordinates."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import Extraction, ExtractionRequest
from rag_assets.models.extraction.rules.analysis import analyse
from rag_assets.models.extraction.rules.assembly import Assembly
from rag_assets.models.extraction.rules.definitions import find_definitions
from rag_assets.models.extraction.rules.gazetteer import Gazetteer
from rag_assets.models.extraction.rules.mentions import collect_mentions

RULES_VERSION: Final = "1"
"""Raise it whenever a change of the rules changes results."""


class RulesExtractor:
    """Extraction without a model: deterministic, German, precise rather than complete.

    >>> extractor = RulesExtractor(ontology)  # doctest: +SKIP
    >>> extractor.extract(
    ...     ExtractionRequest(text="…", start=0, title="", title_path="", language="de")
    ... )  # doctest: +SKIP

    Passages in another language give curated names only. Safe to share between threads: it keeps no state.
    """

    name = "rules"
    version = RULES_VERSION

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._gazetteer = Gazetteer(ontology)
        self.fingerprint = sha256(f"rules:{RULES_VERSION}:{ontology.revision}".encode()).hexdigest()

    def extract(self, request: ExtractionRequest) -> Extraction:
        """Everything that the rules find in the passage; an empty extraction for a passage without words."""
        text = request.text
        sentences = analyse(text)
        german = request.language in ("de", "und", "")
        definitions = list(find_definitions(text, sentences, request.title_path)) if german else []
        found = collect_mentions(self._ontology, self._gazetteer, text, sentences, definitions, german=german)
        assembly = Assembly(self._ontology, request, found)
        if german:
            assembly.add_works()
            assembly.add_definitions(definitions)
            for sentence in sentences:
                assembly.add_sentence(sentence)
        assembly.add_abbreviations()
        assembly.add_cooccurrence(sentences)
        return assembly.result()
