"""Writing and reading many rows, the same on SQLite and MariaDB: batches, ensured keys, repeated transactions.

No vendor's upsert: what is there is read, what is missing is inserted, and when another process was faster (only
possible on MariaDB; SQLite has one writer) the reading is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Table, bindparam, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from rag_assets.errors import ServiceError
from rag_assets.stores.database import Database

# How many values one IN list or one INSERT takes; well below what either database allows.
BATCH: Final = 500

# MariaDB: deadlock found, lock wait timeout. The whole transaction is undone and may simply be done again.
_COLLISIONS: Final = frozenset({1205, 1213})
_ATTEMPTS: Final = 5

T = TypeVar("T")


def batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """`items` in slices of at most `size`, in order."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns."""
    for batch in batches(rows):
        connection.execute(insert(table), [dict(row) for row in batch])


def insert_row(connection: Connection, table: Table, **values: Any) -> int:
    """Insert one row; returns its id."""
    key = connection.execute(insert(table).values(**values)).inserted_primary_key
    if key is None:
        raise AssertionError("the database gave no key")
    return int(key[0])


def ids_by_key(connection: Connection, table: Table, key: str, values: Collection[str]) -> dict[str, int]:
    """Value of the unique column `key` → id, for those of `values` that are stored."""
    column = table.c[key]
    found: dict[str, int] = {}
    for batch in batches(sorted(values)):
        found.update((value, row_id) for value, row_id in connection.execute(
            select(column, table.c.id).where(column.in_(batch))
        ))  # fmt: skip
    return found


def ensure_rows(
    connection: Connection, table: Table, rows: Mapping[str, Mapping[str, Any]], *, key: str
) -> tuple[dict[str, int], frozenset[str]]:
    """Insert those of `rows` (by their value of the unique column `key`) that are missing.

    Returns the id of every row by key, and the keys that this call added. When another writer adds one of the rows at
    the same time, his row is taken.
    """
    ids = ids_by_key(connection, table, key, rows.keys())
    missing = sorted(rows.keys() - ids.keys())  # one order for everybody: fewer deadlocks
    added: frozenset[str] = frozenset()
    while missing:
        try:
            with connection.begin_nested():
                insert_rows(connection, table, [rows[value] for value in missing])
            added = frozenset(missing)
        except IntegrityError:
            before = len(missing)
            ids.update(ids_by_key(connection, table, key, missing))
            missing = [value for value in missing if value not in ids]
            if len(missing) == before:
                raise  # not a race: the rows break another constraint
            continue
        ids.update(ids_by_key(connection, table, key, missing))
        break
    return ids, added


def update_by_id(connection: Connection, table: Table, ids: Sequence[int], **values: Any) -> None:
    """Give all rows with these ids the same new values."""
    for batch in batches(ids):
        connection.execute(update(table).where(table.c.id.in_(batch)).values(**values))


def update_each(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Give each row, by its id in `row_id`, values of its own; all rows name the same columns."""
    if not rows:
        return
    columns = [name for name in rows[0] if name != "row_id"]
    statement = (
        update(table)
        .where(table.c.id == bindparam("row_id"))
        .values({name: bindparam(f"new_{name}") for name in columns})
    )
    for batch in batches(rows):
        connection.execute(
            statement, [{"row_id": row["row_id"], **{f"new_{name}": row[name] for name in columns}} for row in batch]
        )


def in_write(database: Database, work: Callable[[Connection], T]) -> T:
    """Run `work` in one write transaction, again from the start when MariaDB undid it because of a collision.

    `work` must have no effect besides what it writes through the connection.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with database.write() as connection:
                return work(connection)
        except (ServiceError, DBAPIError) as error:
            if attempt == _ATTEMPTS or not _is_collision(error):
                raise
    raise AssertionError("unreachable")


def _is_collision(error: BaseException) -> bool:
    cause = error if isinstance(error, DBAPIError) else error.__cause__
    arguments: tuple[object, ...] = getattr(getattr(cause, "orig", None), "args", ())
    return any(argument in _COLLISIONS for argument in arguments[:1])
