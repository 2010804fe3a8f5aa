"""Reconcile, second part: the classes of entities with their shares, and the further names of survivors.

Rows that nothing supports any more keep a share of 0 or become deprecated; none is deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, select

from rag_assets.ledger.living import Mentions
from rag_assets.ledger.reconcile_entities import ResolvedEntities
from rag_assets.stores import ontology as ontology_store
from rag_assets.stores.bulk import insert_rows, update_by_id, update_each
from rag_assets.stores.schema.knowledge import EntitySynonym
from rag_assets.stores.schema.ontology import EntityClassification
from rag_assets.stores.tables import table_of

# Labels carry no language of their own: curated ones stand in a German file, others in the documents' language.
_LANGUAGE: Final = "de"
_LONGEST_SYNONYM: Final = 480

EXTRACTED: Final = "extracted"
MANUAL: Final = "manual"


def write_classifications(
    connection: Connection, mentions: Mapping[int, Mentions], resolved: ResolvedEntities
) -> Counter[str]:
    """Classes of all entities with living mentions (a survivor speaks for its whole cluster), one of them primary."""
    class_ids = ontology_store.class_ids(connection)
    wanted = {
        (entity_id, class_ids[name]): value
        for (entity_id, name), value in _wanted(mentions, resolved).items()
        if name in class_ids
    }
    table = table_of(EntityClassification)
    touched = {entity_id for entity_id, _ in wanted}
    changed: list[dict[str, Any]] = []
    stored: set[tuple[int, int]] = set()
    for row in connection.execute(select(table)):
        key = (row.entity_id, row.ontology_class_id)
        stored.add(key)
        if row.entity_id not in touched:
            continue  # nothing lives: the last known class stays, for when it returns
        confidence, origin, primary = wanted.get(key, (0.0, row.origin, False))
        if (row.confidence, row.origin, row.is_primary) != (confidence, origin, primary):
            changed.append({"row_id": row.id, "confidence": confidence, "origin": origin, "is_primary": primary})
    fresh = [
        {
            "entity_id": entity_id,
            "ontology_class_id": class_id,
            "confidence": confidence,
            "origin": origin,
            "is_primary": primary,
        }
        for (entity_id, class_id), (confidence, origin, primary) in sorted(wanted.items())
        if (entity_id, class_id) not in stored
    ]
    update_each(connection, table, changed)
    insert_rows(connection, table, fresh)
    return Counter({"classification.add": len(fresh), "classification.change": len(changed)})


def _wanted(
    mentions: Mapping[int, Mentions], resolved: ResolvedEntities
) -> dict[tuple[int, str], tuple[float, str, bool]]:
    votes: dict[int, Counter[str]] = {}
    for entity_id, found in mentions.items():
        for target in {entity_id, resolved.survivor[entity_id]}:
            votes.setdefault(target, Counter()).update(found.classes)
    wanted: dict[tuple[int, str], tuple[float, str, bool]] = {}
    for entity_id, counted in votes.items():
        total = counted.total()
        primary = resolved.classes[entity_id]
        for name in sorted({*counted, primary}):
            given = name == primary and entity_id in resolved.curated
            share = counted[name] / total
            # A class that a person gave needs no mention to agree.
            wanted[entity_id, name] = (1.0 if given else share, MANUAL if given else EXTRACTED, name == primary)
    return wanted


def write_synonyms(connection: Connection, resolved: ResolvedEntities, alive: frozenset[int]) -> Counter[str]:
    """Further names of living survivors; those that nothing supports any more are deprecated."""
    wanted = {
        (resolved.id_of[item.survivor], item.label_key, _LANGUAGE): (" ".join(item.label.split()), item.origin)
        for item in resolved.resolution.synonyms
        if resolved.id_of[item.survivor] in alive and len(item.label_key) <= _LONGEST_SYNONYM
    }
    table = table_of(EntitySynonym)
    stored: set[tuple[int, str, str]] = set()
    changed: list[dict[str, Any]] = []
    gone: list[int] = []
    for row in connection.execute(select(table)):
        key = (row.entity_id, row.synonym_key, row.language)
        stored.add(key)
        if key in wanted:
            synonym, origin = wanted[key]
            if (row.synonym, row.origin, row.status) != (synonym, origin, ontology_store.ACTIVE):
                values = {"synonym": synonym, "origin": origin, "status": ontology_store.ACTIVE}
                changed.append({"row_id": row.id, **values})
        elif row.status != ontology_store.DEPRECATED:
            gone.append(row.id)
    fresh = [
        {
            "entity_id": entity_id,
            "synonym": synonym,
            "synonym_key": label_key,
            "language": language,
            "origin": origin,
            "status": ontology_store.ACTIVE,
        }
        for (entity_id, label_key, language), (synonym, origin) in sorted(wanted.items())
        if (entity_id, label_key, language) not in stored
    ]
    update_each(connection, table, changed)
    update_by_id(connection, table, gone, status=ontology_store.DEPRECATED)
    insert_rows(connection, table, fresh)
    return Counter({"synonym.add": len(fresh), "synonym.change": len(changed), "synonym.deprecate": len(gone)})
