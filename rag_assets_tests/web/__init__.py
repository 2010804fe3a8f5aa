"""Tests of `rag_assets.web`."""
