"""Reconcile: bring the whole base to what the living passages, the ontology and people's decisions say together.

It runs after each run and after each decision. The outcome does not depend on the order in which documents came; only
differences are written, each step is legal by the life cycle and audited; nothing changed means nothing written. A
machine never overrides a person's decision: decisions are part of what the outcome is worked out from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger import audit, decisions, living, versions
from rag_assets.ledger.locks import hold_base_still
from rag_assets.ledger.reconcile_conflicts import write_conflicts
from rag_assets.ledger.reconcile_entities import resolve_entities, write_entities
from rag_assets.ledger.reconcile_facts import (
    CONTRADICTS,
    SYNONYM_OF,
    write_properties,
    write_relations,
    write_statements,
)
from rag_assets.ledger.reconcile_names import write_classifications, write_synonyms
from rag_assets.stores import activities
from rag_assets.stores import ontology as ontology_store
from rag_assets.stores.activities import NewActivity
from rag_assets.stores.bulk import in_write
from rag_assets.stores.database import Database


@dataclass(frozen=True, slots=True)
class ReconcileReport:
    """What moved, by `subject.operation`; the version in force, and whether this reconcile made it."""

    counts: dict[str, int]
    version: str
    sealed: bool


def reconcile(
    database: Database,
    ontology: Ontology,
    *,
    run_id: str | None,
    clock: Callable[[], datetime],
    pipeline: Mapping[str, str] | None = None,
    code_version: str = "unknown",
) -> ReconcileReport:
    """Reconcile the whole base in one transaction and seal a knowledge version when something changed.

    The ontology is applied first, so that classes and relation types stand as rows. `pipeline` names what building
    depends on (settings, models, code; see `versions.seal`).
    """
    return in_write(
        database, lambda connection: _reconcile(connection, ontology, run_id, clock, pipeline, code_version)
    )


def _reconcile(
    connection: Connection,
    ontology: Ontology,
    run_id: str | None,
    clock: Callable[[], datetime],
    pipeline: Mapping[str, str] | None,
    code_version: str,
) -> ReconcileReport:
    hold_base_still(connection)
    started = clock()
    ontology_store.apply(connection, ontology, at=started)
    standing = decisions.load(connection)
    entities, mentions = living.entities(connection), living.mentions(connection)
    relations, statements = living.relations(connection), living.statements(connection)

    same_as = [(row.source_id, row.target_id) for row in relations if row.type == SYNONYM_OF and _proposed(row.status)]
    resolved = resolve_entities(entities, mentions, ontology, standing, same_as)
    counts, entries, alive = write_entities(connection, entities, resolved, standing)
    counts += write_classifications(connection, mentions, resolved)
    counts += write_synonyms(connection, resolved, alive)

    moved, steps, alive_relations = write_relations(connection, relations, resolved, ontology, standing)
    counts += moved
    entries += steps
    moved, steps, alive_statements = write_statements(connection, statements, standing)
    counts += moved
    entries += steps
    moved, steps, _ = write_properties(connection, living.properties(connection), standing)
    counts += moved
    entries += steps

    contradictions = tuple(row for row in relations if row.type == CONTRADICTS and row.id in alive_relations)
    counts += write_conflicts(connection, entities, statements, alive_statements, contradictions, resolved, ontology)
    if entries:
        activity = activities.add(
            connection,
            NewActivity(
                kind="reconcile",
                document_version_id=None,
                run_id=run_id,
                code_version=code_version,
                agent="rag-assets",
                started_at=started,
                ended_at=None,
            ),
        )
        audit.record(connection, [audit.with_activity(entry, activity) for entry in entries], at=started)
    sealed = versions.seal(connection, pipeline=pipeline, at=started)
    version = sealed or versions.latest(connection)
    return ReconcileReport({name: n for name, n in sorted(counts.items()) if n}, str(version), sealed is not None)


def _proposed(status: str) -> bool:
    return status in ("proposed", "validated")
