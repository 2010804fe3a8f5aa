"""The whole base as reconcile sees it: entities with their living mentions, facts with their living evidence.

A passage lives iff it is not superseded and its version is the current one of a document that was not removed.
Everything is read by a handful of set-based queries, linear in the number of passages. Nothing is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, func, select

from rag_assets.stores.schema.knowledge import (
    Entity,
    EntityMention,
    EntityProperty,
    Evidence,
    Relation,
    Statement,
)
from rag_assets.stores.schema.sources import Document
from rag_assets.stores.tables import table_of

# Reconcile merges straight into survivors; a longer chain is a damage that reading outlives.
_LONGEST_CHAIN: Final = 20


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity as stored."""

    id: int
    uid: str
    name: str
    key: str
    status: str
    merged_into_id: int | None
    merge_origin: str | None
    deprecation_reason: str | None
    status_before: str | None


@dataclass(slots=True)
class Mentions:
    """Living mentions of one entity, counted."""

    count: int = 0
    surfaces: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    documents: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Best:
    """The surest living passage of a fact; among equals the first by document, version and place."""

    confidence: float
    chunk_id: int | None
    count: int


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation as stored."""

    id: int
    uid: str
    source_id: int
    type: str
    target_id: int
    confidence: float
    status: str
    status_before: str | None
    rejection_reason: str | None
    chunk_id: int | None


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A statement as stored."""

    id: int
    uid: str
    subject_id: int
    predicate: str
    object_id: int | None
    literal: str | None
    type: str
    modality: str
    polarity: str
    rank: str
    status: str
    status_before: str | None
    confidence: float
    chunk_id: int | None


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """A property value as stored."""

    id: int
    uid: str
    entity_id: int
    property: str
    value: str
    status: str
    status_before: str | None
    confidence: float


def is_current(version_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Condition that joins a version id with the document that answers from it."""
    return and_(Document.current_version_id == version_id, Document.removed_at.is_(None))


def entities(connection: Connection) -> dict[int, EntityRow]:
    """All entities by id."""
    query = select(
        Entity.id,
        Entity.uid,
        Entity.canonical_name,
        Entity.canonical_key,
        Entity.status,
        Entity.merged_into_id,
        Entity.merge_origin,
        Entity.deprecation_reason,
        Entity.status_before,
    ).order_by(Entity.uid)
    return {row.id: EntityRow(*row) for row in connection.execute(query)}


def mentions(connection: Connection) -> dict[int, Mentions]:
    """Living mentions by entity id."""
    query = (
        select(EntityMention.entity_id, EntityMention.surface, EntityMention.class_name, Document.uid, func.count())
        .join(Document, is_current(EntityMention.__table__.c.document_version_id))
        .where(EntityMention.superseded.is_(False))
        .group_by(EntityMention.entity_id, EntityMention.surface, EntityMention.class_name, Document.uid)
    )
    found: dict[int, Mentions] = {}
    for entity_id, surface, class_name, document_uid, count in connection.execute(query):
        entry = found.setdefault(entity_id, Mentions())
        entry.count += count
        entry.surfaces[surface] += count
        entry.classes[class_name] += count
        entry.documents.add(document_uid)
    return found


def relations(connection: Connection) -> tuple[RelationRow, ...]:
    """All relations, by uid."""
    columns: tuple[Any, ...] = (
        Relation.id,
        Relation.uid,
        Relation.source_entity_id,
        Relation.relation_type,
        Relation.target_entity_id,
        Relation.confidence,
        Relation.status,
        Relation.status_before,
        Relation.rejection_reason,
        Relation.chunk_id,
    )
    query = select(*columns).order_by(Relation.uid)
    return tuple(RelationRow(*row) for row in connection.execute(query))


def statements(connection: Connection) -> tuple[StatementRow, ...]:
    """All statements, by uid."""
    columns: tuple[Any, ...] = (
        Statement.id,
        Statement.uid,
        Statement.subject_entity_id,
        Statement.predicate,
        Statement.object_entity_id,
        Statement.object_literal,
        Statement.statement_type,
        Statement.modality,
        Statement.polarity,
        Statement.rank,
        Statement.status,
        Statement.status_before,
        Statement.confidence,
        Statement.chunk_id,
    )
    query = select(*columns).order_by(Statement.uid)
    return tuple(StatementRow(*row) for row in connection.execute(query))


def properties(connection: Connection) -> tuple[PropertyRow, ...]:
    """All property values, by uid."""
    query = select(
        EntityProperty.id,
        EntityProperty.uid,
        EntityProperty.entity_id,
        EntityProperty.property,
        EntityProperty.value,
        EntityProperty.status,
        EntityProperty.status_before,
        EntityProperty.confidence,
    ).order_by(EntityProperty.uid)
    return tuple(PropertyRow(*row) for row in connection.execute(query))


def best_evidence(connection: Connection, owner: str) -> dict[int, Best]:
    """The surest living passage of every `relation`, `statement` or `property` that has one, by the owner's id."""
    owner_id = table_of(Evidence).c[f"{owner}_id"]
    order = (
        Evidence.confidence.desc(),
        Document.uid,
        Evidence.document_version_id,
        Evidence.char_start,
        Evidence.char_end,
    )
    ranked = (
        living_evidence(
            select(
                owner_id.label("owner_id"),
                Evidence.confidence,
                Evidence.chunk_id,
                func.row_number().over(partition_by=owner_id, order_by=order).label("place"),
                func.count().over(partition_by=owner_id).label("passages"),
            )
        )
        .where(owner_id.is_not(None))
        .subquery()
    )
    query = select(ranked.c.owner_id, ranked.c.confidence, ranked.c.chunk_id, ranked.c.passages).where(
        ranked.c.place == 1
    )
    return {row.owner_id: Best(row.confidence, row.chunk_id, row.passages) for row in connection.execute(query)}


def living_evidence(query: Any) -> Select[Any]:
    """`query` over evidence, joined with the document and narrowed to what lives."""
    narrowed: Select[Any] = (
        query.select_from(Evidence)
        .join(Document, is_current(Evidence.__table__.c.document_version_id))
        .where(Evidence.superseded.is_(False))
    )
    return narrowed


def survivors(rows: Mapping[int, EntityRow]) -> dict[int, int]:
    """Every entity's id → id of the entity that stands for it, following merges to their end.

    A cycle (which no code here makes) ends where it began, so that reading never hangs.
    """
    found: dict[int, int] = {}
    for entity_id in rows:
        seen, current = {entity_id}, entity_id
        while (into := rows[current].merged_into_id) is not None and into in rows and into not in seen:
            seen.add(into)
            current = into
        found[entity_id] = current
    return found


def survivors_of(connection: Connection, entity_ids: Iterable[int]) -> dict[int, int]:
    """The same for a few entities, without reading the whole base."""
    found = {entity_id: entity_id for entity_id in entity_ids}
    for _ in range(_LONGEST_CHAIN):
        ends = set(found.values())
        query = select(Entity.id, Entity.merged_into_id).where(Entity.id.in_(ends), Entity.merged_into_id.is_not(None))
        into = dict(connection.execute(query).all())
        if not into:
            break
        found = {entity_id: into.get(end) or end for entity_id, end in found.items()}
    return found
