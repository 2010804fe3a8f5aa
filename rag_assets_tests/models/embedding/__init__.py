"""Tests of `rag_assets.models.embedding`."""
