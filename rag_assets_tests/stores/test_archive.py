"""The archive: whole or not at all, checked when read, and a manifest that a crash cannot spoil."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.errors import DocumentError, ServiceError, StoreError
from rag_assets.stores.archive import BLOCK, STALE_S, Archive
from rag_assets.stores.manifest import Event, Manifest

NOW = datetime(2026, 11, 30, 12, 0, 0, 5, tzinfo=UTC)
# printf 'Grüße' | sha256sum
GRUESSE = "f83e039796c6453a10f5519e39fd113901572316a1a8ea07cb525d2801dfd074"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "skript.md"
    path.write_text("Grüße", encoding="utf-8")
    return path


def leftovers(archive: Archive) -> list[Path]:
    return list((archive.folder / "tmp").iterdir())


def test_object_lies_under_its_hash_and_is_read_only(archive: Archive, file: Path):
    stored = archive.put(file)
    assert stored.sha256 == GRUESSE
    assert stored.path == f"{GRUESSE[:2]}/{GRUESSE[2:4]}/{GRUESSE}"
    assert stored.size == 7
    copy = archive.verified(GRUESSE)
    assert copy == archive.folder / stored.path
    assert copy.read_bytes() == file.read_bytes()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o444
    assert archive.has(GRUESSE)
    assert list(archive.objects()) == [GRUESSE]
    assert leftovers(archive) == []


def test_content_that_is_there_is_not_written_again(archive: Archive, file: Path):
    archive.put(file)
    before = archive.verified(GRUESSE).stat()
    other = file.with_name("kopie.md")
    other.write_bytes(file.read_bytes())
    assert archive.put(other).sha256 == GRUESSE
    after = archive.verified(GRUESSE).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17])
def test_any_size(archive: Archive, tmp_path: Path, size: int):
    file = tmp_path / "f"
    file.write_bytes(os.urandom(size))
    expected = subprocess.run(["sha256sum", file], capture_output=True, text=True, check=True).stdout.split()[0]
    stored = archive.put(file)
    assert (stored.sha256, stored.size) == (expected, size)
    assert archive.verified(expected).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("damage", ["flip", "cut", "longer", "gone"])
def test_damage_is_noticed_and_mended_by_the_next_put(archive: Archive, file: Path, damage: str):
    archive.put(file)
    path = archive.verified(GRUESSE)
    path.chmod(0o644)
    content = path.read_bytes()
    match damage:
        case "flip":
            path.write_bytes(b"g" + content[1:])
        case "cut":
            path.write_bytes(content[:-1])
        case "longer":
            path.write_bytes(content + b" ")
        case _:
            path.unlink()
    with pytest.raises(StoreError) as refused:
        archive.verified(GRUESSE)
    assert refused.value.code == "archive_corrupt"
    archive.put(file)
    assert archive.verified(GRUESSE).read_bytes() == content


def test_hash_cannot_lead_out_of_the_archive(archive: Archive):
    for wrong in ("../" * 21 + "x", "G" * 64, "", "a" * 63):
        with pytest.raises(ValueError):
            archive.verified(wrong)


@pytest.mark.parametrize("how", ["grows", "rewritten", "replaced", "same size"])
def test_source_that_changes_while_it_is_read(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
):
    file = tmp_path / "f"
    file.write_bytes(b"a" * (2 * BLOCK))
    from rag_assets.stores import archive as module

    write = module._write
    changed: list[bool] = []

    def meddle(copy, block):
        write(copy, block)
        if changed:
            return
        changed.append(True)
        match how:
            case "grows":
                with file.open("ab") as more:
                    more.write(b"b")
            case "rewritten":
                file.write_bytes(b"b" * 10)
            case "replaced":
                (tmp_path / "neu").write_bytes(b"a" * (2 * BLOCK))
                (tmp_path / "neu").rename(file)
            case _:
                with file.open("r+b") as same:
                    same.seek(BLOCK)
                    same.write(b"b" * BLOCK)

    monkeypatch.setattr(module, "_write", meddle)
    with pytest.raises(DocumentError) as refused:
        archive.put(file)
    assert refused.value.code == "changed_while_read"
    assert refused.value.transient
    assert list(archive.objects()) == []
    assert leftovers(archive) == []


def test_sources_that_cannot_be_read(archive: Archive, tmp_path: Path, file: Path):
    (tmp_path / "link.md").symlink_to(file)
    os.mkfifo(tmp_path / "rohr")
    for name, code in (("fehlt", "vanished"), ("link.md", "unreadable"), ("rohr", "unreadable"), (".", "unreadable")):
        with pytest.raises(DocumentError) as refused:
            archive.put(tmp_path / name)
        assert refused.value.code == code, name


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EROFS, "no_permission")]
)
@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_disk_that_takes_no_more(
    archive: Archive, file: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str, call: str
):
    def refuse(*_arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises((ServiceError, StoreError)) as refused:
        archive.put(file)
    monkeypatch.undo()
    assert refused.value.code == code
    assert list(archive.objects()) == []
    assert leftovers(archive) == []
    archive.put(file)


FILL = """
import resource, signal, sys
from pathlib import Path
from rag_assets.stores.archive import Archive
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
Archive(Path(sys.argv[1])).put(Path(sys.argv[2]))
"""


def test_real_limit_in_the_middle_of_a_file(archive: Archive, tmp_path: Path):
    """The write itself fails: nothing half is left, and the error is not lost in closing the file."""
    file = tmp_path / "f"
    file.write_bytes(b"x" * 3_000_000)
    ended = subprocess.run(
        [sys.executable, "-c", FILL, archive.folder, file], capture_output=True, text=True, check=False
    )
    assert "StoreError" in ended.stderr
    assert list(archive.objects()) == []
    assert leftovers(archive) == []


def test_what_a_killed_process_left_is_cleared_away_in_time(archive: Archive, file: Path):
    archive.put(file)
    old, young = archive.folder / "tmp" / "alt", archive.folder / "tmp" / "jung"
    old.write_text("x"), young.write_text("x")
    past = time.time() - STALE_S - 60
    os.utime(old, (past, past))
    archive.put(file)
    assert leftovers(archive) == [young]


PUT = """
import sys
from pathlib import Path
from rag_assets.stores.archive import Archive
archive, file = Archive(Path(sys.argv[1])), Path(sys.argv[2])
print("ready", flush=True)
number = 0
while True:
    file.write_bytes(number.to_bytes(4, "big") * 200_000)
    archive.put(file)
    number += 1
