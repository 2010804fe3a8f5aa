"""Reconcile over a whole life: documents come, change, go and return, in any order; only differences are written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from rag_assets.ledger import invariants
from rag_assets_tests.campus import Campus

ROGERS = """[Carl Rogers|Person] kam zur Tagung.
[Carl Rogers|Person] =INFLUENCED=> [Marion Blum|Person]
[Empathie|Konzept] :dauern: 3 Jahre
[Empathie|Konzept] .definition. das Einfühlen

[GFK|Methode>Gewaltfreie Kommunikation] =AUTHORED_BY=> [Rogers, Carl|Person]"""
INITIALS = """[C. Rogers|Person] schrieb viel.
[Empathie|Konzept] :dauern: 5 Jahre"""
OTHER = """[Charlotte Rogers|Person] leitet das Haus.
[Empathie|Modell] steht hier als Modell."""


def holds(campus: Campus) -> None:
    """Every invariant holds."""
    with campus.database.read() as connection:
        found = invariants.check_all(connection, campus.ontology)
    assert {name: violations for name, violations in found.items() if violations} == {}


def test_a_life_on_both_databases(any_campus: Campus) -> None:
    """Come, disagree, change, go, return: what is expected at each step, worked out by hand."""
    campus = any_campus
    campus.put("a.md", ROGERS)
    first = campus.reconcile()
    assert first.version == "1.1.1"
    assert campus.statuses() == dict.fromkeys(
        ("carl rogers", "marion blum", "empathie", "gewaltfreie kommunikation"), "normalized"
    )
    holds(campus)

    campus.put("b.md", INITIALS)
    campus.reconcile()
    assert campus.statuses()["c rogers"] == "merged"
    assert [row[0] for row in campus.rows("statement_conflicts", "status")] == ["suspected"]
    holds(campus)

    campus.remove("a.md")
    report = campus.reconcile()
    assert report.counts["entity.deprecate"] == 4 - 1  # all of a.md but Empathie, which b.md names too …
    assert campus.statuses() == {
        "carl rogers": "deprecated",
        "c rogers": "normalized",  # … and the initials have nobody to stand for any more
        "marion blum": "deprecated",
        "gewaltfreie kommunikation": "deprecated",
        "empathie": "normalized",
    }
    assert [row[0] for row in campus.rows("statement_conflicts", "status")] == ["resolved"]
    assert {row[0] for row in campus.rows("relations", "status")} == {"deprecated"}
    holds(campus)

    campus.put("a.md", ROGERS)
    campus.reconcile()
    assert campus.statuses()["carl rogers"] == "normalized"
    assert campus.statuses()["c rogers"] == "merged"
    assert {row[0] for row in campus.rows("relations", "status")} == {"proposed"}
    holds(campus)

    before = campus.dump()
    again = campus.reconcile()
    assert (again.counts, again.sealed) == ({}, False)
    assert campus.dump() == before


def test_a_rerun_of_everything_changes_no_row(campus: Campus) -> None:
    """The same text through both stages and reconcile again: every table stays byte for byte, ids included."""
    version = campus.put("a.md", ROGERS)
    campus.reconcile()
    before = campus.dump()
    campus.extract(version)
    campus.reconcile()
    assert campus.dump() == before
    assert campus.extractor.calls == 2


def test_back_to_the_old_content_is_the_old_knowledge(campus: Campus) -> None:
    """A→B→A: facts, uids and statuses as before, a third knowledge version."""
    campus.put("a.md", ROGERS)
    campus.reconcile()
    facts = ("entities", "relations", "statements", "entity_properties", "evidence", "entity_mentions")
    before = {name: campus.rows(name) for name in facts}
    campus.put("a.md", INITIALS)
    assert campus.reconcile().version == "2.1.1"
    assert campus.statuses()["marion blum"] == "deprecated"
    campus.put("a.md", ROGERS)
    assert campus.reconcile().version == "3.1.1"
    after = {name: campus.rows(name) for name in facts}
    # C. Rogers came with B and stays as a deprecated entity; all that A says is as it was.
    for name in facts:
        assert set(map(repr, before[name])) <= set(map(repr, after[name])), name
    assert campus.statuses()["c rogers"] == "deprecated"
    holds(campus)


def test_a_validated_entity_returns_as_validated(campus: Campus) -> None:
    """Its evidence goes and comes back: the status from before is restored, not the lowest."""
    campus.put("a.md", ROGERS)
    campus.reconcile()
    campus.decide("entity", campus.uid("marion blum"), "validate")
    campus.reconcile()
    assert campus.statuses()["marion blum"] == "validated"
    campus.remove("a.md")
    campus.reconcile()
    assert campus.statuses()["marion blum"] == "deprecated"
    campus.put("a.md", ROGERS)
    campus.reconcile()
    assert campus.statuses()["marion blum"] == "validated"
    holds(campus)


def outcome(campus: Campus) -> dict[str, object]:
    """What must not depend on the order in which documents came."""
    return {
        "entities": campus.rows("entities", "uid", "status", "canonical_name", "status_before"),
        "relations": campus.rows("relations", "uid", "status", "confidence", "rejection_reason"),
        "statements": campus.rows("statements", "uid", "status", "confidence"),
        "properties": campus.rows("entity_properties", "uid", "status"),
        "synonyms": campus.rows("entity_synonyms", "synonym_key", "synonym", "origin", "status"),
        "classes": sorted(
            row[:2] for row in campus.rows("entity_classifications", "confidence", "is_primary") if row[0]
        ),
        "content": campus.rows("knowledge_versions", "content", "content_hash")[-1][1],
    }


def test_the_order_of_documents_does_not_matter(new_campus: Callable[[], Campus]) -> None:
    """All six orders of three documents, reconciled at the end, and one after each document: one outcome."""
    texts = {"a.md": ROGERS, "b.md": INITIALS, "c.md": OTHER}
    outcomes = []
    for order in permutations(texts):
        campus = new_campus()
        for path in order:
            campus.put(path, texts[path])
        campus.reconcile()
        outcomes.append(outcome(campus))
        # Two persons fit the initials: nobody may be merged by a machine.
        assert campus.statuses()["c rogers"] == "normalized"
    assert all(found == outcomes[0] for found in outcomes)

    for order in permutations(texts):
        campus = new_campus()
        for path in order:
            campus.put(path, texts[path])
            campus.reconcile()
        stepwise = outcome(campus)
        for name in ("entities", "relations", "statements", "properties", "content"):
            assert stepwise[name] == outcomes[0][name], (order, name)


def test_what_was_merged_is_as_if_it_had_never_stood_alone(new_campus: Callable[[], Campus]) -> None:
    """Rogers is the name of Carl R. Rogers until Carl Rogers takes both in: then it is called Rogers, as at once."""
    texts = {
        "a.md": "[Rogers|Person] [Rogers|Person] [Carl R. Rogers|Person]",
        "b.md": "[Carl Rogers|Person] " * 5,
    }
    stepwise, at_once = new_campus(), new_campus()
    for path, text in texts.items():
        stepwise.put(path, text)
        stepwise.reconcile()
        at_once.put(path, text)
    at_once.reconcile()
    assert at_once.statuses()["rogers"] == "merged"
    assert stepwise.name("rogers") == "Rogers"
    for name in ("entities", "content"):
        assert outcome(stepwise)[name] == outcome(at_once)[name]


def test_a_newcomer_takes_back_a_merge_that_became_ambiguous(campus: Campus) -> None:
    """C. Rogers is Carl until Charlotte appears, and again once she is gone."""
    campus.put("a.md", ROGERS)
    campus.put("b.md", INITIALS)
    campus.reconcile()
    assert campus.statuses()["c rogers"] == "merged"
    campus.put("c.md", OTHER)
    campus.reconcile()
    assert campus.statuses()["c rogers"] == "normalized"
    campus.remove("c.md")
    campus.reconcile()
    assert campus.statuses()["c rogers"] == "merged"
    holds(campus)


def test_the_name_is_the_commonest_spelling(campus: Campus) -> None:
    """Counted over living mentions; ties go to the least; a curated name wins over all."""
    campus.put("a.md", "[Aktives zuhören|Methode] [Aktives Zuhören|Methode] [gfk|Methode>Gewaltfreie Kommunikation]")
    campus.reconcile()
    assert campus.name("aktives zuhoeren") == "Aktives Zuhören"
    campus.put("b.md", "[Aktives zuhören|Methode] [aktives zuhören|Methode] [Aktives zuhören|Methode]")
    campus.reconcile()
    assert campus.name("aktives zuhoeren") == "Aktives zuhören"
    assert campus.name("gewaltfreie kommunikation") == "Gewaltfreie Kommunikation"


def test_classes_are_shares_with_one_primary(campus: Campus) -> None:
    """Three of four mentions say Konzept; a curated class needs no majority."""
    campus.put(
        "a.md", "[Empathie|Konzept] [Empathie|Konzept] [Empathie|Modell]\n[GFK|Konzept>Gewaltfreie Kommunikation]"
    )
    campus.put("b.md", "[Empathie|Konzept]")
    campus.reconcile()
    assert campus.classes("empathie") == {"Konzept": (0.75, "extracted", True), "Modell": (0.25, "extracted", False)}
    assert campus.classes("gewaltfreie kommunikation") == {
        "Methode": (1.0, "manual", True),
        "Konzept": (1.0, "extracted", False),
    }
    campus.remove("b.md")
    campus.put("a.md", "[Empathie|Modell]")
    campus.reconcile()
    assert campus.classes("empathie") == {"Konzept": (0.0, "extracted", False), "Modell": (1.0, "extracted", True)}


def test_relations_are_judged_by_the_classes_of_the_whole_base(campus: Campus) -> None:
    """A relation that fits where it stands but not over the base is refused, and readmitted when the base changes."""
    campus.put("a.md", "[Wandel|Werk] =AUTHORED_BY=> [Marion Blum|Person]")
    campus.reconcile()
    assert campus.rows("relations", "status", "rejection_reason") == [("proposed", None)]
    campus.put("b.md", "[Wandel|Konzept] [Wandel|Konzept]")
    campus.reconcile()
    assert campus.rows("relations", "status", "rejection_reason") == [("rejected", "domain_range")]
    campus.remove("b.md")
    campus.reconcile()
    assert campus.rows("relations", "status", "rejection_reason") == [("proposed", None)]
    holds(campus)


def test_confidence_and_chunk_come_from_the_best_living_passage(campus: Campus) -> None:
    """The same statement in two documents: removing one leaves the other's chunk."""
    said = "[Empathie|Konzept] :dauern: 3 Jahre"
    first = campus.put("a.md", said)
    second = campus.put("b.md", "Vorwort\n\n" + said)
    campus.reconcile()
    assert len(campus.rows("statements", "id")) == 1
    chunks = {
        version: chunk for chunk, version, start in campus.rows("chunks", "id", "document_version_id", "char_start")
    }
    campus.remove("a.md")
    campus.reconcile()
    assert campus.rows("statements", "chunk_id") == [(chunks[second],)]
    campus.put("a.md", said)
    campus.remove("b.md")
    campus.reconcile()
    assert campus.rows("statements", "chunk_id") == [(chunks[first],)]


def test_what_a_newer_extraction_no_longer_finds_is_superseded(campus: Campus) -> None:
    """Another extractor over the same version: the old mention stays as history and is marked."""
    version = campus.put("a.md", ROGERS)
    campus.reconcile()
    campus.extractor.blind_to = "Marion Blum"
    campus.extractor.version = "2"
    campus.extract(version)
    campus.reconcile()
    assert campus.statuses()["marion blum"] == "deprecated"
    assert ("Marion Blum", True) in campus.rows("entity_mentions", "surface", "superseded")
    campus.extractor.blind_to = None
    campus.extractor.version = "1"
    campus.extract(version)
    campus.reconcile()
    assert campus.statuses()["marion blum"] == "normalized"
    assert not any(row[0] for row in campus.rows("entity_mentions", "superseded"))
    holds(campus)
