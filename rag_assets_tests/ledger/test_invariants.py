"""Each invariant finds the fault it is there for, and says nothing while all is well."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from rag_assets.ledger import invariants
from rag_assets_tests.campus import Campus

A = """[Carl Rogers|Person] =INFLUENCED=> [Marion Blum|Person]
[C. Rogers|Person] schrieb wie [Carl Rogers|Person].
[Nähe|Konzept] =CONTRADICTS=> [Ferne|Konzept]
[Nähe|Konzept] .definition. ein Gefühl
[Empathie|Konzept] :dauern: 3 Jahre"""
GONE = "[Weg|Konzept] :dauern: 1 Jahr"

CARL = "(SELECT id FROM entities WHERE canonical_key = 'carl rogers')"
INITIALS = "(SELECT id FROM entities WHERE canonical_key = 'c rogers')"

FAULTS = {
    "a quote that stands elsewhere": (
        "quotes_stand_in_text",
        "UPDATE evidence SET char_start = char_start + 1, char_end = char_end + 1 WHERE statement_id IS NOT NULL",
    ),
    "a mention with another surface": (
        "quotes_stand_in_text",
        "UPDATE entity_mentions SET surface = 'Empathy' WHERE surface = 'Empathie'",
    ),
    "a chain of merges": (
        "merges_end",
        f"UPDATE entities SET status = 'merged', merged_into_id = {INITIALS} WHERE canonical_key = 'marion blum'",
    ),
    "merged into one that does not live": (
        "merges_end",
        f"UPDATE entities SET status = 'deprecated', deprecation_reason = 'no_provenance' WHERE id = {CARL}",
    ),
    "an entity that lives without evidence": (
        "living_have_evidence",
        "UPDATE entities SET status = 'normalized' WHERE canonical_key = 'weg'",
    ),
    "an entity with evidence that does not live": (
        "living_have_evidence",
        "UPDATE entities SET status = 'deprecated', deprecation_reason = 'no_provenance'"
        " WHERE canonical_key = 'empathie'",
    ),
    "a statement that lives without evidence": (
        "living_have_evidence",
        "UPDATE statements SET status = 'proposed' WHERE object_literal = '1 Jahr'",
    ),
    "a relation with evidence that does not live": (
        "living_have_evidence",
        "UPDATE relations SET status = 'deprecated' WHERE relation_type = 'CONTRADICTS'",
    ),
    "a rejected statement that came back": (
        "decisions_stand",
        "UPDATE statements SET status = 'proposed' WHERE object_literal = '3 Jahre'",
    ),
    "an entity that a person deprecated and that lives": (
        "decisions_stand",
        "UPDATE entities SET status = 'normalized' WHERE canonical_key = 'naehe'",
    ),
    "two kept apart that are merged": (
        "decisions_stand",
        f"UPDATE entities SET status = 'merged', merged_into_id = {CARL} WHERE canonical_key = 'marion blum'",
    ),
    "an entity that vanished under its uid": (
        "nothing_vanishes",
        "UPDATE entities SET uid = 'another' WHERE canonical_key = 'empathie'",
    ),
    "a relation against domain and range": (
        "relations_fit",
        "UPDATE relations SET relation_type = 'AUTHORED_BY' WHERE relation_type = 'INFLUENCED'",
    ),
    "two primary classes": (
        "one_primary_class",
        "INSERT INTO entity_classifications (entity_id, ontology_class_id, confidence, origin, is_primary)"
        f" SELECT {CARL}, id, 0.5, 'extracted', 1 FROM ontology_classes WHERE name = 'Werk'",
    ),
    "no primary class": (
        "one_primary_class",
        f"UPDATE entity_classifications SET is_primary = 0 WHERE entity_id = {CARL}",
    ),
    "an entity without its key": ("keys_lead_to_entities", "DELETE FROM entity_keys WHERE key = 'empathie'"),
    "a status that nobody set": (
        "audit_holds",
        "UPDATE entities SET status = 'extracted' WHERE canonical_key = 'empathie'",
    ),
    "a trail that was changed": ("audit_holds", "UPDATE audit_log SET actor = 'nobody' WHERE id = 1"),
    "a symmetric relation the wrong way round": (
        "relations_fit",
        "UPDATE relations SET source_entity_id = target_entity_id, target_entity_id = source_entity_id"
        " WHERE relation_type = 'CONTRADICTS'",
    ),
}


@pytest.fixture
def sound(campus: Campus) -> Campus:
    """A campus with merged, deprecated, rejected and living knowledge, in which everything holds."""
    campus.put("a.md", A)
    campus.put("b.md", GONE)
    campus.reconcile()
    campus.remove("b.md")
    (rejected,) = [uid for uid, literal in campus.rows("statements", "uid", "object_literal") if literal == "3 Jahre"]
    campus.decide("statement", str(rejected), "reject")
    campus.decide("entity", campus.uid("naehe"), "deprecate")
    campus.decide("entity", campus.uid("marion blum"), "keep_apart", other=campus.uid("carl rogers"))
    campus.reconcile()
    return campus


def found(campus: Campus) -> set[str]:
    """Names of the invariants that are violated."""
    with campus.database.read() as connection:
        return {name for name, violations in invariants.check_all(connection, campus.ontology).items() if violations}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_found(sound: Campus, fault: str) -> None:
    """By the invariant named; before it, nothing is found."""
    assert found(sound) == set()
    invariant, statement = FAULTS[fault]
    with sound.database.write() as connection:
        connection.execute(text(statement))
    assert invariant in found(sound)


def test_a_circle_is_found(sound: Campus) -> None:
    """INFLUENCED is not acyclic here until the ontology says so."""
    sound.put("c.md", "[Marion Blum|Person] =INFLUENCED=> [Max Ernst|Person]\n"
                      "[Max Ernst|Person] =INFLUENCED=> [Carl Rogers|Person]")  # fmt: skip
    sound.reconcile()
    assert found(sound) == set()
    types = tuple(replace(item, acyclic=item.code == "INFLUENCED") for item in sound.ontology.relation_types)
    sound.ontology = replace(sound.ontology, relation_types=types)
    with sound.database.read() as connection:
        violations = invariants.acyclic(connection, sound.ontology)
    assert len(violations) == 3


def test_violations_hold_no_text(sound: Campus) -> None:
    """Ids and codes only: they go to Dagster."""
    with sound.database.write() as connection:
        connection.execute(text("UPDATE entity_mentions SET surface = 'Xanthippe'"))
        connection.execute(text("UPDATE entities SET status = 'normalized' WHERE canonical_key = 'weg'"))
    with sound.database.read() as connection:
        told = repr(invariants.check_all(connection, sound.ontology))
    assert "Xanthippe" not in told
    assert "Weg" not in told


class _Held:
    """An index that holds what it is told to; only the two questions that the invariant asks."""

    def __init__(self, held: dict[str, set[int]], points: dict[str, int]) -> None:
        self._held = held
        self._points = points

    def chunk_ids(self, collection: str) -> set[int]:
        return self._held.get(collection, set())

    def count(self, collection: str) -> int:
        return self._points.get(collection, 0)


@pytest.mark.parametrize(
    ("held", "points", "problems"),
    [
        ({1, 2}, 2, set()),
        ({1}, 1, {"missing"}),
        ({1, 2, 3}, 3, {"left over"}),
        ({1, 2}, 3, {"number of windows"}),
    ],
    ids=["exact", "missing", "left over", "a window too many"],
)
def test_the_index_holds_living_chunks(campus: Campus, held: set[int], points: int, problems: set[str]) -> None:
    """Chunks 1 and 2 answer with a window each; chunk 3 is of a removed document."""
    campus.put("a.md", "eins\n\nzwei")
    campus.put("b.md", "drei")
    campus.remove("b.md")
    with campus.database.write() as connection:
        for chunk in (1, 2, 3):
            connection.execute(
                text(
                    "INSERT INTO chunk_windows (uid, chunk_id, ordinal, char_start, char_end, context, text_sha256)"
                    f" VALUES ('w{chunk}', {chunk}, 0, 0, 4, '', '{chunk}')"
                )
            )
    index = _Held({"documents": held}, {"documents": points})
    with campus.database.read() as connection:
        violations = invariants.index_holds_living_chunks(connection, index)  # type: ignore[arg-type]
    assert {violation.problem for violation in violations} == problems
