"""Vector indexes behind one protocol: the embedded one, on any database, and Qdrant.

An index finds windows by vector and terms. Whether a hit may be shown (status, audience) is decided by SQL above it.
"""
