"""Extraction by a language model: what it is asked, what of its reply is taken, and how a reply that broke off is met.

The model's reply is data from outside. `prompt` asks, `reply` takes it apart, `grounding` finds in the passage what it
names, `admission` decides item by item, `extractor` puts the parts together.
"""

from rag_assets.models.extraction.llm.extractor import LlmExtractor

__all__ = ["LlmExtractor"]
