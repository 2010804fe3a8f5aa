"""Migrations on both databases: empty and filled ones, two processes at once, and nothing left to migrate."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from uuid import UUID

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, inspect, select, text

from rag_assets.errors import StoreError
from rag_assets.stores import installation, migrate
from rag_assets.stores.database import Database
from rag_assets.stores.migrations import HEAD
from rag_assets.stores.schema import VIEWS, Base

NOW = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)

# The columns that the campus's own queries use.
VIEW_COLUMNS = {
    "entity_relations": ["source_entity_id", "target_entity_id", "relation_type", "confidence", "chunk_id"],
    "provenance": [
        "subject_type", "subject_id", "document_id", "chunk_id", "prompt_id", "model", "run_id", "created_at",
    ],
}  # fmt: skip

UPGRADE = """
import sys
from rag_assets.stores import migrate
from rag_assets.stores.database import Database
sys.stdin.readline()
database = Database(sys.argv[1])
migrate.upgrade(database)
database.close()
"""


@pytest.fixture
def database(database_url: str):
    """An empty database, on SQLite and on MariaDB (where a whole upgrade takes seconds: few tests, many asserts)."""
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite(tmp_path):
    opened = Database(f"sqlite:///{tmp_path / 'rag.sqlite'}")
    yield opened
    opened.close()


def test_empty_database_gets_the_whole_schema(database: Database):
    migrate.upgrade(database)
    inspector = inspect(database.engine)
    assert set(inspector.get_table_names()) == {*Base.metadata.tables, "alembic_version"}
    assert set(inspector.get_view_names()) == set(VIEWS)
    with database.read() as connection:
        for name, columns in VIEW_COLUMNS.items():
            assert list(connection.execute(text(f"SELECT * FROM {name}")).keys()) == columns
    assert migrate.revision(database) == HEAD
    # Tables that point to each other: Alembic leaves this key out on MariaDB.
    assert {key["name"] for key in inspector.get_foreign_keys("documents")} == {"fk_documents_current_version_id"}
    assert _left_to_migrate(database) == set(), "run scripts/revision.py after a change of the schema"
    if not database.is_sqlite:
        _assert_exact_comparison(database)
    # And the comparison with the schema is not blind.
    with database.engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_documents_source" + ("" if database.is_sqlite else " ON documents")))
        connection.execute(text("ALTER TABLE documents ADD COLUMN colour INTEGER"))
    assert _left_to_migrate(database) == {"remove_column", "add_index"}


def test_upgrade_of_a_filled_database_keeps_rows(database: Database):
    migrate.upgrade(database)
    _fill(database)
    before = _dump(database)
    document = before["documents"][0]
    # Values come back as they went in: 64 bits, microseconds, all digits, spaces at the end, four-byte characters.
    assert {0.1 + 0.2, NOW, 5_000_000_000, 1_795_000_000_123_456_789, 2**63 - 1} < set(document)
    assert before["document_sections"][0][6] == "Äpfel "

    statements: list[str] = []
    event.listen(
        database.engine, "before_cursor_execute", lambda _c, _cursor, statement, *_rest: statements.append(statement)
    )
    migrate.upgrade(database)
    assert [statement for statement in statements if not statement.startswith(("BEGIN", "PRAGMA", "SET "))] == [
        "SELECT alembic_version.version_num \nFROM alembic_version"
    ]
    assert _dump(database) == before

    # The whole way again over the tables with their rows, as after a crash between the last step and its record.
    with database.engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
    migrate.upgrade(database)
    assert migrate.revision(database) == HEAD
    assert _dump(database) == before


def test_first_step_that_was_broken_off_is_finished(database: Database):
    """MariaDB keeps each CREATE TABLE for itself: a process killed in between leaves some of the tables."""
    migrate.upgrade(database)
    names = [table.name for table in Base.metadata.sorted_tables]
    with database.engine.connect() as connection, connection.begin():
        if database.is_sqlite:
            connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        else:
            connection.execute(text("SET foreign_key_checks = 0"))
        for name in VIEWS:
            connection.execute(text(f"DROP VIEW {name}"))
        for name in names[-20:]:
            connection.execute(text(f"DROP TABLE {name}"))
        connection.execute(text("DELETE FROM alembic_version"))
        if not database.is_sqlite:
            connection.execute(text("SET foreign_key_checks = 1"))
    migrate.upgrade(database)
    assert _left_to_migrate(database) == set()
    assert set(inspect(database.engine).get_view_names()) == set(VIEWS)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_broken_off_between_any_two_statements_it_goes_on(mariadb_url):
    """MariaDB keeps what was done; whoever comes meanwhile must not take the database for finished."""
    met: set[str] = set()
    attempts = 0
    while not _ends(mariadb_url, met):
        attempts += 1
        database = Database(mariadb_url)
        assert migrate.revision(database) is None
        database.close()
    assert len(met) > attempts > len(Base.metadata.tables) // 16 + len(VIEWS) + 3
    database = Database(mariadb_url)
    assert set(inspect(database.engine).get_table_names()) == {*Base.metadata.tables, "alembic_version"}
    assert set(inspect(database.engine).get_view_names()) == set(VIEWS)
    assert _left_to_migrate(database) == set()
    with database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM installation")) == 1
        assert connection.scalars(text("SELECT version_num FROM alembic_version")).all() == [HEAD]
    database.close()


def test_the_other_name_of_mariadb_makes_the_same_tables():
    """Options of tables are named after the dialect: under `mariadb` ours would be left out."""
    assert Database("mariadb+pymysql://root@127.0.0.1/rag").engine.dialect.name == "mysql"


@pytest.mark.long
def test_processes_that_start_at_once_all_succeed(database_url: str):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", UPGRADE, database_url],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    endings = [(process.communicate()[1], process.returncode) for process in processes]
    assert endings == [("", 0)] * 3
    database = Database(database_url)
    with database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM installation")) == 1
        assert connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1
    database.close()


def test_namespace_is_random_unless_one_is_given(sqlite: Database, tmp_path):
    migrate.upgrade(sqlite)
    other, rebuilt = Database(f"sqlite:///{tmp_path / 'b.sqlite'}"), Database(f"sqlite:///{tmp_path / 'c.sqlite'}")
    migrate.upgrade(other)
    given = UUID("6a2f7c1e-0000-4000-8000-000000000001")
    migrate.upgrade(rebuilt, namespace=given)
    with sqlite.read() as one, other.read() as two, rebuilt.read() as three:
        assert installation.namespace(one) != installation.namespace(two)
        assert installation.namespace(three) == given
    other.close()
    rebuilt.close()


def test_database_of_a_later_version_is_refused(sqlite: Database):
    migrate.upgrade(sqlite)
    with sqlite.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'ffffffffffff'"))
    before = _dump(sqlite)
    with pytest.raises(StoreError) as refused:
        migrate.upgrade(sqlite)
    assert refused.value.code == "database_newer"
    assert _dump(sqlite) == before


def test_database_of_another_program_is_refused(database: Database):
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE documents (id INTEGER)"))
    with pytest.raises(StoreError) as refused:
        migrate.upgrade(database)
    assert refused.value.code == "database_foreign"
    assert inspect(database.engine).get_table_names() == ["documents"]


def test_file_that_is_no_database_is_refused(tmp_path):
    file = tmp_path / "rag.sqlite"
    file.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError) as refused:
        migrate.upgrade(Database(f"sqlite:///{file}"))
    assert refused.value.code == "database_damaged"


def test_change_that_leaves_rows_pointing_to_nothing_is_undone(sqlite: Database):
    migrate.upgrade(sqlite)
    _fill(sqlite)
    before = _dump(sqlite)
    with pytest.raises(StoreError), sqlite.change_schema() as connection:
        connection.execute(text("DELETE FROM documents"))
    assert _dump(sqlite) == before
    with sqlite.read() as connection:
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1, "foreign keys stayed off"


def test_table_that_is_rebuilt_takes_no_rows_along(sqlite: Database):
    """Alembic's batch on SQLite copies, drops and renames the table: child rows were deleted silently once."""
    from alembic.operations import Operations

    migrate.upgrade(sqlite)
    _fill(sqlite)
    before = _dump(sqlite)
    with sqlite.change_schema() as connection:
        for name in VIEWS:
            connection.execute(text(f"DROP VIEW {name}"))
        context = MigrationContext.configure(connection, opts=migrate.CONTEXT_OPTIONS)
        with Operations(context).batch_alter_table("document_versions", recreate="always"):
            pass
    assert _dump(sqlite) == before


