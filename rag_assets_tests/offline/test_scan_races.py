"""Scans that are overtaken: by the folder, by another process, by a failure in the middle."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from rag_assets.offline.folder_walk import walk
from rag_assets.offline.scan import ATTEMPTS, scan
from rag_assets_tests.offline.folders import Watched, audit, happened


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


@pytest.mark.long
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
