"""Tests of the language models' adapters: a contract, wire-level doubles and, where installed, a real local server."""
