"""Tests of `rag_assets.prompts`."""
