"""Tests of `rag_assets.text`."""
