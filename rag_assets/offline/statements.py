"""Relations and statements of one document version, with the passages behind them; from the extractions to rows.

The extractions are those that `entities` stored. Relations are oriented by the ontology: what fits only turned round is
turned and counted, what fits neither way is kept as rejected with the reason. SYNONYM_OF is a merge proposal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from rag_assets.knowledge.lifecycle import FactStatus, Kind
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.relations import Orientation, orient
from rag_assets.ledger.fingerprints import digest
from rag_assets.ledger.model_calls import CallPolicy
from rag_assets.models.extraction.base import Extraction, Extractor, RelationFound, StatementFound
from rag_assets.offline import extraction as extractions
from rag_assets.offline.entities import audit_births, report_counts
from rag_assets.offline.extraction import ActivityOnDemand, ChunkText, Clock
from rag_assets.offline.intake import INTAKE_VERSION, Named, admit, one_line
from rag_assets.stores import entities as entity_store
from rag_assets.stores import facts as store
from rag_assets.stores.bulk import in_write
from rag_assets.stores.chunks import ChunkRow
from rag_assets.stores.database import Connection, Database
from rag_assets.stores.entities import EntityRef
from rag_assets.stores.facts import NewRelation, NewStatement
from rag_assets.stores.installation import namespace
from rag_assets.stores.passages import sync_evidence

if TYPE_CHECKING:  # the parts of the whole house; extracting needs none of them
    from rag_assets.offline.parts import Complete


@dataclass(frozen=True, slots=True, order=True)
class _Relation:
    """A relation by the keys of its ends, oriented; `problem` is the reason why it is rejected."""

    source: str
    type: str
    target: str
    problem: str


@dataclass(frozen=True, slots=True, order=True)
class _Statement:
    """A statement by the keys of its entities; `object` is a key or a literal."""

    subject: str
    predicate: str
    object: str
    is_entity: bool
    type: str
    modality: str
    polarity: str


@dataclass(frozen=True, slots=True)
class _Passage:
    """A place that says so."""

    quote: str
    confidence: float
    chunk_id: int


_Place = tuple[int, int]


@dataclass(slots=True)
class _Found:
    """What the chunks of a version say, with the overlap of chunks counted once."""

    ontology: Ontology
    relations: dict[_Relation, dict[_Place, _Passage]] = field(default_factory=dict)
    statements: dict[_Statement, dict[_Place, _Passage]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, chunk: ChunkText, extraction: Extraction) -> None:
        admitted = admit(extraction, chunk.text, chunk.start, self.ontology)
        for relation in admitted.relations:
            oriented = self._orient(relation, admitted.names)
            _add(self.relations.setdefault(oriented, {}), relation, chunk.id)
        for said in admitted.statements:
            statement = _Statement(
                subject=admitted.names[said.subject].key,
                predicate=one_line(said.predicate),
                object=(
                    one_line(said.object_literal or "")
                    if said.object_entity is None
                    else admitted.names[said.object_entity].key
                ),
                is_entity=said.object_entity is not None,
                type=said.statement_type,
                modality=said.modality,
                polarity=said.polarity,
            )
            _add(self.statements.setdefault(statement, {}), said, chunk.id)

    def _orient(self, relation: RelationFound, names: Mapping[str, Named]) -> _Relation:
        source, target = names[relation.source], names[relation.target]
        oriented = orient(self.ontology, relation.type, source.class_name, target.class_name)
        if oriented.orientation is Orientation.TURNED:
            self.counts["turned"] += 1
            source, target = target, source
        rejected = oriented.orientation is Orientation.REJECTED
        return _Relation(source.key, relation.type, target.key, (oriented.reason or "") if rejected else "")

    def keys(self) -> set[str]:
        """Keys of all entities concerned."""
        ends = {key for relation in self.relations for key in (relation.source, relation.target)}
        subjects = {statement.subject for statement in self.statements}
        return ends | subjects | {statement.object for statement in self.statements if statement.is_entity}

    def data_version(self, quarantined: Iterable[str]) -> str:
        """Hash of what is said, where and how surely; the same for the same extractions, whatever the ids."""
        rows: list[list[object]] = []
        for relation, places in sorted(self.relations.items(), key=lambda item: item[0]):
            what = ["relation", relation.source, relation.type, relation.target, relation.problem]
            rows += [[*what, *place, p.quote, p.confidence] for place, p in sorted(places.items(), key=_by_place)]
        for said, places in sorted(self.statements.items(), key=lambda item: item[0]):
            what = ["statement", said.subject, said.predicate, said.object, str(said.is_entity)]
            what += [said.type, said.modality, said.polarity]
            rows += [[*what, *place, p.quote, p.confidence] for place, p in sorted(places.items(), key=_by_place)]
        rows += [["quarantined", request] for request in sorted(quarantined)]
        return digest(*(json.dumps(row, ensure_ascii=False) for row in rows))


def parameters(extractor: Extractor, ontology: Ontology) -> str:
    """What the result depends on besides the chunks: the ontology's rules decide directions and refusals."""
    return f"intake {INTAKE_VERSION}, {extractor.fingerprint}, ontology {ontology.revision}"


