"""A small campus for tests of the way from extractions to the graph: documents, versions, chunks, and an extractor.

The extractor stands for a model outside: it reads a notation that makes every expectation plain to see. One line, one
fact; names between square brackets are mentions:

    [Carl Rogers|Person] kam zur Tagung.                mention
    [Carl Rogers|Person] =INFLUENCED=> [Marion|Person]  relation
    [Empathie|Konzept] :dauern: 3 Jahre                 statement with a literal
    [Empathie|Konzept] :umfassen: [Echtheit|Konzept]    statement with an entity; `:nicht umfassen:` denies it
    [Empathie|Konzept] .definition. das Einfühlen       property
    BROKEN                                              the chunk makes the model fail
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select, update

from rag_assets.errors import ModelError
from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger import decisions
from rag_assets.ledger.reconcile import ReconcileReport, reconcile
from rag_assets.models.extraction.base import (
    Extraction,
    ExtractionRequest,
    MentionFound,
    PropertyFound,
    RelationFound,
    StatementFound,
)
from rag_assets.offline.entities import extract_entities
from rag_assets.offline.statements import extract_statements
from rag_assets.stores import chunks as chunk_store
from rag_assets.stores.database import Database
from rag_assets.stores.migrate import upgrade
from rag_assets.stores.schema import Base
from rag_assets.stores.schema.derivatives import Chunk
from rag_assets.stores.schema.sources import Document, DocumentVersion

NAMESPACE = UUID("9d3b4f0e-0000-4000-8000-000000000001")

_NAME = r"\[([^|\]]+)\|([^\]>]+)(?:>([^\]]+))?\]"
_RELATION = re.compile(rf"^{_NAME} =([A-Z_]+)=> {_NAME}$")
_STATEMENT = re.compile(rf"^{_NAME} :(nicht )?([^:]+): (?:{_NAME}|(.+))$")
_PROPERTY = re.compile(rf"^{_NAME} \.([a-z]+)\. (.+)$")

ONTOLOGY: dict[str, Any] = {
    "version": 1,
    "classes": [
        {"name": "Person", "parent": None, "description": "Ein Mensch", "properties": []},
        {
            "name": "Konzept",
            "parent": None,
            "description": "Eine Idee",
            "properties": [{"name": "definition", "description": "Was es ist", "single_valued": False}],
        },
        {"name": "Modell", "parent": "Konzept", "description": "Ein Schema", "properties": []},
        {"name": "Methode", "parent": None, "description": "Ein Vorgehen", "properties": []},
        {"name": "Werk", "parent": None, "description": "Ein Buch", "properties": []},
    ],
    "taxonomy": [],
    "relation_types": [
        {
            "code": code,
            "label": label,
            "inverse_label": inverse,
            "symmetric": symmetric,
            "rules": [{"domain": domain, "range": range_} for domain, range_ in rules],
        }
        for code, label, inverse, symmetric, rules in (
            ("AUTHORED_BY", "verfasst von", "verfasste", False, [("Werk", "Person"), ("Methode", "Person")]),
            ("INFLUENCED", "beeinflusste", "beeinflusst von", False, [("Person", "Person"), ("Person", "Konzept")]),
            ("CONTRADICTS", "widerspricht", "widerspricht", True, [("Konzept", "Konzept")]),
            ("SYNONYM_OF", "ist", "ist", True, [("Person", "Person"), ("Konzept", "Konzept")]),
        )
    ],
    "synonyms": [{"name": "Gewaltfreie Kommunikation", "class": "Methode", "labels": ["GFK"]}],
    "single_valued_predicates": ["dauern"],
}


@dataclass(frozen=True)
class StageResult:
    """What a stage reported when it completed."""

    counts: dict[str, int]
    data_version: str


class NotationExtractor:
    """Reads the notation above. `calls` counts; `version` may be changed to see what another extractor would do."""

    name = "notation"

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.calls = 0
        self.blind_to: str | None = None

    @property
    def fingerprint(self) -> str:
        """The version is all that results depend on."""
        return f"notation-{self.version}"

    def extract(self, request: ExtractionRequest) -> Extraction:
        """Mentions, relations, statements and properties of the text's lines."""
        self.calls += 1
        text = request.text
        if "BROKEN" in text:
            raise ModelError("model_reply", "nothing to use")
        relations, statements, properties = [], [], []
        mentions = [
            MentionFound(
                surface=found[1],
                class_name=found[2],
                canonical=found[3],
                start=request.start + found.start(1),
                end=request.start + found.end(1),
                confidence=0.9,
            )
            for found in re.finditer(_NAME, text)
            if found[1] != self.blind_to
        ]
        place = request.start
        for line in text.split("\n"):
            span: dict[str, Any] = {"start": place, "end": place + len(line), "quote": line, "confidence": 0.8}
            if relation := _RELATION.match(line):
                relations.append(RelationFound(source=relation[1], target=relation[5], type=relation[4], **span))
            elif said := _STATEMENT.match(line):
                statements.append(
                    StatementFound(
                        subject=said[1],
                        predicate=said[5],
                        object_entity=said[6],
                        object_literal=said[9],
                        statement_type="factual_claim",
                        modality="assertive",
                        polarity="negated" if said[4] else "affirmed",
                        **span,
                    )
                )
            elif value := _PROPERTY.match(line):
                properties.append(PropertyFound(entity=value[1], property=value[4], value=value[5], **span))
            place += len(line) + 1
        return Extraction(
            mentions=tuple(mentions),
            relations=tuple(relations),
            statements=tuple(statements),
            properties=tuple(properties),
        )


