"""Which extractor the settings ask for."""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import Extractor
from rag_assets.models.extraction.llm import LlmExtractor
from rag_assets.models.extraction.rules import RulesExtractor
from rag_assets.models.language.registry import open_language_model


def open_extractor(settings: Settings, ontology: Ontology) -> Extractor:
    """The extractor named by RAG_EXTRACTION. Raises SettingsError for a name that nobody knows."""
    if settings.extraction == "rules":
        return RulesExtractor(ontology)
    model = open_language_model(settings.extraction, settings, setting="RAG_EXTRACTION", also=("rules",))
    return LlmExtractor(model, ontology, max_output_tokens=settings.llm_max_output_tokens)
