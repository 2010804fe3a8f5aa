"""The moves: what happens to a folder and what people decide, drawn by hypothesis; then everything is brought up to date."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from benchmarks.campus import sentences
from rag_assets_tests.campus import NAMESPACE
from rag_assets_tests.histories.base import Base, opened
from rag_assets_tests.histories.checks import Known, check_all, failing, one_go_agrees
from rag_assets_tests.histories.folder import BROKEN, PATHS, Change, ChangingFolder

PEOPLE = ("Carl Rogers", "C. Rogers", "Rogers", "Charlotte Rogers", "Marion Blum", "Blum, Marion")
IDEAS = ("Nähe", "Ferne", "Empathie", "EMPATHIE", "Gewaltfreie Kommunikation")

people = st.sampled_from(PEOPLE).map("[{}|Person]".format)
ideas = st.builds("[{}|{}]".format, st.sampled_from(IDEAS), st.sampled_from(("Konzept", "Modell", "Werk")))
paragraphs = st.one_of(
    st.builds("{} =INFLUENCED=> {}".format, people, st.one_of(people, ideas)),
    st.builds("{} =AUTHORED_BY=> {}".format, ideas, people),
    st.builds("{} =CONTRADICTS=> {}".format, ideas, ideas),
    st.builds("{} :{}dauern: {} Jahre".format, ideas, st.sampled_from(("", "nicht ")), st.integers(1, 3)),
    st.builds("{} .definition. etwas".format, ideas),
    st.deferred(lambda: st.sampled_from(sentences())),
)
texts = st.lists(paragraphs, min_size=1, max_size=5)
# Shrinks to: brought up to date after each move.
later = st.sampled_from((False, False, False, True))


@dataclass
class Tally:
    """What all histories together did: moves by kind, and what was looked at."""

    moves: Counter[str] = field(default_factory=Counter)
    looked: Counter[str] = field(default_factory=Counter)
    found_after: int | None = None
    """After how many moves something did not hold for the first time."""


class History(RuleBasedStateMachine):
    """One history. Moves leave something to do; it is done at once, or after some more of them."""

    notation: ClassVar[bool] = True
    dagster: ClassVar[bool] = False
    database: ClassVar[Callable[[], AbstractContextManager[str]]] = staticmethod(lambda: nullcontext(""))
    tally: ClassVar[Tally]

    @initialize(first=st.lists(texts, min_size=2, max_size=4))
    def begin(self, first: list[list[str]]) -> None:
        """Not from nothing: hypothesis leaves out some kinds of move in each history, perhaps the one that adds."""
        self.cleanup = ExitStack()
        self.place = Path(tempfile.mkdtemp(prefix="history-"))
        self.cleanup.callback(shutil.rmtree, self.place)
        url = self.cleanup.enter_context(type(self).database())
        installed = opened(self.place / "one", namespace=NAMESPACE, notation=self.notation, database_url=url)
        self.base: Base = self.cleanup.enter_context(installed)
        self.folder = ChangingFolder(self.place / "one" / "folder")
        self.known = Known()
        self.pending: list[Change] = []
        self.dirty = self.ending = False
        for path, text in zip(PATHS, first, strict=False):
            self.did(self.folder.write(path, self.folder.content(text), "add"), True)
        self.settle()

    def teardown(self) -> None:
        if not hasattr(self, "base"):
            return
        with self.cleanup:
            try:
                if not failing():
                    self.finish()
            finally:
                if failing() and self.tally.found_after is None:
                    self.tally.found_after = self.tally.moves.total()
                self.tally.looked += self.known.counts

    # ------------------------------------------------------------ the folder

    @rule(path=st.sampled_from(PATHS), text=texts, later=later)
    def write(self, path: str, text: list[str], later: bool) -> None:
        kind = "rewrite" if path in self.folder.files else "add"
        self.did(self.folder.write(path, self.folder.content(text), kind), later)

    @precondition(lambda self: self.folder.files)
    @rule(data=st.data(), kind=st.sampled_from(("edit", "edit", "revert", "spoil")), later=later)
    def change(self, data: st.DataObject, kind: str, later: bool) -> None:
        """An edit moves everything else; what is spoiled goes on answering with what it held before."""
        path = data.draw(st.sampled_from(sorted(self.folder.files)))
        content = self.folder.files[path]
        if kind == "spoil":
            content = data.draw(st.sampled_from(BROKEN))
        elif kind == "revert":
            content = data.draw(st.sampled_from(self.folder.history[path]))
        elif not self.folder.is_broken(content):
            rest = self.folder.paragraphs(path)
            content = self.folder.content([data.draw(paragraphs), *rest[data.draw(st.integers(0, 1)) :]])
        self.did(self.folder.write(path, content, kind), later)

    @precondition(lambda self: self.folder.files)
    @rule(data=st.data(), later=later)
    def remove(self, data: st.DataObject, later: bool) -> None:
        self.did(self.folder.remove(data.draw(st.sampled_from(sorted(self.folder.files)))), later)

    @precondition(lambda self: self.folder.past)
    @rule(data=st.data(), later=later)
    def return_(self, data: st.DataObject, later: bool) -> None:
        self.did(self.folder.return_(data.draw(st.sampled_from(sorted(self.folder.past)))), later)

    @precondition(lambda self: self.folder.files and self.folder.free())
    @rule(data=st.data(), text=st.none() | texts, later=later)
    def move(self, data: st.DataObject, text: list[str] | None, later: bool) -> None:
        """Also a rename, in case or Unicode form only too."""
        path = data.draw(st.sampled_from(sorted(self.folder.files)))
        target = data.draw(st.sampled_from(self.folder.free()))
        newcomer = None if text is None else self.folder.content(text)
        self.did(self.folder.move(path, target, newcomer), later)

    @precondition(lambda self: len(self.folder.files) > 1)
    @rule(data=st.data(), later=later)
    def swap(self, data: st.DataObject, later: bool) -> None:
        both = st.lists(st.sampled_from(sorted(self.folder.files)), min_size=2, max_size=2, unique=True)
        self.did(self.folder.swap(*data.draw(both)), later)

    @precondition(lambda self: self.folder.files and self.folder.free())
    @rule(data=st.data(), later=later)
    def copy(self, data: st.DataObject, later: bool) -> None:
        path = data.draw(st.sampled_from(sorted(self.folder.files)))
        self.did(self.folder.copy(path, data.draw(st.sampled_from(self.folder.free()))), later)

    # ------------------------------------------------------------ people

    @precondition(lambda self: self.known.entities)
    @rule(data=st.data(), of_fact=st.booleans(), later=later)
    def say(self, data: st.DataObject, of_fact: bool, later: bool) -> None:
        """A word on the status of a fact or an entity, or an entity's name."""
        facts = self.facts() if of_fact else []
        if facts:
            subject, uid = data.draw(st.sampled_from(facts))
            word = data.draw(st.sampled_from(("reject", "reject", "validate", "deprecate", "withdraw")))
        else:
            subject, uid = "entity", self.draw_entity(data)
            word = data.draw(st.sampled_from(("validate", "deprecate", "withdraw", "rename")))
        if word == "rename":
            self.decide(subject, uid, word, later, name=data.draw(st.sampled_from(("Umbenannt", "Rogers"))))
        else:
            self.known.words[subject, uid] = word
            self.decide(subject, uid, word, later)

    @precondition(lambda self: len(self.known.entities) > 1)
    @rule(data=st.data(), word=st.sampled_from(("merge", "merge", "unmerge", "keep_apart")), later=later)
    def say_of_pair(self, data: st.DataObject, word: str, later: bool) -> None:
        one, two = self.draw_entity(data), self.draw_entity(data)
        if one != two:
            pair = frozenset((one, two))
            self.known.pairs.pop(pair, None)
            self.known.pairs[pair] = word
            self.decide("entity", one, word, later, other=two)

    # ------------------------------------------------------------ and then

    @rule(touched=st.booleans(), by_dagster=st.booleans())
    def bring_up_to_date(self, touched: bool, by_dagster: bool) -> None:
        """Also when there is nothing to do, or nothing but other times of files."""
        if touched:
            self.did(self.folder.touch(), True)
        self.dirty = True
        self.settle(by_dagster=by_dagster and self.dagster)

    def finish(self) -> None:
        """At the end nothing is broken, and one go over what is there comes to the same."""
        for path, content in sorted(self.folder.files.items()):
            if self.folder.is_broken(content):
                self.pending.append(self.folder.write(path, self.folder.content(["Geheilt."]), "mend"))
        self.dirty = self.ending = True
        self.known.answering.clear()
        self.settle()
        one_go_agrees(self.base, self.folder, self.place / "two", notation=self.notation)
        self.tally.looked["rebuilt"] += 1

    def did(self, change: Change, later: bool) -> None:
        """A move was made."""
        self.tally.moves[change.kind] += 1
        self.pending.append(change)
        self.dirty = True
        if not later:
            self.settle()

    def decide(self, subject: str, uid: str, word: str, later: bool, **payload: str) -> None:
        self.tally.moves[word] += 1
        self.base.decide(subject, uid, word, **payload)
        self.dirty = True
        if not later:
            self.settle()

    def settle(self, *, by_dagster: bool = False) -> None:
        if not self.dirty:
            return
        self.tally.looked["dagster" if by_dagster else "library"] += 1
        if by_dagster:
            self.base.through_dagster()
        else:
            self.base.by_library()
        changes, self.pending, self.dirty = self.pending, [], False
        check_all(self.base, self.folder, self.known, changes, again=not changes or self.ending)

    def draw_entity(self, data: st.DataObject) -> str:
        return self.known.entities[data.draw(st.sampled_from(sorted(self.known.entities)))]

    def facts(self) -> list[tuple[str, str]]:
        """Subject and uid of every fact there is."""
        return [
            (subject, str(uid))
            for subject, table in (
                ("relation", "relations"),
                ("statement", "statements"),
                ("property", "entity_properties"),
            )
            for (uid,) in self.base.rows(f"SELECT uid FROM {table}")
        ]


def play(
    histories: int,
    moves: int,
    *,
    same_every_time: bool,
    phases: tuple[Phase, ...] = (Phase.generate,),
    tally: Tally | None = None,
    **kind: Any,
) -> Tally:
    """Play so many histories of at most so many moves; `kind` sets variables of the class.

    Raises:
        Broken: something did not hold; hypothesis has printed the moves.
    """
    tally = Tally() if tally is None else tally
    run_state_machine_as_test(
        type("AnyHistory", (History,), {"tally": tally, **kind}),
        settings=settings(
            max_examples=histories,
            stateful_step_count=moves,
            derandomize=same_every_time,
            database=None,
            deadline=None,
            phases=phases,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return tally
