"""Which entities are one: certain variants, ambiguity, people's decisions, and that no order matters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import SynonymEntry
from rag_assets.knowledge.resolution import Decision, DecisionKind, EntityFacts, Resolution, resolve

CURATED = (
    SynonymEntry("Carl R. Rogers", "Person", ("Carl Rogers", "C. Rogers"), None),
    SynonymEntry("Gewaltfreie Kommunikation", "Methode", ("GFK", "NVC"), None),
)
ROOTS = {"Fragetechnik": "Methode", "Modell": "Konzept"}


def made(name: str, class_name: str = "Person", documents: str = "a", **more: Any) -> EntityFacts:
    more.setdefault("evidence_count", 1)
    return EntityFacts(
        key=canonical_key(name), name=name, class_name=class_name, documents=frozenset(documents), **more
    )


def decided(kind: str, one: str, other: str, number: int = 1) -> Decision:
    other = other if kind in ("rename", "reclassify") else canonical_key(other)
    return Decision(number=number, kind=DecisionKind(kind), key=canonical_key(one), other=other)


def together(result: Resolution, *names: str) -> bool:
    return len({result.survivor[canonical_key(name)] for name in names}) == 1


ONE = {
    "initials": [made("Carl Rogers"), made("C. Rogers")],
    "middle initial": [made("Carl Rogers"), made("Carl R. Rogers")],
    "bare surname, only one bearer": [made("Virginia Satir"), made("Satir")],
    "genitive": [made("Virginia Satir"), made("Satirs")],
    "chain": [made("Virginia Satir"), made("V. Satir"), made("Satir")],
    "word order": [made("Virginia Satir"), made("SATIR Virginia")],
    "inflection": [made("Systemtheorie", "Konzept"), made("Systemtheorien", "Konzept")],
    "spacing": [made("Coaching-Prozess", "Konzept"), made("Coachingprozess", "Konzept")],
    "subclass": [made("Vier-Ohren-Modell", "Modell"), made("Vier Ohren Modelle", "Konzept")],
    "only homonym of its class": [made("Aufstellung", "Methode"), made("Aufstellung (Methode)", "Methode")],
}
TWO = {
    "other given name": [made("Carl Rogers"), made("Annie Rogers")],
    "other class": [made("Systemtheorie", "Konzept"), made("Systemtheorien", "Werk")],
    "number": [made("Modul 1", "Konzept"), made("Modul 12", "Konzept")],
    "similar word": [made("Konstruktivismus", "Konzept"), made("Konstruktionismus", "Konzept")],
    "salutation": [made("Virginia Satir"), made("Satir", surfaces=("Herr Satir",))],
    "homonyms": [made("Aufstellung (Methode)", "Methode"), made("Aufstellung (Liste)", "Methode")],
    "part of a surname": [made("Friedemann Schulz von Thun"), made("Thun")],
    "order of words in a concept": [made("Theorie der Praxis", "Konzept"), made("Praxis der Theorie", "Konzept")],
}


@pytest.mark.parametrize("entities", ONE.values(), ids=ONE)
def test_certain_variants_are_one(entities: list[EntityFacts]) -> None:
    result = resolve(entities, roots=ROOTS)
    assert together(result, *(item.name for item in entities))
    assert result.synonyms or len({item.key for item in entities}) == 1


@pytest.mark.parametrize("entities", TWO.values(), ids=TWO)
def test_what_is_not_certain_stays_two(entities: list[EntityFacts]) -> None:
    assert not together(resolve(entities, roots=ROOTS), *(item.name for item in entities))


def test_an_ambiguous_surname_is_read_by_its_document() -> None:
    """The mission's example: five spellings of one person, another with the same surname."""
    entities = [
        made("Carl R. Rogers", documents="a"),
        made("C. Rogers", documents="a"),
        made("ROGERS, Carl", documents="b"),
        made("Rogers'", documents="bcd"),
        made("Annie Rogers", documents="cd"),
    ]
    result = resolve(entities)
    assert together(result, "Carl R. Rogers", "C. Rogers", "ROGERS, Carl")
    carl, annie = result.survivor["carl rogers"], result.survivor["annie rogers"]
    assert carl != annie
    assert result.survivor["rogers"] == "rogers"
    assert result.by_document == {("rogers", "b"): carl, ("rogers", "c"): annie, ("rogers", "d"): annie}
    assert {(item.a, item.b) for item in result.proposals} >= {tuple(sorted(("rogers", annie)))}
    assert result.names[carl] == "Carl R. Rogers"


