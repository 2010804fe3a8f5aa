"""Bringing a database to the schema of this version of the project, from whatever earlier one it has.

Here lives when and how migrations run; the steps live in `migrations/versions`, the goal in `schema`. As long as
nothing is released there is one step, and a change of the schema rewrites it:

    .venv/bin/python scripts/revision.py --first

Its id is a hash of its content, so that a database of another day is refused instead of misread. After the first
release steps are only added: `.venv/bin/python scripts/revision.py "what changes"`, then read by a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import Column, Connection, MetaData, String, Table, delete, insert, inspect, select, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from rag_assets.errors import StoreError
from rag_assets.stores import installation
from rag_assets.stores.database import Database
from rag_assets.stores.migrations import HEAD
from rag_assets.stores.schema import VIEWS
from rag_assets.stores.schema.base import TABLE_OPTIONS

if TYPE_CHECKING:
    from alembic.script import Script

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
        pending = _pending(connection, current)
        for name in VIEWS:
            connection.execute(text(f"DROP VIEW IF EXISTS {name}"))
        _VERSIONS.create(connection, checkfirst=True)
        _run(connection, pending)
        for name, query in VIEWS.items():
            connection.execute(text(f"CREATE VIEW {name} AS {query}"))
        # Last, in one transaction: MariaDB commits with every statement above, and whoever finds HEAD begins to work.
        installation.ensure(connection, at=datetime.now(UTC), wanted=namespace)
        _stamp(connection, HEAD)


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


def steps() -> list[Script]:
    """The steps of the schema's history, oldest first."""
    from alembic.script import ScriptDirectory

    return list(ScriptDirectory(str(FOLDER)).walk_revisions())[::-1]


def _revision(connection: Connection) -> str | None:
    return _stored(connection) if _has_versions(connection) else None


def _has_versions(connection: Connection) -> bool:
    return bool(inspect(connection).has_table(VERSION_TABLE))


def _stored(connection: Connection) -> str | None:
    return connection.scalar(select(_VERSIONS.c.version_num))


def _pending(connection: Connection, current: str | None) -> Sequence[Script]:
    every = steps()
    if current is None:
        # With the version table, but nothing in it, it is our own first step that was broken off (on MariaDB).
        if not _has_versions(connection) and inspect(connection).get_table_names():
            raise StoreError("database_foreign")
        return every
    if current not in {step.revision for step in every}:
        raise StoreError("database_newer", revision=current)
    return list(takewhile(lambda step: step.revision != current, reversed(every)))[::-1]


def _run(connection: Connection, pending: Sequence[Script]) -> None:
    """Run the steps, each recorded but for the last, which counts only with what comes after it.

    Alembic's own way to run them would record that one too.
    """
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext

    with Operations.context(MigrationContext.configure(connection, opts=CONTEXT_OPTIONS)):
        for step in pending:
            step.module.upgrade()
            if step.revision != HEAD:
                _stamp(connection, step.revision)


def _stamp(connection: Connection, revision: str) -> None:
    connection.execute(delete(_VERSIONS))
    connection.execute(insert(_VERSIONS).values(version_num=revision))
