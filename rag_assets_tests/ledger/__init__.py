"""Tests of `rag_assets.ledger`."""
