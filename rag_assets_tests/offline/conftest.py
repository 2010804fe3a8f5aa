"""Campuses for tests of the offline stages, the same as those of the ledger's tests."""

from rag_assets_tests.ledger.conftest import any_campus, campus, new_campus, template

__all__ = ["any_campus", "campus", "new_campus", "template"]
