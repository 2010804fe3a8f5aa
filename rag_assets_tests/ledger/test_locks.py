"""Work over the whole base excludes itself and sees one state of it, while documents go on being written."""

from __future__ import annotations

import threading

from rag_assets.ledger import living
from rag_assets.ledger.locks import hold_base_still
from rag_assets_tests.campus import Campus


def test_the_holder_sees_one_state_and_the_next_one_waits(mariadb_url: str) -> None:
    """A document written meanwhile is seen by the next holder, not in part by this one."""
    campus = Campus.create(mariadb_url)
    campus.put("a.md", "[Nähe|Konzept]")
    seen: list[int] = []
    order: list[str] = []

    def next_holder() -> None:
        campus.reconcile()
        order.append("second")

    thread = threading.Thread(target=next_holder)
    with campus.database.write() as connection:
        hold_base_still(connection)
        seen.append(len(living.entities(connection)))
        campus.put("b.md", "[Nähe|Konzept] =CONTRADICTS=> [Ferne|Konzept]")  # needs no hold, does not wait
        thread.start()
        seen += [len(living.entities(connection)), len(living.relations(connection)), len(living.mentions(connection))]
        order.append("first")
    thread.join(60)
    assert seen == [1, 1, 0, 1]
    assert order == ["first", "second"]
    assert campus.statuses() == {"naehe": "normalized", "ferne": "normalized"}
    campus.database.close()


def test_two_reconciles_at_once_are_one(mariadb_url: str) -> None:
    """Both end well; the second finds nothing left to do."""
    campus = Campus.create(mariadb_url)
    campus.put("a.md", "[Nähe|Konzept] =CONTRADICTS=> [Ferne|Konzept]")
    reports = []
    threads = [threading.Thread(target=lambda: reports.append(campus.reconcile())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(report.sealed for report in reports) == [False, True]
    assert len(campus.rows("knowledge_versions", "id")) == 1
    assert campus.rows("audit_seals", "number") == [(1,)]
    campus.database.close()