def test_head_is_the_last_step():
    assert migrate.steps()[-1].revision == HEAD


def _assert_exact_comparison(database: Database) -> None:
    """Every table and every column of MariaDB holds Müller and Muller apart; the server's default would not."""
    inside = "table_schema = DATABASE() AND table_name IN (SELECT t.table_name FROM information_schema.tables t WHERE "
    inside += "t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE')"
    with database.read() as connection:
        tables = connection.execute(
            text(f"SELECT table_name, table_collation FROM information_schema.tables WHERE {inside}")
        ).all()
        columns = connection.execute(
            text(f"SELECT DISTINCT collation_name FROM information_schema.columns WHERE {inside}")
        ).all()
    assert {name for name, _ in tables} == {*Base.metadata.tables, "alembic_version"}
    assert {collation for _, collation in tables} == {"utf8mb4_nopad_bin"}
    assert {collation for (collation,) in columns} == {None, "utf8mb4_nopad_bin"}


class _BrokenOffError(Exception):
    """What takes the place of a kill: the connection closes, and the server keeps what is committed."""


def _ends(url: str, met: set[str]) -> bool:
    """Upgrade, and break off before what was never met: each 16th table or index, and every other statement."""

    def watch(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        statement = statement.strip()
        if statement.startswith(("SELECT", "SHOW", "SET")) or statement in met:
            return
        met.add(statement)
        if len(met) % 16 == 0 or not statement.startswith(("CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE")):
            raise _BrokenOffError

    database = Database(url)
    event.listen(database.engine, "before_cursor_execute", watch)
    try:
        migrate.upgrade(database)
    except _BrokenOffError:
        return False
    finally:
        database.close()
    return True


def _left_to_migrate(database: Database) -> set[str]:
    """Kinds of differences that Alembic finds between database and schema."""
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=migrate.CONTEXT_OPTIONS)
        return {
            change[0] if isinstance(change, tuple) else change[0][0]
            for change in compare_metadata(context, Base.metadata)
        }


