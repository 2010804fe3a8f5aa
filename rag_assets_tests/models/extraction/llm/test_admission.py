"""What is taken of a model's reply: only what the passage bears out, each refusal with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from rag_assets_tests.models.extraction.llm.scripted import always, extract, refused, reply

TEXT = (
    "Carl Rogers begründete den Personzentrierten Ansatz.\nEr umfasst nach Rogers höchstens drei Haltungen: Empathie, "
    "Kongruenz und Wertschätzung. Supervision ist keine Therapie. Das Team-\nModell wendet zirkuläre Fragen an."
)
ROGERS = {"name": "Carl Rogers", "class": "Person", "properties": []}
ANSATZ = {"name": "Personzentrierter Ansatz", "class": "Konzept", "properties": []}
SUPERVISION = {"name": "Supervision", "class": "Methode", "properties": []}
THERAPIE = {"name": "Therapie", "class": "Methode", "properties": []}
ENTITIES = [ROGERS, ANSATZ, SUPERVISION, THERAPIE]
FOUNDED = "Carl Rogers begründete den Personzentrierten Ansatz."


def _concept(name: str) -> dict[str, Any]:
    return {"name": name, "class": "Konzept", "properties": []}


def _relation(**changed: Any) -> dict[str, Any]:
    return {
        "source": "Personzentrierter Ansatz",
        "type": "AUTHORED_BY",
        "target": "Carl Rogers",
        "quote": FOUNDED,
        "confidence": 0.8,
        **changed,
    }


def _statement(**changed: Any) -> dict[str, Any]:
    return {
        "subject": "Supervision",
        "predicate": "sein",
        "object": "Therapie",
        "type": "factual_claim",
        "modality": "assertive",
        "polarity": "negated",
        "quote": "Supervision ist keine Therapie.",
        "confidence": 0.8,
        **changed,
    }


def test_a_name_is_found_in_its_inflected_form_and_keeps_the_curated_name() -> None:
    found = extract(TEXT, always(reply([ANSATZ])))
    (mention,) = found.mentions
    assert mention.surface == "Personzentrierten Ansatz"
    assert TEXT[mention.start : mention.end] == mention.surface
    assert mention.canonical == "Personzentrierter Ansatz"


def test_everything_that_holds_is_taken_with_its_place() -> None:
    found = extract(TEXT, always(reply(ENTITIES, [_relation()], [_statement()])), start=1000)
    (relation,) = found.relations
    assert (relation.source, relation.type, relation.target) == (
        "Personzentrierten Ansatz",
        "AUTHORED_BY",
        "Carl Rogers",
    )
    assert TEXT[relation.start - 1000 : relation.end - 1000] == relation.quote == FOUNDED
    (statement,) = found.statements
    assert (statement.subject, statement.predicate, statement.object_entity) == ("Supervision", "sein", "Therapie")
    assert (statement.polarity, statement.object_literal) == ("negated", None)
    assert found.refused == ()


def test_a_quote_may_differ_in_white_space_and_signs_only() -> None:
    broken = _relation(quote="Carl  Rogers begründete\nden Personzentrierten Ansatz")
    assert len(extract(TEXT, always(reply(ENTITIES, [broken]))).relations) == 1
    changed = _relation(quote="Carl Rogers begründete damals den Personzentrierten Ansatz.")
    assert refused(extract(TEXT, always(reply(ENTITIES, [changed])))) == {"relation.quote_mismatch": 1}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param({"source": "Virginia Satir"}, "unknown_name", id="a name that is nowhere"),
        pytest.param({"source": "Carl Rogers"}, "reflexive", id="of itself"),
        pytest.param({"type": "INVENTED"}, "unknown_type", id="a type of its own"),
        pytest.param({"quote": "Supervision ist keine Therapie."}, "quote_unrelated", id="a quote about other things"),
    ],
)
def test_a_relation_that_does_not_hold_is_refused(changed: dict[str, Any], reason: str) -> None:
    found = extract(TEXT, always(reply(ENTITIES, [_relation(**changed)])))
    assert found.relations == ()
    assert refused(found) == {f"relation.{reason}": 1}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param({"subject": "Coaching"}, "unknown_name", id="about something else"),
        pytest.param({"object": ""}, "empty", id="about nothing"),
        pytest.param({"object": "Supervision"}, "reflexive", id="about itself"),
        pytest.param({"object": "Heilkunst"}, "object_not_in_quote", id="a value of its own"),
        pytest.param({"predicate": "is"}, "predicate_not_in_quote", id="in English"),
        pytest.param({"predicate": "ersetzen"}, "predicate_not_in_quote", id="a verb of its own"),
        pytest.param({"modality": "sicher"}, "unknown_code", id="a code of its own"),
        pytest.param({"quote": "Supervision ersetzt keine Therapie."}, "quote_mismatch", id="a quote of its own"),
    ],
)
def test_a_statement_that_does_not_hold_is_refused(changed: dict[str, Any], reason: str) -> None:
    found = extract(TEXT, always(reply(ENTITIES, [], [_statement(**changed)])))
    assert found.statements == ()
    assert refused(found) == {f"statement.{reason}": 1}


@pytest.mark.parametrize(
    ("predicate", "quote"),
    [
        pytest.param("begründen", "Carl Rogers begründete den Personzentrierten Ansatz.", id="weak verb"),
        pytest.param("umfassen höchstens", "Er umfasst nach Rogers höchstens drei Haltungen", id="with an adverb"),
        pytest.param("anwenden", "Das Team-\nModell wendet zirkuläre Fragen an.", id="separable verb"),
        pytest.param("sein", "Supervision ist keine Therapie.", id="to be"),
    ],
)
def test_a_predicate_in_base_form_is_found_in_its_quote(predicate: str, quote: str) -> None:
    names = [_concept(name) for name in ("Supervision", "Rogers", "Fragen")]
    said = {
        "predicate": predicate,
        "quote": quote,
        "type": "factual_claim",
        "modality": "assertive",
        "polarity": "affirmed",
    }
    subject = next(entity["name"] for entity in names if entity["name"] in quote)
    value = {"Supervision": "Therapie", "Rogers": "Haltungen", "Fragen": "Modell"}[subject]
    if predicate == "begründen":
        value = "Ansatz"
    found = extract(TEXT, always(reply(names, [], [{**said, "subject": subject, "object": value}])))
    assert [statement.predicate for statement in found.statements] == [predicate], refused(found)


def test_a_property_needs_its_value_in_its_quote() -> None:
    year = {"property": "Jahr", "value": "1972", "quote": "Das Werk „Die Beratung“ erschien 1972."}
    text = "Das Werk „Die Beratung“ erschien 1972. Es ist kurz."
    work = {"name": "Die Beratung", "class": "Werk", "properties": [year]}
    (found,) = extract(text, always(reply([work]))).properties
    assert (found.entity, found.property, found.value) == ("Die Beratung", "jahr", "1972")
    work["properties"] = [{**year, "value": "1973"}]
    assert refused(extract(text, always(reply([work])))) == {"property.value_not_in_quote": 1}


def test_a_name_inside_a_longer_one_is_no_mention_of_its_own() -> None:
    text = "Systemisches Coaching braucht Zeit. Coaching auch."
    names = [_concept(name) for name in ("Coaching", "Systemisches Coaching")]
    found = extract(text, always(reply(names)))
    assert [(m.surface, m.start) for m in found.mentions] == [("Systemisches Coaching", 0), ("Coaching", 36)]


def test_what_people_curated_counts_before_what_the_model_says() -> None:
    found = extract("Die GFK hilft.", always(reply([{"name": "GFK", "class": "Werk", "properties": []}])))
    (mention,) = found.mentions
    assert (mention.canonical, mention.class_name) == ("Gewaltfreie Kommunikation", "Methode")


def test_a_word_of_everyday_is_not_the_noun() -> None:
    found = extract("Sag bitte, wie es war.", always(reply([{"name": "Bitte", "class": "Konzept", "properties": []}])))
    assert refused(found) == {"mention.not_in_text": 1}


def test_the_same_thing_twice_is_one() -> None:
    twice = always(reply([ROGERS, ROGERS, ANSATZ], [_relation(), _relation()]))
    found = extract(TEXT, twice)
    assert len(found.relations) == 1
    assert refused(found) == {"mention.duplicate": 1}


def test_odd_items_cost_only_themselves() -> None:
    odd: list[Any] = [7, None, "x", {"name": None}, {"name": 3, "class": []}, {"name": "…"}]
    found = extract(TEXT, always(reply([*odd, ROGERS], [{}, {"source": ["x"]}], [{"subject": {}}])))
    assert [mention.surface for mention in found.mentions] == ["Carl Rogers"]
    counts = refused(found)
    assert counts["item.malformed"] == 3
    assert counts["mention.no_name"] + counts.get("mention.not_in_text", 0) == 3
    assert counts["relation.unknown_name"] == 2
    assert counts["statement.unknown_name"] == 1
