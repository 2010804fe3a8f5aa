"""The scan over real folders: what each change on the disk becomes in the database."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, text

from rag_assets.errors import UsageError
from rag_assets.offline.folder_walk import walk
from rag_assets.offline.glob_patterns import GlobPatterns
from rag_assets.offline.scan import ATTEMPTS, ScanReport, scan
from rag_assets.offline.sources import Rule
from rag_assets.stores import documents, scanned
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Database
from rag_assets.stores.schema.governance import AuditLog
from rag_assets_tests.offline.folders import Watched

NOTHING = {"added": (), "changed": (), "moved": (), "removed": (), "returned": (), "failed": ()}


@pytest.fixture
def watched(database: Database, tmp_path: Path) -> Watched:
    return Watched(database, tmp_path / "folder", Archive(tmp_path / "archive"))


def events(report: ScanReport) -> dict[str, tuple[object, ...]]:
    return {name: getattr(report, name) for name in NOTHING}


def happened(report: ScanReport) -> set[str]:
    return {name for name, found in events(report).items() if found}


def audit(database: Database) -> list[tuple[str, str, str | None, str | None]]:
    with database.read() as connection:
        query = select(AuditLog.action, AuditLog.subject_uid, AuditLog.from_state, AuditLog.to_state)
        return [(row[0], row[1], row[2], row[3]) for row in connection.execute(query.order_by(AuditLog.id))]


def test_newcomers_are_pending_documents(watched: Watched):
    watched.write("skripte/Gesprächsführung.md", "Eins")
    watched.write("b.md", "Zwei")
    report = watched.scan()
    rows = watched.rows()
    assert set(rows) == {"skripte/Gesprächsführung.md", "b.md"}
    assert set(report.added) == {row.uid for row in rows.values()}
    assert happened(report) == {"added"}
    row = rows["skripte/Gesprächsführung.md"]
    # From `printf Eins | sha256sum`.
    assert row.seen_sha256 == "42f1686f1ba8e2058990daf306427f06679202237b21cb1e4f3e01e2b8769604"
    assert (row.status, row.error_code, row.removed_at, row.seen_size) == ("pending", None, None, 4)
    assert row.partition_key.startswith("gespraechsfuehrung-")
    with watched.database.read() as connection:
        assert [path for path, *_ in scanned.paths_of(connection, row.id)] == [row.source_path]
    assert sorted(audit(watched.database)) == sorted(("discover", uid, None, "pending") for uid in report.added)


def test_scan_of_unchanged_files_writes_and_reads_nothing(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    watched.write("a.md", "Eins")
    watched.write("~$a.docx", "Sperre")
    watched.write("leer.md", "")
    watched.scan()
    before, lines = watched.dump(), watched.archive.events()

    def refuse(*_args: object) -> None:
        raise AssertionError("a file was opened or the base was written")

    monkeypatch.setattr("rag_assets.offline.scan._hash", refuse)
    monkeypatch.setattr("rag_assets.offline.scan.in_write", refuse)
    report = watched.scan()
    assert (report.unchanged, happened(report)) == (2, set())
    assert [reason for _, reason in report.skipped] == ["lock_file"]
    assert (watched.dump(), watched.archive.events()) == (before, lines)


def test_full_scan_finds_a_change_that_size_and_time_hide(watched: Watched):
    file = watched.write("a.md", "Eins")
    watched.scan()
    state = file.stat()
    with file.open("r+") as opened:
        opened.write("Ein5")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert happened(watched.scan()) == set()
    report = watched.scan(full=True)
    assert report.changed == (watched.uids()["a.md"],)
    before = watched.dump()
    watched.scan(full=True)
    assert watched.dump() == before


def test_touched_file_is_hashed_once_and_has_not_changed(watched: Watched):
    file = watched.write("a.md", "Eins")
    watched.scan()
    entries = audit(watched.database)
    os.utime(file, ns=(1, 1_700_000_000_000_000_001))
    assert happened(watched.scan()) == set()
    assert watched.rows()["a.md"].seen_mtime_ns == 1_700_000_000_000_000_001
    assert audit(watched.database) == entries
    before = watched.dump()
    watched.scan()
    assert watched.dump() == before


def test_changed_content_keeps_the_document(watched: Watched):
    watched.write("a.md", "Eins")
    watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    watched.write("a.md", "Eins, anders")
    report = watched.scan()
    assert events(report) == NOTHING | {"changed": (uids["a.md"],)}
    assert watched.uids() == uids
    assert audit(watched.database)[-1] == ("change", uids["a.md"], "pending", "pending")


@pytest.mark.parametrize("new", ["c.md", "tief/unten/a.md", "A.md", "ä ö.md"])
def test_moved_file_keeps_its_document(watched: Watched, new: str):
    old = watched.write("a.md", "Eins")
    watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    (watched.folder / new).parent.mkdir(parents=True, exist_ok=True)
    old.rename(watched.folder / new)
    report = watched.scan()
    assert events(report) == NOTHING | {"moved": (uids["a.md"],)}
    assert watched.uids() == {new: uids["a.md"], "b.md": uids["b.md"]}
    with watched.database.read() as connection:
        document = documents.get(connection, uids["a.md"])
        paths = [path.removeprefix(watched.source.name + "/") for path, *_ in scanned.paths_of(connection, document.id)]
    assert paths == ["a.md", new]
    event = watched.archive.events()[-1]
    assert (event.kind, event.moved_from, event.path, event.document_uid) == (
        "moved", f"{watched.source.name}/a.md", f"{watched.source.name}/{new}", uids["a.md"],
    )  # fmt: skip


def test_whole_folder_moved(watched: Watched):
    for number in range(30):
        watched.write(f"alt/{number}.md", f"Text {number % 10}")  # contents occur three times
    watched.scan()
    uids = watched.uids()
    (watched.folder / "alt").rename(watched.folder / "neu")
    report = watched.scan()
    assert happened(report) == {"moved"}
    assert watched.uids() == {path.replace("alt/", "neu/"): uid for path, uid in uids.items()}


def test_newcomer_at_the_old_path_is_another_document(watched: Watched):
    watched.write("a.md", "Eins").rename(watched.folder / "b.md")
    watched.scan()
    first = watched.uids()["b.md"]
    (watched.folder / "b.md").rename(watched.folder / "c.md")
    watched.write("b.md", "Ein anderer Text")
    report = watched.scan()
    assert report.moved == (first,)
    assert len(report.added) == 1
    assert watched.uids() == {"c.md": first, "b.md": report.added[0]}
    assert report.added[0] != first
    keys = {row.partition_key for row in watched.rows().values()}
    assert len(keys) == 2


def test_newcomer_in_a_later_scan_is_another_document_too(watched: Watched):
    file = watched.write("a.md", "Eins")
    watched.scan()
    first = watched.uids()["a.md"]
    file.rename(watched.folder / "c.md")
    watched.scan()
    watched.write("a.md", "Ein anderer Text")
    second = watched.scan().added[0]
    assert watched.uids() == {"c.md": first, "a.md": second}
    assert first != second


def test_copy_kept_before_an_edit_is_no_move(watched: Watched):
    """Explorer and Finder keep the time of a copy; only the inode tells it from the original."""
    file = watched.write("a.md", "Eins")
    watched.scan()
    first = watched.uids()["a.md"]
    shutil.copy2(file, watched.folder / "a (Kopie).md")
    watched.write("a.md", "Eins, überarbeitet")
    report = watched.scan()
    assert report.changed == (first,)
    assert (len(report.added), report.moved) == (1, ())


def test_copy_kept_before_an_edit_may_bring_a_removed_document_back(watched: Watched):
    """The copy cannot be the one that was edited, but it can be the other that had the same content."""
    file = watched.write("a.md", "Eins")
    watched.write("b.md", "Eins")
    watched.scan()
    uids = watched.uids()
    (watched.folder / "b.md").unlink()
    watched.scan()
    shutil.copy2(file, watched.folder / "c.md")
    watched.write("a.md", "Eins, überarbeitet")
    assert events(watched.scan()) == NOTHING | {"moved": (uids["b.md"],), "changed": (uids["a.md"],)}


def test_editor_that_saves_by_renaming_changes_the_document(watched: Watched):
    watched.write("a.md", "Eins")
    watched.scan()
    first = watched.uids()
    watched.write("a.md.neu", "Eins, überarbeitet").rename(watched.folder / "a.md")
    assert watched.scan().changed == (first["a.md"],)
    assert watched.uids() == first


def test_two_files_exchanged_are_two_moves(watched: Watched):
    one, two = watched.write("a.md", "Eins"), watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    one.rename(watched.folder / "x"), two.rename(one), (watched.folder / "x").rename(two)
    report = watched.scan()
    assert set(report.moved) == set(uids.values())
    assert happened(report) == {"moved"}
    assert watched.uids() == {"a.md": uids["b.md"], "b.md": uids["a.md"]}


def test_contents_exchanged_are_two_moves_too(watched: Watched):
    """The same outcome on the disk, whatever program brought it about."""
    watched.write("a.md", "Eins"), watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    watched.write("a.md", "Zwei"), watched.write("b.md", "Eins")
    assert happened(watched.scan()) == {"moved"}
    assert watched.uids() == {"a.md": uids["b.md"], "b.md": uids["a.md"]}


def test_row_of_files_passed_on_with_a_newcomer_at_the_front(watched: Watched):
    """Chapter numbers shift by one, and a new first chapter is put in."""
    for number in range(1, 5):
        watched.write(f"kapitel{number}.md", f"Text {number}")
    watched.scan()
    uids = watched.uids()
    for number in range(4, 0, -1):
        (watched.folder / f"kapitel{number}.md").rename(watched.folder / f"kapitel{number + 1}.md")
    watched.write("kapitel1.md", "Neu")
    report = watched.scan()
    assert watched.uids() == {
        "kapitel1.md": report.added[0],
        **{f"kapitel{number + 1}.md": uids[f"kapitel{number}.md"] for number in range(1, 5)},
    }


def test_file_written_over_by_another_has_changed(watched: Watched):
    draft = watched.write("entwurf.md", "Entwurf")
    watched.write("final.md", "Alt")
    watched.scan()
    uids = watched.uids()
    draft.rename(watched.folder / "final.md")
    report = watched.scan()
    assert (report.changed, report.removed) == ((uids["final.md"],), (uids["entwurf.md"],))
    assert happened(report) == {"changed", "removed"}


def test_move_is_found_though_another_file_was_written_over_with_its_content(watched: Watched):
    file = watched.write("p.md", "Eins")
    watched.write("q.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    watched.write("r.md", "Eins"), watched.write("q.md", "Eins")
    file.unlink()
    report = watched.scan()
    assert (report.moved, report.changed) == ((uids["p.md"],), (uids["q.md"],))
    assert watched.uids()["r.md"] == uids["p.md"]


def test_removed_and_returned(watched: Watched):
    file = watched.write("a.md", "Eins")
    watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    file.unlink()
    report = watched.scan()
    assert events(report) == NOTHING | {"removed": (uids["a.md"],)}
    row = watched.rows(removed=True)["a.md"]
    assert row.removed_at is not None
    assert row.status == "pending", "a document that vanished keeps its status"
    before = watched.dump()
    assert happened(watched.scan()) == set()
    assert watched.dump() == before

    watched.write("a.md", "Eins")
    report = watched.scan()
    assert events(report) == NOTHING | {"returned": (uids["a.md"],)}
    assert watched.uids() == uids
    assert [event.kind for event in watched.archive.events()] == ["removed", "returned"]
    assert [entry[0] for entry in audit(watched.database)[-2:]] == ["remove", "return"]


def test_returned_with_other_content(watched: Watched):
    file = watched.write("a.md", "Eins")
    watched.scan()
    uids = watched.uids()
    file.unlink()
    watched.scan()
    watched.write("a.md", "Ganz anders")
    assert events(watched.scan()) == NOTHING | {"returned": (uids["a.md"],)}
    assert watched.rows()["a.md"].seen_size == len("Ganz anders")


def test_move_over_two_scans(watched: Watched):
    """The sensor may look between the removal and the arrival."""
    file = watched.write("a.md", "Eins")
    watched.scan()
    uids = watched.uids()
    file.unlink()
    watched.scan()
    watched.write("unten/neu.md", "Eins")
    assert events(watched.scan()) == NOTHING | {"moved": (uids["a.md"],)}
    assert watched.uids() == {"unten/neu.md": uids["a.md"]}


def test_move_to_the_path_of_a_removed_document(watched: Watched):
    watched.write("a.md", "Eins"), watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    (watched.folder / "b.md").unlink()
    watched.scan()
    (watched.folder / "a.md").rename(watched.folder / "b.md")
    assert events(watched.scan()) == NOTHING | {"moved": (uids["a.md"],)}
    assert watched.uids() == {"b.md": uids["a.md"]}
    # The one that was there before is still known, and comes back wherever its content does.
    watched.write("c.md", "Zwei")
    assert events(watched.scan()) == NOTHING | {"moved": (uids["b.md"],)}
    assert watched.uids() == {"b.md": uids["a.md"], "c.md": uids["b.md"]}


def test_empty_files_are_never_taken_for_each_other(watched: Watched):
    file = watched.write("a.md", "")
    watched.scan()
    file.rename(watched.folder / "b.md")
    assert happened(watched.scan()) == {"added", "removed"}


def test_duplicates_are_documents_and_named(watched: Watched):
    watched.write("b.md", "Eins"), watched.write("leer1.md", ""), watched.write("leer2.md", "")
    watched.scan()
    watched.write("a.md", "Eins")
    report = watched.scan()
    assert report.duplicated == report.added == (watched.uids()["a.md"],)
    assert watched.scan().duplicated == (watched.uids()["a.md"],)


def test_missing_folder_removes_nothing(watched: Watched, tmp_path: Path):
    watched.write("a.md", "Eins")
    other = replace(watched.source, name="andere", folder=tmp_path / "andere")
    (tmp_path / "andere").mkdir()
    (tmp_path / "andere" / "neu.md").write_text("Neu")
    watched.scan()
    before = watched.dump()
    watched.folder.rename(tmp_path / "weg")
    for sources in ((watched.source,), (other, watched.source)):
        with pytest.raises(UsageError) as refused:
            scan(watched.database, sources)
        assert refused.value.code == "no_such_folder"
        assert watched.dump() == before, "nothing may be written for any source"


def test_empty_folder_removes_its_documents(watched: Watched):
    watched.write("a.md", "Eins").rename(watched.folder / "b.md")
    watched.scan()
    (watched.folder / "b.md").unlink()
    assert happened(watched.scan()) == {"removed"}
    assert watched.rows() == {}


def test_other_sources_are_left_alone(watched: Watched, tmp_path: Path):
    watched.write("a.md", "Eins")
    watched.scan()
    (tmp_path / "andere").mkdir()
    other = replace(watched.source, name="andere", folder=tmp_path / "andere")
    assert happened(scan(watched.database, (other,))) == set()
    assert set(watched.rows()) == {"a.md"}


def test_excluded_later_is_removed(watched: Watched):
    watched.write("alt/a.md", "Eins"), watched.write("b.md", "Zwei")
    watched.scan()
    watched.source = replace(watched.source, exclude=GlobPatterns.of(["alt/**"]))
    assert happened(watched.scan()) == {"removed"}
    assert set(watched.rows()) == {"b.md"}


def test_rows_follow_the_place_in_the_sources(watched: Watched):
    watched.write("handbuecher/a.md", "Eins"), watched.write("b.md", "Zwei")
    watched.scan()
    assert watched.rows()["handbuecher/a.md"].type == "dokument"
    rule = Rule(GlobPatterns.of(["handbuecher/**"]), type="handbuch", authority=1.0, audience=("team", "leitung"))
    watched.source = replace(watched.source, rules=(rule,))
    report = watched.scan()
    assert happened(report) == set()
    row = watched.rows()["handbuecher/a.md"]
    assert (row.type, row.authority, row.audience, row.local_only) == ("handbuch", 1.0, "team,leitung", False)
    assert watched.rows()["b.md"].type == "dokument"
    assert audit(watched.database)[-1][:2] == ("place", row.uid)
    before = watched.dump()
    watched.scan()
    assert watched.dump() == before


def test_personal_source_shows_no_name_in_the_key(watched: Watched):
    watched.write("Erika Mustermann.md", "Eins")
    placement = replace(watched.source.placement, personal=True, local_only=True)
    watched.source = replace(watched.source, placement=placement)
    watched.scan()
    (row,) = watched.rows().values()
    assert row.personal
    assert row.local_only
    assert "mustermann" not in row.partition_key
    assert row.partition_key.startswith("doc-")


# ------------------------------------------------------------------ what cannot be read


def test_links_pipes_and_junk_are_listed_not_followed(watched: Watched, tmp_path: Path):
    (tmp_path / "aussen").mkdir()
    (tmp_path / "aussen" / "geheim.md").write_text("Geheim")
    watched.write("a.md", "Eins")
    (watched.folder / "link.md").symlink_to(watched.folder / "a.md")
    (watched.folder / "raus.md").symlink_to(tmp_path / "aussen" / "geheim.md")
    (watched.folder / "raus").symlink_to(tmp_path / "aussen")
    (watched.folder / "kreis").symlink_to(watched.folder)
    (watched.folder / "tot.md").symlink_to(watched.folder / "fehlt.md")
    os.mkfifo(watched.folder / "rohr.md")
    for name in ("~$a.docx", ".~lock.a.odt#", "Thumbs.db", ".DS_Store", "._a.md", "a.md.tmp", "film.mp4.part", "a.md~"):
        watched.write(name, "x")
    watched.write("__MACOSX/a.md", "x")
    watched.write(".versteckt/a.md", "x")
    report = watched.scan()
    assert set(watched.rows()) == {"a.md"}
    expected = {
        "link.md": "link",
        "raus.md": "link_outside",
        "raus": "link_outside",
        "kreis": "link",
        "tot.md": "link_broken",
        "rohr.md": "not_a_file",
        "~$a.docx": "lock_file",
        ".~lock.a.odt#": "lock_file",
        "Thumbs.db": "system_file",
        ".DS_Store": "system_file",
        "._a.md": "system_file",
        "__MACOSX": "system_file",
        "a.md.tmp": "unfinished",
        "film.mp4.part": "unfinished",
        "a.md~": "backup",
    }
    assert watched.skipped() == expected
    assert {path.split("/", 1)[1]: reason for path, reason in report.skipped} == expected
    for name in ("~$a.docx", "raus"):
        (watched.folder / name).unlink()
    watched.scan()
    assert watched.skipped() == {path: why for path, why in expected.items() if path not in ("~$a.docx", "raus")}


def test_name_that_is_not_utf8_is_listed(watched: Watched):
    watched.write("a.md", "Eins")
    raw = os.fsencode(watched.folder) + b"/Pr\xfcfung.md"
    Path(os.fsdecode(raw)).write_text("Zwei")
    watched.scan()
    assert set(watched.rows()) == {"a.md"}
    assert watched.skipped() == {"Pr\\xfcfung.md": "name_not_utf8"}
    before = watched.dump()
    watched.scan()
    assert watched.dump() == before


def test_path_too_long_for_the_database_is_listed(watched: Watched):
    deep = "/".join(["ordner" * 30] * 4) + "/a.md"
    watched.write(deep, "Eins")
    report = watched.scan()
    assert watched.rows() == {}
    assert [reason for _, reason in report.skipped] == ["path_too_long"]
    before = watched.dump()
    watched.scan()
    assert watched.dump() == before


def test_too_large_file_is_noted_and_not_read(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    """The case file-4gb-sparse: refused by its size, before a byte is read; the others go on."""
    with (watched.folder / "riesig.bin").open("wb") as file:
        file.truncate(4 * 2**30)
    watched.write("a.md", "Eins")
    report = watched.scan(max_bytes=1000)
    rows = watched.rows()
    assert (rows["riesig.bin"].status, rows["riesig.bin"].error_code) == ("error", "too_large")
    assert rows["riesig.bin"].seen_sha256 is None
    assert rows["a.md"].status == "pending"
    assert report.failed == ((rows["riesig.bin"].uid, "too_large"),)
    before = watched.dump()
    assert watched.scan(max_bytes=1000).failed == report.failed
    assert watched.dump() == before
    with (watched.folder / "riesig.bin").open("r+b") as file:
        file.truncate(10)
    watched.scan(max_bytes=1000)
    row = watched.rows()["riesig.bin"]
    assert (row.status, row.error_code, row.seen_size) == ("pending", None, 10)
    steps = [entry[2:] for entry in audit(watched.database) if entry[1] == row.uid and entry[2] != entry[3]]
    assert steps == [
        (None, "pending"), ("pending", "processing"), ("processing", "error"), ("error", "processing"),
        ("processing", "pending"),
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="rights are set by Linux means")
def test_rights_taken_and_given_back(database: Database, tmp_path: Path):
    """Run as a user without privileges where the tests run as root: root reads everything."""
    watched = Watched(database, tmp_path / "folder", Archive(tmp_path / "archive"))
    watched.write("a.md", "Eins"), watched.write("unten/b.md", "Zwei"), watched.write("unten/tief/c.md", "Drei")
    watched.write("unten/~$b.docx", "x"), watched.write("d.md", "Vier")
    watched.scan()
    uids = watched.uids()
    assert watched.skipped() == {"unten/~$b.docx": "lock_file"}
    with _unprivileged(tmp_path):
        (watched.folder / "a.md").write_text("Geändert")
        (watched.folder / "a.md").chmod(0)
        (watched.folder / "unten").chmod(0)
        report = watched.scan()
        row = watched.rows()["a.md"]
        assert (row.status, row.error_code) == ("error", "unreadable")
        assert report.failed == ((uids["a.md"], "unreadable"),)
        assert report.removed == (), "what cannot be seen is not gone"
        assert watched.skipped() == {"unten": "unreadable_folder", "unten/~$b.docx": "lock_file"}
        before = watched.dump()
        watched.scan()
        assert watched.dump() == before
        # Noticed at archiving first: the scan asks the file again, and does not take the error back.
        (watched.folder / "d.md").chmod(0)
        with database.write() as connection:
            for status, code in (("processing", None), ("error", "unreadable")):
                documents.set_status(connection, watched.rows_in(connection)["d.md"].id, status, code)
        before = watched.dump()
        watched.scan()
        assert watched.dump() == before
        (watched.folder / "d.md").chmod(0o644)
        (watched.folder / "unten").chmod(0o755)
        (watched.folder / "a.md").chmod(0o644)
        report = watched.scan()
        assert report.changed == (uids["a.md"],)
        assert (watched.uids(), watched.skipped()) == (uids, {"unten/~$b.docx": "lock_file"})
        assert {watched.rows()[path].status for path in ("a.md", "d.md")} == {"pending"}
        watched.folder.chmod(0)
        with pytest.raises(UsageError) as refused:
            watched.scan()
        watched.folder.chmod(0o755)
        assert refused.value.code == "no_permission"


class _unprivileged:  # noqa: N801 - used like a function
    """Gives up root's rights over files for the length of a block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        self.root = os.geteuid() == 0
        if self.root:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, 65534, 65534)
            parents = [parent for parent in self.folder.parents if parent != Path("/")]
            self.modes = [(parent, parent.stat().st_mode) for parent in parents]
            for parent in parents:
                parent.chmod(parent.stat().st_mode | 0o011)
            os.seteuid(65534)

    def __exit__(self, *_exc: object) -> None:
        if self.root:
            os.seteuid(0)
            for parent, mode in self.modes:
                parent.chmod(mode)


