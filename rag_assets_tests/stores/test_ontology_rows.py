"""The ontology as rows: applied once for each revision, what left the file is deprecated."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from rag_assets.knowledge.ontology import Ontology
from rag_assets.stores import ontology as store
from rag_assets_tests.campus import ONTOLOGY, Campus


def apply(campus: Campus, raw: dict[str, Any]) -> store.AppliedOntology:
    """Apply the mapping."""
    with campus.database.write() as connection:
        return store.apply(connection, Ontology.from_mapping(raw), at=campus.clock(), author="Prüferin")


def test_applied_once_on_both_databases(any_campus: Campus) -> None:
    """Classes with parents (also named before them), types with rules; the second time writes nothing."""
    raw = deepcopy(ONTOLOGY)
    raw["classes"].reverse()  # Modell now stands before its parent Konzept
    raw["taxonomy"] = [{"narrower": "Nähe", "broader": "Beziehung", "type": "is_a"}]
    first = apply(any_campus, raw)
    assert (first.number, first.changed) == (1, True)
    ids = {row[1]: row[0] for row in any_campus.rows("ontology_classes", "id", "name")}
    parents = dict(any_campus.rows("ontology_classes", "name", "parent_class_id"))
    assert parents == {"Person": None, "Konzept": None, "Methode": None, "Werk": None, "Modell": ids["Konzept"]}
    assert ("CONTRADICTS", True) in any_campus.rows("relation_types", "code", "symmetric")
    assert len(any_campus.rows("relation_type_rules", "id")) == 7
    assert any_campus.rows("taxonomy_edges", "narrower", "broader", "edge_type") == [("Nähe", "Beziehung", "is_a")]
    before = any_campus.dump()
    again = apply(any_campus, raw)
    assert (again.number, again.changed) == (1, False)
    assert any_campus.dump() == before


def test_what_left_the_file_is_deprecated_and_may_return(campus: Campus) -> None:
    """Rows keep their ids; each change is a version; a changed description is corrected."""
    apply(campus, ONTOLOGY)
    ids = dict(campus.rows("ontology_classes", "name", "id"))
    smaller = deepcopy(ONTOLOGY)
    smaller["version"] = 2
    smaller["classes"] = [item for item in smaller["classes"] if item["name"] != "Modell"]
    smaller["classes"][0]["description"] = "Ein Mensch mit Namen"
    smaller["relation_types"] = smaller["relation_types"][:-1]
    assert apply(campus, smaller).number == 2
    assert ("Modell", "deprecated") in campus.rows("ontology_classes", "name", "status")
    assert ("Person", "Ein Mensch mit Namen") in campus.rows("ontology_classes", "name", "description")
    assert ("SYNONYM_OF", "deprecated") in campus.rows("relation_types", "code", "status")
    assert not any(row[0] == "SYNONYM_OF" for row in campus.rows("relation_type_rules", "relation_type"))
    back = apply(campus, ONTOLOGY)
    assert (back.number, back.changed) == (3, True)
    assert {row[0] for row in campus.rows("ontology_classes", "status")} == {"active"}
    assert dict(campus.rows("ontology_classes", "name", "id")) == ids


def test_none_before_the_first(campus: Campus) -> None:
    """A new database has no ontology in force."""
    with campus.database.read() as connection:
        assert store.current(connection) is None
