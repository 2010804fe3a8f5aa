"""People's decisions: replayed by every reconcile, undone by a later decision, never overridden by a machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_assets.ledger import decisions, invariants
from rag_assets_tests.campus import Campus

TWO = """[Carl Rogers|Person] und [Karl Rotscher|Person] kamen.
[Carl Rogers|Person] =INFLUENCED=> [Marion Blum|Person]
[Marion Blum|Person] :leiten: das Haus"""
INITIALS = "[C. Rogers|Person] schrieb."


def holds(campus: Campus) -> None:
    """Every invariant holds."""
    with campus.database.read() as connection:
        found = invariants.check_all(connection, campus.ontology)
    assert {name: violations for name, violations in found.items() if violations} == {}


def status_of(campus: Campus, table: str) -> str:
    """Status of the only row."""
    ((status,),) = campus.rows(table, "status")
    return str(status)


def test_a_person_merges_and_unmerges(campus: Campus) -> None:
    """Two names that no rule joins become one and two again; mentions and uids are untouched all along."""
    campus.put("a.md", TWO)
    campus.reconcile()
    before = campus.rows("entity_mentions"), campus.rows("entities", "uid", "status")
    carl, karl = campus.uid("carl rogers"), campus.uid("karl rotscher")
    campus.decide("entity", karl, "merge", other=carl)
    campus.reconcile()
    assert campus.statuses()["karl rotscher"] == "merged"
    assert ("merged", "decision") in campus.rows("entities", "status", "merge_origin")
    assert ("Karl Rotscher", "merge", "active") in campus.rows("entity_synonyms", "synonym", "origin", "status")
    holds(campus)
    campus.decide("entity", karl, "unmerge", other=carl)
    campus.reconcile()
    assert (campus.rows("entity_mentions"), campus.rows("entities", "uid", "status")) == before
    holds(campus)


def test_a_person_takes_back_what_a_rule_merged(campus: Campus) -> None:
    """C. Rogers is not Carl here: apart now, and after every later reconcile."""
    campus.put("a.md", TWO)
    campus.put("b.md", INITIALS)
    campus.reconcile()
    assert campus.statuses()["c rogers"] == "merged"
    campus.decide("entity", campus.uid("c rogers"), "unmerge", other=campus.uid("carl rogers"))
    campus.reconcile()
    campus.put("c.md", "[C. Rogers|Person] [Carl Rogers|Person]")
    campus.reconcile()
    assert campus.statuses()["c rogers"] == "normalized"
    holds(campus)


def test_a_decided_merge_outlives_the_evidence_of_one_side(campus: Campus) -> None:
    """What a person joined stays joined when a document goes; the survivor is told by what is left."""
    campus.put("a.md", "[Karl Rotscher|Person]")
    campus.put("b.md", "[Marion Blum|Person]")
    campus.reconcile()
    campus.decide("entity", campus.uid("karl rotscher"), "merge", other=campus.uid("marion blum"))
    campus.reconcile()
    campus.remove("b.md")
    campus.reconcile()
    assert campus.statuses() == {"karl rotscher": "merged", "marion blum": "normalized"}
    holds(campus)
    campus.remove("a.md")
    campus.reconcile()
    assert campus.statuses() == {"karl rotscher": "merged", "marion blum": "deprecated"}
    holds(campus)


@pytest.mark.parametrize("table", ["relations", "statements"])
def test_what_was_rejected_stays_rejected(campus: Campus, table: str) -> None:
    """Through re-extraction, removal and return; until the decision is withdrawn."""
    version = campus.put("a.md", TWO)
    campus.reconcile()
    ((uid,),) = campus.rows(table, "uid")
    campus.decide(table[:-1], str(uid), "reject")
    campus.reconcile()
    assert status_of(campus, table) == "rejected"
    campus.extract(version)
    campus.reconcile()
    campus.remove("a.md")
    campus.reconcile()
    campus.put("a.md", TWO)
    campus.reconcile()
    assert status_of(campus, table) == "rejected"
    holds(campus)
    campus.decide(table[:-1], str(uid), "withdraw")
    campus.reconcile()
    assert status_of(campus, table) == "proposed"
    holds(campus)


@pytest.mark.parametrize("table", ["relations", "statements"])
def test_what_was_validated_goes_with_its_evidence_and_returns_validated(campus: Campus, table: str) -> None:
    """A person's word cannot make evidence; it is remembered until evidence returns."""
    campus.put("a.md", TWO)
    campus.reconcile()
    ((uid,),) = campus.rows(table, "uid")
    campus.decide(table[:-1], str(uid), "validate")
    seen = []
    for step in (lambda: None, lambda: campus.remove("a.md"), lambda: campus.put("a.md", TWO)):
        step()
        campus.reconcile()
        seen.append(status_of(campus, table))
        holds(campus)
    assert seen == ["validated", "deprecated", "validated"]


