"""One writer at a time for work over the whole base, also on MariaDB, where transactions run side by side."""

from __future__ import annotations

from sqlalchemy import Connection, select

from rag_assets.stores.schema.sources import Installation


def hold_base(connection: Connection) -> None:
    """Wait until no other transaction holds the base, then hold it to the end of this one.

    SQLite's write transactions exclude each other anyway; there this only reads a row.
    """
    connection.execute(select(Installation.id).with_for_update()).all()
