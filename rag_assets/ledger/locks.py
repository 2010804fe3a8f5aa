"""One writer at a time for work over the whole base, also on MariaDB, where transactions run side by side."""

from __future__ import annotations

from sqlalchemy import Connection, select

from rag_assets.stores.schema.sources import Installation


def hold_base(connection: Connection) -> None:
    """Wait until no other transaction holds the base, then hold it to the end of this one.

    SQLite's write transactions exclude each other anyway; there this only reads a row.
    """
    connection.execute(select(Installation.id).with_for_update()).all()


def hold_base_still(connection: Connection) -> None:
    """The same as the first act of a transaction, which from then on sees one state of the base.

    Documents may be written meanwhile on MariaDB, where every statement would otherwise see what was committed just
    before it: relations whose ends were not yet there when the entities were read.
    """
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    hold_base(connection)  # a locking read takes no snapshot: that comes with the first reading after the wait
