"""What can be said of a database from outside: product, version, character set, schema. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from rag_assets.stores import migrate
from rag_assets.stores.database import Database
from rag_assets.stores.migrations import HEAD


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """A database that answered. `character_set` is None for SQLite, which knows UTF-8 only."""

    product: str
    version: str
    character_set: str | None
    revision: str | None
    is_current: bool


def diagnose(database: Database) -> DatabaseState:
    """Ask the database who it is.

    Raises:
        ServiceError: it cannot be reached.
    """
    revision = migrate.revision(database)
    with database.read() as connection:
        if database.is_sqlite:
            version = connection.scalar(text("SELECT sqlite_version()"))
            return DatabaseState("SQLite", str(version), None, revision, revision == HEAD)
        version = connection.scalar(text("SELECT VERSION()"))
        character_set = connection.scalar(text("SELECT @@character_set_connection"))
    return DatabaseState("MariaDB", str(version), str(character_set), revision, revision == HEAD)
