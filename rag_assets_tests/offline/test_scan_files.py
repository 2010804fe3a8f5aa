"""What a scan takes for a document and what it lists with a reason; odd names and the public cases of files."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
import unicodedata
from pathlib import Path

import pytest
from sqlalchemy import text

from rag_assets.errors import UsageError
from rag_assets.stores import documents
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Database
from rag_assets_tests.offline.folders import Watched, audit, happened


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
