"""Bringing a database to the schema of this version of the project, from whatever earlier one it has.

Here lives when and how migrations run; the steps live in `migrations/versions`, the goal in `schema`. As long as
nothing is released there is one step, and a change of the schema rewrites it:

    .venv/bin/python scripts/revision.py --first

Its id is a hash of its content, so that a database of another day is refused instead of misread. After the first
release steps are only added: `.venv/bin/python scripts/revision.py "what changes"`, then read by a person.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from rag_assets.errors import StoreError
from rag_assets.stores import installation
from rag_assets.stores.database import Database
from rag_assets.stores.migrations import HEAD
from rag_assets.stores.schema import VIEWS
from rag_assets.stores.schema.base import TABLE_OPTIONS

if TYPE_CHECKING:
    from alembic.config import Config

FOLDER: Final = Path(__file__).parent / "migrations"
VERSION_TABLE: Final = "alembic_version"

CONTEXT_OPTIONS: Final[dict[str, Any]] = {"compare_type": True, "render_as_batch": True}

# Alembic would make this table with the database's own collation.
_VERSIONS: Final = Table(
    VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True), **TABLE_OPTIONS
)


def upgrade(database: Database, *, namespace: UUID | None = None) -> None:
    """Bring the database to the newest schema; one small query when it is there already.

    Any number of processes may call this at the same time. `namespace` is taken for a new database, as when one is
    rebuilt from an archive; otherwise a random one is minted.

    Raises:
        StoreError: `database_newer`, the database was made by a later version of the project; `database_foreign`, it
            holds tables of something else; `database_damaged`.
        ServiceError: the server cannot be reached.
    """
    if revision(database) == HEAD:
        return
    with database.change_schema() as connection:
        # Another process may have done it while this one waited.
        current = _revision(connection)
        if current == HEAD:
            return
        _check(connection, current)
        for name in VIEWS:
            connection.execute(text(f"DROP VIEW IF EXISTS {name}"))
        _VERSIONS.create(connection, checkfirst=True)
        _run(connection)
        for name, query in VIEWS.items():
            connection.execute(text(f"CREATE VIEW {name} AS {query}"))
        installation.ensure(connection, at=datetime.now(UTC), wanted=namespace)


def revision(database: Database) -> str | None:
    """The step that the database has reached; None when it is new."""
    with database.read() as connection:
        try:
            return _stored(connection)
        except (ProgrammingError, OperationalError):
            # Asked only now: the table is there on every call but the first.
            if _has_versions(connection):
                raise
            return None


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration without a file, for this connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _revision(connection: Connection) -> str | None:
    return _stored(connection) if _has_versions(connection) else None


def _has_versions(connection: Connection) -> bool:
    return bool(inspect(connection).has_table(VERSION_TABLE))


def _stored(connection: Connection) -> str | None:
    return connection.scalar(select(_VERSIONS.c.version_num))


def _check(connection: Connection, current: str | None) -> None:
    from alembic.script import ScriptDirectory

    if current is not None:
        known = {script.revision for script in ScriptDirectory.from_config(alembic_config(connection)).walk_revisions()}
        if current not in known:
            raise StoreError("database_newer", revision=current)
    elif not _has_versions(connection) and inspect(connection).get_table_names():
        # With the version table, but nothing in it, it is our own first step that was broken off (on MariaDB).
        raise StoreError("database_foreign")


def _run(connection: Connection) -> None:
    from alembic import command

    command.upgrade(alembic_config(connection), "head")
