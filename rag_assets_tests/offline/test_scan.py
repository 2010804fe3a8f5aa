"""The scan over real folders: what each change on the disk becomes in the database."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.errors import UsageError
from rag_assets.offline.glob_patterns import GlobPatterns
from rag_assets.offline.scan import scan
from rag_assets.offline.sources import Rule
from rag_assets.stores import documents, scanned
from rag_assets_tests.offline.folders import NOTHING, Watched, audit, events, happened


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
