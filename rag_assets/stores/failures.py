"""What a database or a disk refused, as an error of ours with its code and its way out.

Used where a call goes through (`stores.database`), and at the edges for what other libraries raise: Dagster keeps its
history in a database of its own, and any file may meet a full disk. Decided by the codes that SQLite, MariaDB and the
system give; SQLite's words serve only where one code stands for several faults.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from rag_assets.errors import RagError, ServiceError, SettingsError, StoreError

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_IN_THE_WAY: Final = frozenset({errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG})

_UNWRITABLE: Final = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
)
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_MISSING: Final = ("no such table", "no such column")

# MariaDB: disk full, table full; no such table, no such column; user, password or database refused.
_SERVER_FULL: Final = frozenset({1021, 1114})
_SERVER_MISSING: Final = frozenset({1146, 1054})
_SERVER_REFUSED: Final = frozenset({1044, 1045, 1049, 1142, 1698})

WRITABLE: Final = "Name a folder in RAG_HOME (or a file in RAG_DATABASE_URL) that the user who runs this may write."
_IN_THE_WAY_HINT: Final = "Something else stands where the home needs a file or a folder of its own; move it away."


def known(error: BaseException) -> RagError | None:
    """`error` if it is one of ours; else what it, or what caused it, means; None when no database or disk is to blame."""
    if isinstance(error, RagError):
        return error
    meanings = [meaning for link in _chain(error) if (meaning := _of(link)) is not None]
    # A full disk shows in many ways; where it is named, the others follow from it.
    return next((meaning for meaning in meanings if meaning.code == "disk_full"), next(iter(meanings), None))


def _of(error: BaseException) -> RagError | None:
    if isinstance(error, DBAPIError | sqlite3.Error):
        return of_database(error)
    return of_system(error) if isinstance(error, OSError) else None


def of_database(error: DBAPIError | sqlite3.Error) -> RagError | None:
    """What the database's refusal means; None when the statement itself is at fault."""
    origin = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(origin, sqlite3.Error):
        return _of_sqlite(origin)
    number = next(iter(origin.args), None) if origin is not None else None
    if number in _SERVER_FULL:
        hint = "Free space on the disk of the database server, then run again."
        return ServiceError("disk_full", "the database could not be written", hint=hint)
    if number in _SERVER_MISSING:
        return StoreError("database_damaged", "a table or a column is missing")
    if number in _SERVER_REFUSED:
        hint = "Check user, password and database in RAG_DATABASE_URL."
        return SettingsError("settings", "the database server refuses the connection", hint=hint)
    if getattr(error, "connection_invalidated", False):
        return ServiceError("database_unreachable", "the connection was lost")
    if isinstance(error, OperationalError | InterfaceError):
        return ServiceError("database_unreachable", "the database did not answer")
    return None


def of_system(error: OSError) -> RagError | None:
    """What a refusal of the file system means; None when it says nothing of disk, rights or names."""
    place = {} if error.filename is None else {"file": _name(error.filename)}
    if error.errno in _FULL:
        return ServiceError("disk_full", "a file could not be written", **place)
    if error.errno in _FORBIDDEN:
        hint = "Give the user that runs this the right to read and write there."
        return StoreError("no_permission", "a file or a folder cannot be used", hint=hint, **place)
    if error.errno in _IN_THE_WAY:
        return StoreError("no_permission", "a file or a folder cannot be used", hint=_IN_THE_WAY_HINT, **place)
    if error.errno == errno.EIO:
        return ServiceError("disk_failed", **place)
    return None


def _of_sqlite(error: sqlite3.Error) -> RagError | None:
    # The driver raises some errors itself, without a code.
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    # No room for the index of its log is told apart from no room for the log.
    if code == sqlite3.SQLITE_FULL or extended == sqlite3.SQLITE_IOERR_SHMSIZE:
        return ServiceError("disk_full", "the database could not be written")
    if code == sqlite3.SQLITE_IOERR:
        return ServiceError("disk_failed", "the database file could not be read or written")
    if code in _UNWRITABLE:
        return StoreError("no_permission", "the database file cannot be opened for writing", hint=WRITABLE)
    if code in _DAMAGED:
        return StoreError("database_damaged", "the database file is damaged")
    if code in _BUSY:
        hint = "Another process holds the database and does not let go; end it, or wait, then run again."
        return ServiceError("database_unreachable", "the database is locked", hint=hint)
    if code == sqlite3.SQLITE_ERROR and str(error).startswith(_MISSING):
        return StoreError("database_damaged", "a table or a column is missing")
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _name(file: str | bytes | int) -> str:
    # As a path that can be printed: names need not be text.
    return str(Path(file.decode(errors="replace") if isinstance(file, bytes) else str(file)))
