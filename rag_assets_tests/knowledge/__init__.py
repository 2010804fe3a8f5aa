"""Tests of `rag_assets.knowledge`."""
