"""Reconcile, first part: which entities are one, what each is called, of what class it is, whether it lives.

All of it follows from the living mentions, the ontology and people's decisions over the whole base; what was done
before only decides which steps lead there. Facts about entities are in `reconcile_facts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from rag_assets.knowledge.lifecycle import DeprecationReason, EntityStatus
from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.resolution import Decision, DecisionKind, EntityFacts, Resolution, resolve
from rag_assets.ledger import audit
from rag_assets.ledger.decisions import Standing
from rag_assets.ledger.living import EntityRow, Mentions
from rag_assets.ledger.transitions import move_entity
from rag_assets.stores.bulk import update_each
from rag_assets.stores.schema.knowledge import Entity
from rag_assets.stores.tables import table_of

_DECISION_RULE: Final = "decision"


@dataclass(frozen=True, slots=True)
class ResolvedEntities:
    """The outcome by entity id.

    `survivor` has every entity, `living` those with mentions of their own or merged into them; `classes` the primary
    class of each living one, `curated` those whose class a person gave, `merged_by` the decision behind those that a
    person joined, `own_names` what each would be called if it stood alone.
    """

    survivor: Mapping[int, int]
    living: frozenset[int]
    classes: Mapping[int, str]
    curated: frozenset[int]
    resolution: Resolution
    id_of: Mapping[str, int]
    merged_by: Mapping[int, int]
    own_names: Mapping[int, str]


def resolve_entities(
    rows: Mapping[int, EntityRow],
    mentions: Mapping[int, Mentions],
    ontology: Ontology,
    standing: Standing,
    same_as: Iterable[tuple[int, int]],
) -> ResolvedEntities:
    """Decide over the whole base. Takes part: every entity with living mentions, or in a decision about identity."""
    decisions = standing.by_key({row.uid: row.key for row in rows.values()})
    decided = {key for item in decisions if item.kind is DecisionKind.MERGE for key in (item.key, item.other)}
    id_of = {row.key: row.id for row in rows.values()}
    curated = ontology.curated_classes
    facts = [
        _facts(row, mentions.get(row.id), ontology, standing)
        for row in rows.values()
        if row.id in mentions or row.key in decided
    ]
    taking_part = {item.key for item in facts}
    resolution = resolve(
        facts,
        ontology.synonyms,
        decisions,
        roots={item.name: ontology.root(item.name) for item in ontology.classes},
        same_as=[
            (rows[a].key, rows[b].key) for a, b in same_as if rows[a].key in taking_part and rows[b].key in taking_part
        ],
    )
    survivor = {row.id: row.id for row in rows.values()}
    survivor.update({id_of[key]: id_of[target] for key, target in resolution.survivor.items()})
    reclassified = {item.key for item in decisions if item.kind is DecisionKind.RECLASSIFY}
    own_class = {item.key: item.class_name for item in facts}
    classes = {id_of[key]: resolution.classes.get(key, own_class[key]) for key in own_class}
    return ResolvedEntities(
        survivor=survivor,
        living=frozenset(survivor[entity_id] for entity_id in mentions),
        classes=classes,
        curated=frozenset(id_of[key] for key in own_class if key in curated or key in reclassified),
        resolution=resolution,
        id_of=id_of,
        merged_by=_merged_by(resolution, id_of, decisions),
        own_names={id_of[item.key]: item.name for item in facts},
    )


def _facts(row: EntityRow, found: Mentions | None, ontology: Ontology, standing: Standing) -> EntityFacts:
    found = found or Mentions()
    curated = ontology.curated_classes.get(row.key)
    decision = standing.status.get(row.uid)
    validated = decision is not None and decision.decision == "validate"
    if curated is not None:
        name, class_name = curated
    else:
        # What a person validated keeps the name that it had then; a machine may not rename it.
        kept = decision.name if validated and decision else None
        name = kept or most_frequent_name(found.surfaces, row)
        class_name = most_frequent(found.classes) or ontology.classes[0].name
    return EntityFacts(
        key=row.key,
        name=name,
        class_name=class_name,
        evidence_count=found.count,
        surfaces=tuple(sorted(found.surfaces)),
        documents=frozenset(found.documents),
        status="validated" if validated else "extracted",
        manual=curated is not None,
    )


def most_frequent(counted: Counter[str]) -> str | None:
    """The commonest value, among equals the least."""
    return min(counted, key=lambda value: (-counted[value], value)) if counted else None


def most_frequent_name(surfaces: Counter[str], row: EntityRow) -> str:
    """The commonest spelling that has the entity's own key; the stored name when no text uses one.

    A surface with another key (an abbreviation that a passage itself explains) is a synonym, not the name.
    """
    spelled: Counter[str] = Counter()
    for surface, count in surfaces.items():
        name = " ".join(surface.split())
        if canonical_key(name) == row.key:
            spelled[name] += count
    return most_frequent(spelled) or row.name


def write_entities(
    connection: Connection,
    rows: Mapping[int, EntityRow],
    resolved: ResolvedEntities,
    standing: Standing,
) -> tuple[Counter[str], list[audit.AuditEntry], frozenset[int]]:
    """Write what differs. Returns counts by operation, the audit entries, and the ids of entities that live now."""
    names = {resolved.id_of[key]: name for key, name in resolved.resolution.names.items()}
    counts: Counter[str] = Counter()
    entries: list[audit.AuditEntry] = []
    changed: list[dict[str, Any]] = []
    alive: set[int] = set()
    for row in rows.values():
        decision = standing.status.get(row.uid)
        target = resolved.survivor[row.id]
        goal, reason = _goal(row, target, resolved, decision.decision if decision else None)
        if goal in (EntityStatus.NORMALIZED, EntityStatus.VALIDATED):
            alive.add(row.id)
        by_decision = resolved.merged_by.get(row.id)
        move = move_entity(row.uid, row.status, row.status_before, goal, decision=decision, merged_by=by_decision)
        entries += move.entries
        counts.update(f"entity.{entry.action}" for entry in move.entries)
        merged = goal == EntityStatus.MERGED
        values = {
            "canonical_name": _name(row, target, resolved, names),
            "status": move.status,
            "merged_into_id": target if merged else None,
            "merge_origin": ("variant" if by_decision is None else "decision") if merged else None,
            "deprecation_reason": reason,
            "status_before": move.status_before,
        }
        before = (
            row.name,
            row.status,
            row.merged_into_id,
            row.merge_origin,
            row.deprecation_reason,
            row.status_before,
        )
        if tuple(values.values()) != before:
            changed.append({"row_id": row.id, **values})
            counts["entity.rename"] += values["canonical_name"] != row.name
    update_each(connection, table_of(Entity), changed)
    return counts, entries, frozenset(alive)


def _name(row: EntityRow, target: int, resolved: ResolvedEntities, names: Mapping[int, str]) -> str:
    if target != row.id:
        # Not what it was called when it last stood alone: that would depend on what was known by then.
        return resolved.own_names.get(row.id, row.name)
    return names.get(row.id, row.name) if row.id in resolved.living else row.name


def _goal(row: EntityRow, target: int, resolved: ResolvedEntities, decision: str | None) -> tuple[str, str | None]:
    if target != row.id:
        return EntityStatus.MERGED.value, None
    if decision in ("deprecate", "reject"):
        return EntityStatus.DEPRECATED.value, DeprecationReason.MANUAL.value
    if row.id not in resolved.living:
        return EntityStatus.DEPRECATED.value, DeprecationReason.NO_PROVENANCE.value
    return (EntityStatus.VALIDATED if decision == "validate" else EntityStatus.NORMALIZED).value, None


def _merged_by(resolution: Resolution, id_of: Mapping[str, int], decisions: Iterable[Decision]) -> dict[int, int]:
    numbers = {frozenset((d.key, d.other)): d.number for d in decisions if d.kind is DecisionKind.MERGE}
    return {
        id_of[key]: numbers[frozenset((link.a, link.b))]
        for link in resolution.links
        if link.rule == _DECISION_RULE
        for key in (link.a, link.b)
    }
