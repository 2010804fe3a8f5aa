"""Tests on documents of third parties, found through RAG_CORPORA; they are not part of the repository."""
