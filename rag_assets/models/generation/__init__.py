"""Answers from sources: the protocol, its adapters and the registry that opens the one that is set."""