def _fill(database: Database) -> None:
    with database.write() as connection:
        tables = Base.metadata.tables
        connection.execute(
            tables["documents"].insert().values(
                id=1, uid="u", source_path="campus/Äpfel.md", source="campus", collection="documents", type="skript",
                language="de", partition_key="aepfel-1", authority=0.1 + 0.2, half_life_years=5, audience="all",
                personal=False, local_only=False, status="pending", seen_size=5_000_000_000,
                seen_mtime_ns=1_795_000_000_123_456_789, seen_inode=2**63 - 1, created_at=NOW,
            )
        )  # fmt: skip
        connection.execute(
            tables["document_versions"].insert().values(
                id=1, uid="v", document_id=1, number=1, sha256="0" * 64, byte_size=5_000_000_000, needs_ocr_pages=0,
                text="Grüße 😀 " * 20_000, created_at=NOW,
            )
        )  # fmt: skip
        connection.execute(tables["documents"].update().values(current_version_id=1))
        connection.execute(
            tables["document_sections"].insert().values(
                id=1, document_id=1, document_version_id=1, ordinal=0, level=0, heading="Äpfel ", char_start=0,
                char_end=5,
            )
        )  # fmt: skip


def _dump(database: Database) -> dict[str, list[tuple[object, ...]]]:
    with database.read() as connection:
        return {
            name: [tuple(row) for row in connection.execute(select(table))]
            for name, table in Base.metadata.tables.items()
        }
