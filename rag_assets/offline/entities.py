"""Entities of one document version: mentions, the entities they name, values of properties; from chunks to rows.

Which entities are one, what they are called and whether they live is decided over the whole base in
`ledger.reconcile`. Nothing here depends on what other documents say.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag_assets.knowledge.lifecycle import EntityStatus, FactStatus, Kind, check_transition
from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger import audit
from rag_assets.ledger.audit import MACHINE, AuditEntry
from rag_assets.ledger.fingerprints import digest
from rag_assets.ledger.model_calls import CallPolicy
from rag_assets.models.extraction.base import Extraction, Extractor, MentionFound, PropertyFound
from rag_assets.offline import extraction as extractions
from rag_assets.offline.extraction import ActivityOnDemand, ChunkText, Clock
from rag_assets.offline.intake import INTAKE_VERSION, admit, entity_key, entity_name, one_line
from rag_assets.stores import entities as store
from rag_assets.stores.bulk import in_write
from rag_assets.stores.chunks import ChunkRow
from rag_assets.stores.database import Connection, Database
from rag_assets.stores.entities import PropertyValue
from rag_assets.stores.installation import namespace
from rag_assets.stores.passages import PassageCounts, sync_evidence, sync_mentions

if TYPE_CHECKING:  # the parts of the whole house; extracting needs none of them
    from rag_assets.offline.parts import Complete


@dataclass(slots=True)
class _Found:
    """What the chunks of a version say, with the overlap of chunks counted once."""

    names: dict[str, str] = field(default_factory=dict)
    mentions: dict[tuple[str, int, int], tuple[MentionFound, int]] = field(default_factory=dict)
    properties: dict[tuple[str, str, str, int, int], tuple[PropertyFound, int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, chunk: ChunkText, extraction: Extraction, ontology: Ontology) -> None:
        admitted = admit(extraction, chunk.text, chunk.start, ontology)
        for mention in admitted.mentions:
            key = entity_key(mention)
            # The least spelling is the first name; reconcile knows the base and gives the one to show.
            self.names[key] = min(self.names.get(key, entity_name(mention)), entity_name(mention))
            place = (key, mention.start, mention.end)
            known = self.mentions.get(place)
            # A passage that two chunks share belongs to the first; the surer of two judgements counts.
            if known is None:
                self.mentions[place] = (mention, chunk.id)
            elif _rank(mention) < _rank(known[0]):
                self.mentions[place] = (mention, known[1])
        for found in admitted.properties:
            key = admitted.names[found.entity].key
            where = (key, found.property, one_line(found.value), found.start, found.end)
            said = self.properties.get(where)
            if said is None:
                self.properties[where] = (found, chunk.id)
            elif found.confidence > said[0].confidence:
                self.properties[where] = (found, said[1])
        self.counts.update({f"refused.{reason}": count for reason, count in admitted.refused.items()})

    def data_version(self, quarantined: Iterable[str]) -> str:
        """Hash of what is said, where and how surely; the same for the same extractions, whatever the ids."""
        rows = [
            ["mention", key, start, end, m.surface, m.class_name, m.confidence]
            for (key, start, end), (m, _) in sorted(self.mentions.items())
        ]
        rows += [["property", *where, p.quote, p.confidence] for where, (p, _) in sorted(self.properties.items())]
        rows += [["quarantined", request] for request in sorted(quarantined)]
        return digest(*(json.dumps(row, ensure_ascii=False) for row in rows))


def parameters(extractor: Extractor) -> str:
    """What the result depends on besides the chunks."""
    return f"intake {INTAKE_VERSION}, {extractor.fingerprint}"


def extract_entities(
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
    """Extract the chunks of a version and bring mentions, entities and property values to what they say.

    `complete` is called last inside the transaction that writes the result, with a hash of what the version says (no
    ids) and the counts; it is called again when the database undid that transaction because of a collision.

    Raises:
        RagError: a transient failure of the extractor; what was extracted before it is kept in the cache.
    """
    read = extractions.read_chunks(chunks, extractor, title=title, language=language)
    obtained = extractions.obtain(
        database, extractor, read, version_id=version_id, clock=clock, run_id=run_id, policy=policy
    )
    found = _Found(counts=obtained.counts())
    for chunk, extraction in obtained.extractions:
        found.add(chunk, extraction, ontology)
    data_version = found.data_version(chunk.request_sha256 for chunk, _ in obtained.quarantined)

    def write(connection: Connection) -> None:
        activity = ActivityOnDemand(
            connection, "entities", extractor=extractor, version_id=version_id, run_id=run_id, clock=clock
        )
        complete(connection, data_version, _write(connection, found, version_id, activity, clock))

    in_write(database, write)


def _write(
    connection: Connection, found: _Found, version_id: int, activity: ActivityOnDemand, clock: Clock
) -> dict[str, int]:
    space = namespace(connection)
    refs, minted = store.ensure(connection, space, found.names, at=clock())
    passages = sync_mentions(
        connection,
        version_id,
        {
            (refs[key].id, start, end): {
                "class_name": mention.class_name,
                "surface": mention.surface,
                "chunk_id": chunk_id,
                "confidence": mention.confidence,
            }
            for (key, start, end), (mention, chunk_id) in found.mentions.items()
        },
        activity=activity,
    )
    confidence: dict[PropertyValue, float] = {}
    for (key, name, value, _, _), (said, _) in found.properties.items():
        asserted = PropertyValue(refs[key], name, value)
        confidence[asserted] = max(confidence.get(asserted, 0.0), said.confidence)
    value_ids, added = store.ensure_properties(connection, space, confidence.keys(), confidence=confidence)
    evidence = sync_evidence(
        connection,
        "property",
        version_id,
        {
            (value_ids[PropertyValue(refs[key], name, value)], start, end): {
                "quote": said.quote,
                "chunk_id": chunk_id,
                "confidence": said.confidence,
            }
            for (key, name, value, start, end), (said, chunk_id) in found.properties.items()
        },
        activity=activity,
    )
    born = [("entity", ref.uid, Kind.ENTITY, EntityStatus.EXTRACTED.value) for ref in minted]
    born += [("property", uid, Kind.FACT, FactStatus.PROPOSED.value) for uid in added]
    audit_births(connection, born, activity, clock)
    return report_counts(
        found.counts,
        {
            "mentions": len(found.mentions),
            "entities": len(found.names),
            "new_entities": len(minted),
            "properties": len(confidence),
        },
        passages,
        evidence,
    )


def audit_births(
    connection: Connection, born: list[tuple[str, str, Kind, str]], activity: ActivityOnDemand, clock: Clock
) -> None:
    """Record newcomers: (subject type, uid, kind of life cycle, first status)."""
    if not born:
        return
    by = activity()
    entries = [
        AuditEntry(MACHINE, check_transition(kind, None, status) or "", subject, uid, None, status, by)
        for subject, uid, kind, status in born
    ]
    audit.record(connection, entries, at=clock())


def report_counts(counts: Counter[str], more: Mapping[str, int], *passages: PassageCounts) -> dict[str, int]:
    """The counts of a stage's report, sorted by name."""
    total = Counter(counts)
    total.update(more)
    for passage in passages:
        total.update({"added": passage.added, "changed": passage.changed})
        total.update({"revived": passage.revived, "superseded": passage.superseded})
    return dict(sorted(total.items()))


def _rank(mention: MentionFound) -> tuple[float, str, str]:
    return (-mention.confidence, mention.class_name, mention.canonical or "")
