"""Tests of rag_assets; the folders mirror its packages. Beside them: system (end to end), architecture, corpora."""