def test_a_newcomer_makes_a_surname_ambiguous_again() -> None:
    before = [made("Virginia Satir"), made("Satir")]
    assert together(resolve(before), "Virginia Satir", "Satir")
    assert not together(resolve([*before, made("Paul Satir")]), "Virginia Satir", "Satir")


def test_curated_labels_join_across_wavering_classes_but_never_person_and_thing() -> None:
    found = resolve([made("GFK", "Konzept"), made("NVC", "Methode")], CURATED)
    assert together(found, "GFK", "NVC")
    assert found.names[found.survivor["gfk"]] == "Gewaltfreie Kommunikation"
    assert {item.origin for item in found.synonyms} <= {"manual", "extracted"}
    apart = resolve([made("GFK", "Person"), made("Gewaltfreie Kommunikation", "Methode")], CURATED)
    assert not together(apart, "GFK", "Gewaltfreie Kommunikation")


def test_an_abbreviation_with_two_meanings_stays_open() -> None:
    two = (*CURATED, SynonymEntry("Große Fachkonferenz", "Konzept", ("GFK",), None))
    entities = [
        made("GFK", "Konzept"),
        made("Gewaltfreie Kommunikation", "Methode"),
        made("Große Fachkonferenz", "Konzept"),
    ]
    result = resolve(entities, two)
    assert len(set(result.survivor.values())) == 3
    pairs = {(item.a, item.b) for item in result.proposals}
    assert pairs == {("gewaltfreie kommunikation", "gfk"), ("gfk", "grosse fachkonferenz")}


def test_a_curated_person_nobody_mentions_still_makes_a_surname_ambiguous() -> None:
    result = resolve([made("Rogers"), made("Annie Rogers")], CURATED)
    assert not together(result, "Rogers", "Annie Rogers")


def test_survivors_are_chosen_by_standing_not_by_age() -> None:
    weak, strong = made("Systemtheorie", "Konzept"), made("Systemtheorien", "Konzept", evidence_count=9)
    assert set(resolve([weak, strong]).survivor.values()) == {"systemtheorien"}
    validated = made("Systemtheorie", "Konzept", status="validated")
    assert set(resolve([validated, strong]).survivor.values()) == {"systemtheorie"}


def test_two_validated_entities_are_never_joined_by_the_machine() -> None:
    pair = [made("Carl Rogers", status="validated"), made("C. Rogers", status="validated")]
    assert not together(resolve(pair), "Carl Rogers", "C. Rogers")
    assert together(resolve(pair, decisions=[decided("merge", "C. Rogers", "Carl Rogers")]), "Carl Rogers", "C. Rogers")


def test_people_decide() -> None:
    pair = [made("Carl Rogers"), made("C. Rogers")]
    assert not together(
        resolve(pair, decisions=[decided("keep_apart", "C. Rogers", "Carl Rogers")]), "Carl Rogers", "C. Rogers"
    )
    assert not together(
        resolve(pair, decisions=[decided("unmerge", "Carl Rogers", "C. Rogers")]), "Carl Rogers", "C. Rogers"
    )
    other = [made("Empathie", "Konzept"), made("Mitgefühl", "Konzept", evidence_count=5)]
    merged = resolve(other, decisions=[decided("merge", "Mitgefühl", "Empathie")])
    assert set(merged.survivor.values()) == {"empathie"}
    assert [(item.label, item.origin) for item in merged.synonyms] == [("Mitgefühl", "merge")]
    undone = [decided("merge", "Mitgefühl", "Empathie", 1), decided("unmerge", "Empathie", "Mitgefühl", 2)]
    assert not together(resolve(other, decisions=undone), "Empathie", "Mitgefühl")
    renamed = resolve(other, decisions=[decided("rename", "Empathie", "Einfühlung")])
    assert renamed.names["empathie"] == "Einfühlung"
    reclassified = resolve(other, decisions=[decided("reclassify", "Empathie", "Haltung")])
    assert reclassified.classes["empathie"] == "Haltung"


def test_a_separation_holds_against_a_chain_of_merges() -> None:
    names = [made(name, "Konzept") for name in ("Nähe", "Bindung", "Distanz")]
    decisions = [
        decided("merge", "Nähe", "Bindung", 1),
        decided("merge", "Bindung", "Distanz", 2),
        decided("keep_apart", "Nähe", "Distanz", 3),
    ]
    result = resolve(names, decisions=decisions)
    assert not together(result, "Nähe", "Distanz")
    assert result.refused == (1,)