"""


def test_kill_while_copying(archive: Archive, tmp_path: Path):
    """Killed at any point: every object that is there is whole."""
    for _ in range(4):
        before = len(list(archive.objects()))
        process = subprocess.Popen(
            [sys.executable, "-c", PUT, archive.folder, tmp_path / "f"], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        while len(list(archive.objects())) < max(before, 3):
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = list(archive.objects())
        assert [sha256 for sha256 in found if archive.verified(sha256).stat().st_size != 800_000] == []


def test_namespace_is_kept_beside_the_originals(archive: Archive):
    assert archive.namespace() is None
    namespace = UUID("6a2f7c1e-0000-4000-8000-000000000001")
    archive.keep_namespace(namespace)
    archive.keep_namespace(namespace)
    assert Archive(archive.folder).namespace() == namespace
    (archive.folder / "namespace").write_text("kaputt")
    with pytest.raises(StoreError):
        archive.namespace()


# ------------------------------------------------------------------ manifest


EVENTS = st.builds(
    Event,
    st.sampled_from(["seen", "moved", "removed", "returned"]),
    st.text(),
    st.text(alphabet="0123456789abcdef", min_size=64, max_size=64),
    st.uuids().map(str),
    st.datetimes(timezones=st.just(UTC)),
    st.none() | st.text(),
)


@given(EVENTS)
def test_event_is_one_line_and_comes_back(event: Event):
    line = event.to_line()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert len(line.splitlines()) == 1
    assert Event.from_line(line) == event


def event(number: int) -> Event:
    return Event("seen", f"campus/{number}.md", f"{number:064x}", f"uid-{number}", NOW)


def test_events_in_order(archive: Archive):
    assert archive.events() == []
    archive.record("seen", "campus/a\nb.md", sha256="0" * 64, document_uid="u", at=NOW)
    archive.record_all([event(1), event(2)])
    archive.record_all([])
    assert archive.events() == [Event("seen", "campus/a\nb.md", "0" * 64, "u", NOW), event(1), event(2)]


@pytest.mark.parametrize("cut", range(1, 20))
@pytest.mark.parametrize("by", ["reader", "writer"])
def test_torn_last_line_is_cut_off(tmp_path: Path, cut: int, by: str):
    file = tmp_path / "manifest.jsonl"
    manifest = Manifest(file)
    manifest.append([event(1), event(2)])
    with file.open("r+b") as torn:
        torn.truncate(file.stat().st_size - cut)
    if by == "reader":
        assert manifest.read() == [event(1)]
        assert file.read_bytes() == event(1).to_line()
    manifest.append([event(3)])
    assert manifest.read() == [event(1), event(3)]


def test_torn_line_longer_than_what_is_looked_at_in_one_go(tmp_path: Path):
    file = tmp_path / "manifest.jsonl"
    file.write_bytes(event(1).to_line() + b'{"event":"seen","path":"' + b"x" * 200_000)
    assert Manifest(file).read() == [event(1)]
    file.write_bytes(b"x" * 200_000)
    assert Manifest(file).read() == []


def test_damage_in_the_middle_is_told(tmp_path: Path):
    file = tmp_path / "manifest.jsonl"
    file.write_bytes(event(1).to_line() + b'{"event":"gone"}\n' + event(2).to_line())
    with pytest.raises(StoreError) as refused:
        Manifest(file).read()
    assert (refused.value.code, refused.value.ids) == ("archive_corrupt", {"line": 2})


def test_write_that_the_disk_refuses_is_taken_back(archive: Archive, monkeypatch: pytest.MonkeyPatch):
    archive.record_all([event(1)])
    real = os.write

    def full(handle: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", refuse)
        return real(handle, data[: len(event(2).to_line()) + 5])  # one line and a piece of the next

    def refuse(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ServiceError) as refused:
        archive.record_all([event(2), event(3)])
    monkeypatch.undo()
    assert refused.value.code == "disk_full"
    assert archive.events() == [event(1)]


def test_reader_waits_for_a_line_that_is_being_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A line without its end is torn only when nobody is writing it."""
    file = tmp_path / "manifest.jsonl"
    line = event(1).to_line()
    waits, real = threading.Event(), fcntl.flock

    def flock(handle: int, operation: int) -> None:
        waits.set()
        real(handle, operation)

    with file.open("ab", buffering=0) as writer, ThreadPoolExecutor() as pool:
        real(writer, fcntl.LOCK_EX)
        writer.write(line[:20])
        monkeypatch.setattr(fcntl, "flock", flock)
        reading = pool.submit(Manifest(file).read)
        assert waits.wait(30), "the reader took no lock"
        writer.write(line[20:])
        real(writer, fcntl.LOCK_UN)
        assert reading.result() == [event(1)]
    assert file.read_bytes() == line