def extract_statements(
    *,
    database: Database,
    extractor: Extractor,
    ontology: Ontology,
    document_id: int,
    version_id: int,
    language: str,
    title: str,
    chunks: Sequence[ChunkRow],
    run_id: str | None,
    clock: Clock,
    complete: Complete,
    policy: CallPolicy | None = None,
) -> None:
    """Bring relations, statements and their evidence to what the extractions of a version say.

    Arguments and errors as for `entities.extract_entities`. A chunk that was quarantined there stays so here, without
    another call; one whose cached extraction is gone is extracted again.
    """
    read = extractions.read_chunks(chunks, extractor, title=title, language=language)
    obtained = extractions.obtain(
        database, extractor, read, version_id=version_id, clock=clock, run_id=run_id, policy=policy, retry_failed=False
    )
    found = _Found(ontology, counts=obtained.counts())
    for chunk, extraction in obtained.extractions:
        found.add(chunk, extraction)
    data_version = found.data_version(chunk.request_sha256 for chunk, _ in obtained.quarantined)

    def write(connection: Connection) -> None:
        activity = ActivityOnDemand(
            connection, "statements", extractor=extractor, version_id=version_id, run_id=run_id, clock=clock
        )
        complete(connection, data_version, _write(connection, found, version_id, activity, clock))

    in_write(database, write)


def _write(
    connection: Connection, found: _Found, version_id: int, activity: ActivityOnDemand, clock: Clock
) -> dict[str, int]:
    space = namespace(connection)
    refs = entity_store.by_key(connection, found.keys())
    counts = Counter(found.counts)
    relations = _relations(found, refs, space, counts)
    statements = _statements(found, refs, space, counts)
    relation_ids, new_relations = store.ensure_relations(
        connection, space, [row for row, _ in relations.values()], at=clock()
    )
    statement_ids, new_statements = store.ensure_statements(
        connection, space, [row for row, _ in statements.values()], at=clock()
    )
    counted = [
        sync_evidence(
            connection,
            owner,
            version_id,
            {
                (ids[uid], *place): {"quote": p.quote, "chunk_id": p.chunk_id, "confidence": p.confidence}
                for uid, (_, places) in rows.items()
                for place, p in places.items()
            },
            activity=activity,
        )
        for owner, ids, rows in (
            ("relation", relation_ids, relations),
            ("statement", statement_ids, statements),
        )
    ]
    born = [("relation", uid, Kind.FACT, status) for uid, status in new_relations.items()]
    born += [("statement", uid, Kind.FACT, status) for uid, status in new_statements.items()]
    audit_births(connection, born, activity, clock)
    more = {
        "relations": sum(row.status != FactStatus.REJECTED for row, _ in relations.values()),
        "rejected": sum(row.status == FactStatus.REJECTED for row, _ in relations.values()),
        "merge_proposals": sum(row.type == SYNONYM_OF for row, _ in relations.values()),
        "statements": len(statements),
        "new_relations": len(new_relations),
        "new_statements": len(new_statements),
        "turned": 0,
    }
    return report_counts(counts, more, *counted)


SYNONYM_OF = "SYNONYM_OF"


def _relations(
    found: _Found, refs: Mapping[str, EntityRef], space: UUID, counts: Counter[str]
) -> dict[str, tuple[NewRelation, dict[_Place, _Passage]]]:
    rows: dict[str, tuple[NewRelation, dict[_Place, _Passage]]] = {}
    # Sound before rejected: where two chunks judge differently, the relation is proposed.
    for relation, places in sorted(found.relations.items(), key=lambda item: (item[0].problem, item[0])):
        source, target = refs.get(relation.source), refs.get(relation.target)
        if source is None or target is None or source.id == target.id:
            counts["refused.relation.unknown_entity"] += 1
            continue
        kind = found.ontology.find_relation_type(relation.type)
        if kind is not None and kind.symmetric and target.uid < source.uid:
            source, target = target, source
        best = _best(places)
        row = NewRelation(
            source=source,
            type=relation.type,
            target=target,
            confidence=best.confidence,
            status=(FactStatus.REJECTED if relation.problem else FactStatus.PROPOSED).value,
            rejection_reason=relation.problem or None,
            chunk_id=best.chunk_id,
        )
        known = rows.get(row.uid(space))
        if known is None:
            rows[row.uid(space)] = (row, dict(places))
        else:
            known[1].update({place: passage for place, passage in places.items() if place not in known[1]})
    return rows


def _statements(
    found: _Found, refs: Mapping[str, EntityRef], space: UUID, counts: Counter[str]
) -> dict[str, tuple[NewStatement, dict[_Place, _Passage]]]:
    rows: dict[str, tuple[NewStatement, dict[_Place, _Passage]]] = {}
    for said, places in sorted(found.statements.items(), key=lambda item: item[0]):
        subject = refs.get(said.subject)
        target = refs.get(said.object) if said.is_entity else None
        if subject is None or (said.is_entity and (target is None or target.id == subject.id)):
            counts["refused.statement.unknown_entity"] += 1
            continue
        best = _best(places)
        row = NewStatement(
            subject=subject,
            predicate=said.predicate,
            object_entity=target,
            object_literal=None if said.is_entity else said.object,
            statement_type=said.type,
            modality=said.modality,
            polarity=said.polarity,
            confidence=best.confidence,
            status=FactStatus.PROPOSED.value,
            chunk_id=best.chunk_id,
        )
        known = rows.setdefault(row.uid(space), (row, {}))
        known[1].update({place: passage for place, passage in places.items() if place not in known[1]})
    return rows


def _add(places: dict[_Place, _Passage], fact: RelationFound | StatementFound, chunk_id: int) -> None:
    place = (fact.start, fact.end)
    known = places.get(place)
    if known is None:
        places[place] = _Passage(fact.quote, fact.confidence, chunk_id)
    elif fact.confidence > known.confidence:
        places[place] = _Passage(fact.quote, fact.confidence, known.chunk_id)


def _best(places: Mapping[_Place, _Passage]) -> _Passage:
    return min(places.items(), key=lambda item: (-item[1].confidence, item[0]))[1]


def _by_place(item: tuple[_Place, _Passage]) -> _Place:
    return item[0]
