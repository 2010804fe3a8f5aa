"""A home that is damaged, full, foreign or in the way: told by a code with a way out, and mended where that can be."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rag_assets.app import open_app
from rag_assets.config import load_settings
from rag_assets.stores.vectors.embedded import EmbeddedIndex
from rag_assets_tests.cli.trouble import QUESTION, environment, rag, refused
from rag_assets_tests.system.installation import only_environment


def _sql(*statements: str) -> Callable[[Path], None]:
    def spoil(home: Path) -> None:
        with closing(sqlite3.connect(home / "rag.sqlite")) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            for statement in statements:
                connection.execute(statement)

    return spoil


def _foreign(home: Path) -> None:
    (home / "rag.sqlite").unlink()
    _sql("CREATE TABLE fremd (x)")(home)


def _no_database(home: Path) -> None:
    (home / "rag.sqlite").write_bytes(b"kein datenbank" * 999)


def _half(home: Path) -> None:
    os.truncate(home / "rag.sqlite", (home / "rag.sqlite").stat().st_size // 2)


def _folder_for_a_file(home: Path) -> None:
    (home / "rag.sqlite").unlink()
    (home / "rag.sqlite").mkdir()


NEWER = _sql("UPDATE alembic_version SET version_num = 'zukunft'")
NO_TABLE = _sql("PRAGMA writable_schema = ON", "DELETE FROM sqlite_master WHERE name = 'documents'")


@pytest.mark.parametrize(
    ("spoil", "status", "code"),
    [
        pytest.param(NEWER, 2, "database_newer", id="newer version"),
        pytest.param(_foreign, 2, "database_foreign", id="tables of something else"),
        pytest.param(_no_database, 1, "database_damaged", id="no database"),
        pytest.param(_half, 1, "database_damaged", id="half"),
        pytest.param(NO_TABLE, 1, "database_damaged", id="a table is missing"),
        pytest.param(_folder_for_a_file, 2, "no_permission", id="a folder for the database"),
    ],
)
def test_a_home_that_cannot_be_used(built, spoil, status, code):
    spoil(built / "home")
    for arguments in (["status"], ["all", "--quiet"], ["ask", QUESTION]):
        refused(rag(built, *arguments), status, code)
    assert "Traceback" in rag(built, "status", "--debug").err


def _dagster_damaged(home: Path) -> None:
    for file in (home / "dagster").rglob("*.db"):
        file.write_bytes(b"kein datenbank" * 999)


def _dagster_a_file(home: Path) -> None:
    shutil.rmtree(home / "dagster")
    (home / "dagster").write_text("im Weg")


def _dagster_yaml(home: Path) -> None:
    (home / "dagster" / "dagster.yaml").write_text("storage: [")


def _archive_a_file(home: Path) -> None:
    shutil.rmtree(home / "archive")
    (home / "archive").write_text("im Weg")


@pytest.mark.parametrize(
    ("spoil", "status", "code", "said"),
    [
        pytest.param(_dagster_damaged, 1, "database_damaged", "backup", id="Dagster's database"),
        pytest.param(_dagster_a_file, 2, "no_permission", "move it away", id="a file for Dagster's home"),
        pytest.param(_dagster_yaml, 2, "settings", "dagster.yaml", id="Dagster's settings"),
        pytest.param(_archive_a_file, 2, "no_permission", "RAG_HOME", id="a file for the archive"),
    ],
)
def test_a_part_of_the_home_that_cannot_be_used(built, spoil, status, code, said):
    spoil(built / "home")
    (built / "Notizen" / "neu.md").write_text("# Neu\n\nEtwas Neues steht hier.\n")
    refused(rag(built, "all", "--quiet"), status, code, said)
    assert "Traceback" in rag(built, "all", "--quiet", "--debug").err


def _archived(built: Path) -> list[Path]:
    return sorted(path for path in (built / "home" / "archive").glob("??/??/*"))


def test_a_damaged_original_is_found_and_copied_again_from_its_source(built):
    checks = {check["name"]: check for check in rag(built, "doctor", "--json").json["checks"]}
    assert (checks["archive"]["state"], checks["archive"]["detail"]) == ("ok", "3")
    original = _archived(built)[0]
    intact = original.read_bytes()
    original.chmod(0o644)
    original.write_bytes(bytes([intact[0] ^ 1]) + intact[1:])

    ill = rag(built, "doctor", "--json")
    (archive,) = [check for check in ill.json["checks"] if check["name"] == "archive"]
    assert (ill.status, archive["state"]) == (2, "broken")
    assert "1 / 3: notizen/" in archive["detail"]
    assert "rag scan --full" in archive["hint"]
    # A look at sizes cannot find a turned bit; hashes do.
    assert rag(built, "scan", "--json").json["restored"] == []
    assert len(rag(built, "scan", "--full", "--json").json["restored"]) == 1
    assert original.read_bytes() == intact

    # What is gone or cut short any run mends.
    os.truncate(original, 5)
    _archived(built)[1].unlink()
    assert rag(built, "all", "--quiet").status == 0
    assert original.read_bytes() == intact
    assert len(_archived(built)) == 3

    # What the source lost too only a backup brings back.
    original.chmod(0o644)
    original.write_bytes(b"kaputt")
    for file in (built / "Notizen").rglob("*.md"):
        file.unlink()
    assert rag(built, "scan", "--full", "--json").json["restored"] == []
    assert rag(built, "doctor").status == 2


def _a_folder(snapshot: Path) -> None:
    snapshot.unlink()
    snapshot.mkdir()


def _no_index(snapshot: Path) -> None:
    shutil.rmtree(snapshot.parent)
    snapshot.parent.write_text("im Weg")


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda file: file.write_bytes(b""), id="empty"),
        pytest.param(lambda file: os.truncate(file, file.stat().st_size - 9), id="cut short"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:-200] + bytes(200)), id="zeros"),
        pytest.param(_a_folder, id="a folder"),
        pytest.param(_no_index, id="no index at all"),
    ],
)
def test_a_damaged_snapshot_of_the_index_changes_no_answer(built, spoil):
    with only_environment(environment(built)), open_app(load_settings()) as app:
        assert isinstance(app.index, EmbeddedIndex)
        app.index.compact("documents")
    (snapshot,) = (built / "home" / "index").glob("*.snapshot")
    wanted = rag(built, "ask", QUESTION, "--json").json
    spoil(snapshot)
    found = rag(built, "ask", QUESTION, "--json")
    assert (found.status, found.err) == (0, "")
    assert found.json["answer"] == wanted["answer"]
    assert [source["quote"] for source in found.json["sources"]] == [source["quote"] for source in wanted["sources"]]
