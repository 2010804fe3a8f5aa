"""Extraction of mentions, properties, relations and statements: the protocol, its adapters and their registry."""
