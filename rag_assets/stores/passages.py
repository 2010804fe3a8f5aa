"""Mentions and evidence of one version, brought to what an extraction says of it.

Passages are immutable but for `superseded`: what is no longer found is marked, what is found again is unmarked, nothing
is deleted. What an extractor judges differently now (class, confidence, wording of the quote) is corrected in place
and then carries the activity that said so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, select

from rag_assets.stores.bulk import insert_rows, update_by_id, update_each
from rag_assets.stores.schema.knowledge import EntityMention, Evidence
from rag_assets.stores.tables import table_of

PassageKey = tuple[int, int, int]
"""Id of the owner, start and end in the version's text."""


@dataclass(frozen=True, slots=True)
class PassageCounts:
    """How many passages were written anew, judged differently, found again, no longer found."""

    added: int
    changed: int
    revived: int
    superseded: int


def sync_mentions(
    connection: Connection,
    version_id: int,
    found: Mapping[PassageKey, Mapping[str, Any]],
    *,
    activity: Callable[[], int],
) -> PassageCounts:
    """Mentions by (entity id, start, end), each with class_name, surface, chunk_id, confidence."""
    return _sync(connection, table_of(EntityMention), "entity_id", version_id, found, activity)


def sync_evidence(
    connection: Connection,
    owner: str,
    version_id: int,
    found: Mapping[PassageKey, Mapping[str, Any]],
    *,
    activity: Callable[[], int],
) -> PassageCounts:
    """Evidence of one kind of owner (`relation`, `statement`, `property`) by (owner id, start, end).

    Each with quote, chunk_id, confidence. Evidence of the other kinds is left alone.
    """
    return _sync(connection, table_of(Evidence), f"{owner}_id", version_id, found, activity)


def _sync(
    connection: Connection,
    table: Table,
    owner: str,
    version_id: int,
    found: Mapping[PassageKey, Mapping[str, Any]],
    activity: Callable[[], int],
) -> PassageCounts:
    owner_column = table.c[owner]
    query = select(table).where(table.c.document_version_id == version_id, owner_column.is_not(None))
    stored = {(getattr(row, owner), row.char_start, row.char_end): row for row in connection.execute(query)}

    fresh = [
        {owner: key[0], "document_version_id": version_id, "char_start": key[1], "char_end": key[2], **found[key]}
        for key in sorted(found.keys() - stored.keys())
    ]
    revived: list[int] = []
    moved: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for key in sorted(found.keys() & stored.keys()):
        row, values = stored[key], found[key]
        if row.superseded:
            revived.append(row.id)
        differing = {name for name, value in values.items() if getattr(row, name) != value}
        if differing == {"chunk_id"}:
            moved.append({"row_id": row.id, "chunk_id": values["chunk_id"]})
        elif differing:
            changed.append({"row_id": row.id, **values})
    superseded = [row.id for key, row in sorted(stored.items()) if key not in found and not row.superseded]

    if fresh:
        by = activity()
        insert_rows(connection, table, [{**row, "superseded": False, "activity_id": by} for row in fresh])
    if changed:
        by = activity()
        update_each(connection, table, [{**row, "activity_id": by} for row in changed])
    update_each(connection, table, moved)
    update_by_id(connection, table, revived, superseded=False)
    update_by_id(connection, table, superseded, superseded=True)
    return PassageCounts(len(fresh), len(changed), len(revived), len(superseded))
