"""Tests of `rag_assets.offline`."""
