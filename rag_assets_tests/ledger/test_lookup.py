"""Who made a thing: through synonyms and merges, and only by relations that live."""

from __future__ import annotations

from rag_assets.ledger.lookup import authors_of
from rag_assets_tests.campus import Campus

METHOD = "[Gewaltfreie Kommunikation|Methode]"
WRITTEN = f"{METHOD} =AUTHORED_BY=> [Marshall Rosenberg|Person]"


def makers(campus: Campus, *names: str) -> tuple[str, ...]:
    with campus.database.read() as connection:
        return authors_of(connection, names)


def test_the_first_name_that_is_known_counts(campus: Campus) -> None:
    campus.put("a.md", WRITTEN)
    campus.reconcile()
    assert makers(campus, "Gewaltfreie Kommunikation heute", "Gewaltfreie Kommunikation") == ("Marshall Rosenberg",)
    assert makers(campus, "GFK") == ("Marshall Rosenberg",), "a curated synonym"
    assert makers(campus, "Unbekanntes") == ()
    assert makers(campus, "Marshall Rosenberg") == (), "the relation has a direction"


def test_a_merged_person_is_named_as_who_stands_for_him(campus: Campus) -> None:
    campus.put("a.md", f"{WRITTEN}\n\n[Marshall Bertram Rosenberg|Person] lehrte.")
    campus.reconcile()
    campus.decide("entity", campus.uid("marshall rosenberg"), "merge", other=campus.uid("marshall bertram rosenberg"))
    campus.reconcile()
    assert makers(campus, "Gewaltfreie Kommunikation") == (campus.name("marshall bertram rosenberg"),)


def test_what_no_document_says_any_more_does_not_count(campus: Campus) -> None:
    campus.put("a.md", WRITTEN)
    campus.put("b.md", f"{METHOD} hilft.")
    campus.reconcile()
    campus.remove("a.md")
    campus.reconcile()
    assert makers(campus, "Gewaltfreie Kommunikation") == ()