def test_similar_names_are_only_proposed() -> None:
    result = resolve(
        [made("Konstruktivismus", "Konzept"), made("Konstruktionismus", "Konzept"), made("TZI", "Konzept"),
         made("Themenzentrierte Interaktion", "Konzept"), made("Karl Rogers"), made("Carl Rogers")]
    )  # fmt: skip
    reasons = {(item.a, item.b): item.reason for item in result.proposals}
    assert reasons["konstruktionismus", "konstruktivismus"] == "similar"
    assert reasons["themenzentrierte interaktion", "tzi"] == "abbreviation"
    assert reasons["carl rogers", "karl rogers"] == "similar"
    scores = [item.score for item in result.proposals]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_synonyms_that_a_text_names_are_proposed_unless_kept_apart() -> None:
    pair = [made("Mitgefühl", "Konzept"), made("Empathie", "Konzept")]
    keys = [("mitgefuehl", "empathie")]
    assert [item.reason for item in resolve(pair, same_as=keys).proposals] == ["called_synonym"]
    assert resolve(pair, decisions=[decided("keep_apart", "Empathie", "Mitgefühl")], same_as=keys).proposals == ()


def test_a_key_that_comes_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        resolve([made("Carl Rogers"), made("CARL ROGERS")])


NAMES = st.sampled_from(
    ["Carl Rogers", "C. Rogers", "Carl R. Rogers", "Rogers", "Annie Rogers", "A. Rogers", "Satir", "Virginia Satir", "Satirs",
     "Frau Satir", "Systemtheorie", "Systemtheorien", "System-Theorie", "Modul 1", "Modul 2", "GFK", "NVC",
     "Gewaltfreie Kommunikation", "Gewaltfreien Kommunikation", "Aufstellung", "Aufstellung (Methode)", "Aufstellung (Liste)"]
)  # fmt: skip


@st.composite
def _bases(draw: st.DrawFn) -> tuple[list[EntityFacts], list[Decision]]:
    names = draw(st.lists(NAMES, unique_by=canonical_key, min_size=1, max_size=12))
    entities = [
        made(
            name,
            "Person" if "Rogers" in name or "Satir" in name else draw(st.sampled_from(["Konzept", "Methode"])),
            draw(st.sampled_from(["a", "b", "ab", "c"])),
            evidence_count=draw(st.integers(0, 3)),
            status=draw(st.sampled_from(["extracted", "normalized", "validated"])),
        )
        for name in names
    ]
    kinds = st.sampled_from(["merge", "unmerge", "keep_apart"])
    pairs = draw(st.lists(st.tuples(kinds, st.sampled_from(names), st.sampled_from(names)), max_size=5))
    return entities, [decided(kind, one, other, number) for number, (kind, one, other) in enumerate(pairs)]


@settings(deadline=None, max_examples=150)
@given(_bases(), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_result(base: tuple[list[EntityFacts], list[Decision]], chance: Any) -> None:
    entities, decisions = base
    expected = resolve(entities, CURATED, decisions)
    for items in (entities, decisions):
        chance.shuffle(items)
    assert resolve(entities, tuple(reversed(CURATED)), decisions) == expected


@settings(deadline=None, max_examples=150)
@given(_bases())
def test_invariants_of_a_resolution(base: tuple[list[EntityFacts], list[Decision]]) -> None:
    """Everybody has a survivor, survivors survive, people's last word on a pair holds."""
    entities, decisions = base
    result = resolve(entities, CURATED, decisions)
    assert set(result.survivor) == {item.key for item in entities}
    assert all(result.survivor[target] == target for target in result.survivor.values())
    assert set(result.names) == set(result.classes) == set(result.survivor.values())
    last = {frozenset((item.key, item.other)): item.kind for item in decisions if item.key != item.other}
    for pair, kind in last.items():
        if kind is not DecisionKind.MERGE:
            one, other = pair
            assert result.survivor[one] != result.survivor[other]
    for proposal in result.proposals:
        assert proposal.a < proposal.b
        assert result.survivor[proposal.a] != result.survivor[proposal.b]
    classes = {item.key: item.class_name for item in entities}
    for link in result.links:
        if link.rule not in ("label", "decision"):
            assert classes[link.a] == classes[link.b]
