"""Where a fact comes from: every passage behind an entity, relation, statement or property value, with who found it.

Passages of old versions and removed documents are told too, marked as not living: that is what "why did we think so"
asks for. Read only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, select

from rag_assets.errors import UsageError
from rag_assets.ledger.living import survivors_of
from rag_assets.ledger.lookup import entity_named
from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.knowledge import (
    Entity,
    EntityMention,
    EntityProperty,
    Evidence,
    Relation,
    Statement,
)
from rag_assets.stores.schema.pipeline import Activity, Prompt
from rag_assets.stores.schema.sources import Document, DocumentSection, DocumentVersion
from rag_assets.stores.tables import table_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One place that says so. `quote` is `text[start:end]` of that version; `section` the path of headings.

    `living`: the version answers today and its newest extraction still finds the passage. `page` counts from 1,
    `page_label` is what the page calls itself.
    """

    quote: str
    document_uid: str
    source_path: str
    title: str | None
    version: int
    version_uid: str
    page: int | None
    page_label: str | None
    section: tuple[str, ...]
    start: int
    end: int
    confidence: float
    living: bool
    extractor: str | None
    prompt: str | None
    run_id: str | None
    code_version: str | None
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """A fact and the passages behind it, living ones first, then by document, version and place.

    `fact` has the fact's own parts by name (for a relation: source, type, target, …); names are those to show.
    `merged`: uids of entities that were merged into this one and whose passages are told here too.
    """

    kind: str
    uid: str
    status: str
    fact: Mapping[str, str]
    passages: tuple[Passage, ...]
    merged: tuple[str, ...] = ()


def why(connection: Connection, what: str) -> Provenance:
    """Provenance of the entity, relation, statement or property value with the uid `what`, or of a named entity.

    A merged entity is told as the one that stands for it. Raises UsageError (`unknown_fact`).
    """
    entity_id = entity_named(connection, what)
    if entity_id is not None:
        return _why_entity(connection, entity_id)
    for kind, describe in (("relation", _relation), ("statement", _statement), ("property", _property)):
        described = describe(connection, what)
        if described is not None:
            owner_id, status, fact = described
            column = table_of(Evidence).c[f"{kind}_id"]
            passages = _passages(connection, table_of(Evidence), column, [owner_id])
            return Provenance(kind=kind, uid=what, status=status, fact=fact, passages=passages)
    raise UsageError("unknown_fact", "nothing has this uid or name")


def _why_entity(connection: Connection, entity_id: int) -> Provenance:
    target = survivors_of(connection, [entity_id])[entity_id]
    row = connection.execute(select(Entity.uid, Entity.canonical_name, Entity.status).where(Entity.id == target)).one()
    members = connection.execute(
        select(Entity.id, Entity.uid).where(Entity.merged_into_id == target).order_by(Entity.uid)
    ).all()
    table = table_of(EntityMention)
    passages = _passages(connection, table, table.c.entity_id, [target, *(member.id for member in members)])
    return Provenance(
        kind="entity",
        uid=row.uid,
        status=row.status,
        fact={"name": row.canonical_name},
        passages=passages,
        merged=tuple(member.uid for member in members),
    )


_Described = tuple[int, str, dict[str, str]]


def _relation(connection: Connection, uid: str) -> _Described | None:
    row = connection.execute(select(table_of(Relation)).where(Relation.uid == uid)).one_or_none()
    if row is None:
        return None
    names = _names(connection, row.source_entity_id, row.target_entity_id)
    fact = {
        "source": names[row.source_entity_id],
        "type": row.relation_type,
        "target": names[row.target_entity_id],
    }
    if row.rejection_reason:
        fact["rejected"] = row.rejection_reason
    return row.id, row.status, fact


def _statement(connection: Connection, uid: str) -> _Described | None:
    row = connection.execute(select(table_of(Statement)).where(Statement.uid == uid)).one_or_none()
    if row is None:
        return None
    ends = [row.subject_entity_id] + ([row.object_entity_id] if row.object_entity_id is not None else [])
    names = _names(connection, *ends)
    return (
        row.id,
        row.status,
        {
            "subject": names[row.subject_entity_id],
            "predicate": row.predicate,
            "object": row.object_literal if row.object_entity_id is None else names[row.object_entity_id],
            "type": row.statement_type,
            "modality": row.modality,
            "polarity": row.polarity,
        },
    )


def _property(connection: Connection, uid: str) -> _Described | None:
    row = connection.execute(select(table_of(EntityProperty)).where(EntityProperty.uid == uid)).one_or_none()
    if row is None:
        return None
    names = _names(connection, row.entity_id)
    return row.id, row.status, {"entity": names[row.entity_id], "property": row.property, "value": row.value}


