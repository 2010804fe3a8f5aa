"""Keys and ranges: a range takes every key between its ends, so that a wrong one works on documents nobody asked for."""

from __future__ import annotations

import pytest
from dagster import DagsterInstance
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.orchestration import partitions
from rag_assets.orchestration.partitions import PARTITION_TAG, RANGE_END_TAG, RANGE_START_TAG, ranges

ORDER = ["k-1", "k-2", "k-3", "k-4", "k-5"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(["k-3"], [("k-3",)], id="one"),
        pytest.param(["k-3", "k-1", "k-2"], [("k-1", "k-2", "k-3")], id="neighbours in any order"),
        pytest.param(["k-1", "k-3", "k-4"], [("k-1",), ("k-3", "k-4")], id="a gap ends a run"),
        pytest.param(["k-2", "unknown"], [("k-2",)], id="unknown keys are left out"),
        pytest.param(ORDER, [("k-1", "k-2"), ("k-3", "k-4"), ("k-5",)], id="no run is too long"),
    ],
)
def test_wanted_keys_become_ranges(wanted, expected):
    assert [found.keys for found in ranges(wanted, ORDER, most=2 if wanted == ORDER else 50)] == expected


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 7))
def test_ranges_cover_what_is_wanted_and_nothing_else(chosen, most):
    """Whatever is wanted: each range, read back as Dagster reads its two ends, holds exactly the keys asked for."""
    order = [f"k-{number:02}" for number in range(len(chosen))]
    wanted = {key for key, yes in zip(order, chosen, strict=True) if yes}
    covered: list[str] = []
    for found in ranges(wanted, order, most=most):
        if PARTITION_TAG in found.tags:
            covered.append(found.tags[PARTITION_TAG])
            continue
        start, end = found.tags[RANGE_START_TAG], found.tags[RANGE_END_TAG]
        between = order[order.index(start) : order.index(end) + 1]
        assert len(between) <= most
        covered += between
    assert covered == sorted(wanted)


def test_dagster_learns_new_keys_in_order_and_forgets_removed_ones():
    with DagsterInstance.ephemeral() as instance:
        partitions.apply(instance, partitions.differences([], ["b", "a"]))
        known = instance.get_dynamic_partitions(partitions.DOCUMENTS)
        assert list(known) == ["b", "a"]
        changes = partitions.differences(known, ["a", "c"])
        assert (changes.added, changes.removed, changes.any) == (("c",), ("b",), True)
        partitions.apply(instance, changes)
        assert list(instance.get_dynamic_partitions(partitions.DOCUMENTS)) == ["a", "c"]
        assert not partitions.differences(["a", "c"], ["c", "a"]).any


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        pytest.param({}, set(), id="not over documents"),
        pytest.param({PARTITION_TAG: "k-2"}, {"k-2"}, id="one"),
        pytest.param({RANGE_START_TAG: "k-2", RANGE_END_TAG: "k-4"}, {"k-2", "k-3", "k-4"}, id="range"),
        pytest.param({RANGE_START_TAG: "gone", RANGE_END_TAG: "k-4"}, {"gone", "k-4"}, id="an end is gone"),
    ],
)
def test_keys_of_a_run(tags, expected):
    assert partitions.keys_of_tags(tags, ORDER) == expected
