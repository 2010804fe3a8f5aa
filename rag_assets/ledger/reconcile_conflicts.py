"""Reconcile, last part: which living statements cannot both hold, as rows that people can judge.

What is suspected comes from `knowledge.conflicts`; a pair that no longer conflicts is marked resolved, a person's
verdict (confirmed, dismissed) on a pair that still does is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select

from rag_assets.knowledge.conflicts import Conflict, StatementFacts, find_conflicts
from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger import living
from rag_assets.ledger.living import EntityRow, RelationRow, StatementRow
from rag_assets.ledger.reconcile_entities import ResolvedEntities
from rag_assets.stores.bulk import batches, insert_rows, update_each
from rag_assets.stores.schema.knowledge import Evidence, StatementConflict
from rag_assets.stores.tables import table_of


def write_conflicts(
    connection: Connection,
    entities: Mapping[int, EntityRow],
    statements: tuple[StatementRow, ...],
    alive_statements: frozenset[int],
    contradictions: tuple[RelationRow, ...],
    resolved: ResolvedEntities,
    ontology: Ontology,
) -> Counter[str]:
    """Bring the suspected conflicts to what the living statements say; people's verdicts on a pair stay."""
    uid_of = {entity_id: entities[target].uid for entity_id, target in resolved.survivor.items()}
    ids = {row.uid: row.id for row in statements}
    facts = [
        StatementFacts(
            uid=row.uid,
            subject=uid_of[row.subject_id],
            predicate=row.predicate,
            object_entity=None if row.object_id is None else uid_of[row.object_id],
            object_literal=row.literal,
            modality=row.modality,
            polarity=row.polarity,
            confidence=row.confidence,
        )
        for row in statements
        if row.id in alive_statements
    ]
    pairs = [(uid_of[row.source_id], uid_of[row.target_id]) for row in contradictions]
    single = ontology.single_valued_predicates
    suspects = find_conflicts(facts, single_valued=single, contradicting=pairs)
    # Quotes tell times; they are read for the few statements that matter, not for all.
    concerned = {uid for conflict in suspects for uid in (conflict.a, conflict.b)}
    quotes = _quotes(connection, [ids[uid] for uid in sorted(concerned)])
    told = [replace(fact, evidence=quotes.get(ids[fact.uid], ())) for fact in facts if fact.uid in concerned]
    found = find_conflicts(told, single_valued=single, contradicting=pairs)
    return _sync_conflicts(connection, {_pair(conflict, ids): conflict for conflict in found})


def _pair(conflict: Conflict, ids: Mapping[str, int]) -> tuple[int, int]:
    a, b = sorted((ids[conflict.a], ids[conflict.b]))
    return a, b


def _quotes(connection: Connection, statement_ids: list[int]) -> dict[int, tuple[str, ...]]:
    found: dict[int, list[str]] = {}
    for batch in batches(statement_ids):
        query = living.living_evidence(select(Evidence.statement_id, Evidence.quote)).where(
            Evidence.statement_id.in_(batch)
        )
        for statement_id, quote in connection.execute(query):
            found.setdefault(statement_id, []).append(quote)
    return {statement_id: tuple(sorted(quotes)) for statement_id, quotes in found.items()}


def _sync_conflicts(connection: Connection, found: Mapping[tuple[int, int], Conflict]) -> Counter[str]:
    table = table_of(StatementConflict)
    stored: set[tuple[int, int]] = set()
    changed: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    for row in connection.execute(select(table)):
        pair = (row.statement_a_id, row.statement_b_id)
        stored.add(pair)
        conflict = found.get(pair)
        status, kind, confidence = row.status, row.kind, row.confidence
        if conflict is None:
            status = "resolved" if status in ("suspected", "confirmed") else status
        elif status == "resolved":
            status, kind, confidence = "suspected", conflict.kind.value, conflict.confidence
        elif status == "suspected":
            kind, confidence = conflict.kind.value, conflict.confidence
        if (status, kind, confidence) != (row.status, row.kind, row.confidence):
            changed.append({"row_id": row.id, "status": status, "kind": kind, "confidence": confidence})
            counts["conflict.resolve" if status == "resolved" else "conflict.change"] += 1
    fresh = [
        {
            "statement_a_id": a,
            "statement_b_id": b,
            "kind": conflict.kind.value,
            "status": "suspected",
            "confidence": conflict.confidence,
        }
        for (a, b), conflict in sorted(found.items())
        if (a, b) not in stored
    ]
    update_each(connection, table, changed)
    insert_rows(connection, table, fresh)
    counts["conflict.add"] = len(fresh)
    return counts
