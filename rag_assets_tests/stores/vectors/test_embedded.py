"""The embedded index: the contract on both databases, snapshots and their damage, other processes, other databases."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from rag_assets.stores.database import Database
from rag_assets.stores.schema import Base
from rag_assets.stores.schema.derivatives import Embedding, IndexGeneration, Model
from rag_assets.stores.schema.derivatives import VectorPoint as PointTable
from rag_assets.stores.tables import table_of
from rag_assets.stores.vectors import embedded as module
from rag_assets.stores.vectors import points as table
from rag_assets.stores.vectors import snapshot
from rag_assets.stores.vectors.base import Filter, Query, VectorIndex
from rag_assets.stores.vectors.embedded import EmbeddedIndex
from rag_assets_tests.stores.vectors.contract import (
    MODEL,
    WEIGHT,
    VectorIndexContract,
    assert_same_hits,
    expected_hits,
    some_points,
    some_query,
)


def make_tables(database: Database) -> None:
    """Those that the index uses: making all of them takes a second on MariaDB."""
    used = [table_of(row) for row in (Model, Embedding, PointTable, IndexGeneration)]
    Base.metadata.create_all(database.engine, tables=used)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database(database_url)
    make_tables(opened)
    yield opened
    opened.close()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{tmp_path / 'own.sqlite'}")
    make_tables(opened)
    yield opened
    opened.close()


class TestEmbeddedIndex(VectorIndexContract):
    """Everything held as segments in memory: the sizes here stay below the first snapshot."""

    @pytest.fixture
    def index(self, database: Database, tmp_path: Path) -> VectorIndex:
        return EmbeddedIndex(database, tmp_path / "index")


class TestEmbeddedIndexWithSnapshots(VectorIndexContract):
    """The same with a snapshot written at every second change or so, and merges of segments all the time."""

    @pytest.fixture
    def index(self, sqlite: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
        monkeypatch.setattr(module, "SNAPSHOT_MIN_CHANGES", 8)
        monkeypatch.setattr(module, "_MOST_SEGMENTS", 2)
        return EmbeddedIndex(sqlite, tmp_path / "index")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def stored(sqlite: Database, folder: Path) -> Database:
    """600 points on disk, with a snapshot, as another process left them."""
    index = EmbeddedIndex(sqlite, folder)
    index.ensure("documents", MODEL)
    index.upsert("documents", some_points(600))
    index.search("documents", some_query(), limit=1)
    assert snapshot.path_of(folder, "documents").exists()
    return sqlite


def assert_right(index: EmbeddedIndex, points: list, seed: int = 5) -> None:  # type: ignore[type-arg]
    query = some_query(seed)
    found = index.search("documents", query, limit=15, lexical_weight=WEIGHT)
    assert_same_hits(found, expected_hits(points, query, limit=15, weight=WEIGHT))


def test_a_new_process_answers_from_the_snapshot(
    stored: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No vector is read from SQL when nothing changed."""
    read = []
    plain = table.newer_than

    def watched(connection, collection, last_id):
        for row in plain(connection, collection, last_id):
            read.append(row)
            yield row

    monkeypatch.setattr(table, "newer_than", watched)
    assert_right(EmbeddedIndex(stored, folder), some_points(600))
    assert read == []


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.5, 0.9, 0.999])
def test_a_damaged_snapshot_is_found_out_and_replaced(stored: Database, folder: Path, share: float) -> None:
    """One flipped byte anywhere: right answers all the same, and a sound file afterwards."""
    path = snapshot.path_of(folder, "documents")
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 0x41
    path.write_bytes(data)
    assert snapshot.read(folder, "documents") is None
    assert_right(EmbeddedIndex(stored, folder), some_points(600))
    assert snapshot.read(folder, "documents") is not None


@pytest.mark.parametrize("length", [0, 7, 15, 100, 5000])
def test_a_truncated_snapshot_is_found_out(stored: Database, folder: Path, length: int) -> None:
    """A full disk or a lost write."""
    path = snapshot.path_of(folder, "documents")
    path.write_bytes(path.read_bytes()[:length])
    assert_right(EmbeddedIndex(stored, folder), some_points(600))


def test_a_snapshot_of_another_database_is_never_believed(tmp_path: Path, stored: Database, folder: Path) -> None:
    """Somebody removes the database and keeps the folder: ids begin at 1 again and mean other points."""
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    make_tables(other)
    index = EmbeddedIndex(other, folder)
    index.ensure("documents", MODEL)
    points = some_points(900)[600:]
    for start in range(0, len(points), 30):  # ten writes: the generation passes the snapshot's
        index.upsert("documents", points[start : start + 30])
    assert_right(EmbeddedIndex(other, folder), points)
    assert_right(EmbeddedIndex(other, folder), points, seed=6)
    other.close()