def test_rename_and_reclassify(campus: Campus) -> None:
    """The given name and class win over what texts say, and are given back by the next word."""
    campus.put("a.md", TWO)
    campus.reconcile()
    uid = campus.uid("karl rotscher")
    campus.decide("entity", uid, "rename", name="Karl Friedrich Rotscher")
    campus.decide("entity", uid, "reclassify", **{"class": "Werk"})
    campus.reconcile()
    assert campus.name("karl rotscher") == "Karl Friedrich Rotscher"
    assert campus.classes("karl rotscher") == {"Person": (1.0, "extracted", False), "Werk": (1.0, "manual", True)}
    assert ("Karl Rotscher", "extracted") in campus.rows("entity_synonyms", "synonym", "origin")
    campus.decide("entity", uid, "rename", name="K. Rotscher")
    campus.reconcile()
    assert campus.name("karl rotscher") == "K. Rotscher"
    holds(campus)


def test_a_deprecated_entity_stays_so(campus: Campus) -> None:
    """Deprecated by a person is not revived by evidence."""
    campus.put("a.md", TWO)
    campus.reconcile()
    uid = campus.uid("karl rotscher")
    campus.decide("entity", uid, "deprecate")
    campus.reconcile()
    campus.put("b.md", "[Karl Rotscher|Person]")
    campus.reconcile()
    assert campus.statuses()["karl rotscher"] == "deprecated"
    holds(campus)
    campus.decide("entity", uid, "withdraw")
    campus.reconcile()
    assert campus.statuses()["karl rotscher"] == "normalized"


def test_decisions_and_documents_in_any_order(new_campus: Callable[[], Campus]) -> None:
    """A decision made before or after the other documents came gives the same statuses."""
    outcomes = []
    for first in (("a.md", "b.md"), ("a.md",)):
        campus = new_campus()
        texts = {"a.md": TWO, "b.md": INITIALS}
        for path in first:
            campus.put(path, texts[path])
        campus.reconcile()
        campus.decide("entity", campus.uid("karl rotscher"), "merge", other=campus.uid("carl rogers"))
        campus.reconcile()
        for path in texts.keys() - set(first):
            campus.put(path, texts[path])
        campus.reconcile()
        outcomes.append(campus.rows("entities", "uid", "status"))
    assert outcomes[0] == outcomes[1]


def test_decisions_are_superseded_not_deleted(campus: Campus) -> None:
    """The later word on the same pair or status stands; the earlier row stays and points to it."""
    first = campus.decide("entity", "u1", "validate")
    second = campus.decide("entity", "u1", "deprecate")
    third = campus.decide("entity", "u1", "merge", other="u2")
    fourth = campus.decide("entity", "u2", "keep_apart", other="u1")
    other = campus.decide("entity", "u1", "merge", other="u3")
    assert dict(campus.rows("review_decisions", "id", "superseded_by_id")) == {
        first: second,
        second: None,
        third: fourth,
        fourth: None,
        other: None,
    }
    with campus.database.read() as connection:
        standing = decisions.load(connection)
    assert standing.status["u1"].decision == "deprecate"
    assert [(item.kind.value, item.key, item.other) for item in standing.identity] == [
        ("keep_apart", "u2", "u1"),
        ("merge", "u1", "u3"),
    ]


def test_a_decision_without_its_payload_is_refused(campus: Campus) -> None:
    """Half a decision would be found out only when it is replayed."""
    with pytest.raises(ValueError, match="takes exactly"):
        campus.decide("entity", "u1", "merge")
    with pytest.raises(ValueError, match="unknown decision"):
        campus.decide("entity", "u1", "ponder")
