"""The system under proof over a changing folder: brought up to date by the library or through Dagster, and looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import inspect, text

from benchmarks.homes import plan
from benchmarks.measuring import PROJECT
from rag_assets.app import App, open_app
from rag_assets.config import load_settings
from rag_assets.errors import RagError
from rag_assets.ledger import invariants, stage_events, stages
from rag_assets.offline import pipeline
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.orchestration.work import bring_up_to_date
from rag_assets.stores import documents, installation, migrate
from rag_assets.stores.database import Database
from rag_assets.stores.vectors.base import Query
from rag_assets.text.lexical import query_terms

COLLECTION = "documents"
Rows = dict[str, list[tuple[Any, ...]]]

# What lives must not depend on how it came to be: no numbers, no times, no paths.
_LIVING = {
    "chunks": "SELECT c.content_sha256, c.title_path FROM chunks c JOIN documents d"
    " ON d.current_version_id = c.document_version_id WHERE d.removed_at IS NULL AND c.status = 'embedded'",
    "entities": "SELECT uid, status, canonical_name FROM entities WHERE status IN ('normalized', 'validated')",
    "relations": "SELECT uid, status, confidence FROM relations WHERE status IN ('proposed', 'validated')",
    "statements": "SELECT uid, status, confidence FROM statements WHERE status IN ('proposed', 'validated')",
    "properties": "SELECT uid, status, value FROM entity_properties WHERE status IN ('proposed', 'validated')",
}


@dataclass(frozen=True, slots=True)
class Looked:
    """A document as the base has it."""

    uid: str
    status: str
    error_code: str | None
    sha256: str | None
    """Of the version that answers."""


class Base:
    """One installation over one folder."""

    def __init__(self, app: App) -> None:
        self.app = app

    def by_library(self) -> None:
        """Up to date without Dagster; one bad document does not stop the others."""
        self.app.scan()
        for document in plan(self.app):
            for stage in document.stages:
                try:
                    pipeline.run_stage(self.app.parts, document.uid, stage)
                except RagError:
                    break
        pipeline.settle(self.app.parts)

    def through_dagster(self) -> None:
        """Up to date as `rag all` does it; Dagster knows of every stage that is done."""
        bring_up_to_date(self.app)
        with self.app.database.read() as connection:
            assert stage_events.without_event(connection) == []

    def documents(self) -> dict[str, Looked]:
        """What is there, by path below the folder."""
        with self.app.database.read() as connection:
            rows = documents.list_all(connection)
            found = {}
            for row in rows:
                version = row.current_version_id
                sha = documents.get_version(connection, version).sha256 if version is not None else None
                path = row.source_path.partition("/")[2]
                found[path] = Looked(row.uid, row.status, row.error_code, sha)
        return found

    def stages_done(self, content: bytes) -> bool:
        """Whether a version of this content is through all stages."""
        query = text(
            "SELECT count(*) FROM document_stages s JOIN document_versions v ON v.id = s.document_version_id"
            " JOIN documents d ON d.current_version_id = v.id WHERE v.sha256 = :sha AND s.status = 'done'"
            " AND d.removed_at IS NULL"
        )
        with self.app.database.read() as connection:
            done = connection.scalar(query, {"sha": sha256(content).hexdigest()}) or 0
        return done > 0 and done % len(stages.STAGES) == 0

    def answers(self, word: str) -> bool:
        """Whether a window with this word is found."""
        terms = tuple(query_terms(word))
        assert len(terms) == 1
        return bool(self.app.index.search(COLLECTION, Query(terms=terms), limit=1))

    def ranks(self, question: str) -> list[tuple[float, float]]:
        """Cosine and lexical share of the best windows for a question; equal bases give equal ones."""
        query = Query(vector=self.app.embedder.embed_query(question), terms=tuple(query_terms(question)))
        hits = self.app.index.search(COLLECTION, query, limit=10)
        return [(round(hit.cosine, 5), round(hit.lexical, 5)) for hit in hits]

    def violations(self) -> dict[str, list[invariants.Violation]]:
        """The invariants that do not hold."""
        with self.app.database.read() as connection:
            found = invariants.check_all(connection, self.app.ontology, self.app.index)
        return {name: violations for name, violations in found.items() if violations}

    def dump(self) -> Rows:
        """Every row of every table."""
        with self.app.database.read() as connection:
            names = inspect(connection).get_table_names()
            return {
                name: sorted(map(tuple, connection.execute(text(f"SELECT * FROM {name}"))), key=repr) for name in names
            }

    def living(self) -> Rows:
        """What lives, without anything that depends on how it came to be."""
        with self.app.database.read() as connection:
            return {name: sorted(map(tuple, connection.execute(text(query)))) for name, query in _LIVING.items()}

    def namespace(self) -> UUID:
        """What uids are minted from."""
        with self.app.database.read() as connection:
            return installation.namespace(connection)


@contextmanager
def opened(home: Path, folder: Path, *, namespace: UUID | None = None) -> Iterator[Base]:
    """An installation in `home` over `folder`, with the embedder that needs no model."""
    settings = load_settings(home=home, ontology=PROJECT / "ontology.yaml", embedding="hashing")
    if namespace is not None:
        database = Database(settings.resolved_database_url)
        migrate.upgrade(database, namespace=namespace)
        database.close()
    with open_app(settings, sources=(ad_hoc_source(folder, COLLECTION),)) as app:
        yield Base(app)
