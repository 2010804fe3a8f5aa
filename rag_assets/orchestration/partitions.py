"""The one partitions definition, a partition per document, and how keys become ranges.

Here lives what Dagster knows of documents: their keys, in the order in which it learned of them. A key is minted by
the scan and stored with its document; keys of removed documents are taken out of Dagster's list (their history stays)
and come back, at the end, when the document does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from dagster import DynamicPartitionsDefinition

DOCUMENTS: Final = "documents"
documents_partitions: Final = DynamicPartitionsDefinition(name=DOCUMENTS)

# A run takes one partition or one range. Beyond this, a killed run would lose too much of its history.
MAX_KEYS_A_RUN: Final = 50

RANGE_START_TAG: Final = "dagster/asset_partition_range_start"
RANGE_END_TAG: Final = "dagster/asset_partition_range_end"
PARTITION_TAG: Final = "dagster/partition"


class PartitionStore(Protocol):
    """What is needed of `DagsterInstance` here."""

    def get_dynamic_partitions(self, partitions_def_name: str) -> Sequence[str]:
        """All keys, in the order in which they were added."""

    def add_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        """Add keys; those that are there already stay where they are."""

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Take a key out of the list; its events stay."""


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Neighbours in Dagster's list of keys, asked for in one run."""

    keys: tuple[str, ...]

    @property
    def tags(self) -> dict[str, str]:
        """The tags that make a run one over this range."""
        if len(self.keys) == 1:
            return {PARTITION_TAG: self.keys[0]}
        return {RANGE_START_TAG: self.keys[0], RANGE_END_TAG: self.keys[-1]}


@dataclass(frozen=True, slots=True)
class KeyChanges:
    """How Dagster's list differs from the documents that are there."""

    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def any(self) -> bool:
        """Whether there is a difference."""
        return bool(self.added or self.removed)


def ranges(wanted: Iterable[str], order: Sequence[str], *, most: int = MAX_KEYS_A_RUN) -> list[KeyRange]:
    """Split the wanted keys into runs of neighbours of at most `most` keys, in Dagster's order.

    A gap in the order ends a run: a range takes all keys between its ends. Keys that Dagster does not know are left
    out.

    >>> [r.keys for r in ranges({"a", "b", "d"}, ["a", "b", "c", "d"])]
    [('a', 'b'), ('d',)]
    """
    chosen = frozenset(wanted)
    found: list[KeyRange] = []
    current: list[str] = []
    for key in order:
        if key in chosen:
            current.append(key)
        if current and (key not in chosen or len(current) == most):
            found.append(KeyRange(tuple(current)))
            current = []
    if current:
        found.append(KeyRange(tuple(current)))
    return found


def differences(known: Sequence[str], present: Sequence[str]) -> KeyChanges:
    """Which keys Dagster has to learn (in the order of `present`) and which to forget."""
    there, wanted = frozenset(known), frozenset(present)
    return KeyChanges(
        added=tuple(key for key in present if key not in there),
        removed=tuple(key for key in known if key not in wanted),
    )


def apply(store: PartitionStore, changes: KeyChanges) -> None:
    """Bring Dagster's list up to date; new keys are added in one request, so that they are neighbours."""
    if changes.added:
        store.add_dynamic_partitions(DOCUMENTS, list(changes.added))
    for key in changes.removed:
        store.delete_dynamic_partition(DOCUMENTS, key)


def keys_of_tags(tags: Mapping[str, str], order: Sequence[str]) -> frozenset[str]:
    """The keys that a run with these tags works on; empty when it is no run over documents."""
    if PARTITION_TAG in tags:
        return frozenset((tags[PARTITION_TAG],))
    start, end = tags.get(RANGE_START_TAG), tags.get(RANGE_END_TAG)
    if start is None or end is None or start not in order or end not in order:
        return frozenset(key for key in (start, end) if key is not None)
    first, last = order.index(start), order.index(end)
    return frozenset(order[first : last + 1])
