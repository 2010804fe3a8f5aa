"""Long proofs, run by `make prove`: what takes minutes to try and is too rare for the test suite to meet.

A module per proof; each prints what it did and, with RAG_PROOF_RECORD=1, keeps it in docs/proofs.md (`record`).
"""
