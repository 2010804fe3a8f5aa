"""Long random histories of a real folder, with the real pipeline: nothing is lost, nothing lies, nothing depends on the way.

After every step the invariants hold, the base mirrors the folder, a document that only moved is the one it was, what is
there answers and what is gone does not, and doing it again changes no row. At the end a base that is built in one go
from the same files knows the same.

RAG_PROOF_HISTORIES (4), RAG_PROOF_STEPS (40) and RAG_PROOF_SEED (1) make it longer or other.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from proofs.base import Base, opened
from proofs.changing_folder import Change, ChangingFolder
from proofs.record import parameter, record

HISTORIES = parameter("HISTORIES", 4)
STEPS = parameter("STEPS", 40)
SEED = parameter("SEED", 1)

THROUGH_DAGSTER = 0.12
SEVERAL_AT_ONCE = 0.25
QUESTIONS = ("Was ist systemisches Fragen?", "Wer entwickelte die Methode?", "Wann wirkt ein Gespräch?")


@dataclass
class Tally:
    """What all histories together did and had checked."""

    done: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    began: float = field(default_factory=time.monotonic)


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    """Recorded when every history came to its end."""
    counted = Tally()
    yield counted
    if counted.done["histories"] != HISTORIES:
        return
    changes = ", ".join(f"{kind} {number}" for kind, number in counted.changes.most_common())
    done = counted.done
    record(
        "random histories",
        [
            f"{HISTORIES} histories of {STEPS} steps, seeds {SEED} to {SEED + HISTORIES - 1}:"
            f" {done['changes']:,} changes ({changes}), of which {done['steps of several']} steps with several at once",
            f"brought up to date {done['library']:,} times by the library and {done['dagster']:,} times through Dagster",
            f"no violation of an invariant in {done['checked']:,} looks at the whole base",
            f"no row changed in {done['reruns']:,} re-runs",
            f"{done['identities']:,} documents kept their uid through a change, a move or a return",
            f"{done['asked']:,} words asked for: what is there answers, what is gone does not",
            f"{done['rebuilt']} bases built in one go from the final files knew the same:"
            f" {done['documents']:,} documents, {done['entities']:,} entities,"
            f" {done['facts']:,} relations, statements and values",
            f"{time.monotonic() - counted.began:.0f} s",
        ],
    )


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(SEED, SEED + HISTORIES))
def test_any_history_ends_where_one_go_ends(seed: int, tmp_path: Path, tally: Tally) -> None:
    """A history of random steps, then a rebuild of its end."""
    chance = random.Random(seed)
    folder = ChangingFolder(tmp_path / "folder", chance)
    folder.folder.mkdir()
    with opened(tmp_path / "home", folder.folder) as base:
        history = _History(folder, base, chance, tally)
        for _ in range(STEPS):
            history.step()
        folder.mend_all()
        history.bring_up_to_date(through_dagster=True)
        history.check()
        _compare_with_rebuilt(folder, base, tmp_path, tally)
    tally.changes += folder.done
    tally.done["changes"] += folder.done.total()
    tally.done["histories"] += 1


class _History:
    def __init__(self, folder: ChangingFolder, base: Base, chance: random.Random, tally: Tally) -> None:
        self.folder = folder
        self.base = base
        self.chance = chance
        self.tally = tally.done
        self.uids: dict[str, str] = {}
        self.uids_of_removed: dict[str, str] = {}

    def step(self) -> None:
        """One change or several, then everything is brought up to date, and looked at."""
        several = self.chance.random() < SEVERAL_AT_ONCE
        changes = [self.folder.change() for _ in range(self.chance.randint(2, 4) if several else 1)]
        self.tally["steps of several"] += several
        self.bring_up_to_date(through_dagster=self.chance.random() < THROUGH_DAGSTER)
        uids = {path: document.uid for path, document in self.base.documents().items()}
        if not several:
            self.keeps_identity(changes[0], uids)
        for change in changes:
            for path in change.paths:
                self.uids_of_removed.pop(path, None)
        if not several and changes[0].kind == "remove":
            # Only what was seen to be there and then to be gone has an identity to return to.
            (path,) = changes[0].paths
            self.uids_of_removed[path] = self.uids[path]
        self.uids = uids
        self.check()

    def bring_up_to_date(self, *, through_dagster: bool) -> None:
        if through_dagster:
            self.base.through_dagster()
        else:
            self.base.by_library()
        self.tally["dagster" if through_dagster else "library"] += 1

    def keeps_identity(self, change: Change, uids: dict[str, str]) -> None:
        """What can be told for certain of a single change."""
        for old, new in change.follows.items():
            assert uids[new] == self.uids[old], f"{change.kind} made another document of {old}"
            self.tally["identities"] += 1
        if change.kind == "move and replace":
            assert uids[change.paths[0]] not in self.uids.values(), "the newcomer took a document's place"
        if change.kind == "return":
            (path,) = change.paths
            content = self.folder.files[path]
            if path in self.uids_of_removed and content and content not in self.folder.copied:
                assert uids[path] == self.uids_of_removed[path], f"{path} returned as another document"
                self.tally["identities"] += 1
        untouched = self.folder.files.keys() - set(change.paths)
        assert {path: uids[path] for path in untouched} == {path: self.uids[path] for path in untouched}

    def check(self) -> None:
        """Everything that must hold after every step."""
        assert self.base.violations() == {}
        self.tally["checked"] += 1
        self.mirrors_the_folder()
        self.answers_follow()
        before = self.base.dump()
        self.base.by_library()
        after = self.base.dump()
        assert {name for name in after if after[name] != before[name]} == set(), "doing it again changed rows"
        self.tally["reruns"] += 1

    def mirrors_the_folder(self) -> None:
        documents = self.base.documents()
        assert documents.keys() == self.folder.files.keys()
        for path, content in self.folder.files.items():
            document = documents[path]
            if content in self.folder.broken:
                assert document.status == "error", path
                assert document.error_code in {"empty", "unsupported", "damaged"}, path
            else:
                assert (document.status, document.error_code) == ("done", None), path
                assert document.sha256 == sha256(content).hexdigest(), path
                assert self.base.stages_done(content), path

    def answers_follow(self) -> None:
        present = {self.folder.marks[content] for content in self.folder.files.values() if content in self.folder.marks}
        # A document that was spoiled goes on answering with what it held before.
        older = {document.sha256 for document in self.base.documents().values() if document.status == "error"}
        for content, word in self.folder.marks.items():
            if word in present:
                assert self.base.answers(word), word
            elif sha256(content).hexdigest() not in older:
                assert not self.base.answers(word), word
            self.tally["asked"] += 1


def _compare_with_rebuilt(folder: ChangingFolder, base: Base, place: Path, tally: Tally) -> None:
    """A second installation takes the final files at once, under other paths and in another order."""
    files = list(folder.files.items())
    folder.chance.shuffle(files)
    other = place / "rebuilt"
    for number, (path, content) in enumerate(files):
        file = other / f"{number:02}" / Path(path).name
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    with opened(place / "other home", other, namespace=base.namespace()) as rebuilt:
        rebuilt.by_library()
        assert rebuilt.violations() == {}
        living = base.living()
        assert rebuilt.living() == living
        for question in QUESTIONS:
            assert rebuilt.ranks(question) == base.ranks(question), question
    tally.done["rebuilt"] += 1
    tally.done["documents"] += len(files)
    tally.done["entities"] += len(living["entities"])
    tally.done["facts"] += sum(len(living[name]) for name in ("relations", "statements", "properties"))
