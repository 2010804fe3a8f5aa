"""The audit trail: sealed in batches, and every kind of tampering found and located."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

import pytest

from rag_assets.ledger import audit
from rag_assets.ledger.audit import AuditEntry
from rag_assets_tests.campus import Campus

AT = datetime(2026, 5, 4, 3, 2, 1, 987654, tzinfo=UTC)


def fill(campus: Campus, rows: int) -> None:
    """Entries about subjects s0, s1, …, sealed."""
    entries = [AuditEntry("machine", "extract", "entity", f"s{i}", None, "extracted") for i in range(rows)]
    with campus.database.write() as connection:
        audit.record(connection, entries, at=AT)
        audit.seal(connection, at=AT)


def problems(campus: Campus) -> list[tuple[str, int | None]]:
    """Code and seal of what verify finds."""
    with campus.database.read() as connection:
        return [(problem.code, problem.seal) for problem in audit.verify(connection)]


def test_a_sealed_trail_verifies_on_both_databases(any_campus: Campus) -> None:
    """Three batches in two sealings, microseconds included; sealing again seals nothing."""
    fill(any_campus, audit.SEAL_ROWS + 1)
    fill(any_campus, 3)
    assert any_campus.rows("audit_seals", "number", "row_count") == [(1, audit.SEAL_ROWS), (2, 1), (3, 3)]
    assert problems(any_campus) == []
    before = any_campus.dump()
    with any_campus.database.write() as connection:
        newest = audit.seal(connection, at=AT)
    assert newest is not None
    assert newest.number == 3
    assert any_campus.dump() == before


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE audit_log SET to_state = 'validated' WHERE subject_uid = 's500'", [("rows_changed", 2)]),
        ("UPDATE audit_log SET at = '2026-05-04 03:02:01.987655' WHERE subject_uid = 's33'", [("rows_changed", 1)]),
        ("UPDATE audit_log SET actor = 'nobody' WHERE subject_uid = 's501'", [("rows_changed", 2)]),
        ("DELETE FROM audit_log WHERE subject_uid = 's499'", [("rows_missing", 1)]),
        ("UPDATE audit_log SET seal_id = 1 WHERE subject_uid = 's500'", [("rows_added", 1), ("rows_missing", 2)]),
        (f"UPDATE audit_seals SET hash = '{'0' * 64}' WHERE number = 1", [("rows_changed", 1), ("chain_broken", 2)]),
        ("DELETE FROM audit_seals WHERE number = 2", [("seal_missing", 2), ("rows_unbound", None)]),
    ],
    ids=["state", "moment", "actor", "row deleted", "row moved", "seal forged", "seal deleted"],
)
def test_tampering_is_found_and_located(campus: Campus, statement: str, found: list[tuple[str, int | None]]) -> None:
    """Each manipulation names the seal between whose rows it lies."""
    fill(campus, 502)
    fill(campus, 4)
    assert problems(campus) == []
    assert campus.database.file is not None
    with closing(sqlite3.connect(campus.database.file)) as connection:
        connection.execute(statement)
        connection.commit()
    assert problems(campus) == found


def test_every_step_of_a_life_is_audited(campus: Campus) -> None:
    """Birth, normalising, deprecation, return: the trail of one entity reads like its life."""
    campus.put("a.md", "[Marion Blum|Person]")
    campus.reconcile()
    campus.remove("a.md")
    campus.reconcile()
    campus.put("a.md", "[Marion Blum|Person]")
    campus.reconcile()
    columns = ("id", "actor", "action", "from_state", "to_state")
    assert [row[1:] for row in campus.rows("audit_log", *columns)] == [
        ("machine", "extract", None, "extracted"),
        ("machine", "normalize", "extracted", "normalized"),
        ("machine", "deprecate", "normalized", "deprecated"),
        ("machine", "restore", "deprecated", "normalized"),
    ]
    assert all(row[0] for row in campus.rows("audit_log", "activity_id"))


def test_the_trail_holds_no_text(new_campus: Callable[[], Campus]) -> None:
    """A name that occurs in a document is nowhere in the trail."""
    campus = new_campus()
    campus.put("a.md", "[Xanthippe Quast|Person] :leiten: das Haus")
    campus.reconcile()
    campus.decide("entity", campus.uid("xanthippe quast"), "validate")
    campus.reconcile()
    trail = repr(campus.rows("audit_log"))
    assert "uast" not in trail
    assert "Prüferin" not in trail
    assert "decision:1" in trail
