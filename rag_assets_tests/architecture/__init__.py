"""The rules of the house as tests: layers, dependencies, locks, sizes, documentation.

They read the repository itself and run none of its work.
"""
