"""Where the sources behind an answer disagree: conflicts touching given chunks, both sides with their passages.

Read only, from rows that `reconcile_conflicts` wrote; so the block "the sources disagree" needs no model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, or_, select
from sqlalchemy.orm import aliased

from rag_assets.ledger import living
from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.derivatives import Chunk
from rag_assets.stores.schema.knowledge import Entity, Evidence, Statement, StatementConflict
from rag_assets.stores.schema.sources import Document

_OPEN: Final = ("suspected", "confirmed")


@dataclass(frozen=True, slots=True)
class PositionEvidence:
    """A living passage for one side; `chunk_id` is one of the chunks asked for where one holds the passage."""

    chunk_id: int | None
    document_id: int
    document_uid: str
    version_id: int
    start: int
    end: int
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Position:
    """One side: a statement in its parts; `object` is a name or a literal.

    In `evidence` the passages within the chunks asked for come first, then the surest.
    """

    statement_uid: str
    subject: str
    predicate: str
    object: str
    statement_type: str
    modality: str
    polarity: str
    evidence: tuple[PositionEvidence, ...]


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """A conflict that is suspected or confirmed; the side that the chunks hold comes first."""

    kind: str
    status: str
    confidence: float
    positions: tuple[Position, Position]


def conflicts_for_chunks(connection: Connection, chunk_ids: Collection[int]) -> tuple[FoundConflict, ...]:
    """Open conflicts of which at least one side is said within one of the chunks, surest first.

    A passage counts to a chunk when its span lies in the chunk's, whatever chunk it was found in: chunks overlap.
    """
    held = _statements_in(connection, chunk_ids)
    if not held:
        return ()
    conflicts: dict[int, Any] = {}
    for batch in batches(sorted(held)):
        query = select(
            StatementConflict.id,
            StatementConflict.statement_a_id,
            StatementConflict.statement_b_id,
            StatementConflict.kind,
            StatementConflict.status,
            StatementConflict.confidence,
        ).where(
            StatementConflict.status.in_(_OPEN),
            or_(StatementConflict.statement_a_id.in_(batch), StatementConflict.statement_b_id.in_(batch)),
        )
        conflicts.update({row.id: row for row in connection.execute(query)})
    sides = {side for row in conflicts.values() for side in (row.statement_a_id, row.statement_b_id)}
    positions = _positions(connection, sorted(sides), frozenset(chunk_ids))
    found = []
    for row in conflicts.values():
        a, b = positions[row.statement_a_id], positions[row.statement_b_id]
        if not a.evidence or not b.evidence:
            continue  # a document went away and the next reconcile will say so
        first, second = sorted((a, b), key=lambda side: (not _is_held(side, chunk_ids), side.statement_uid))
        found.append(FoundConflict(row.kind, row.status, row.confidence, (first, second)))
    return tuple(
        sorted(found, key=lambda c: (-c.confidence, c.positions[0].statement_uid, c.positions[1].statement_uid))
    )


def _is_held(position: Position, chunk_ids: Collection[int]) -> bool:
    return any(passage.chunk_id in chunk_ids for passage in position.evidence)


def _statements_in(connection: Connection, chunk_ids: Collection[int]) -> set[int]:
    found: set[int] = set()
    for batch in batches(sorted(chunk_ids)):
        query = (
            living.living_evidence(select(Evidence.statement_id))
            .join(
                Chunk,
                (Chunk.document_version_id == Evidence.document_version_id)
                & (Chunk.char_start <= Evidence.char_start)
                & (Chunk.char_end >= Evidence.char_end),
            )
            .where(Chunk.id.in_(batch), Evidence.statement_id.is_not(None))
            .distinct()
        )
        found.update(connection.scalars(query))
    return found


def _positions(connection: Connection, statement_ids: list[int], wanted: frozenset[int]) -> dict[int, Position]:
    evidence = _evidence(connection, statement_ids, wanted)
    subject, subject_into, target, target_into = (aliased(Entity) for _ in range(4))
    # Names to show are the survivors'; merges point straight at them (`invariants`).
    subject_name = func.coalesce(subject_into.canonical_name, subject.canonical_name)
    object_name = func.coalesce(target_into.canonical_name, target.canonical_name, Statement.object_literal)
    columns: tuple[Any, ...] = (
        Statement.uid,
        subject_name,
        Statement.predicate,
        object_name,
        Statement.statement_type,
        Statement.modality,
        Statement.polarity,
    )
    found: dict[int, Position] = {}
    for batch in batches(statement_ids):
        query = (
            select(Statement.id, *columns)
            .join(subject, subject.id == Statement.subject_entity_id)
            .outerjoin(subject_into, subject_into.id == subject.merged_into_id)
            .outerjoin(target, target.id == Statement.object_entity_id)
            .outerjoin(target_into, target_into.id == target.merged_into_id)
            .where(Statement.id.in_(batch))
        )
        for row in connection.execute(query):
            statement_id, uid, subject_shown, predicate, object_shown, statement_type, modality, polarity = row
            found[statement_id] = Position(
                statement_uid=uid,
                subject=subject_shown,
                predicate=predicate,
                object=object_shown,
                statement_type=statement_type,
                modality=modality,
                polarity=polarity,
                evidence=tuple(evidence.get(statement_id, ())),
            )
    return found


def _evidence(
    connection: Connection, statement_ids: list[int], wanted: frozenset[int]
) -> dict[int, list[PositionEvidence]]:
    columns: tuple[Any, ...] = (
        Evidence.statement_id,
        Evidence.chunk_id,
        Document.id.label("document_id"),
        Document.uid,
        Evidence.document_version_id,
        Evidence.char_start,
        Evidence.char_end,
        Evidence.quote,
        Evidence.confidence,
    )
    spans = _spans(connection, wanted)
    found: dict[int, list[PositionEvidence]] = {}
    for batch in batches(statement_ids):
        query = living.living_evidence(select(*columns)).where(Evidence.statement_id.in_(batch))
        for statement_id, chunk_id, document_id, uid, version_id, start, end, quote, confidence in connection.execute(
            query
        ):
            holding = [c for c, low, high in spans.get(version_id, ()) if low <= start and end <= high]
            shown = chunk_id if chunk_id in wanted or not holding else holding[0]
            found.setdefault(statement_id, []).append(
                PositionEvidence(shown, document_id, uid, version_id, start, end, quote, confidence)
            )
    for passages in found.values():
        passages.sort(key=lambda p: (p.chunk_id not in wanted, -p.confidence, p.document_uid, p.start, p.end))
    return found


def _spans(connection: Connection, chunk_ids: frozenset[int]) -> dict[int, list[tuple[int, int, int]]]:
    found: dict[int, list[tuple[int, int, int]]] = {}
    for batch in batches(sorted(chunk_ids)):
        query = select(Chunk.document_version_id, Chunk.id, Chunk.char_start, Chunk.char_end).where(Chunk.id.in_(batch))
        for version_id, *span in connection.execute(query):
            chunk_id, start, end = span
            found.setdefault(version_id, []).append((chunk_id, start, end))
    return found