def test_file_that_keeps_changing_waits_for_the_next_scan(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    file = watched.write("a.md", "Eins")
    watched.write("b.md", "Zwei")
    watched.scan()
    uids = watched.uids()
    file.write_text("Eins und mehr")
    real = hashlib.file_digest

    def growing(content, name):
        digest = real(content, name)
        if Path(f"/proc/self/fd/{content.fileno()}").readlink() == file:
            with file.open("a") as more:
                more.write("!")
        return digest

    monkeypatch.setattr(hashlib, "file_digest", growing)
    before = watched.dump()
    report = watched.scan()
    assert report.failed == ((uids["a.md"], "changed_while_read"),)
    assert watched.dump() == before
    monkeypatch.undo()
    assert watched.scan().changed == (uids["a.md"],)


# ------------------------------------------------------------------ two at once, crashes


def test_change_by_another_process_during_the_walk_is_not_undone(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    """Another scan sees a newer state and writes first: what this one saw earlier must not win."""
    watched.write("a.md", "Eins")
    watched.scan()
    watched.write("b.md", "Zwei")
    calls = []

    def slow(source):
        walked = walk(source)
        calls.append(source)
        if len(calls) == 1:
            watched.write("c.md", "Drei")  # this walk has not seen it ...
            scan(watched.database, (watched.source,))  # ... the other process has
        return walked

    monkeypatch.setattr("rag_assets.offline.scan.walk", slow)
    report = watched.scan()
    assert set(watched.rows()) == {"a.md", "b.md", "c.md"}
    assert happened(report) == set(), "the other one did it all"


def test_always_overtaken_scan_ends_under_the_lock(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    calls = []

    def overtaken(source):
        walked = walk(source)
        calls.append(source)
        if len(calls) <= 2 * ATTEMPTS - 1 and len(calls) % 2:
            watched.write(f"{len(calls)}.md", f"Text {len(calls)}")
            scan(watched.database, (watched.source,))
            watched.write(f"{len(calls)}x.md", f"Text {len(calls)}x")
        return walked

    monkeypatch.setattr("rag_assets.offline.scan.walk", overtaken)
    watched.write("a.md", "Eins")
    watched.scan()
    monkeypatch.undo()
    assert set(watched.rows()) == {path.name for path in watched.folder.iterdir()}


SCAN = """
import sys
from pathlib import Path
from rag_assets.offline.scan import scan
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Database
sys.stdin.readline()
database = Database(sys.argv[1])
scan(database, (ad_hoc_source(Path(sys.argv[2]), "documents"),), archive=Archive(Path(sys.argv[3])))
database.close()
"""


def test_two_processes_scan_at_once(watched: Watched, tmp_path: Path):
    for number in range(200):
        watched.write(f"{number}.md", f"Text {number}")
    url = watched.database.engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-c", SCAN, url, str(watched.folder), str(tmp_path / "archive")]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    endings = [(process.communicate()[1], process.returncode) for process in processes]
    assert endings == [("", 0)] * 2
    assert len(watched.rows()) == 200
    assert len(audit(watched.database)) == 200


def test_failure_in_the_middle_leaves_nothing(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    watched.write("a.md", "Eins").rename(watched.folder / "b.md")
    watched.scan()
    before = watched.dump()
    watched.write("c.md", "Zwei")
    (watched.folder / "b.md").rename(watched.folder / "d.md")

    def full_disk(*_args: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watched.archive, "record_all", full_disk)
    with pytest.raises(OSError, match="No space"):
        watched.scan()
    assert watched.dump() == before


# ------------------------------------------------------------------ the corpora's cases


def unpack(corpora: Path, case: str, target: Path, name: str = "baum.tar.gz") -> dict[str, object]:
    folder = corpora / "cases" / case
    with tarfile.open(folder / name) as archive:
        archive.extractall(target, filter="fully_trusted")
    expected: dict[str, object] = json.loads((folder / "expected.json").read_text())
    return expected


def test_case_odd_names(watched: Watched, corpora: Path):
    expected = unpack(corpora, "files-odd-names", watched.folder)
    watched.scan()
    rows = watched.rows()
    assert len(rows) == expected["documents"] == 10
    assert watched.skipped() == {}
    keys = {row.partition_key for row in rows.values()}
    assert len(keys) == 10
    assert all(set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for key in keys)
    assert "quelle/Zeile\nUmbruch.md" in rows
    assert "quelle/Ende .md" in rows
    for row in rows.values():
        file = watched.source.find(row.source_path)
        assert file is not None
        assert file.stat().st_size == row.seen_size
        with watched.database.read() as connection:
            assert documents.resolve(connection, row.source_path.split("/", 2)[2]) == row


def test_case_junk_and_locks(watched: Watched, corpora: Path):
    """Empty files are documents; reading tells that they are empty."""
    unpack(corpora, "files-junk-and-locks", watched.folder)
    watched.scan()
    assert set(watched.rows()) == {"quelle/Konzept.md", "quelle/leer.md", "quelle/nur_leerzeichen.txt"}
    assert len(watched.skipped()) == 6


def test_case_nfc_and_nfd_names(watched: Watched, corpora: Path):
    expected = unpack(corpora, "files-nfc-nfd-names", watched.folder)
    watched.scan()
    rows = watched.rows()
    assert len(rows) == expected["documents"] == 3
    assert all(unicodedata.is_normalized("NFC", path) for path in rows)
    for row in rows.values():
        file = watched.source.find(row.source_path)
        assert file is not None
        assert file.stat().st_size == row.seen_size
    before = watched.uids()
    for path in list(watched.folder.rglob("*")):
        if path.is_file() and not unicodedata.is_normalized("NFC", path.name):
            path.rename(path.with_name(unicodedata.normalize("NFC", path.name)))
    assert happened(watched.scan()) == set()
    assert watched.uids() == before


def test_names_that_differ_in_their_form_only(watched: Watched):
    composed, decomposed = "Übung.md", unicodedata.normalize("NFD", "Übung.md")
    watched.write(decomposed, "zerlegt")
    watched.scan()
    first = watched.uids()
    watched.write(composed, "zusammengesetzt, länger")
    report = watched.scan()
    assert report.changed == (first["Übung.md"],)
    assert [reason for _, reason in report.skipped] == ["same_name"]
    file = watched.source.find(watched.rows()["Übung.md"].source_path)
    assert file is not None
    assert file.name == composed


def test_case_duplicates_and_rename(watched: Watched, corpora: Path, tmp_path: Path):
    unpack(corpora, "files-duplicates-and-rename", watched.folder, "stand1.tar.gz")
    report = watched.scan()
    uids = watched.uids()
    assert len(uids) == 2
    assert report.duplicated == (uids["quelle/b/Skript_Kopie.md"],)
    shutil.rmtree(watched.folder / "quelle")
    unpack(corpora, "files-duplicates-and-rename", watched.folder, "stand2.tar.gz")
    report = watched.scan()
    assert report.moved == (uids["quelle/a/Skript.md"],)
    assert watched.uids() == {
        "quelle/a/Skript_neu.md": uids["quelle/a/Skript.md"],
        "quelle/b/Skript_Kopie.md": uids["quelle/b/Skript_Kopie.md"],
    }


def test_names_that_differ_in_case_only_are_two_documents(watched: Watched):
    watched.write("Skript.md", "Eins"), watched.write("skript.md", "Zwei")
    assert len(watched.scan().added) == 2
    with watched.database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM documents")) == 2
        assert documents.resolve(connection, "skript.md").seen_sha256 == watched.rows()["skript.md"].seen_sha256
