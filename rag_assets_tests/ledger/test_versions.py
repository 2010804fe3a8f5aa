"""Knowledge versions: what moves which counter, and that nothing else does."""

from __future__ import annotations

from dataclasses import replace

from rag_assets.ledger import versions
from rag_assets_tests.campus import Campus


def test_each_counter_moves_by_its_own_cause(campus: Campus) -> None:
    """Content by facts, structure by the ontology, pipeline by parameters; nothing by nothing."""
    pipeline = {"chunks": "1", "extraction": "rules 1"}
    campus.put("a.md", "[Empathie|Konzept]")
    assert campus.reconcile(pipeline=pipeline).version == "1.1.1"
    assert campus.reconcile(pipeline=pipeline).sealed is False
    campus.put("b.md", "[Nähe|Konzept]")
    assert campus.reconcile(pipeline=pipeline).version == "2.1.1"
    assert campus.reconcile(pipeline={**pipeline, "chunks": "2"}).version == "2.1.2"
    campus.ontology = replace(campus.ontology, version=2)
    assert campus.reconcile(pipeline={**pipeline, "chunks": "2"}).version == "2.2.2"
    # Parameters that nobody gives are those of the last version.
    assert campus.reconcile().sealed is False
    campus.remove("b.md")
    assert campus.reconcile().version == "3.2.2"
    assert len(campus.rows("knowledge_versions", "id")) == 5


def test_another_passage_for_the_same_fact_moves_nothing(campus: Campus) -> None:
    """The knowledge is the same, told once more; a document without facts moves nothing either."""
    campus.put("a.md", "[Empathie|Konzept] :dauern: 3 Jahre")
    campus.reconcile()
    campus.put("b.md", "[Empathie|Konzept] :dauern: 3 Jahre")
    campus.put("c.md", "Kein Name weit und breit.")
    assert campus.reconcile().version == "1.1.1"


def test_a_version_names_its_seal(campus: Campus) -> None:
    """The audit rows of the change are sealed with it; the latest version is the one of the report."""
    campus.put("a.md", "[Empathie|Konzept]")
    report = campus.reconcile()
    assert campus.rows("knowledge_versions", "seal_id") == campus.rows("audit_seals", "id")
    assert all(row[0] for row in campus.rows("audit_log", "seal_id"))
    with campus.database.read() as connection:
        assert str(versions.latest(connection)) == report.version


def test_the_content_hash_knows_no_ids(campus: Campus, new_campus: object) -> None:
    """Two installations with the same namespace and facts, but other row ids, have the same content."""
    assert callable(new_campus)
    other: Campus = new_campus()
    for path, text in (("x.md", "[Weg|Konzept]"), ("a.md", "[Nähe|Konzept]"), ("b.md", "[Empathie|Konzept]")):
        other.put(path, text)
    other.remove("x.md")
    for path, text in (("b.md", "[Empathie|Konzept]"), ("a.md", "[Nähe|Konzept]")):
        campus.put(path, text)
    campus.reconcile()
    other.reconcile()
    assert campus.rows("knowledge_versions", "content_hash") == other.rows("knowledge_versions", "content_hash")
