"""Dagster assets that turn a German campus's documents into checked knowledge and answer questions with sources.

Here live the packages of the house, from pure knowledge at the bottom to the command line at the top; who may import
whom is fixed in pyproject.toml (import-linter) and run by the tests. Nothing is wired at import: `rag_assets.app` puts
parts together, `rag_assets.definitions` is what Dagster loads.
"""
