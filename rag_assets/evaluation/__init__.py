"""Measuring quality: retrieval, answers, extraction, resolution.

Metrics, gold sets and comparisons that `rag evaluate`, the quality assets and the proofs share. It runs the online and
offline packages as they are and changes nothing in the knowledge; what it finds is stored as results.
"""
