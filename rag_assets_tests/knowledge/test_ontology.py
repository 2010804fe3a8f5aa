"""The ontology as a value: what is refused with its place, what is derived."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_assets.errors import SettingsError
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.ontology_check import find_cycle
from rag_assets_tests.knowledge.sample import mapping, ontology

PROJECT = Path(__file__).parents[2]


def test_the_projects_own_file_is_consistent() -> None:
    raw = yaml.safe_load((PROJECT / "ontology.yaml").read_text(encoding="utf-8"))
    own = Ontology.from_mapping(raw)
    assert {"Person", "Konzept", "Methode", "Werk"} <= {item.name for item in own.classes}
    assert len(own.relation_types) == 10


def test_subclasses_properties_and_roots() -> None:
    sample = ontology()
    assert sample.is_subclass("Fragetechnik", "Methode")
    assert not sample.is_subclass("Methode", "Fragetechnik")
    assert not sample.is_subclass("Unbekannt", "Methode")
    assert sample.root("Modell") == "Konzept"
    assert [item.name for item in sample.properties_of("Modell")] == ["definition", "name"]
    assert sample.curated_classes["systemische frage"] == ("Systemische Frage", "Methode")
    assert sample.curated_classes["beobachtung"] == ("Beobachtung", "Konzept")


def test_revision_follows_content_not_order() -> None:
    shuffled = mapping()
    for name in ("classes", "synonyms", "relation_types", "taxonomy"):
        shuffled[name] = list(reversed(shuffled[name]))
    assert Ontology.from_mapping(shuffled).revision == ontology().revision
    changed = mapping()
    changed["synonyms"][0]["labels"].append("Rogers, Carl Ransom")
    assert Ontology.from_mapping(changed).revision != ontology().revision


def _set(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(raw: Any) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in way:
            raw = raw[part]
        if isinstance(raw, list) and last == len(raw):
            raw.append(value)
        else:
            raw[last] = value

    return change


BROKEN = {
    "parent unknown": (_set("classes.4.parent", "Ding"), "classes[4].parent"),
    "class above itself": (_set("classes.1.parent", "Modell"), "classes[4].parent"),
    "class twice": (_set("classes.1.name", "Person"), "classes[1].name"),
    "description missing": (_set("classes.0.description", ""), "classes[0].description"),
    "unknown word": (_set("classes.0.colour", "blau"), "classes[0].colour"),
    "domain unknown": (_set("relation_types.0.rules.0.domain", "Buch"), "relation_types[0].rules[0].domain"),
    "flag no flag": (_set("relation_types.2.acyclic", "ja"), "relation_types[2].acyclic"),
    "type twice": (_set("relation_types.1.code", "AUTHORED_BY"), "relation_types[1].code"),
    "edge type": (_set("taxonomy.0.type", "kind"), "taxonomy[0].type"),
    "edge to itself": (_set("taxonomy.0.broader", "wunderfrage"), "taxonomy[0]"),
    "circle": (
        _set("taxonomy.2", {"narrower": "Systemische Frage", "broader": "Wunderfrage", "type": "is_a"}),
        "taxonomy[2]",
    ),
    "class of a name": (_set("synonyms.0.class", "Mensch"), "synonyms[0].class"),
    "name twice": (_set("synonyms.1.name", "CARL R. ROGERS"), "synonyms[1].name"),
    "label is another name": (_set("synonyms.0.labels.2", "Empathie"), "synonyms[0].labels[2]"),
    "version": (_set("version", 0), "version"),
    "no list": (_set("synonyms", "alle"), "synonyms"),
}


@pytest.mark.parametrize(("change", "place"), BROKEN.values(), ids=BROKEN)
def test_mistakes_are_named_by_their_place(change: Callable[[dict[str, Any]], None], place: str) -> None:
    raw = copy.deepcopy(mapping())
    change(raw)
    with pytest.raises(SettingsError) as caught:
        Ontology.from_mapping(raw)
    assert caught.value.code == "broken_ontology"
    assert caught.value.message.split(": ")[0] == place


def test_an_abbreviation_may_have_two_meanings() -> None:
    raw = mapping()
    raw["synonyms"].append({"name": "Große Fachkonferenz", "class": "Konzept", "labels": ["GFK"]})
    assert [item.name for item in Ontology.from_mapping(raw).synonyms if "GFK" in item.labels] == [
        "Gewaltfreie Kommunikation",
        "Große Fachkonferenz",
    ]


def test_cycles_are_found_in_long_chains() -> None:
    chain = [(str(n), str(n + 1)) for n in range(5000)]
    assert find_cycle(chain) is None
    cycle = find_cycle([*chain, ("5000", "17")])
    assert cycle is not None
    assert cycle[0] == cycle[-1]
    assert len(cycle) == 5000 - 17 + 2
