"""What must always hold, as functions that return what does not: used by tests and as checks on real data.

Each reads only and returns violations (ids and codes, no text), empty when all is well. They are true after a
reconcile; between a stage and the reconcile that follows, what lives may lag behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, select

from rag_assets.knowledge.lifecycle import EntityStatus, FactStatus
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.placement import COLLECTIONS
from rag_assets.knowledge.relations import Orientation, orient
from rag_assets.knowledge.resolution import DecisionKind
from rag_assets.ledger import audit, decisions, living
from rag_assets.stores import answering
from rag_assets.stores.schema.derivatives import ChunkWindow
from rag_assets.stores.schema.governance import AuditLog
from rag_assets.stores.schema.knowledge import (
    Entity,
    EntityKey,
    EntityMention,
    EntityProperty,
    Evidence,
    Relation,
    Statement,
)
from rag_assets.stores.schema.ontology import EntityClassification, OntologyClass, TaxonomyEdge
from rag_assets.stores.schema.sources import DocumentVersion
from rag_assets.stores.tables import table_of
from rag_assets.stores.vectors.base import VectorIndex

_ALIVE: Final = frozenset({EntityStatus.NORMALIZED.value, EntityStatus.VALIDATED.value})
_HOLDS: Final = frozenset({FactStatus.PROPOSED.value, FactStatus.VALIDATED.value})

# What is audited, by the audit's subject type.
_AUDITED: Final = {
    "entity": table_of(Entity),
    "relation": table_of(Relation),
    "statement": table_of(Statement),
    "property": table_of(EntityProperty),
}
# What a person's word lets something be; without evidence what was validated is deprecated.
_DECIDED_FACT: Final = {"reject": ("rejected",), "validate": ("validated", "deprecated"), "deprecate": ("deprecated",)}
_DECIDED_ENTITY: Final = {
    "reject": ("deprecated", "merged"),
    "validate": ("validated", "deprecated", "merged"),
    "deprecate": ("deprecated", "merged"),
}


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    """Something that must not be: the invariant, the subject (kind and uid or id), and what is wrong as a code."""

    invariant: str
    subject: str
    problem: str


def quotes_stand_in_text(connection: Connection) -> list[Violation]:
    """`text[start:end]` of the version is the quote, for every mention and every evidence row not erased."""
    found: list[Violation] = []
    for table, kind, quote in (
        (table_of(EntityMention), "mention", "surface"),
        (table_of(Evidence), "evidence", "quote"),
    ):
        query = select(
            table.c.id, table.c.document_version_id, table.c.char_start, table.c.char_end, table.c[quote]
        ).order_by(table.c.document_version_id)
        version_id, text = None, ""
        for row_id, of_version, start, end, expected in connection.execute(query):
            if of_version != version_id:
                version_id = of_version
                text = connection.scalar(select(DocumentVersion.text).where(DocumentVersion.id == version_id)) or ""
            if text[start:end] != expected:
                found.append(Violation("quotes_stand_in_text", f"{kind} {row_id}", "differs"))
    return found


def index_holds_living_chunks(connection: Connection, index: VectorIndex) -> list[Violation]:
    """The index has a point for each window of each chunk that may answer, and no other."""
    found: list[Violation] = []
    living_ids = answering.living_ids(connection)
    per_chunk = select(ChunkWindow.chunk_id, func.count()).group_by(ChunkWindow.chunk_id)
    windows = dict(connection.execute(per_chunk).all())
    for collection in sorted({*COLLECTIONS, *living_ids}):
        wanted, held = living_ids.get(collection, set()), index.chunk_ids(collection)
        found += [Violation("index_holds_living_chunks", f"chunk {i}", "missing") for i in sorted(wanted - held)]
        found += [Violation("index_holds_living_chunks", f"chunk {i}", "left over") for i in sorted(held - wanted)]
        if held == wanted and index.count(collection) != sum(windows.get(chunk_id, 0) for chunk_id in wanted):
            found.append(Violation("index_holds_living_chunks", f"collection {collection}", "number of windows"))
    return found


def merges_end(connection: Connection) -> list[Violation]:
    """A merged entity points straight to one that is not merged, and that lives when the merged one has mentions."""
    rows, mentions = living.entities(connection), living.mentions(connection)
    found: list[Violation] = []
    for row in rows.values():
        if row.merged_into_id is None:
            continue
        end = rows[row.merged_into_id]
        if end.status == EntityStatus.MERGED:
            found.append(Violation("merges_end", f"entity {row.uid}", "chain"))
        elif row.id in mentions and end.status not in _ALIVE and end.deprecation_reason != "manual":
            found.append(Violation("merges_end", f"entity {row.uid}", "into one that does not live"))
    return found


def living_have_evidence(connection: Connection) -> list[Violation]:
    """Entities, relations, statements and values live if and only if living passages say so (or a person spoke)."""
    rows, mentions = living.entities(connection), living.mentions(connection)
    survivor, standing = living.survivors(rows), decisions.load(connection)
    mentioned = {survivor[entity_id] for entity_id in mentions}
    found = []
    for row in rows.values():
        alive = row.status in _ALIVE
        if alive and row.id not in mentioned:
            found.append(Violation("living_have_evidence", f"entity {row.uid}", "lives without evidence"))
        elif not alive and row.id in mentioned and row.status != "merged" and row.deprecation_reason != "manual":
            found.append(Violation("living_have_evidence", f"entity {row.uid}", "has evidence and does not live"))
    facts: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("relation", living.relations(connection)),
        ("statement", living.statements(connection)),
        ("property", living.properties(connection)),
    )
    for kind, facts_of_kind in facts:
        evidence = living.best_evidence(connection, kind)
        for fact in facts_of_kind:
            if fact.status in _HOLDS and fact.id not in evidence:
                found.append(Violation("living_have_evidence", f"{kind} {fact.uid}", "lives without evidence"))
            elif fact.status == "deprecated" and fact.id in evidence and fact.uid not in standing.status:
                found.append(Violation("living_have_evidence", f"{kind} {fact.uid}", "has evidence and does not live"))
    return found


def decisions_stand(connection: Connection) -> list[Violation]:
    """What a person rejected, validated, deprecated or keeps apart is so; no machine says otherwise."""
    standing = decisions.load(connection)
    found = []
    for kind, table in _AUDITED.items():
        may_be = _DECIDED_ENTITY if kind == "entity" else _DECIDED_FACT
        for uid, status in connection.execute(select(table.c.uid, table.c.status)):
            wanted = standing.status.get(uid)
            if wanted is not None and status not in may_be.get(wanted.decision, (status,)):
                found.append(Violation("decisions_stand", f"{kind} {uid}", wanted.decision))
    rows = living.entities(connection)
    survivor = {rows[one].uid: rows[other].uid for one, other in living.survivors(rows).items()}
    for item in standing.identity:
        apart = item.kind in (DecisionKind.KEEP_APART, DecisionKind.UNMERGE)
        if apart and survivor.get(item.key, item.key) == survivor.get(item.other, item.other):
            found.append(Violation("decisions_stand", f"entity {item.key}", item.kind.value))
    return found


def relations_fit(connection: Connection, ontology: Ontology) -> list[Violation]:
    """Living relations fit domain and range, are not reflexive, and symmetric ones are stored once, the smaller uid first."""
    rows = living.entities(connection)
    survivor, classes = living.survivors(rows), _primary_classes(connection)
    symmetric = {item.code for item in ontology.relation_types if item.symmetric}
    found = []
    seen: set[tuple[str, frozenset[int]]] = set()
    for row in living.relations(connection):
        source, target = survivor[row.source_id], survivor[row.target_id]
        if row.source_id == row.target_id:
            found.append(Violation("relations_fit", f"relation {row.uid}", "reflexive"))
        if row.type in symmetric:
            pair = (row.type, frozenset((row.source_id, row.target_id)))
            if rows[row.source_id].uid > rows[row.target_id].uid:
                found.append(Violation("relations_fit", f"relation {row.uid}", "symmetric, wrong way round"))
            if pair in seen:
                found.append(Violation("relations_fit", f"relation {row.uid}", "duplicate"))
            seen.add(pair)
        if row.status == FactStatus.PROPOSED and source != target and source in classes and target in classes:
            fits = orient(ontology, row.type, classes[source], classes[target])
            if fits.orientation is not Orientation.KEPT:
                found.append(Violation("relations_fit", f"relation {row.uid}", fits.reason or "turned"))
    return found


def one_primary_class(connection: Connection) -> list[Violation]:
    """Every living entity has exactly one primary class."""
    query = (
        select(EntityClassification.entity_id, func.count())
        .where(EntityClassification.is_primary.is_(True))
        .group_by(EntityClassification.entity_id)
    )
    primaries = dict(connection.execute(query).all())
    alive = connection.execute(select(Entity.id, Entity.uid).where(Entity.status.in_(_ALIVE)))
    return [
        Violation("one_primary_class", f"entity {uid}", f"{primaries.get(entity_id, 0)} primary classes")
        for entity_id, uid in alive
        if primaries.get(entity_id, 0) != 1
    ]


def keys_lead_to_entities(connection: Connection) -> list[Violation]:
    """Every entity is found by its own key."""
    query = (
        select(Entity.uid)
        .outerjoin(EntityKey, (EntityKey.key == Entity.canonical_key) & (EntityKey.entity_id == Entity.id))
        .where(EntityKey.key.is_(None))
    )
    return [Violation("keys_lead_to_entities", f"entity {uid}", "no key") for uid in connection.scalars(query)]


def audit_holds(connection: Connection) -> list[Violation]:
    """The chain of seals verifies, and the last audited state of every fact is the one it has."""
    found = [Violation("audit_holds", f"seal {problem.seal}", problem.code) for problem in audit.verify(connection)]
    last = select(func.max(AuditLog.id)).where(AuditLog.to_state.is_not(None)).group_by(
        AuditLog.subject_type, AuditLog.subject_uid
    )  # fmt: skip
    query = select(AuditLog.subject_type, AuditLog.subject_uid, AuditLog.to_state).where(AuditLog.id.in_(last))
    audited = {(kind, uid): state for kind, uid, state in connection.execute(query)}
    for kind, table in _AUDITED.items():
        for uid, status in connection.execute(select(table.c.uid, table.c.status)):
            if audited.get((kind, uid)) != status:
                found.append(Violation("audit_holds", f"{kind} {uid}", "status differs from the audit"))
    return found


def nothing_vanishes(connection: Connection) -> list[Violation]:
    """Every entity, relation, statement and value that the audit tells of is still there, under its uid."""
    found = []
    for kind, table in _AUDITED.items():
        query = (
            select(AuditLog.subject_uid)
            .outerjoin(table, table.c.uid == AuditLog.subject_uid)
            .where(AuditLog.subject_type == kind, table.c.uid.is_(None))
            .distinct()
        )
        found += [Violation("nothing_vanishes", f"{kind} {uid}", "gone") for uid in connection.scalars(query)]
    return found


def acyclic(connection: Connection, ontology: Ontology) -> list[Violation]:
    """Relation types that must not run in circles do not, nor does the taxonomy of any kind."""
    rows = living.entities(connection)
    survivor = living.survivors(rows)
    edges: dict[str, dict[str, set[str]]] = {}
    wanted = {item.code for item in ontology.relation_types if item.acyclic}
    for row in living.relations(connection):
        if row.type in wanted and row.status in _HOLDS and survivor[row.source_id] != survivor[row.target_id]:
            source, target = rows[survivor[row.source_id]].uid, rows[survivor[row.target_id]].uid
            edges.setdefault(row.type, {}).setdefault(source, set()).add(target)
    query = select(TaxonomyEdge.edge_type, TaxonomyEdge.narrower, TaxonomyEdge.broader)
    for kind, narrower, broader in connection.execute(query.where(TaxonomyEdge.status == "active")):
        edges.setdefault(f"taxonomy {kind}", {}).setdefault(narrower, set()).add(broader)
    return [
        Violation("acyclic", f"{kind} {node}" if not kind.startswith("taxonomy") else kind, "circle")
        for kind, graph in sorted(edges.items())
        for node in _on_circles(graph)
    ]


def _on_circles(graph: Mapping[str, set[str]]) -> list[str]:
    """Nodes on circles or between two: what remains when all without an incoming or an outgoing edge are taken away, again and again."""
    remaining = {node: set(targets) for node, targets in graph.items()}
    while True:
        pointed_at = {target for targets in remaining.values() for target in targets}
        kept = {
            node: {t for t in targets if t in remaining} for node, targets in remaining.items() if node in pointed_at
        }
        kept = {node: targets for node, targets in kept.items() if targets}
        if len(kept) == len(remaining):
            return sorted(kept)
        remaining = kept


def _primary_classes(connection: Connection) -> dict[int, str]:
    query = (
        select(EntityClassification.entity_id, OntologyClass.name)
        .join(OntologyClass, OntologyClass.id == EntityClassification.ontology_class_id)
        .where(EntityClassification.is_primary.is_(True))
    )
    return dict(connection.execute(query).all())


_WITHOUT_ONTOLOGY: Final[tuple[Callable[[Connection], list[Violation]], ...]] = (
    quotes_stand_in_text,
    merges_end,
    living_have_evidence,
    decisions_stand,
    one_primary_class,
    keys_lead_to_entities,
    nothing_vanishes,
    audit_holds,
)
_WITH_ONTOLOGY: Final[tuple[Callable[[Connection, Ontology], list[Violation]], ...]] = (relations_fit, acyclic)


def check_all(
    connection: Connection, ontology: Ontology, index: VectorIndex | None = None
) -> dict[str, list[Violation]]:
    """Every invariant by name with its violations; that of the index only when one is given."""
    results = {check.__name__: check(connection) for check in _WITHOUT_ONTOLOGY}
    results.update({check.__name__: check(connection, ontology) for check in _WITH_ONTOLOGY})
    if index is not None:
        results[index_holds_living_chunks.__name__] = index_holds_living_chunks(connection, index)
    return results
