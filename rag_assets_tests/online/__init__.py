"""Tests of `rag_assets.online`."""
