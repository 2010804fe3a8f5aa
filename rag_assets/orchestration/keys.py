"""Dagster's list of keys, brought to the documents that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag_assets.orchestration import partitions
from rag_assets.stores import documents as document_store

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from rag_assets.stores.database import Database


def sync_keys(database: Database, dagster: DagsterInstance) -> tuple[str, ...]:
    """Add the keys of newcomers and take out those of removed documents; returns Dagster's list, in its order."""
    with database.read() as connection:
        rows = document_store.list_all(connection)
    present = [row.partition_key for row in sorted(rows, key=lambda row: row.id)]
    known = dagster.get_dynamic_partitions(partitions.DOCUMENTS)
    changes = partitions.differences(known, present)
    partitions.apply(dagster, changes)
    return tuple(dagster.get_dynamic_partitions(partitions.DOCUMENTS)) if changes.any else tuple(known)
