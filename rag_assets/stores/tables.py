"""The Core table behind a declared class, typed: bulk statements work on tables, not on objects."""

from __future__ import annotations

from typing import cast

from sqlalchemy import Table

from rag_assets.stores.schema.base import Base


def table_of(declared: type[Base]) -> Table:
    """The table of a class of the schema."""
    return cast("Table", declared.__table__)
