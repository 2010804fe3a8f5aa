"""Tests of `rag_assets.stores`."""