APPEND = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from rag_assets.stores.manifest import Event, Manifest
manifest = Manifest(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while number != int(sys.argv[3]):
    long = "x" * (number % 7 * 1000)
    events = [Event("seen", f"{sys.argv[2]}/{number}/{part}{long}", "0" * 64, "u", datetime.now(UTC)) for part in "ab"]
    manifest.append(events)
    number += 1
"""


def start(file: Path, name: str, count: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", APPEND, str(file), name, str(count)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_processes_never_mix_their_lines(tmp_path: Path):
    file = tmp_path / "manifest.jsonl"
    processes = [start(file, name, 40) for name in ("eins", "zwei")]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    paths = [found.path.rstrip("x") for found in Manifest(file).read()]
    for name in ("eins", "zwei"):
        own = [path for path in paths if path.startswith(name)]
        assert own == [f"{name}/{number}/{part}" for number in range(40) for part in "ab"]


def test_kill_while_writing(tmp_path: Path):
    """Killed again and again at any point: what can be read is a beginning of what was written, pair by pair."""
    file = tmp_path / "manifest.jsonl"
    total = 0
    for round_ in range(5):
        process = start(file, f"lauf{round_}", -1)
        while not file.exists() or file.stat().st_size < total + 20_000:
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        events = Manifest(file).read()
        own = [found.path.rstrip("x") for found in events if found.path.startswith(f"lauf{round_}/")]
        pairs = [f"lauf{round_}/{number}/{part}" for number in range(len(own) // 2 + 1) for part in "ab"]
        assert own == pairs[: len(own)]
        total = file.stat().st_size
