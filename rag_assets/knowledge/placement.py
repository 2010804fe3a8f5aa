"""The two collections that a document may belong to; each has vectors of its own."""

from __future__ import annotations

from typing import Final

COLLECTIONS: Final = ("documents", "system_docs")
