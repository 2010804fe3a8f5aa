"""Finding an entity by what people call it, and what is known of it that a question may mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, or_, select

from rag_assets.knowledge.lifecycle import FactStatus
from rag_assets.knowledge.naming import canonical_key
from rag_assets.ledger.living import survivors_of
from rag_assets.stores.schema.knowledge import Entity, EntityKey, EntitySynonym, Relation

#: Below this the rules themselves are not sure who made what.
SURE: Final = 0.6


def entity_named(connection: Connection, what: str) -> int | None:
    """Id of the entity with this uid, key or name, or with this synonym when it means exactly one."""
    key = canonical_key(what)
    found = connection.scalar(select(Entity.id).where(Entity.uid == what))
    if found is None and key:
        found = connection.scalar(select(EntityKey.entity_id).where(EntityKey.key == key))
    if found is None and key:
        # A synonym that means exactly one entity.
        candidates = connection.scalars(
            select(EntitySynonym.entity_id)
            .where(EntitySynonym.synonym_key == key, EntitySynonym.status == "active")
            .distinct()
        ).all()
        found = candidates[0] if len(candidates) == 1 else None
    return found


def authors_of(connection: Connection, names: Sequence[str]) -> tuple[str, ...]:
    """Names of the persons who made the first of `names` that is known, the best supported first; () for none.

    By the living AUTHORED_BY relations of which their extractor was sure.
    """
    known = next((found for name in names if (found := entity_named(connection, name)) is not None), None)
    if known is None:
        return ()
    target = survivors_of(connection, [known])[known]
    query = (
        select(Relation.target_entity_id, Relation.confidence)
        .join(Entity, Entity.id == Relation.source_entity_id)
        .where(
            or_(Entity.id == target, Entity.merged_into_id == target),
            Relation.relation_type == "AUTHORED_BY",
            Relation.status.in_([FactStatus.PROPOSED.value, FactStatus.VALIDATED.value]),
            Relation.confidence >= SURE,
        )
    )
    sure = [(int(person), float(confidence)) for person, confidence in connection.execute(query)]
    persons = survivors_of(connection, [person for person, _ in sure])
    best: dict[int, float] = {}
    for mentioned, confidence in sure:
        person = persons[mentioned]
        best[person] = max(confidence, best.get(person, 0.0))
    names_query = select(Entity.id, Entity.canonical_name).where(Entity.id.in_(best))
    name_of = {entity_id: name for entity_id, name in connection.execute(names_query)}
    return tuple(name_of[person] for person in sorted(best, key=lambda person: (-best[person], name_of[person])))
