"""The table behind a declared class, where its columns are asked for by name."""

from __future__ import annotations

from sqlalchemy import Table

from rag_assets.stores.schema.base import Base


def table_of(declared: type[Base]) -> Table:
    """The table of a class of the schema."""
    return declared.__table__
