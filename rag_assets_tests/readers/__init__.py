"""Tests of `rag_assets.readers`."""
