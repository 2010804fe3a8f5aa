"""The living graph: survivors as nodes, relations between them as edges, collapsed; and where its sources disagree.

Read only. What lives is decided in `reconcile`; layouts, exports and pictures are made by others from the snapshot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from rag_assets.knowledge.lifecycle import EntityStatus, FactStatus
from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger import living, versions
from rag_assets.ledger.disagreements import conflicts_for_chunks
from rag_assets.ledger.living import EntityRow, RelationRow
from rag_assets.ledger.reconcile_facts import SYNONYM_OF
from rag_assets.stores import ontology as ontology_store
from rag_assets.stores.schema.knowledge import EntitySynonym
from rag_assets.stores.schema.ontology import EntityClassification, OntologyClass

__all__ = ["conflicts_for_chunks", "snapshot"]

_ALIVE = frozenset({EntityStatus.EXTRACTED.value, EntityStatus.NORMALIZED.value, EntityStatus.VALIDATED.value})
_HOLDS = frozenset({FactStatus.PROPOSED.value, FactStatus.VALIDATED.value})


@dataclass(slots=True)
class _Edge:
    """Relations that are one edge once merges are followed; the surest of them gives uid and confidence."""

    best: RelationRow
    validated: bool
    evidence: int


def snapshot(connection: Connection, ontology: Ontology) -> dict[str, Any]:
    """The graph as JSON-able values, in a fixed order.

    `{version, nodes: [{uid, name, class, status, degree, mentions, synonyms, properties}],
    edges: [{uid, source, target, type, label, confidence, status, evidence}]}`: `version` is that of the last
    reconcile (None before it), `mentions` and `evidence` count living passages, `properties` is name → values.
    SYNONYM_OF is no edge; a relation whose ends were merged into one is none either.
    """
    rows = living.entities(connection)
    survivor = living.survivors(rows)
    alive = {row.id: row for row in rows.values() if row.status in _ALIVE}
    edges = _edges(connection, ontology, rows, survivor, alive)
    degree = Counter(end for source, _, target in edges for end in (source, target))
    mentions: Counter[int] = Counter()
    for entity_id, found in living.mentions(connection).items():
        mentions[survivor[entity_id]] += found.count
    classes, synonyms = _classes(connection), _synonyms(connection)
    properties = _properties(connection, survivor)
    version = versions.latest(connection)
    labels = {item.code: item.label for item in ontology.relation_types}
    return {
        "version": None if version is None else str(version),
        "nodes": [
            {
                "uid": row.uid,
                "name": row.name,
                "class": classes.get(row.id),
                "status": row.status,
                "degree": degree[row.uid],
                "mentions": mentions[row.id],
                "synonyms": sorted(synonyms.get(row.id, ())),
                "properties": {name: sorted(values) for name, values in sorted(properties.get(row.id, {}).items())},
            }
            for row in sorted(alive.values(), key=lambda row: row.uid)
        ],
        "edges": [
            {
                "uid": edge.best.uid,
                "source": source,
                "target": target,
                "type": kind,
                "label": labels.get(kind, kind),
                "confidence": edge.best.confidence,
                "status": (FactStatus.VALIDATED if edge.validated else FactStatus.PROPOSED).value,
                "evidence": edge.evidence,
            }
            for (source, kind, target), edge in sorted(edges.items())
        ],
    }


def _edges(
    connection: Connection,
    ontology: Ontology,
    rows: dict[int, EntityRow],
    survivor: dict[int, int],
    alive: dict[int, EntityRow],
) -> dict[tuple[str, str, str], _Edge]:
    symmetric = {item.code for item in ontology.relation_types if item.symmetric}
    passages = living.best_evidence(connection, "relation")
    edges: dict[tuple[str, str, str], _Edge] = {}
    for row in living.relations(connection):
        source, target = survivor[row.source_id], survivor[row.target_id]
        if row.status not in _HOLDS or row.type == SYNONYM_OF or source == target:
            continue
        if source not in alive or target not in alive:
            continue
        ends = (rows[source].uid, rows[target].uid)
        a, b = sorted(ends) if row.type in symmetric else ends
        count = passages[row.id].count if row.id in passages else 0
        validated = row.status == FactStatus.VALIDATED
        edge = edges.setdefault((a, row.type, b), _Edge(row, validated, 0))
        edge.evidence += count
        edge.validated = edge.validated or validated
        # Rows come in the order of their uids, so that of equals the first stays.
        if row.confidence > edge.best.confidence:
            edge.best = row
    return edges


def _classes(connection: Connection) -> dict[int, str]:
    query = (
        select(EntityClassification.entity_id, OntologyClass.name)
        .join(OntologyClass, OntologyClass.id == EntityClassification.ontology_class_id)
        .where(EntityClassification.is_primary.is_(True))
    )
    return dict(connection.execute(query).all())


def _synonyms(connection: Connection) -> dict[int, list[str]]:
    query = select(EntitySynonym.entity_id, EntitySynonym.synonym).where(EntitySynonym.status == ontology_store.ACTIVE)
    found: dict[int, list[str]] = {}
    for entity_id, synonym in connection.execute(query):
        found.setdefault(entity_id, []).append(synonym)
    return found


def _properties(connection: Connection, survivor: dict[int, int]) -> dict[int, dict[str, set[str]]]:
    found: dict[int, dict[str, set[str]]] = {}
    for row in living.properties(connection):
        if row.status in _HOLDS:
            found.setdefault(survivor[row.entity_id], {}).setdefault(row.property, set()).add(row.value)
    return found