def _names(connection: Connection, *entity_ids: int) -> dict[int, str]:
    targets = survivors_of(connection, entity_ids)
    query = select(Entity.id, Entity.canonical_name).where(Entity.id.in_(set(targets.values())))
    names = dict(connection.execute(query).all())
    return {entity_id: names[target] for entity_id, target in targets.items()}


_DETAILS: Final[tuple[Any, ...]] = (
    Document.uid.label("document_uid"),
    Document.source_path,
    Document.title,
    Document.current_version_id,
    Document.removed_at,
    DocumentVersion.id.label("version_id"),
    DocumentVersion.uid.label("version_uid"),
    DocumentVersion.number,
    Activity.model,
    Activity.run_id,
    Activity.code_version,
    Activity.started_at,
    Prompt.name.label("prompt_name"),
    Prompt.version.label("prompt_version"),
)


def _passages(connection: Connection, table: Any, owner: Any, owner_ids: list[int]) -> tuple[Passage, ...]:
    rows: list[Any] = []
    quote = table.c.surface if "surface" in table.c else table.c.quote
    columns = (table.c.char_start, table.c.char_end, table.c.confidence, table.c.superseded, quote.label("quote"))
    for batch in batches(owner_ids):
        query: Any = (
            select(*columns, *_DETAILS)
            .join(DocumentVersion, DocumentVersion.id == table.c.document_version_id)
            .join(Document, Document.id == DocumentVersion.document_id)
            .outerjoin(Activity, Activity.id == table.c.activity_id)
            .outerjoin(Prompt, Prompt.id == Activity.prompt_id)
            .where(owner.in_(batch))
        )
        rows += connection.execute(query).all()
    version_ids = sorted({row.version_id for row in rows})
    pages, sections = _pages(connection, version_ids), _sections(connection, version_ids)
    passages = [_passage(row, pages.get(row.version_id, ()), sections.get(row.version_id, ())) for row in rows]
    return tuple(sorted(passages, key=lambda p: (not p.living, p.source_path, -p.version, p.start, p.end)))


def _passage(row: Any, pages: Any, sections: Any) -> Passage:
    page = next(((p, label) for p, label, start, end in pages if start <= row.char_start < end), (None, None))
    prompt = None if row.prompt_name is None else f"{row.prompt_name}@{row.prompt_version}"
    living = not row.superseded and row.removed_at is None and row.current_version_id == row.version_id
    return Passage(
        quote=row.quote,
        document_uid=row.document_uid,
        source_path=row.source_path,
        title=row.title,
        version=row.number,
        version_uid=row.version_uid,
        page=page[0],
        page_label=page[1],
        section=_path(h for h, start, end in sections if start <= row.char_start < end),
        start=row.char_start,
        end=row.char_end,
        confidence=row.confidence,
        living=living,
        extractor=row.model,
        prompt=prompt,
        run_id=row.run_id,
        code_version=row.code_version,
        at=row.started_at,
    )


def _path(headings: Iterable[str]) -> tuple[str, ...]:
    """Headings from the outermost in; a first chapter that repeats the title is told once."""
    path: list[str] = []
    for heading in headings:
        if heading and path[-1:] != [heading]:
            path.append(heading)
    return tuple(path)


def _pages(connection: Connection, version_ids: list[int]) -> dict[int, list[tuple[int, str | None, int, int]]]:
    """Pages of each version as (number, label, start, end), from the layout that the reading left."""
    found: dict[int, list[tuple[int, str | None, int, int]]] = {}
    for batch in batches(version_ids):
        query = select(DocumentVersion.id, DocumentVersion.layout).where(DocumentVersion.id.in_(batch))
        for version_id, layout in connection.execute(query):
            found[version_id] = [tuple(page) for page in json.loads(layout)["pages"]] if layout else []
    return found


def _sections(connection: Connection, version_ids: list[int]) -> dict[int, list[tuple[str, int, int]]]:
    """Sections of each version in pre-order, so that those around a place read as the path to it."""
    found: dict[int, list[tuple[str, int, int]]] = {}
    for batch in batches(version_ids):
        query = (
            select(
                DocumentSection.document_version_id,
                DocumentSection.heading,
                DocumentSection.char_start,
                DocumentSection.char_end,
            )
            .where(DocumentSection.document_version_id.in_(batch))
            .order_by(DocumentSection.document_version_id, DocumentSection.ordinal)
        )
        for version_id, heading, start, end in connection.execute(query):
            found.setdefault(version_id, []).append((heading, start, end))
    return found
