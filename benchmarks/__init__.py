"""Benchmarks: what the system costs, and where the time goes.

A module per benchmark, each with `run(*, quick)` giving rows. Everything is built in temporary folders from generated
documents, so that two machines measure the same; only `reading` also looks at real ones where RAG_CORPORA is there.
Times depend on the machine and on what else it does; the ratios, taken within one run, are what to compare. Quality
is measured elsewhere, by the evaluation.
"""
