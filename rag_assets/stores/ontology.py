"""The ontology as rows: written only by an explicit `apply`, so that queries can join classes and relation types.

The file ontology.yaml is the only way in; what left it is deprecated here, never deleted. The meaning of classes,
rules and curated names is in `knowledge.ontology`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, insert, select, update

from rag_assets.knowledge.ontology import Ontology
from rag_assets.stores.bulk import insert_row
from rag_assets.stores.schema.ontology import (
    OntologyClass,
    OntologyVersion,
    RelationType,
    RelationTypeRule,
    TaxonomyEdge,
)
from rag_assets.stores.tables import table_of

ACTIVE: Final = "active"
DEPRECATED: Final = "deprecated"


@dataclass(frozen=True, slots=True)
class AppliedOntology:
    """The version in force. `changed` tells whether this call made it; `number` counts from 1."""

    number: int
    revision: str
    changed: bool


def current(connection: Connection) -> AppliedOntology | None:
    """The version applied last, or None when none ever was."""
    row = connection.execute(
        select(OntologyVersion.number, OntologyVersion.revision).order_by(OntologyVersion.number.desc()).limit(1)
    ).one_or_none()
    return None if row is None else AppliedOntology(row.number, row.revision, changed=False)


def apply(
    connection: Connection, ontology: Ontology, *, at: datetime, note: str | None = None, author: str | None = None
) -> AppliedOntology:
    """Bring the rows to what `ontology` says; writes nothing when its revision is the one in force."""
    before = current(connection)
    if before is not None and before.revision == ontology.revision:
        return before
    number = 1 if before is None else before.number + 1
    version_id = insert_row(
        connection,
        table_of(OntologyVersion),
        number=number,
        revision=ontology.revision,
        note=note,
        author=author,
        created_at=at,
    )
    _apply_classes(connection, ontology, version_id, at)
    _sync(
        connection,
        table_of(TaxonomyEdge),
        ("narrower", "broader", "edge_type"),
        {(e.narrower, e.broader, e.type): {} for e in ontology.taxonomy},
    )
    _sync(
        connection,
        table_of(RelationType),
        ("code",),
        {
            (t.code,): {
                "label_de": t.label,
                "inverse_label_de": t.inverse_label,
                "symmetric": t.symmetric,
                "transitive": t.transitive,
                "acyclic": t.acyclic,
            }
            for t in ontology.relation_types
        },
    )
    _apply_rules(connection, ontology)
    return AppliedOntology(number, ontology.revision, changed=True)


def class_ids(connection: Connection) -> dict[str, int]:
    """Ids of all classes by name, deprecated ones too."""
    return dict(connection.execute(select(OntologyClass.name, OntologyClass.id)).all())


def _apply_classes(connection: Connection, ontology: Ontology, version_id: int, at: datetime) -> None:
    table = table_of(OntologyClass)
    wanted: dict[tuple[str, ...], dict[str, str]] = {
        (item.name,): {
            "description": item.description,
            "properties": json.dumps([asdict(p) for p in item.properties], ensure_ascii=False, sort_keys=True),
        }
        for item in ontology.classes
    }
    _sync(connection, table, ("name",), wanted, on_insert={"since_version_id": version_id, "created_at": at})
    # Parents second: a class may stand in the file before its parent.
    ids = class_ids(connection)
    parents = {
        row.name: row.parent_class_id for row in connection.execute(select(table.c.name, table.c.parent_class_id))
    }
    for item in ontology.classes:
        parent_id = None if item.parent is None else ids[item.parent]
        if parents[item.name] != parent_id:
            connection.execute(update(table).where(table.c.name == item.name).values(parent_class_id=parent_id))


def _sync(
    connection: Connection,
    table: Table,
    key: tuple[str, ...],
    wanted: Mapping[tuple[str, ...], Mapping[str, Any]],
    *,
    on_insert: Mapping[str, Any] | None = None,
) -> None:
    """Insert what is missing, correct what differs, deprecate what is no longer wanted. Small tables: row by row."""
    stored = {tuple(getattr(row, name) for name in key): row for row in connection.execute(select(table))}
    for values_key, values in wanted.items():
        row = stored.get(values_key)
        target = {**values, "status": ACTIVE}
        if row is None:
            connection.execute(
                insert(table).values(**dict(zip(key, values_key, strict=True)), **target, **(on_insert or {}))
            )
        elif any(getattr(row, name) != value for name, value in target.items()):
            _update(connection, table, key, values_key, target)
    for values_key, row in stored.items():
        if values_key not in wanted and row.status != DEPRECATED:
            _update(connection, table, key, values_key, {"status": DEPRECATED})


def _update(
    connection: Connection, table: Table, key: tuple[str, ...], values_key: tuple[str, ...], values: Mapping[str, Any]
) -> None:
    where = [table.c[name] == value for name, value in zip(key, values_key, strict=True)]
    connection.execute(update(table).where(*where).values(**values))


def _apply_rules(connection: Connection, ontology: Ontology) -> None:
    # Rules carry no knowledge about the world and no status: they are exactly what the version in force says.
    wanted = {(t.code, domain, range_) for t in ontology.relation_types for domain, range_ in t.rules}
    stored = {
        (row.relation_type, row.domain_class, row.range_class): row.id
        for row in connection.execute(select(table_of(RelationTypeRule)))
    }
    for key in sorted(stored.keys() - wanted):
        connection.execute(delete(RelationTypeRule).where(RelationTypeRule.id == stored[key]))
    missing = sorted(wanted - stored.keys())
    if missing:
        connection.execute(
            insert(RelationTypeRule),
            [{"relation_type": code, "domain_class": d, "range_class": r} for code, d, r in missing],
        )
