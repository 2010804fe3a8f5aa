"""Which extractor the settings ask for."""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.errors import SettingsError
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import Extractor
from rag_assets.models.extraction.rules import RulesExtractor


def open_extractor(settings: Settings, ontology: Ontology) -> Extractor:
    """The extractor named by RAG_EXTRACTION. Raises SettingsError for a name that nobody knows."""
    if settings.extraction == "rules":
        return RulesExtractor(ontology)
    raise SettingsError("settings", "RAG_EXTRACTION must be: rules", setting="RAG_EXTRACTION")
