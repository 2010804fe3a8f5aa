"""Answering questions, one module per phase: from intake over selection, ranking, context and generation to citations.

Everything here reads stored knowledge and builds none; `offline` is never imported. A phase takes plain values and
returns plain values, so that chat, content studio, Dagster's query job and the web call the same function.
"""
