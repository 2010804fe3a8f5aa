"""Connections to the one SQL database: SQLite by default, MariaDB when a URL is set.

Here lives how a connection is opened and a transaction begun and ended, the same for every repository. What is
read and written lives in the repositories; the schema in `schema`, its history in `migrations`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import ConnectionPoolEntry

from rag_assets.errors import ServiceError, SettingsError, StoreError
from rag_assets.stores import failures

# `Connection` is exported so that layers which may not know SQL can pass one on by its type.
__all__ = ["BUSY_TIMEOUT_MS", "Connection", "Database"]

# How long a writer waits for another one before it gives up. Writers hold the lock for milliseconds.
BUSY_TIMEOUT_MS = 60_000


class Database:
    """One SQL database. Safe to share between threads; open one per process.

    ```python
    database = Database("sqlite:///.rag/rag.sqlite")
    with database.write() as connection:  # one transaction, rolled back on any exception
        documents.add(connection, ...)
    with database.read() as connection:  # a consistent snapshot, never blocks a writer
        documents.list_all(connection)
    ```
    """

    def __init__(self, url: str) -> None:
        folder: Path | None = None
        try:
            parsed = make_url(url)
            self.is_sqlite = parsed.get_backend_name() == "sqlite"
            if parsed.get_backend_name() == "mariadb":
                # One dialect for one server: tables have their collation under the name `mysql`.
                parsed = parsed.set(drivername=parsed.drivername.replace("mariadb", "mysql", 1))
            if not self.is_sqlite:
                # utf8mb4 from the client on, whatever the server's default is.
                parsed = parsed.update_query_dict({"charset": "utf8mb4"})
            self.file: Path | None = Path(parsed.database) if self.is_sqlite and parsed.database else None
            folder = self.file.parent if self.file is not None else None
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            options: dict[str, Any] = {} if self.is_sqlite else {"pool_pre_ping": True, "pool_recycle": 1800}
            self.engine: Engine = create_engine(parsed, **options)
        except (ArgumentError, NoSuchModuleError, ValueError):
            raise SettingsError("settings", "RAG_DATABASE_URL is not a database URL that is known") from None
        except ModuleNotFoundError as error:
            raise SettingsError(
                "missing_package",
                f"the database's driver {error.name} is not installed",
                hint="Leave RAG_DATABASE_URL empty for SQLite, or use `mysql+pymysql://USER:PASSWORD@HOST/NAME`.",
            ) from None
        except OSError as error:
            meaning = failures.of_system(error)
            if meaning is not None and meaning.code != "no_permission":
                raise meaning from error
            problem = "the folder of the database cannot be used"
            raise StoreError("no_permission", problem, hint=failures.WRITABLE, folder=folder) from error
        if self.is_sqlite:
            event.listen(self.engine, "connect", _configure_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        else:
            event.listen(self.engine, "connect", _configure_mariadb)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading: one consistent snapshot for the length of the block.

        Raises:
            ServiceError: the server cannot be reached.
        """
        with self._translated(), self.engine.connect() as connection:
            if not self.is_sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection inside one write transaction, committed at the end of the block, else rolled back.

        On SQLite the write lock is taken at once (`BEGIN IMMEDIATE`): a transaction that reads first and writes later
        would fail in spite of the busy timeout.

        Raises:
            ServiceError: the server cannot be reached, or the disk is full.
        """
        with self._translated(), self.engine.connect() as connection:
            connection = connection.execution_options(rag_write=True)
            with connection.begin():
                yield connection

    @contextmanager
    def change_schema(self) -> Iterator[Connection]:
        """A connection for a change of the schema, which no other process makes at the same time.

        On SQLite it is one transaction in which foreign keys are off (a table that is rebuilt would take the rows
        that point to it along) and checked at the end; on MariaDB every statement stands for itself.

        Raises:
            StoreError: `database_damaged`, rows point to nothing after the change; nothing was changed.
            ServiceError: the server cannot be reached, or another process does not end its change.
        """
        with self._translated(), self.engine.connect() as connection:
            if self.is_sqlite:
                with _foreign_keys_off(connection):
                    connection = connection.execution_options(rag_write=True)
                    with connection.begin():
                        yield connection
                        if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                            raise StoreError("database_damaged", "rows would point to nothing after the change")
            else:
                with _server_lock(connection):
                    yield connection
                    connection.commit()

    def close(self) -> None:
        """Close all pooled connections."""
        self.engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            meaning = failures.of_database(error)
            if meaning is None:
                raise
            raise meaning from error


def _configure_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    # The driver's own transaction handling is switched off; `_begin_sqlite` begins instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("rag_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def _foreign_keys_off(connection: Connection) -> Iterator[None]:
    # Past SQLAlchemy, which would begin a transaction: inside one the pragma does nothing.
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.execute("PRAGMA foreign_keys = OFF").close()
    try:
        yield
    finally:
        raw.execute("PRAGMA foreign_keys = ON").close()


@contextmanager
def _server_lock(connection: Connection) -> Iterator[None]:
    # The lock belongs to the connection: when its process dies, the server frees it.
    name = {"name": f"rag_assets:{connection.engine.url.database}"[:64]}
    taken = connection.scalar(text("SELECT GET_LOCK(:name, 600)"), name)
    if taken != 1:
        raise ServiceError("database_unreachable", "another process does not end its change of the schema")
    try:
        yield
    finally:
        connection.scalar(text("SELECT RELEASE_LOCK(:name)"), name)


def _configure_mariadb(connection: Any, _record: ConnectionPoolEntry) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00'")
        cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'")
        # Read committed: two processes that add different documents never wait at each other's gap locks.
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
