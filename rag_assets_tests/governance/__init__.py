"""Tests of `rag_assets.governance`."""
