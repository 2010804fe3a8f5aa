"""Any sequence of what people do to a folder, scanned now and then: a document stays the one it is."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rag_assets.stores import migrate
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Database
from rag_assets_tests.offline.folders import Watched

PATHS = st.sampled_from(["a.md", "b.md", "c.md", "unten/a.md", "unten/ä.md", "Zeile\num.md"])
TEXTS = st.sampled_from(["", "Eins", "Zwei", "Drei"])
NEW = "Ein neuer Text"
WRITTEN = ("documents", "document_paths", "skipped_files", "audit_log")


@cache
def _tables() -> Path:
    """A database without rows, made once."""
    folder = Path(tempfile.mkdtemp(prefix="scan-tables-"))
    atexit.register(shutil.rmtree, folder)
    database = Database(f"sqlite:///{folder / 'rag.sqlite'}")
    migrate.upgrade(database)
    database.close()
    return folder / "rag.sqlite"


class Folder(RuleBasedStateMachine):
    """The model: which document each path holds, as far as only one reading is possible.

    Moves, changes and removals are each scanned at once here; what several at once mean is told by the examples in
    test_scan.py, and here only in general: the base mirrors the folder, and a second scan finds nothing.
    """

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="scan-"))
        shutil.copyfile(_tables(), self.place / "rag.sqlite")
        database = Database(f"sqlite:///{self.place / 'rag.sqlite'}")
        self.watched = Watched(database, self.place / "folder", Archive(self.place / "archive"))
        self.dirty = False

    def teardown(self) -> None:
        if hasattr(self, "place"):
            self.watched.database.close()
            shutil.rmtree(self.place)

    def files(self) -> dict[str, str]:
        folder = self.watched.folder
        return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def settle(self) -> None:
        if self.dirty:
            self.watched.scan()
            self.dirty = False

    @rule(path=PATHS, text=TEXTS)
    def write(self, path: str, text: str) -> None:
        self.watched.write(path, text)
        self.dirty = True

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        (self.watched.folder / data.draw(st.sampled_from(sorted(self.files())))).unlink()
        self.dirty = True

    @precondition(lambda self: self.files())
    @rule(data=st.data(), to=PATHS)
    def rename_unseen(self, data: st.DataObject, to: str) -> None:
        """A move among other changes."""
        path = data.draw(st.sampled_from(sorted(self.files())))
        target = self.watched.folder / to
        target.parent.mkdir(exist_ok=True)
        (self.watched.folder / path).rename(target)
        self.dirty = True

    @precondition(lambda self: self.files())
    @rule(data=st.data(), to=PATHS, newcomer=st.booleans())
    def move(self, data: st.DataObject, to: str, newcomer: bool) -> None:
        """A move on its own keeps the uid, wherever it goes and whatever was there once."""
        self.settle()
        files, before = self.files(), self.watched.uids()
        path = data.draw(st.sampled_from(sorted(files)))
        newcomer = newcomer and files[path] != NEW  # the same content again at the old path is a copy
        if to in files or not files[path]:
            return
        target = self.watched.folder / to
        target.parent.mkdir(exist_ok=True)
        (self.watched.folder / path).rename(target)
        if newcomer:
            self.watched.write(path, NEW)
        report = self.watched.scan()
        after = self.watched.uids()
        assert after.pop(to) == before.pop(path)
        assert report.moved
        if newcomer:
            assert after.pop(path) not in set(before.values())
        else:
            after.pop(path, None)
        assert after == before, "a move touched another document"

    @precondition(lambda self: len(self.files()) > 1)
    @rule(data=st.data())
    def exchange(self, data: st.DataObject) -> None:
        self.settle()
        files, before = self.files(), self.watched.uids()
        one, two = data.draw(st.lists(st.sampled_from(sorted(files)), min_size=2, max_size=2, unique=True))
        if not files[one] or not files[two] or files[one] == files[two]:
            return
        folder = self.watched.folder
        (folder / one).rename(folder / "dazwischen")
        (folder / two).rename(folder / one)
        (folder / "dazwischen").rename(folder / two)
        self.watched.scan()
        assert self.watched.uids() == before | {one: before[two], two: before[one]}

    @precondition(lambda self: self.files())
    @rule(data=st.data(), text=TEXTS)
    def remove_and_return(self, data: st.DataObject, text: str) -> None:
        self.settle()
        before = self.watched.uids()
        path = data.draw(st.sampled_from(sorted(self.files())))
        content = (self.watched.folder / path).read_text()
        (self.watched.folder / path).unlink()
        assert self.watched.scan().removed == (before[path],)
        self.watched.write(path, content)
        assert self.watched.scan().returned == (before[path],)
        assert self.watched.uids() == before

    @rule()
    def scan(self) -> None:
        self.dirty = True
        self.settle()

    @invariant()
    def base_mirrors_the_folder(self) -> None:
        if not hasattr(self, "place") or self.dirty:
            return
        rows, files = self.watched.rows(), self.files()
        assert {path: row.seen_sha256 for path, row in rows.items()} == {
            path: sha256(text.encode()).hexdigest() for path, text in files.items()
        }
        everything = self.watched.rows(removed=True).values()
        assert len({row.uid for row in everything}) == len({row.partition_key for row in everything}) == len(everything)
        before = self.watched.dump(*WRITTEN)
        report = self.watched.scan()
        assert report.unchanged == len(files)
        assert self.watched.dump(*WRITTEN) == before


Folder.TestCase.settings = settings(
    max_examples=20, stateful_step_count=20, deadline=None, phases=[Phase.reuse, Phase.generate]
)
TestFolder = Folder.TestCase
