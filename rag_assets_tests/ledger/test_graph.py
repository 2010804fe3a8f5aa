"""The living graph, its disagreements and where facts come from, read from a campus worked out by hand."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import insert, update

from rag_assets.errors import UsageError
from rag_assets.ledger.graph import conflicts_for_chunks, snapshot
from rag_assets.ledger.provenance import why
from rag_assets.stores.schema.sources import DocumentSection, DocumentVersion
from rag_assets_tests.campus import Campus

A = """[Carl Rogers|Person] =INFLUENCED=> [Marion Blum|Person]
[C. Rogers|Person] =INFLUENCED=> [Marion Blum|Person]

[Nähe|Konzept] =CONTRADICTS=> [Ferne|Konzept]
[Nähe|Konzept] =SYNONYM_OF=> [Ferne|Konzept]
[Nähe|Konzept] .definition. ein Gefühl
[Nähe|Konzept] =AUTHORED_BY=> [Marion Blum|Person]

[Empathie|Konzept] :dauern: 3 Jahre"""
B = "Vorwort\n\n[Empathie|Konzept] :dauern: 5 Jahre"


@pytest.fixture
def told(campus: Campus) -> Campus:
    """Both documents, reconciled."""
    campus.put("a.md", A)
    campus.put("b.md", B)
    campus.reconcile()
    return campus


def test_the_snapshot_follows_merges_and_collapses_edges(told: Campus) -> None:
    """C. Rogers is Carl Rogers: one node, one edge with two passages; refused relations and proposals are no edges."""
    with told.database.read() as connection:
        graph = snapshot(connection, told.ontology)
    json.dumps(graph)
    assert graph["version"] == "1.1.1"
    nodes = {node["name"]: node for node in graph["nodes"]}
    assert sorted(nodes) == ["Carl Rogers", "Empathie", "Ferne", "Marion Blum", "Nähe"]
    assert (nodes["Carl Rogers"]["mentions"], nodes["Carl Rogers"]["degree"]) == (2, 1)
    assert nodes["Carl Rogers"]["synonyms"] == ["C. Rogers"]
    assert nodes["Carl Rogers"]["class"] == "Person"
    assert nodes["Nähe"]["properties"] == {"definition": ["ein Gefühl"]}
    names = {node["uid"]: node["name"] for node in graph["nodes"]}
    edges = {(names[e["source"]], e["type"], names[e["target"]]): e for e in graph["edges"]}
    assert {(a, kind, b) if kind != "CONTRADICTS" else (*sorted((a, b)), kind) for a, kind, b in edges} == {
        ("Carl Rogers", "INFLUENCED", "Marion Blum"),
        ("Ferne", "Nähe", "CONTRADICTS"),
    }
    influenced = edges["Carl Rogers", "INFLUENCED", "Marion Blum"]
    assert (influenced["evidence"], influenced["confidence"], influenced["label"]) == (2, 0.8, "beeinflusste")


def test_a_removed_document_leaves_the_graph(told: Campus) -> None:
    """What it alone said is gone; the entity that the other names stays."""
    told.remove("a.md")
    told.reconcile()
    with told.database.read() as connection:
        graph = snapshot(connection, told.ontology)
    assert [node["name"] for node in graph["nodes"]] == ["Empathie"]
    assert graph["edges"] == []


def test_conflicts_are_found_from_either_side(told: Campus) -> None:
    """A chunk of one document brings up the other side, with quote and place; unrelated chunks bring nothing."""
    a, b = (told.chunk_ids(version) for version in told.version_ids())
    with told.database.read() as connection:
        (from_a,) = conflicts_for_chunks(connection, [a[2]])
        (from_b,) = conflicts_for_chunks(connection, [b[1], a[0]])
        assert conflicts_for_chunks(connection, [a[0], a[1], b[0]]) == ()
        assert conflicts_for_chunks(connection, []) == ()
    assert [position.object for position in from_a.positions] == ["3 Jahre", "5 Jahre"]
    assert [position.object for position in from_b.positions] == ["5 Jahre", "3 Jahre"]
    assert (from_a.kind, from_a.status) == ("contradiction", "suspected")
    ours, theirs = from_a.positions
    assert (ours.subject, ours.predicate, ours.evidence[0].chunk_id) == ("Empathie", "dauern", a[2])
    assert (theirs.evidence[0].chunk_id, theirs.evidence[0].quote) == (b[1], "[Empathie|Konzept] :dauern: 5 Jahre")
    assert B[theirs.evidence[0].start : theirs.evidence[0].end] == theirs.evidence[0].quote


def test_a_conflict_is_found_from_a_chunk_that_overlaps(told: Campus) -> None:
    """The passage was found in another chunk, but this one holds it too."""
    version = told.put("c.md", "[Empathie|Konzept] :dauern: 9 Jahre\n\nNachwort")
    told.reconcile()
    told.widen_chunk(version, ordinal=1, start=0)
    second = told.chunk_ids(version)[1]
    with told.database.read() as connection:
        found = conflicts_for_chunks(connection, [second])
    assert [c.positions[0].evidence[0].chunk_id for c in found] == [second, second]


def test_no_conflict_with_what_was_removed(told: Campus) -> None:
    """At once, before any reconcile."""
    told.remove("b.md")
    a = told.chunk_ids(told.version_ids()[0])
    with told.database.read() as connection:
        assert conflicts_for_chunks(connection, a) == ()


def test_why_tells_every_passage_with_page_and_section(told: Campus) -> None:
    """Of an entity by name, synonym or uid: mentions of merged ones too, with where they stand and who found them."""
    (version, *_) = told.version_ids()
    with told.database.write() as connection:
        layout = {"blocks": [], "pages": [[1, "i", 0, 60], [2, None, 60, len(A)]]}
        connection.execute(
            update(DocumentVersion).where(DocumentVersion.id == version).values(layout=json.dumps(layout))
        )
        for ordinal, (heading, start) in enumerate((("Buch", 0), ("Buch", 0), ("Kapitel 1", 56))):
            connection.execute(
                insert(DocumentSection).values(
                    document_id=1,
                    document_version_id=version,
                    ordinal=ordinal,
                    level=ordinal,
                    heading=heading,
                    char_start=start,
                    char_end=len(A),
                )
            )
    with told.database.read() as connection:
        found = why(connection, "Carl Rogers")
        assert why(connection, "C. Rogers") == found
        assert why(connection, found.uid) == found
    assert found.kind == "entity"
    assert [(p.quote, p.page, p.page_label, p.section) for p in found.passages] == [
        ("Carl Rogers", 1, "i", ("Buch",)),
        ("C. Rogers", 1, "i", ("Buch", "Kapitel 1")),
    ]
    passage = found.passages[0]
    assert (passage.source_path, passage.version, passage.extractor, passage.run_id) == ("a.md", 1, "notation 1", "run")
    assert passage.living


@pytest.mark.parametrize(
    ("table", "fact"),
    [
        ("relations", {"source": "Carl Rogers", "type": "INFLUENCED", "target": "Marion Blum"}),
        ("statements", {"subject": "Empathie", "predicate": "dauern", "object": "3 Jahre"}),
        ("entity_properties", {"entity": "Nähe", "property": "definition", "value": "ein Gefühl"}),
    ],
)
def test_why_tells_of_facts(told: Campus, table: str, fact: dict[str, str]) -> None:
    """By uid: the parts of the fact and the quote."""
    with told.database.read() as connection:
        found = [why(connection, str(uid)) for (uid,) in told.rows(table, "uid")]
    assert any(fact.items() <= item.fact.items() for item in found)
    for item in found:
        for passage in item.passages:
            assert {"a.md": A, "b.md": B}[passage.source_path][passage.start : passage.end] == passage.quote


def test_why_still_tells_of_what_no_longer_lives(told: Campus) -> None:
    """A removed document's passages are marked, not forgotten."""
    told.remove("a.md")
    told.reconcile()
    with told.database.read() as connection:
        found = why(connection, "Marion Blum")
        assert found.status == "deprecated"
        assert [p.living for p in found.passages] == [False] * 3
        with pytest.raises(UsageError):
            why(connection, "Niemand Bekannt")
