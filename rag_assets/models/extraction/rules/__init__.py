"""Extraction by rules for German: no server, no model, the same result every time.

`extractor` puts the parts together. Precision comes first: a name, definition or relation that the rules are not
sure of is left out, so recall on free text is low and confidence is a statement about precision.
"""

from rag_assets.models.extraction.rules.extractor import RulesExtractor

__all__ = ["RulesExtractor"]