@dataclass
class Campus:
    """A database with documents whose chunks are paragraphs; each method is one operation of the real system."""

    database: Database
    ontology: Ontology = field(default_factory=lambda: Ontology.from_mapping(ONTOLOGY))
    extractor: NotationExtractor = field(default_factory=NotationExtractor)
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    @classmethod
    def create(cls, url: str, *, namespace: UUID = NAMESPACE) -> Campus:
        """A campus on a fresh database."""
        database = Database(url)
        upgrade(database, namespace=namespace)
        return cls(database)

    def clock(self) -> datetime:
        """A moment later than the last one."""
        self.now += timedelta(milliseconds=1)
        return self.now

    def put(self, path: str, text: str) -> int:
        """Store a document's text as its current version and extract it; returns the version's id."""
        version_id = self.store(path, text)
        self.extract(version_id)
        return version_id

    def store(self, path: str, text: str) -> int:
        """Store the text as the current version, with its chunks (paragraphs), as the stages before would."""
        with self.database.write() as connection:
            document_id = self._document(connection, path)
            digest = sha256(text.encode()).hexdigest()
            version_id = connection.scalar(
                select(DocumentVersion.id).where(
                    DocumentVersion.document_id == document_id, DocumentVersion.sha256 == digest
                )
            )
            if version_id is None:
                version_id = self._version(connection, document_id, path, digest, text)
            connection.execute(
                update(Document)
                .where(Document.id == document_id)
                .values(current_version_id=version_id, removed_at=None)
            )
        return int(version_id)

    def extract(self, version_id: int) -> tuple[StageResult, StageResult]:
        """Both stages over a version."""
        return self.entities(version_id), self.statements(version_id)

    def entities(self, version_id: int) -> StageResult:
        """The stage `entities`."""
        return self._stage(extract_entities, version_id)

    def statements(self, version_id: int) -> StageResult:
        """The stage `statements`."""
        return self._stage(extract_statements, version_id)

    def version_ids(self) -> list[int]:
        """Ids of all versions, oldest first."""
        return [int(row[0]) for row in self.rows("document_versions", "id")]

    def chunk_ids(self, version_id: int) -> list[int]:
        """Ids of a version's chunks in order."""
        with self.database.read() as connection:
            return [row.id for row in chunk_store.of_version(connection, version_id)]

    def widen_chunk(self, version_id: int, *, ordinal: int, start: int) -> None:
        """Let a chunk begin earlier, so that it overlaps those before it."""
        with self.database.write() as connection:
            of_chunk = (Chunk.document_version_id == version_id, Chunk.ordinal == ordinal)
            end = connection.scalar(select(Chunk.char_end).where(*of_chunk))
            text = connection.scalar(select(DocumentVersion.text).where(DocumentVersion.id == version_id)) or ""
            connection.execute(update(Chunk).where(*of_chunk).values(char_start=start, content=text[start:end]))

    def remove(self, path: str) -> None:
        """The file is gone."""
        with self.database.write() as connection:
            connection.execute(update(Document).where(Document.source_path == path).values(removed_at=self.clock()))

    def reconcile(self, **options: Any) -> ReconcileReport:
        """Reconcile the whole base."""
        return reconcile(self.database, self.ontology, run_id="run", clock=self.clock, **options)

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The values of these columns (all, when none is named), sorted."""
        selected = Base.metadata.tables[table]
        picked = [selected.c[name] for name in columns] or list(selected.c)
        with self.database.read() as connection:
            return sorted((tuple(row) for row in connection.execute(select(*picked))), key=repr)

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table."""
        return {name: self.rows(name) for name in Base.metadata.tables}

    def statuses(self) -> dict[str, str]:
        """Entity key → status."""
        return {str(key): str(status) for key, status in self.rows("entities", "canonical_key", "status")}

    def uid(self, key: str) -> str:
        """Uid of the entity with this key."""
        return {str(k): str(u) for k, u in self.rows("entities", "canonical_key", "uid")}[key]

    def name(self, key: str) -> str:
        """Name of the entity with this key."""
        return {str(k): str(name) for k, name in self.rows("entities", "canonical_key", "canonical_name")}[key]

    def classes(self, key: str) -> dict[str, tuple[float, str, bool]]:
        """Class → (confidence, origin, primary) of the entity with this key."""
        names = {row[0]: str(row[1]) for row in self.rows("ontology_classes", "id", "name")}
        (entity,) = (row[0] for row in self.rows("entities", "id", "canonical_key") if row[1] == key)
        columns = ("entity_id", "ontology_class_id", "confidence", "origin", "is_primary")
        return {names[row[1]]: row[2:] for row in self.rows("entity_classifications", *columns) if row[0] == entity}

    def decide(self, subject_type: str, uid: str, decision: str, **payload: str) -> int:
        """A person decides; takes effect with the next reconcile."""
        with self.database.write() as connection:
            return decisions.record(
                connection,
                subject_type=subject_type,
                subject_uid=uid,
                decision=decision,
                payload=payload,
                reviewer="Prüferin",
                at=self.clock(),
            )

    def _stage(self, stage: Callable[..., None], version_id: int) -> StageResult:
        with self.database.read() as connection:
            rows = chunk_store.of_version(connection, version_id)
            document_id = connection.scalar(select(DocumentVersion.document_id).where(DocumentVersion.id == version_id))
        results: list[StageResult] = []
        stage(
            database=self.database,
            extractor=self.extractor,
            ontology=self.ontology,
            document_id=document_id,
            version_id=version_id,
            language="de",
            title="Titel",
            chunks=rows,
            run_id="run",
            clock=self.clock,
            complete=lambda _connection, data_version, counts: results.append(StageResult(dict(counts), data_version)),
        )
        return results[-1]

    def _document(self, connection: Connection, path: str) -> int:
        found = connection.scalar(select(Document.id).where(Document.source_path == path))
        if found is not None:
            return int(found)
        key = sha256(path.encode()).hexdigest()
        result = connection.execute(
            insert(Document).values(
                uid=str(UUID(key[:32])),
                source_path=path,
                source="campus",
                title=path,
                collection="documents",
                type="text",
                language="de",
                partition_key=key[:12],
                authority=0.5,
                half_life_years=5.0,
                audience="all",
                personal=False,
                local_only=False,
                status="done",
                created_at=self.clock(),
            )
        )
        return int((result.inserted_primary_key or (0,))[0])

    def _version(self, connection: Connection, document_id: int, path: str, digest: str, text: str) -> int:
        number = len(
            connection.execute(select(DocumentVersion.id).where(DocumentVersion.document_id == document_id)).all()
        )
        result = connection.execute(
            insert(DocumentVersion).values(
                uid=str(UUID(sha256(f"{path}{digest}".encode()).hexdigest()[:32])),
                document_id=document_id,
                number=number + 1,
                sha256=digest,
                byte_size=len(text),
                needs_ocr_pages=0,
                text=text,
                text_sha256=digest,
                created_at=self.clock(),
            )
        )
        version_id = int((result.inserted_primary_key or (0,))[0])
        start = 0
        for ordinal, paragraph in enumerate(text.split("\n\n")):
            connection.execute(
                insert(Chunk).values(
                    uid=str(UUID(sha256(f"{version_id}:{ordinal}".encode()).hexdigest()[:32])),
                    document_version_id=version_id,
                    ordinal=ordinal,
                    content=paragraph,
                    content_sha256=sha256(paragraph.encode()).hexdigest(),
                    title_path="Titel",
                    chunker="0" * 64,
                    char_start=start,
                    char_end=start + len(paragraph),
                    overlap=0,
                    token_count=1,
                    status="embedded",
                    indexed=True,
                )
            )
            start += len(paragraph) + 2
        return version_id
