"""Migrations on both databases: empty and filled ones, two processes at once, and nothing left to migrate."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from uuid import UUID

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event, inspect, select, text
from sqlalchemy.engine import make_url

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
    opened = Database(database_url)
    yield opened
    opened.close()


def test_empty_database_gets_all_tables_and_views(database: Database):
    migrate.upgrade(database)
    inspector = inspect(database.engine)
    assert set(inspector.get_table_names()) == {*Base.metadata.tables, "alembic_version"}
    assert set(inspector.get_view_names()) == set(VIEWS)
    with database.read() as connection:
        for name, columns in VIEW_COLUMNS.items():
            assert list(connection.execute(text(f"SELECT * FROM {name}")).keys()) == columns
    assert migrate.revision(database) == HEAD


def test_nothing_is_left_to_migrate(database: Database):
    """When this fails after a change of the schema, `scripts/revision.py` was not run."""
    migrate.upgrade(database)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=migrate.CONTEXT_OPTIONS)
        assert compare_metadata(context, Base.metadata) == []


def test_a_forgotten_column_would_be_found(database: Database):
    """The comparison above is not blind: types, columns and indexes count on both databases."""
    migrate.upgrade(database)
    with database.engine.connect() as connection:
        with connection.begin():
            connection.execute(text("DROP INDEX ix_documents_source" + ("" if database.is_sqlite else " ON documents")))
            connection.execute(text("ALTER TABLE documents ADD COLUMN colour INTEGER"))
        context = MigrationContext.configure(connection, opts=migrate.CONTEXT_OPTIONS)
        differences = {change[0] for change in compare_metadata(context, Base.metadata)}
    assert differences == {"remove_column", "add_index"}


def test_keys_between_tables_that_point_to_each_other_are_there(database: Database):
    migrate.upgrade(database)
    keys = {key["name"] for key in inspect(database.engine).get_foreign_keys("documents")}
    assert keys == {"fk_documents_current_version_id"}


def test_second_upgrade_is_one_query_and_keeps_rows(database: Database):
    migrate.upgrade(database)
    _fill(database)
    before = _dump(database)
    statements: list[str] = []
    event.listen(
        database.engine, "before_cursor_execute", lambda _c, _cursor, statement, *_rest: statements.append(statement)
    )
    migrate.upgrade(database)
    assert [statement for statement in statements if not statement.startswith(("BEGIN", "PRAGMA", "SET "))] == [
        "SELECT alembic_version.version_num \nFROM alembic_version"
    ]
    assert _dump(database) == before


def test_upgrade_of_a_filled_database_keeps_rows(database: Database):
    """The whole way again over tables that hold rows, as after a crash between the last step and its record."""
    migrate.upgrade(database)
    _fill(database)
    before = _dump(database)
    with database.engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
    migrate.upgrade(database)
    assert migrate.revision(database) == HEAD
    assert _dump(database) == before


@pytest.mark.parametrize("tables", [1, 7, 20])
def test_first_step_that_was_broken_off_is_finished(database: Database, tables: int):
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
        for name in names[-tables:]:
            connection.execute(text(f"DROP TABLE {name}"))
        connection.execute(text("DELETE FROM alembic_version"))
        if not database.is_sqlite:
            connection.execute(text("SET foreign_key_checks = 1"))
    migrate.upgrade(database)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=migrate.CONTEXT_OPTIONS)
        assert compare_metadata(context, Base.metadata) == []
    assert set(inspect(database.engine).get_view_names()) == set(VIEWS)


def test_tables_compare_exactly_on_mariadb(mariadb_url: str):
    database = Database(mariadb_url)
    migrate.upgrade(database)
    with database.read() as connection:
        collations = dict(
            connection.execute(
                text(
                    "SELECT table_name, table_collation FROM information_schema.tables "
                    "WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"
                )
            ).all()
        )
        columns = connection.execute(
            text(
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
                "AND collation_name <> 'utf8mb4_nopad_bin' AND table_name IN (SELECT table_name FROM "
                "information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE')"
            )
        ).all()
    database.close()
    assert set(collations) == {*Base.metadata.tables, "alembic_version"}
    assert set(collations.values()) == {"utf8mb4_nopad_bin"}
    assert columns == []


def test_the_other_name_of_mariadb_makes_the_same_tables(mariadb_url: str):
    database = Database(make_url(mariadb_url).set(drivername="mariadb+pymysql").render_as_string(hide_password=False))
    migrate.upgrade(database)
    with database.read() as connection:
        found = connection.scalar(
            text(
                "SELECT table_collation FROM information_schema.tables "
                "WHERE table_schema = DATABASE() AND table_name = 'documents'"
            )
        )
    database.close()
    assert found == "utf8mb4_nopad_bin"


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


def test_namespace_is_random_unless_one_is_given(database: Database, tmp_path):
    migrate.upgrade(database)
    other, rebuilt = Database(f"sqlite:///{tmp_path / 'b.sqlite'}"), Database(f"sqlite:///{tmp_path / 'c.sqlite'}")
    migrate.upgrade(other)
    given = UUID("6a2f7c1e-0000-4000-8000-000000000001")
    migrate.upgrade(rebuilt, namespace=given)
    with database.read() as one, other.read() as two, rebuilt.read() as three:
        assert installation.namespace(one) != installation.namespace(two)
        assert installation.namespace(three) == given
    other.close()
    rebuilt.close()


def test_database_of_a_later_version_is_refused(database: Database):
    migrate.upgrade(database)
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'ffffffffffff'"))
    before = _dump(database)
    with pytest.raises(StoreError) as refused:
        migrate.upgrade(database)
    assert refused.value.code == "database_newer"
    assert _dump(database) == before


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


def test_change_that_leaves_rows_pointing_to_nothing_is_undone(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'rag.sqlite'}")
    migrate.upgrade(database)
    _fill(database)
    before = _dump(database)
    with pytest.raises(StoreError), database.change_schema() as connection:
        connection.execute(text("DELETE FROM documents"))
    assert _dump(database) == before
    with database.read() as connection:
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1, "foreign keys stayed off"
    database.close()


def test_table_that_is_rebuilt_takes_no_rows_along(tmp_path):
    """Alembic's batch on SQLite copies, drops and renames the table: child rows were deleted silently once."""
    from alembic.operations import Operations

    database = Database(f"sqlite:///{tmp_path / 'rag.sqlite'}")
    migrate.upgrade(database)
    _fill(database)
    before = _dump(database)
    with database.change_schema() as connection:
        for name in VIEWS:
            connection.execute(text(f"DROP VIEW {name}"))
        context = MigrationContext.configure(connection, opts=migrate.CONTEXT_OPTIONS)
        with Operations(context).batch_alter_table("document_versions", recreate="always"):
            pass
    assert _dump(database) == before
    database.close()


def test_head_is_the_last_step(database: Database):
    with database.read() as connection:
        assert ScriptDirectory.from_config(migrate.alembic_config(connection)).get_heads() == [HEAD]


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


def test_values_come_back_as_they_went_in(database: Database):
    migrate.upgrade(database)
    _fill(database)
    document = dict(zip(Base.metadata.tables["documents"].columns.keys(), _dump(database)["documents"][0], strict=True))
    assert document["authority"] == 0.1 + 0.2
    assert document["created_at"] == NOW
    assert document["seen_size"] == 5_000_000_000
    assert document["seen_mtime_ns"] == 1_795_000_000_123_456_789
    assert _dump(database)["document_sections"][0][6] == "Äpfel "
