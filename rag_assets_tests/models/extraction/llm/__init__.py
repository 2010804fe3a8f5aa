"""Tests of `rag_assets.models.extraction.llm`: replies of every kind, from a model that says what the test wants."""
