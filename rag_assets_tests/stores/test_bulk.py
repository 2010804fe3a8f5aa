"""Bulk writing: what is there is kept, what is missing is added, and two writers at once do not collide."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from rag_assets.stores import bulk, entities, response_cache
from rag_assets.stores.database import Database
from rag_assets.stores.schema.knowledge import Entity
from rag_assets.stores.tables import table_of
from rag_assets_tests.campus import NAMESPACE, Campus

ENTITIES = table_of(Entity)


def rows(campus: Campus, *keys: str) -> dict[str, dict[str, object]]:
    """Entities of these keys, as they would be inserted."""
    return {
        key: {
            "uid": f"uid-{key}",
            "canonical_name": key,
            "canonical_key": key,
            "status": "extracted",
            "created_at": campus.clock(),
        }
        for key in keys
    }


def somebody_waits(database: Database) -> bool:
    """Whether, within half a minute, an INSERT into this database does not come to its end."""
    deadline = time.monotonic() + 30
    with database.engine.connect() as connection:
        while time.monotonic() < deadline:
            waiting = connection.exec_driver_sql(
                "SELECT COUNT(*) FROM information_schema.processlist"
                " WHERE db = DATABASE() AND info LIKE 'INSERT INTO entities%%' AND time_ms > 100"
            ).scalar_one()
            if waiting:
                return True
    return False


def test_what_is_there_is_kept(campus: Campus) -> None:
    """Ids by key for all, and only the missing are added; more than one batch."""
    many = [f"k{number:04}" for number in range(bulk.BATCH + 7)]
    with campus.database.write() as connection:
        first, added = bulk.ensure_rows(connection, ENTITIES, rows(campus, *many[:3]), key="canonical_key")
        assert added == set(many[:3])
        second, added = bulk.ensure_rows(connection, ENTITIES, rows(campus, *many), key="canonical_key")
    assert added == set(many[3:])
    assert {key: second[key] for key in first} == first
    assert len(second) == len(many)


def test_a_broken_constraint_is_no_race(campus: Campus) -> None:
    """A row that another column's constraint refuses is an error, not an endless repetition."""
    wrong = rows(campus, "a", "b")
    wrong["b"]["uid"] = wrong["a"]["uid"]
    with pytest.raises(IntegrityError), campus.database.write() as connection:
        bulk.ensure_rows(connection, ENTITIES, wrong, key="canonical_key")
    assert campus.rows("entities") == []


def test_two_writers_of_the_same_keys_on_mariadb(mariadb_url: str) -> None:
    """The second waits, finds the first one's rows and takes them: entities, their keys, cached replies."""
    campus = Campus.create(mariadb_url)
    names = {"empathie": "Empathie", "naehe": "Nähe", "wandel": "Wandel"}
    inserted = threading.Event()
    results: list[tuple[dict[str, entities.EntityRef], tuple[entities.EntityRef, ...]]] = []
    replies: list[frozenset[str]] = []
    version = campus.store("a.md", "x")

    def second() -> None:
        other = Database(mariadb_url)
        inserted.wait(30)

        def work(connection: Connection) -> None:
            results.append(entities.ensure(connection, NAMESPACE, {**names, "zeit": "Zeit"}, at=campus.clock()))
            replies.append(
                response_cache.put(
                    connection, {"1": "{}", "2": "{}"}, version_id=version, extractor="e", at=campus.clock()
                )
            )

        bulk.in_write(other, work)
        other.close()

    thread = threading.Thread(target=second)
    thread.start()
    with campus.database.write() as connection:
        mine, minted = entities.ensure(connection, NAMESPACE, names, at=campus.clock())
        response_cache.put(connection, {"1": "{}"}, version_id=version, extractor="e", at=campus.clock())
        inserted.set()
        # The other has read that nothing is there, and waits at these rows, which are not committed yet.
        assert somebody_waits(campus.database)
    thread.join(30)
    assert len(minted) == 3
    ((theirs, theirs_minted),) = results
    assert {key: theirs[key] for key in mine} == mine
    assert theirs_minted == (theirs["zeit"],)
    assert replies == [frozenset({"2"})]
    assert len(campus.rows("entity_keys", "key")) == 4
    campus.database.close()


def test_a_deadlock_is_done_again(mariadb_url: str) -> None:
    """Two transactions take two rows in opposite order: MariaDB undoes one, and it succeeds at the second try."""
    campus = Campus.create(mariadb_url)
    with campus.database.write() as connection:
        bulk.ensure_rows(connection, ENTITIES, rows(campus, "a", "b"), key="canonical_key")
    barrier = threading.Barrier(2, timeout=30)
    tries: list[str] = []

    def writer(first: str, second: str) -> None:
        database = Database(mariadb_url)
        met = False

        def work(connection: Connection) -> None:
            nonlocal met
            tries.append(first)
            for key in (first, second):
                connection.execute(
                    ENTITIES.update().where(ENTITIES.c.canonical_key == key).values(canonical_name=f"by {first}")
                )
                if not met:
                    met = True
                    barrier.wait()

        bulk.in_write(database, work)
        database.close()

    threads = [threading.Thread(target=writer, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(tries) == 3
    names = {name for (name,) in campus.rows("entities", "canonical_name")}
    assert len(names) == 1  # whoever came last wrote both rows
    campus.database.close()


def test_update_each_gives_each_row_its_own_values(campus: Campus) -> None:
    """By id; rows that are not named stay."""
    with campus.database.write() as connection:
        ids, _ = bulk.ensure_rows(connection, ENTITIES, rows(campus, "a", "b", "c"), key="canonical_key")
        bulk.update_each(
            connection,
            ENTITIES,
            [{"row_id": ids["a"], "canonical_name": "A"}, {"row_id": ids["b"], "canonical_name": "B"}],
        )
    assert campus.rows("entities", "canonical_name") == [("A",), ("B",), ("c",)]


def test_errors_that_are_no_collision_are_raised_at_once(new_campus: Callable[[], Campus]) -> None:
    """A transaction is repeated for collisions alone."""
    campus = new_campus()
    calls = []

    def work(connection: Connection) -> None:
        calls.append(1)
        for _ in range(2):
            connection.execute(insert(ENTITIES).values(**rows(campus, "a")["a"]))

    with pytest.raises(IntegrityError):
        bulk.in_write(campus.database, work)
    assert calls == [1]
    assert campus.rows("entities") == []
