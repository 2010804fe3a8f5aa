"""When two statements disagree, and when they only seem to."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rag_assets.knowledge.conflicts import Conflict, ConflictKind, StatementFacts, find_conflicts, time_scope

SINGLE = frozenset({"betragen", "umfassen höchstens", "umfassen mindestens", "geboren"})


def made(uid: str, predicate: str, value: str, **more: Any) -> StatementFacts:
    return StatementFacts(uid=uid, subject="s", predicate=predicate, object_literal=value, **more)


def kinds(*statements: StatementFacts, **more: Any) -> list[tuple[str, str]]:
    return [(c.kind.value, c.reason) for c in find_conflicts(statements, single_valued=SINGLE, **more)]


DISAGREE = {
    "polarity": (made("a", "sein", "Therapie"), made("b", "sein", "Therapie", polarity="negated"), "contradiction"),
    "value": (made("a", "betragen", "48 Stunden"), made("b", "betragen", "24 Stunden"), "contradiction"),
    "limit": (
        made("a", "umfassen höchstens", "zehn Sitzungen"),
        made("b", "umfassen höchstens", "12 Sitzungen"),
        "contradiction",
    ),
    "bounds": (
        made("a", "umfassen höchstens", "10 Sitzungen"),
        made("b", "umfassen mindestens", "12 Sitzungen"),
        "contradiction",
    ),
    "exact over top": (
        made("a", "umfassen höchstens", "10 Sitzungen"),
        made("b", "umfassen", "12 Sitzungen"),
        "contradiction",
    ),
    "year": (made("a", "geboren", "1902"), made("b", "geboren", "1903"), "contradiction"),
    "norm against fact": (
        made("a", "betragen", "48 Stunden", modality="normative"),
        made("b", "betragen", "24 Stunden"),
        "scope",
    ),
    "other times": (
        made("a", "betragen", "24 Stunden", evidence=("Die Frist betrug bis 2019 24 Stunden.",)),
        made("b", "betragen", "48 Stunden", evidence=("Seit 2020 beträgt sie 48 Stunden.",)),
        "outdated",
    ),
}
AGREE = {
    "same in other words": (made("a", "betragen", "48 Stunden"), made("b", "betragen", "zwei Tage")),
    "another subject": (
        made("a", "betragen", "1 Tag"),
        StatementFacts(uid="b", subject="t", predicate="betragen", object_literal="2 Tage"),
    ),
    "supposed": (made("a", "sein", "x"), made("b", "sein", "x", polarity="negated", modality="hypothetical")),
    "quoted": (made("a", "betragen", "1 Tag"), made("b", "betragen", "2 Tage", modality="citing")),
    "many values are right": (made("a", "fördern", "Nähe"), made("b", "fördern", "Vertrauen")),
    "another unit": (made("a", "betragen", "10 Euro"), made("b", "betragen", "2 Stunden")),
    "overlapping ranges": (made("a", "betragen", "6 bis 8 Wochen"), made("b", "betragen", "7 Wochen")),
    "below the top": (made("a", "umfassen höchstens", "10 Sitzungen"), made("b", "umfassen", "8 Sitzungen")),
    "two denials": (
        made("a", "betragen", "1 Tag", polarity="negated"),
        made("b", "betragen", "2 Tage", polarity="negated"),
    ),
}


@pytest.mark.parametrize(("one", "other", "kind"), DISAGREE.values(), ids=DISAGREE)
def test_disagreement(one: StatementFacts, other: StatementFacts, kind: str) -> None:
    assert [found for found, _ in kinds(one, other)] == [kind]
    assert find_conflicts([one, other], single_valued=SINGLE) == find_conflicts([other, one], single_valued=SINGLE)


@pytest.mark.parametrize(("one", "other"), AGREE.values(), ids=AGREE)
def test_no_disagreement(one: StatementFacts, other: StatementFacts) -> None:
    assert kinds(one, other) == []


def test_objects_that_contradict_each_other_are_a_matter_of_opinion() -> None:
    one = StatementFacts(uid="a", subject="s", predicate="beruhen", object_entity="x")
    other = StatementFacts(uid="b", subject="s", predicate="beruhen", object_entity="y")
    assert kinds(one, other) == []
    assert kinds(one, other, contradicting=[("y", "x")]) == [("opinion", "contradicts")]


def test_pairs_are_ordered_and_confidence_is_the_weaker_one() -> None:
    found = find_conflicts(
        [made("z", "betragen", "1 Tag", confidence=0.9), made("b", "betragen", "2 Tage", confidence=0.6)],
        single_valued=SINGLE,
    )
    assert found == (Conflict("b", "z", ConflictKind.CONTRADICTION, "single_valued", 0.6),)


def test_order_does_not_matter() -> None:
    statements = [made(str(n), "betragen", f"{n % 7} Tage") for n in range(40)]
    expected = find_conflicts(statements, single_valued=SINGLE)
    for seed in range(5):
        shuffled = statements[:]
        random.Random(seed).shuffle(shuffled)
        assert find_conflicts(shuffled, single_valued=SINGLE) == expected


def test_years_of_validity() -> None:
    assert time_scope(["von 2015 bis 2018 galt"]) == time_scope(["seit 2015", "bis 2018"])
    assert time_scope(["seit 1. Januar 2020"]).since == 2020
    assert time_scope(["seit 2015", "seit 2016"]).since is None
