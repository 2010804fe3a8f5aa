"""Relations and statements: one row for each assertion, whatever number of passages says so; never deleted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from rag_assets.knowledge import ids
from rag_assets.stores.bulk import ensure_rows
from rag_assets.stores.entities import EntityRef
from rag_assets.stores.schema.knowledge import Relation, Statement
from rag_assets.stores.tables import table_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRelation:
    """A relation as it would be stored were it new; source, type and target are its identity."""

    source: EntityRef
    type: str
    target: EntityRef
    confidence: float
    status: str
    rejection_reason: str | None
    chunk_id: int | None

    def uid(self, namespace: UUID) -> str:
        """The uid that a relation of this source, type and target is minted with."""
        return ids.uid(namespace, "relation", f"{self.source.uid}|{self.type}|{self.target.uid}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStatement:
    """A statement as it would be stored were it new; all but confidence and chunk is its identity."""

    subject: EntityRef
    predicate: str
    object_entity: EntityRef | None
    object_literal: str | None
    statement_type: str
    modality: str
    polarity: str
    confidence: float
    status: str
    chunk_id: int | None

    def uid(self, namespace: UUID) -> str:
        """The uid that a statement of these parts is minted with."""
        what = f"entity:{self.object_entity.uid}" if self.object_entity else f"literal:{self.object_literal}"
        parts = (self.subject.uid, self.statement_type, self.modality, self.polarity, self.predicate, what)
        return ids.uid(namespace, "statement", "|".join(parts))


def ensure_relations(
    connection: Connection, namespace: UUID, relations: Collection[NewRelation], *, at: datetime
) -> tuple[dict[str, int], dict[str, str]]:
    """The row of every relation. Returns ids by uid, and the status of those that this call added by uid."""
    rows: dict[str, dict[str, Any]] = {
        relation.uid(namespace): {
            "source_entity_id": relation.source.id,
            "relation_type": relation.type,
            "target_entity_id": relation.target.id,
            "confidence": relation.confidence,
            "status": relation.status,
            "rejection_reason": relation.rejection_reason,
            "chunk_id": relation.chunk_id,
            "created_at": at,
        }
        for relation in relations
    }
    return _ensure(connection, Relation, rows)


def ensure_statements(
    connection: Connection, namespace: UUID, statements: Collection[NewStatement], *, at: datetime
) -> tuple[dict[str, int], dict[str, str]]:
    """The row of every statement. Returns ids by uid, and the status of those that this call added by uid."""
    rows: dict[str, dict[str, Any]] = {
        statement.uid(namespace): {
            "subject_entity_id": statement.subject.id,
            "predicate": statement.predicate,
            "object_entity_id": statement.object_entity.id if statement.object_entity else None,
            "object_literal": statement.object_literal,
            "statement_type": statement.statement_type,
            "modality": statement.modality,
            "polarity": statement.polarity,
            "rank": "normal",
            "confidence": statement.confidence,
            "status": statement.status,
            "chunk_id": statement.chunk_id,
            "created_at": at,
        }
        for statement in statements
    }
    return _ensure(connection, Statement, rows)


def _ensure(
    connection: Connection, declared: type[Relation] | type[Statement], rows: dict[str, dict[str, Any]]
) -> tuple[dict[str, int], dict[str, str]]:
    for uid, row in rows.items():
        row["uid"] = uid
    row_ids, added = ensure_rows(connection, table_of(declared), rows, key="uid")
    return row_ids, {uid: str(rows[uid]["status"]) for uid in sorted(added)}
