"""Entities, the keys that lead to them, and their property values: minted when first seen, never deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from sqlalchemy import Connection, select

from rag_assets.knowledge import ids
from rag_assets.knowledge.lifecycle import EntityStatus, FactStatus
from rag_assets.stores.bulk import batches, ensure_rows
from rag_assets.stores.schema.knowledge import Entity, EntityKey, EntityProperty
from rag_assets.stores.tables import table_of

# What the columns hold; extractions with longer names are refused before they come here.
LONGEST_NAME = 500
LONGEST_KEY = 480


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity that a key leads to."""

    id: int
    uid: str


@dataclass(frozen=True, slots=True)
class PropertyValue:
    """A value of a property of an entity; its identity is all of it."""

    entity: EntityRef
    property: str
    value: str


def by_key(connection: Connection, keys: Collection[str]) -> dict[str, EntityRef]:
    """The entities that these keys lead to; unknown keys are missing from the result."""
    found: dict[str, EntityRef] = {}
    for batch in batches(sorted(keys)):
        query = select(EntityKey.key, Entity.id, Entity.uid).join(Entity, Entity.id == EntityKey.entity_id)
        for key, entity_id, uid in connection.execute(query.where(EntityKey.key.in_(batch))):
            found[key] = EntityRef(entity_id, uid)
    return found


def ensure(
    connection: Connection, namespace: UUID, names: Mapping[str, str], *, at: datetime
) -> tuple[dict[str, EntityRef], tuple[EntityRef, ...]]:
    """The entity of every key in `names` (key → name as first seen); unknown ones are minted as `extracted`.

    Returns the entities by key and those minted by this call.
    """
    found = by_key(connection, names.keys())
    unknown = sorted(names.keys() - found.keys())
    if not unknown:
        return found, ()
    rows = {
        key: {
            "uid": ids.uid(namespace, "entity", key),
            "canonical_name": names[key],
            "canonical_key": key,
            "status": EntityStatus.EXTRACTED.value,
            "created_at": at,
        }
        for key in unknown
    }
    row_ids, added = ensure_rows(connection, table_of(Entity), rows, key="canonical_key")
    _ensure_keys(connection, {key: row_ids[key] for key in unknown})
    minted = {key: EntityRef(row_ids[key], str(rows[key]["uid"])) for key in unknown}
    return {**found, **minted}, tuple(minted[key] for key in sorted(added))


def _ensure_keys(connection: Connection, entity_ids: Mapping[str, int]) -> None:
    # Whoever minted the entity writes its key in the same transaction; a key already there is the same one.
    stored: set[str] = set()
    for batch in batches(sorted(entity_ids)):
        stored.update(connection.scalars(select(EntityKey.key).where(EntityKey.key.in_(batch))))
    missing = [{"key": key, "entity_id": entity_ids[key]} for key in sorted(entity_ids.keys() - stored)]
    for rows in batches(missing):
        connection.execute(table_of(EntityKey).insert(), list(rows))


def ensure_properties(
    connection: Connection,
    namespace: UUID,
    values: Collection[PropertyValue],
    *,
    confidence: Mapping[PropertyValue, float],
) -> tuple[dict[PropertyValue, int], tuple[str, ...]]:
    """The row of every property value, new ones as `proposed`; returns ids by value and the uids that were added."""
    uids = {value: _property_uid(namespace, value) for value in values}
    rows = {
        uid: {
            "uid": uid,
            "entity_id": value.entity.id,
            "property": value.property,
            "value": value.value,
            "value_sha256": sha256(value.value.encode()).hexdigest(),
            "status": FactStatus.PROPOSED.value,
            "confidence": confidence[value],
        }
        for value, uid in uids.items()
    }
    row_ids, added = ensure_rows(connection, table_of(EntityProperty), rows, key="uid")
    return {value: row_ids[uid] for value, uid in uids.items()}, tuple(sorted(added))


def _property_uid(namespace: UUID, value: PropertyValue) -> str:
    return ids.uid(namespace, "property", f"{value.entity.uid}|{value.property}|{value.value}")
