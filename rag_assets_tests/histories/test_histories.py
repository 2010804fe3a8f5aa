"""A few histories on both databases, the same every time, and the command that shows that they would find faults."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from proofs import planted
from proofs.faults import FAULTS
from rag_assets.stores.database import Database
from rag_assets_tests.conftest import delete_rows
from rag_assets_tests.histories.machine import play


@pytest.mark.timeout(900)
def test_any_history_keeps_the_invariants() -> None:
    """Whatever happens in whatever order: see `checks` for what holds after every step and at the end."""
    tally = play(5, 10, same_every_time=True)
    assert tally.looked["rebuilt"] == 5
    assert len(tally.moves) > 8


@pytest.mark.timeout(900)
@pytest.mark.service("mariadb")
def test_any_history_keeps_the_invariants_on_mariadb(mariadb_with_tables: str) -> None:
    """The same; its end is compared with one go on SQLite, so the two databases agree as well."""

    @contextmanager
    def emptied() -> Iterator[str]:
        yield mariadb_with_tables
        database = Database(mariadb_with_tables)
        delete_rows(database)
        database.close()

    database: Callable[[], AbstractContextManager[str]] = emptied
    assert play(2, 8, same_every_time=True, database=staticmethod(database)).looked["rebuilt"] == 2


@pytest.mark.parametrize("name", FAULTS)
def test_fault_can_be_planted(name: str) -> None:
    """Its text stands in the module once, and what comes out is Python."""
    fault = FAULTS[name]
    spec = importlib.util.find_spec(fault.module)
    assert spec is not None
    source = planted.mutate(fault, Path(spec.origin or "").read_text(encoding="utf-8"))
    compile(source, fault.module, "exec")


@pytest.mark.timeout(900)
@pytest.mark.long
def test_command_says_who_found_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Two faults, each in a process of its own."""
    assert planted.main(["audit-hash-wrong", "rerun-writes"]) == 0
    printed = capsys.readouterr().out
    assert "| rows are hashed for a seal with another number than the seal has | yes | audit_holds |" in printed
    assert "| every reconcile leaves a row, also when nothing moved | yes | doing it again changes no row |" in printed


def test_command_fails_when_a_fault_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or when something is found where nothing was planted."""
    found = [planted.Found("moved-is-new", None, 90, 1.0), planted.Found("nothing", "acyclic", 3, 1.0)]
    monkeypatch.setattr(planted, "search_all", lambda names, histories: found)
    assert planted.main([]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "not as it must be: moved-is-new, nothing"


def test_command_lists_all_and_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert planted.main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FAULTS) >= 10
    with pytest.raises(SystemExit) as ended:
        planted.main(["no-such-fault"])
    assert ended.value.code == 2