def test_rows_deleted_behind_its_back_do_not_surface(stored: Database, folder: Path) -> None:
    """An erasure may delete in SQL directly; hits are looked up there before they are shown, and the limit is filled."""
    index, query = EmbeddedIndex(stored, folder), some_query(5)
    best = [hit.chunk_id for hit in index.search("documents", query, limit=40, lexical_weight=WEIGHT)]
    with stored.write() as connection:
        connection.execute(delete(PointTable).where(PointTable.chunk_id.in_(best)))
    found = index.search("documents", query, limit=40, lexical_weight=WEIGHT)
    assert len(found) == 40
    assert not {hit.chunk_id for hit in found} & set(best)


def test_unchanged_points_keep_their_rows(stored: Database, folder: Path) -> None:
    """`make run` again changes no row: same ids, same generation."""

    def state() -> list[tuple[object, ...]]:
        with stored.read() as connection:
            rows = [tuple(row) for row in connection.execute(select(PointTable.id, PointTable.uid))]
            return [*rows, (table.collection_row(connection, "documents"),)]

    before = state()
    index = EmbeddedIndex(stored, folder)
    index.ensure("documents", MODEL)
    index.upsert("documents", some_points(600))
    assert index.delete_chunks("documents", []) == 0
    assert state() == before


def test_compacting_leaves_no_byte_of_what_was_deleted(stored: Database, folder: Path) -> None:
    """Vectors can be turned back into text, so an erasure must reach the snapshot as well."""
    points = some_points(600)
    index, bystander = EmbeddedIndex(stored, folder), EmbeddedIndex(stored, folder)
    assert_right(bystander, points)
    secret = points[17].vector.tobytes()
    assert secret in snapshot.path_of(folder, "documents").read_bytes()
    index.delete_chunks("documents", [points[17].chunk_id])
    index.compact("documents")
    assert secret not in snapshot.path_of(folder, "documents").read_bytes()
    left = [point for point in points if point.chunk_id != points[17].chunk_id]
    assert_right(index, left)
    assert_right(bystander, left)
    assert [path.suffix for path in sorted(folder.iterdir())] == [".lock", ".snapshot"]


def test_leftovers_of_a_killed_writer_are_removed(stored: Database, folder: Path) -> None:
    """Half-written snapshots would pile up, with vectors of erased texts in them."""
    leftover = folder / "documents.snapshot.x1y2.tmp"
    leftover.write_bytes(b"half")
    EmbeddedIndex(stored, folder).compact("documents")
    assert not leftover.exists()


@pytest.mark.long
def test_processes_share_one_folder(stored: Database, folder: Path) -> None:
    """Two writers in other processes, this one searching meanwhile; at the end all of them agree with plain data."""
    code = """
import sys
from pathlib import Path
from rag_assets.stores.database import Database
from rag_assets.stores.vectors import embedded
from rag_assets.stores.vectors.embedded import EmbeddedIndex
from rag_assets_tests.stores.vectors.contract import some_points, some_query
embedded.SNAPSHOT_MIN_CHANGES = 20
url, folder, part = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
index = EmbeddedIndex(Database(url), folder)
mine = some_points(1000)[600 + part * 200 : 800 + part * 200]
for start in range(0, 200, 50):
    index.upsert("documents", mine[start : start + 50])
    index.search("documents", some_query(start), limit=3)
index.delete_chunks("documents", [mine[0].chunk_id])
"""
    writers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, str(stored.engine.url), str(folder), str(part)],
            env={"PYTHONPATH": ":".join(sys.path)},
        )
        for part in range(2)
    ]
    index = EmbeddedIndex(stored, folder)
    while any(writer.poll() is None for writer in writers):
        assert len(index.search("documents", some_query(3), limit=10)) == 10
    assert [writer.returncode for writer in writers] == [0, 0]
    gone = {some_points(1000)[600 + part * 200].chunk_id for part in range(2)}
    left = [point for point in some_points(1000) if point.chunk_id not in gone]
    for each in (index, EmbeddedIndex(stored, folder)):
        assert each.count("documents") == len(left)
        assert_right(each, left)


def test_threads_share_one_index(stored: Database, folder: Path) -> None:
    """The web service searches from many threads while a document comes in."""
    index, errors = EmbeddedIndex(stored, folder), []

    def ask(seed: int) -> None:
        try:
            for _ in range(10):
                assert len(index.search("documents", some_query(seed), limit=10)) == 10
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    index.upsert("documents", some_points(900)[600:])
    for thread in threads:
        thread.join()
    assert errors == []
    assert_right(index, some_points(900))


def test_a_snapshot_holds_what_sql_holds(stored: Database, folder: Path) -> None:
    """Counted from the file itself."""
    found = snapshot.read(folder, "documents")
    assert found is not None
    with stored.read() as connection:
        assert len(found.segment) == connection.scalar(select(func.count()).select_from(PointTable))
    assert found.model == MODEL


def test_names_of_collections_stay_inside_the_folder(sqlite: Database, folder: Path) -> None:
    """`rag all --collection` takes any name."""
    index = EmbeddedIndex(sqlite, folder)
    name = "../../Über uns: 1/2"
    index.ensure(name, MODEL)
    index.upsert(name, some_points(600))
    assert len(index.search(name, Query(terms=("wort1",)), limit=5, where=Filter())) == 5
    assert all(path.parent == folder for path in folder.rglob("*"))
    assert len(list(folder.iterdir())) == 2
