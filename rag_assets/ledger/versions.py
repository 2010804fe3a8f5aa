"""Knowledge versions `[content].[structure].[pipeline]`: a named state of the knowledge, sealed when something moved.

Content moves when the living facts changed since the last version, structure with the ontology or the schema, pipeline
with code versions, prompts, models, chunker. The counters only grow: A→B→A is a third version. The difference of two
versions is the audit slice between their seals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, select
from sqlalchemy.orm import aliased

from rag_assets.knowledge.lifecycle import EntityStatus, FactStatus
from rag_assets.ledger import audit
from rag_assets.ledger.fingerprints import digest
from rag_assets.stores import ontology as ontology_store
from rag_assets.stores.bulk import insert_row
from rag_assets.stores.schema import Base
from rag_assets.stores.schema.governance import KnowledgeVersion
from rag_assets.stores.schema.knowledge import (
    Entity,
    EntityProperty,
    EntitySynonym,
    Relation,
    Statement,
    StatementConflict,
)
from rag_assets.stores.schema.ontology import EntityClassification, OntologyClass
from rag_assets.stores.tables import table_of

# One encoder for all rows: `json.dumps` with options makes a new one each time.
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Version:
    """A sealed state; `str()` gives it as `[content].[structure].[pipeline]`."""

    id: int
    content: int
    structure: int
    pipeline: int
    created_at: datetime
    published_at: datetime | None

    def __str__(self) -> str:
        return f"{self.content}.{self.structure}.{self.pipeline}"


def latest(connection: Connection) -> Version | None:
    """The newest version, None before the first."""
    row = _latest_row(connection)
    return None if row is None else _version(row)


def seal(connection: Connection, *, pipeline: Mapping[str, str] | None, at: datetime) -> Version | None:
    """Make a new version when content, structure or pipeline moved since the last; else write nothing.

    `pipeline` names all that the building depends on besides documents and ontology (None: as in the last version).
    Returns the new version, None when there is none.
    """
    before = _latest_row(connection)
    hashes = {
        "content_hash": content_hash(connection),
        "structure_hash": structure_hash(connection),
        "pipeline_hash": _pipeline_hash(pipeline, before),
    }
    if before is not None and all(getattr(before, name) == value for name, value in hashes.items()):
        return None
    counters = {
        name: 1
        if before is None
        else getattr(before, name) + (getattr(before, f"{name}_hash") != hashes[f"{name}_hash"])
        for name in ("content", "structure", "pipeline")
    }
    sealed = audit.seal(connection, at=at)
    version_id = insert_row(
        connection,
        table_of(KnowledgeVersion),
        **counters,
        **hashes,
        seal_id=None if sealed is None else sealed.id,
        published_at=None,
        note=None,
        created_at=at,
    )
    return Version(version_id, created_at=at, published_at=None, **counters)


def content_hash(connection: Connection) -> str:
    """Hash over all living facts by uid, status and values, in the order of uids; ids and passages do not count."""
    return digest(*map(_encode, _living_rows(connection)))


def structure_hash(connection: Connection) -> str:
    """Hash over the ontology's revision in force and the schema of the database."""
    applied = ontology_store.current(connection)
    columns = [f"{table.name}.{column.name}" for table in Base.metadata.sorted_tables for column in table.columns]
    return digest("none" if applied is None else applied.revision, *sorted(columns))


def _living_rows(connection: Connection) -> Iterator[list[Any]]:
    entity_query = select(Entity.id, Entity.uid, Entity.status, Entity.canonical_name, Entity.merged_into_id)
    entities = connection.execute(entity_query.order_by(Entity.uid)).all()
    uid_of: dict[int | None, str | None] = {None: None, **{row.id: row.uid for row in entities}}
    alive = {row.id for row in entities if row.status != EntityStatus.DEPRECATED}
    for row in entities:
        if row.id in alive:
            yield ["entity", row.uid, row.status, row.canonical_name, uid_of[row.merged_into_id]]
    yield from sorted(_class_rows(connection, alive, uid_of))
    yield from sorted(_synonym_rows(connection, uid_of))
    yield from _fact_rows(connection, uid_of)
    yield from sorted(_conflict_rows(connection))


def _class_rows(
    connection: Connection, alive: set[int], uid_of: Mapping[int | None, str | None]
) -> Iterator[list[Any]]:
    query = select(
        EntityClassification.entity_id,
        OntologyClass.name,
        EntityClassification.confidence,
        EntityClassification.is_primary,
    ).join(OntologyClass, OntologyClass.id == EntityClassification.ontology_class_id)
    for entity_id, name, confidence, primary in connection.execute(query):
        if entity_id in alive and confidence > 0:
            yield ["class", uid_of[entity_id], name, confidence, bool(primary)]


def _synonym_rows(connection: Connection, uid_of: Mapping[int | None, str | None]) -> Iterator[list[Any]]:
    query = select(
        EntitySynonym.entity_id,
        EntitySynonym.synonym_key,
        EntitySynonym.language,
        EntitySynonym.synonym,
        EntitySynonym.origin,
    ).where(EntitySynonym.status == ontology_store.ACTIVE)
    for entity_id, *values in connection.execute(query):
        yield ["synonym", uid_of[entity_id], *values]


def _fact_rows(connection: Connection, uid_of: Mapping[int | None, str | None]) -> Iterator[list[Any]]:
    # The other values of relations, statements and properties are what their uids were minted from.
    living = (FactStatus.PROPOSED.value, FactStatus.VALIDATED.value)
    relations = select(Relation.uid, Relation.status, Relation.confidence)
    for row in connection.execute(relations.where(Relation.status.in_(living)).order_by(Relation.uid)):
        yield ["relation", *row]
    statements = select(Statement.uid, Statement.status, Statement.confidence, Statement.rank)
    for said in connection.execute(statements.where(Statement.status.in_(living)).order_by(Statement.uid)):
        yield ["statement", *said]
    values = select(EntityProperty.uid, EntityProperty.status, EntityProperty.confidence)
    for value in connection.execute(values.where(EntityProperty.status.in_(living)).order_by(EntityProperty.uid)):
        yield ["property", *value]


def _conflict_rows(connection: Connection) -> Iterator[list[Any]]:
    one, other = aliased(Statement), aliased(Statement)
    query = (
        select(one.uid, other.uid, StatementConflict.kind, StatementConflict.status, StatementConflict.confidence)
        .select_from(StatementConflict)
        .join(one, one.id == StatementConflict.statement_a_id)
        .join(other, other.id == StatementConflict.statement_b_id)
        .where(StatementConflict.status != "resolved")
    )
    for a, b, *values in connection.execute(query):
        yield ["conflict", *sorted((a, b)), *values]


def _pipeline_hash(pipeline: Mapping[str, str] | None, before: Row[Any] | None) -> str:
    if pipeline is None and before is not None:
        return str(before.pipeline_hash)
    return digest(*(f"{name}={value}" for name, value in sorted((pipeline or {}).items())))


def _latest_row(connection: Connection) -> Row[Any] | None:
    return connection.execute(
        select(table_of(KnowledgeVersion)).order_by(KnowledgeVersion.id.desc()).limit(1)
    ).one_or_none()


def _version(row: Row[Any]) -> Version:
    return Version(row.id, row.content, row.structure, row.pipeline, row.created_at, row.published_at)
