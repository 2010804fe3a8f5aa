"""Documents, versions, sections: found by what people type, moved on by legal steps, written only when different."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from threading import Barrier
from uuid import UUID

import pytest
from sqlalchemy import select

from rag_assets.errors import StoreError, UsageError
from rag_assets.knowledge import ids
from rag_assets.knowledge.lifecycle import IllegalTransition
from rag_assets.stores import documents, scanned
from rag_assets.stores.database import Connection, Database
from rag_assets.stores.scanned import NewDocument
from rag_assets.stores.schema.governance import AuditLog
from rag_assets.stores.schema.sources import DocumentSection, DocumentVersion
from rag_assets.text.sections import Section

NOW = datetime(2026, 11, 30, 12, 0, 0, 5, tzinfo=UTC)


def new(path: str, *, personal: bool = False) -> NewDocument:
    return NewDocument(
        source_path=path,
        source=path.split("/")[0],
        collection="documents",
        type="skript",
        authority=0.5,
        half_life_years=5.0,
        audience="all",
        personal=personal,
        local_only=personal,
        seen_sha256="a" * 64,
    )


def add(database: Database, *paths: str) -> list[str]:
    with database.write() as connection:
        return scanned.add_documents(connection, [new(path) for path in paths], now=NOW)


def document_id(connection: Connection, uid: str) -> int:
    return documents.get(connection, uid).id


# ------------------------------------------------------------------ minting


def test_uid_comes_from_namespace_and_first_path(database: Database):
    (uid,) = add(database, "campus/Müller.md")
    with database.read() as connection:
        space = documents.namespace(connection)
        row = documents.get(connection, uid)
    assert uid == ids.uid(space, "document", "campus/Müller.md")
    assert UUID(uid).version == 5
    assert row.partition_key == ids.partition_key(space, "campus/Müller.md")
    assert (row.status, row.current_version_id, row.created_at) == ("pending", None, NOW)


def test_newcomer_under_a_path_that_another_had_first(database: Database):
    (first,) = add(database, "campus/a.md")
    uids = [first]
    for _ in range(3):
        with database.write() as connection:
            row = documents.get(connection, uids[-1])
            away = f"campus/weg{len(uids)}.md"
            scanned.move_documents(connection, {row.id: (row.source_path, away)}, [], now=NOW)
        uids += add(database, "campus/a.md")
    with database.read() as connection:
        space = documents.namespace(connection)
        keys = [documents.get(connection, uid).partition_key for uid in uids]
    assert uids == [ids.uid(space, "document", "campus/a.md", generation) for generation in range(4)]
    assert len(set(keys)) == 4


def test_many_newcomers_in_one_go(database: Database):
    """More than one batch, and names that make the same slug."""
    paths = [f"campus/{number}/skript.md" for number in range(1200)]
    uids = add(database, *paths)
    with database.read() as connection:
        rows = documents.list_all(connection)
    assert {row.source_path: row.uid for row in rows} == dict(zip(paths, uids, strict=True))
    assert len({row.partition_key for row in rows}) == 1200


def test_paths_exchanged_in_one_step(database: Database):
    one, two, three = add(database, "campus/1.md", "campus/2.md", "campus/3.md")
    with database.write() as connection:
        moves = {
            document_id(connection, one): ("campus/1.md", "campus/2.md"),
            document_id(connection, two): ("campus/2.md", "campus/1.md"),
        }
        gone = documents.get(connection, three)
        moves[document_id(connection, one)] = ("campus/1.md", "campus/3.md")
        scanned.move_documents(connection, moves, [gone], now=NOW)
    with database.read() as connection:
        found = {row.source_path: row.uid for row in documents.list_all(connection)}
    assert found == {"campus/3.md": one, "campus/1.md": two, f"campus/3.md (removed {three[:8]})": three}


# ------------------------------------------------------------------ finding


@pytest.fixture
def campus(database: Database) -> Database:
    paths = ["campus/coaching.md", "campus/lehrcoaching.md", "campus/faq/Preise.md", "system/faq/Preise.md",
             "campus/100%_Übung.md", "campus/Skript.md", "campus/skript.md"]  # fmt: skip
    add(database, *paths)
    return database


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("campus/coaching.md", "campus/coaching.md"),
        ("coaching.md", "campus/coaching.md"),
        ("/coaching.md", "campus/coaching.md"),
        ("hrcoaching.md", "campus/lehrcoaching.md"),
        ("campus/faq/Preise.md", "campus/faq/Preise.md"),
        ("system/faq/Preise.md", "system/faq/Preise.md"),
        ("100%_Übung.md", "campus/100%_Übung.md"),
        ("U\u0308bung.md", "campus/100%_Übung.md"),
        ("Skript.md", "campus/Skript.md"),
    ],
)
def test_document_is_found_by_the_end_of_its_path(campus: Database, said: str, meant: str):
    with campus.read() as connection:
        row = documents.resolve(connection, said)
        assert row.source_path == meant
        assert documents.resolve(connection, row.uid) == row
        assert documents.resolve(connection, row.uid.upper()) == row


@pytest.mark.parametrize(
    ("said", "code", "exit_status"),
    [
        ("faq/Preise.md", "ambiguous_document", 2),
        (".md", "ambiguous_document", 2),
        ("fehlt.md", "unknown_document", 2),
        ("SKRIPT.MD", "unknown_document", 2),
        ("100__Übung.md", "unknown_document", 2),
        ("%", "unknown_document", 2),
        ("", "unknown_document", 2),
        (" ", "unknown_document", 2),
        ("/", "unknown_document", 2),
    ],
)
def test_document_that_is_not_meant_clearly(campus: Database, said: str, code: str, exit_status: int):
    with campus.read() as connection, pytest.raises(UsageError) as refused:
        documents.resolve(connection, said)
    assert (refused.value.code, refused.value.exit_status) == (code, exit_status)


def test_document_that_is_there_goes_before_one_that_was_removed(campus: Database):
    with campus.write() as connection:
        gone = documents.resolve(connection, "system/faq/Preise.md")
        scanned.change_documents(connection, {gone.id: {"removed_at": NOW}})
    with campus.read() as connection:
        assert documents.resolve(connection, "faq/Preise.md").source_path == "campus/faq/Preise.md"
        assert documents.resolve(connection, gone.uid).removed_at == NOW
        assert gone.uid not in {row.uid for row in documents.list_all(connection)}
        assert gone.uid in {row.uid for row in documents.list_all(connection, include_removed=True)}
        assert [row.source for row in documents.list_all(connection, sources=["system"], include_removed=True)] == [
            "system"
        ]


# ------------------------------------------------------------------ status


def test_status_moves_by_legal_steps_and_is_audited(database: Database):
    (uid,) = add(database, "campus/a.md")
    with database.write() as connection:
        row_id = document_id(connection, uid)
        with pytest.raises(IllegalTransition):
            documents.set_status(connection, row_id, "done")
        assert documents.set_status(connection, row_id, "processing", now=NOW)
        assert not documents.set_status(connection, row_id, "processing", now=NOW)
        assert documents.set_status(connection, row_id, "error", "damaged", now=NOW)
        assert not documents.set_status(connection, row_id, "error", "damaged", now=NOW)
        assert documents.set_status(connection, row_id, "error", "empty", now=NOW), "another reason is news"
        assert documents.get(connection, uid).error_code == "empty"
        trail = connection.execute(
            select(AuditLog.action, AuditLog.subject_type, AuditLog.subject_uid, AuditLog.from_state, AuditLog.to_state)
        ).all()
    assert [tuple(entry) for entry in trail] == [
        ("start", "document", uid, "pending", "processing"),
        ("fail", "document", uid, "processing", "error"),
    ]


# ------------------------------------------------------------------ versions


def test_content_that_comes_back_takes_its_version_up_again(database: Database):
    (uid,) = add(database, "campus/a.md")
    with database.write() as connection:
        row_id = document_id(connection, uid)
        one = documents.add_version(connection, row_id, "1" * 64, byte_size=5, archive_path="11/11/x", now=NOW)
        two = documents.add_version(connection, row_id, "2" * 64, byte_size=6, now=NOW)
        again = documents.add_version(connection, row_id, "1" * 64, byte_size=5, archive_path="11/11/x")
        assert again == one
        assert (one.number, two.number) == (1, 2)
        assert documents.latest_version(connection, row_id) == two
        assert documents.version_by_sha(connection, row_id, "1" * 64) == one
        assert documents.version_by_sha(connection, row_id, "3" * 64) is None
        assert [version.number for version in documents.versions(connection, row_id)] == [1, 2]
        assert documents.add_version(connection, row_id, "2" * 64, byte_size=6, archive_path="p").archive_path == "p"


def test_content_that_two_take_in_at_once_is_one_version(database: Database):
    """Each time all are let go together; none may fail, and all get the same row."""
    together = Barrier(3)

    def take_in(uid: str) -> int:
        together.wait(60)
        with database.write() as connection:
            return documents.add_version(connection, document_id(connection, uid), "1" * 64, byte_size=5).id

    with ThreadPoolExecutor(3) as pool:
        for uid in add(database, *(f"{number}.md" for number in range(8))):
            assert len(set(pool.map(take_in, [uid] * 3))) == 1


def test_two_documents_with_one_content_have_versions_of_their_own(database: Database):
    uids = add(database, "campus/a.md", "campus/b.md")
    with database.write() as connection:
        made = [documents.add_version(connection, document_id(connection, uid), "1" * 64, byte_size=5) for uid in uids]
    assert made[0].uid != made[1].uid


def test_reading_is_stored_and_cut_to_the_columns(database: Database):
    (uid,) = add(database, "campus/a.md")
    with database.write() as connection:
        row_id = document_id(connection, uid)
        version = documents.add_version(connection, row_id, "1" * 64, byte_size=5)
        assert not documents.has_text(connection, version.id)
        with pytest.raises(StoreError):
            documents.reading_of(connection, version.id)
        documents.store_reading(
            connection, version.id, text="Grüße 😀 ", layout='{"x": 1}', repairs='{"nfc": 2}', warnings='["glued"]',
            reader="markdown", mime_type="text/markdown", title="T" * 600,
            authors=["Rogers, Carl", "Perls; Fritz", "", *["N" * 300] * 4], language="de",
            published_on=date(2020, 2, 29), page_count=3, needs_ocr_pages=1,
        )  # fmt: skip
        stored = documents.get_version(connection, version.id)
        assert documents.reading_of(connection, version.id) == ("Grüße 😀 ", '{"x": 1}')
        documents.flip_current(connection, row_id, version.id)
        row = documents.get(connection, uid)
    assert stored.title == "T" * 500
    assert stored.authors == ("Rogers, Carl", "Perls, Fritz", "N" * 300, "N" * 300, "N" * 300)
    assert (stored.repairs, stored.warnings) == ({"nfc": 2}, ("glued",))
    # printf 'Grüße 😀 ' | sha256sum
    assert stored.text_sha256 == "eae2ecef63bfd7d0f26c8d16e767c73d456f427b5c98cbc3c5c310eb2111cf24"
    assert (row.current_version_id, row.title, row.language) == (version.id, "T" * 500, "de")
    assert row.published_on == date(2020, 2, 29)


def test_flip_to_the_version_that_answers_writes_nothing(database: Database):
    (uid,) = add(database, "campus/a.md")
    with database.write() as connection:
        row_id = document_id(connection, uid)
        version = documents.add_version(connection, row_id, "1" * 64, byte_size=5)
        documents.flip_current(connection, row_id, version.id)
        before = connection.exec_driver_sql("SELECT * FROM documents").all()
        documents.flip_current(connection, row_id, version.id)
        assert connection.exec_driver_sql("SELECT * FROM documents").all() == before
        assert documents.current_version_id(connection, row_id) == version.id


def test_file_that_changed_before_it_was_archived_is_looked_at_again(database: Database):
    (uid,) = add(database, "campus/a.md")
    with database.write() as connection:
        row = documents.set_seen(connection, document_id(connection, uid), sha256="b" * 64)
    assert (row.seen_sha256, row.seen_size, row.seen_mtime_ns, row.seen_inode) == ("b" * 64, None, None, None)


# ------------------------------------------------------------------ sections


def test_sections_keep_their_rows_when_nothing_changed(database: Database):
    tree = (
        Section(0, None, 0, "Titel", 0, 100, None, None),
        Section(1, 0, 1, "Kapitel " + "x" * 1200, 0, 60, 1, 2),
        Section(2, 1, 3, "Abschnitt", 10, 60, 2, 2),
        Section(3, 0, 1, "Kapitel 2", 60, 100, 3, 3),
    )
    (uid,) = add(database, "campus/a.md")
    with database.write() as connection:
        row_id = document_id(connection, uid)
        version = documents.add_version(connection, row_id, "1" * 64, byte_size=5)
        first = documents.replace_sections(connection, version.id, row_id, tree)
        assert documents.replace_sections(connection, version.id, row_id, tree) == first
        stored = documents.sections_of(connection, version.id)
        query = select(DocumentSection.id, DocumentSection.parent_section_id)
        parents = {row.id: row.parent_section_id for row in connection.execute(query)}
        assert [(row.ordinal, row.parent, row.level, row.start, row.end) for row in stored] == [
            (0, None, 0, 0, 100), (1, 0, 1, 0, 60), (2, 1, 3, 10, 60), (3, 0, 1, 60, 100),
        ]  # fmt: skip
        assert len(stored[1].heading) == 1000
        assert parents == {first[0]: None, first[1]: first[0], first[2]: first[1], first[3]: first[0]}
        documents.replace_sections(connection, version.id, row_id, tree[:2])
        assert [row.ordinal for row in documents.sections_of(connection, version.id)] == [0, 1]
        connection.execute(DocumentVersion.__table__.delete())  # type: ignore[attr-defined]
        assert documents.sections_of(connection, version.id) == [], "sections go with their version"


# ------------------------------------------------------------------ paths and skipped files


def test_paths_with_their_times(database: Database):
    (uid,) = add(database, "campus/a.md")
    later = NOW.replace(hour=18)
    with database.write() as connection:
        row = documents.get(connection, uid)
        scanned.move_documents(connection, {row.id: ("campus/a.md", "campus/b.md")}, [], now=later)
        assert scanned.paths_of(connection, row.id) == [("campus/a.md", NOW, later), ("campus/b.md", later, later)]


def test_skipped_files_are_exchanged(database: Database):
    with database.write() as connection:
        scanned.change_skipped(
            connection, gone=[], new=[("campus", "campus/a", "link"), ("system", "system/b", "lock_file")]
        )
        scanned.change_skipped(connection, gone=["campus/a"], new=[("campus", "campus/a", "link_outside")])
        assert scanned.skipped_files(connection) == {"campus/a": "link_outside", "system/b": "lock_file"}
        assert scanned.skipped_files(connection, sources=["system"]) == {"system/b": "lock_file"}
