"""Reconcile, third part: which relations, statements and property values live, and how sure they are.

A fact lives while a living passage says so and no person said otherwise. Confidence and chunk are those of its best
living passage. Relations must fit domain and range by the classes that their ends have over the whole base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Connection

from rag_assets.knowledge.lifecycle import FactStatus
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.relations import Orientation, orient
from rag_assets.ledger import living
from rag_assets.ledger.audit import AuditEntry
from rag_assets.ledger.decisions import Standing, StatusDecision
from rag_assets.ledger.living import Best, PropertyRow, RelationRow, StatementRow
from rag_assets.ledger.reconcile_entities import ResolvedEntities
from rag_assets.ledger.transitions import move_fact
from rag_assets.stores.bulk import update_each
from rag_assets.stores.schema.knowledge import EntityProperty, Relation, Statement
from rag_assets.stores.tables import table_of

SYNONYM_OF: Final = "SYNONYM_OF"
CONTRADICTS: Final = "CONTRADICTS"
BY_DECISION: Final = "decision"

_LIVING: Final = frozenset({FactStatus.PROPOSED.value, FactStatus.VALIDATED.value})


def write_relations(
    connection: Connection,
    rows: tuple[RelationRow, ...],
    resolved: ResolvedEntities,
    ontology: Ontology,
    standing: Standing,
) -> tuple[Counter[str], list[AuditEntry], frozenset[int]]:
    """Write what differs. Returns counts, audit entries, and the ids of relations that live now."""
    evidence = living.best_evidence(connection, "relation")
    misfit = _misfits(resolved, ontology)
    counts: Counter[str] = Counter()
    entries: list[AuditEntry] = []
    changed: list[dict[str, Any]] = []
    alive: set[int] = set()
    for row in rows:
        best, decision = evidence.get(row.id), standing.status.get(row.uid)
        problem = misfit(row) if best is not None else row.rejection_reason
        goal = _goal(row.status, best, decision, unfit=problem is not None and problem != BY_DECISION)
        move = move_fact("relation", row.uid, row.status, row.status_before, goal, decision=decision)
        entries += move.entries
        counts.update(f"relation.{entry.action}" for entry in move.entries)
        if move.status in _LIVING:
            alive.add(row.id)
        reason = None
        if move.status == FactStatus.REJECTED:
            reason = BY_DECISION if decision is not None and decision.decision == "reject" else problem
        values = {
            "status": move.status,
            "status_before": move.status_before,
            "rejection_reason": reason,
            **_best_values(row, best),
        }
        if values != {name: getattr(row, name) for name in values}:
            changed.append({"row_id": row.id, **values})
    update_each(connection, table_of(Relation), changed)
    counts["relation.change"] = len(changed)
    return counts, entries, frozenset(alive)


def _misfits(resolved: ResolvedEntities, ontology: Ontology) -> Callable[[RelationRow], str | None]:
    """Why a relation breaks domain and range by the classes of its ends now; None when it fits."""
    known: dict[tuple[str, str, str], str | None] = {}

    def problem(row: RelationRow) -> str | None:
        source, target = resolved.survivor[row.source_id], resolved.survivor[row.target_id]
        if source not in resolved.classes or target not in resolved.classes or source == target:
            return None
        case = (row.type, resolved.classes[source], resolved.classes[target])
        if case not in known:
            oriented = orient(ontology, *case)
            kept = oriented.orientation is Orientation.KEPT
            known[case] = None if kept else oriented.reason
        return known[case]

    return problem


def write_statements(
    connection: Connection, rows: tuple[StatementRow, ...], standing: Standing
) -> tuple[Counter[str], list[AuditEntry], frozenset[int]]:
    """Write what differs. Returns counts, audit entries, and the ids of statements that live now."""
    evidence = living.best_evidence(connection, "statement")
    counts, entries, changed, alive = _sync(
        "statement", rows, evidence, standing, lambda row: {"rank": standing.ranks.get(row.uid, "normal")}
    )
    update_each(connection, table_of(Statement), changed)
    return counts, entries, alive


def write_properties(
    connection: Connection, rows: tuple[PropertyRow, ...], standing: Standing
) -> tuple[Counter[str], list[AuditEntry], frozenset[int]]:
    """Write what differs. Returns counts, audit entries, and the ids of property values that live now."""
    evidence = living.best_evidence(connection, "property")
    counts, entries, changed, alive = _sync("property", rows, evidence, standing, lambda row: {})
    update_each(connection, table_of(EntityProperty), changed)
    return counts, entries, alive


def _sync(
    kind: str,
    rows: tuple[StatementRow, ...] | tuple[PropertyRow, ...],
    evidence: Mapping[int, Best],
    standing: Standing,
    more: Callable[[Any], dict[str, Any]],
) -> tuple[Counter[str], list[AuditEntry], list[dict[str, Any]], frozenset[int]]:
    counts: Counter[str] = Counter()
    entries: list[AuditEntry] = []
    changed: list[dict[str, Any]] = []
    alive: set[int] = set()
    for row in rows:
        best, decision = evidence.get(row.id), standing.status.get(row.uid)
        goal = _goal(row.status, best, decision, unfit=False)
        move = move_fact(kind, row.uid, row.status, row.status_before, goal, decision=decision)
        entries += move.entries
        counts.update(f"{kind}.{entry.action}" for entry in move.entries)
        if move.status in _LIVING:
            alive.add(row.id)
        values = {
            "status": move.status,
            "status_before": move.status_before,
            **_best_values(row, best),
            **more(row),
        }
        if values != {name: getattr(row, name) for name in values}:
            changed.append({"row_id": row.id, **values})
    counts[f"{kind}.change"] = len(changed)
    return counts, entries, changed, frozenset(alive)


def _goal(status: str, best: Best | None, decision: StatusDecision | None, *, unfit: bool) -> str:
    wanted = decision.decision if decision else None
    if wanted == "reject":
        return FactStatus.REJECTED.value
    if wanted == "deprecate":
        return FactStatus.DEPRECATED.value
    if best is None:
        # What was refused stays refused: it was never knowledge that could be lost.
        return FactStatus.REJECTED.value if status == FactStatus.REJECTED and unfit else FactStatus.DEPRECATED.value
    if wanted == "validate":
        return FactStatus.VALIDATED.value
    return (FactStatus.REJECTED if unfit else FactStatus.PROPOSED).value


def _best_values(row: RelationRow | StatementRow | PropertyRow, best: Best | None) -> dict[str, Any]:
    # Without a living passage the last known values stay.
    if isinstance(row, PropertyRow):
        return {"confidence": row.confidence if best is None else best.confidence}
    if best is None:
        return {"confidence": row.confidence, "chunk_id": row.chunk_id}
    return {"confidence": best.confidence, "chunk_id": best.chunk_id}
