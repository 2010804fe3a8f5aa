"""The installation that a history is played on: brought up to date by the library or through Dagster, and looked at."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import text

from benchmarks.measuring import PROJECT
from rag_assets.app import App, open_app
from rag_assets.config import load_settings
from rag_assets.errors import RagError
from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger import decisions, invariants, stage_events, stages
from rag_assets.offline import pipeline
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.online.parts import Options
from rag_assets.online.retrieval import retrieve
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.worker import ReadingWorker
from rag_assets.stores import documents, installation, migrate
from rag_assets.stores.database import Database
from rag_assets.stores.schema import Base as Schema
from rag_assets_tests.campus import ONTOLOGY, NotationExtractor

Rows = dict[str, list[tuple[Any, ...]]]

_NOW_ALIVE = "d.current_version_id = {table}.document_version_id AND d.removed_at IS NULL"

# What lives must not depend on how it came to be: no numbers, no times, no paths.
_LIVING = {
    "chunks": "SELECT c.content_sha256, c.title_path FROM chunks c JOIN documents d"
    f" ON {_NOW_ALIVE.format(table='c')} WHERE c.status = 'embedded'",
    "entities": "SELECT uid, status, canonical_name FROM entities WHERE status IN ('normalized', 'validated')",
    "merges": "SELECT DISTINCT e.uid, s.uid FROM entities e JOIN entities s ON s.id = e.merged_into_id"
    " JOIN entity_mentions m ON m.entity_id = e.id AND m.superseded = 0"
    f" JOIN documents d ON {_NOW_ALIVE.format(table='m')}",
    "relations": "SELECT uid, status, confidence FROM relations WHERE status IN ('proposed', 'validated')",
    "statements": "SELECT uid, status, confidence, `rank` FROM statements WHERE status IN ('proposed', 'validated')",
    "properties": "SELECT uid, status, value FROM entity_properties WHERE status IN ('proposed', 'validated')",
    "synonyms": "SELECT e.uid, s.synonym, s.origin FROM entity_synonyms s JOIN entities e ON e.id = s.entity_id"
    " WHERE s.status = 'active'",
}


@dataclass(frozen=True, slots=True)
class Looked:
    """A document as the base has it."""

    uid: str
    status: str
    error_code: str | None
    sha256: str | None
    """Of the version that answers."""
    stages_done: int
    """Of that version."""


class Base:
    """One installation over one folder."""

    def __init__(self, app: App) -> None:
        self.app = app

    def by_library(self, *, backwards: bool = False) -> None:
        """Up to date without Dagster; one bad document does not stop the others."""
        self.app.scan()
        with self.app.database.read() as connection:
            planned = stages.plan(connection, pipeline.parameters(self.app.parts))
        for document in reversed(planned) if backwards else planned:
            for stage in document.stages:
                try:
                    pipeline.run_stage(self.app.parts, document.uid, stage)
                except RagError:
                    break
        pipeline.settle(self.app.parts)

    def through_dagster(self) -> None:
        """Up to date as `rag all` does it; Dagster knows of every stage that is done."""
        from rag_assets.orchestration.work import bring_up_to_date

        bring_up_to_date(self.app)
        with self.app.database.read() as connection:
            assert stage_events.without_event(connection) == []

    def documents(self) -> dict[str, Looked]:
        """What is there, by path below the folder."""
        with self.app.database.read() as connection:
            found = {}
            for row in documents.list_all(connection):
                version, sha, done = row.current_version_id, None, 0
                if version is not None:
                    sha = documents.get_version(connection, version).sha256
                    done = sum(stage.status == "done" for stage in stages.rows_of(connection, version).values())
                path = row.source_path.partition("/")[2]
                found[path] = Looked(row.uid, row.status, row.error_code, sha, done)
        return found

    def passages(self, word: str) -> list[str]:
        """The texts that a question with this word is answered from; nothing to answer from is no passage."""
        try:
            found = retrieve(word, self.app.answering, Options(lexical_weight=1.0, top_k=50))
        except RagError as error:
            if error.code != "nothing_to_answer_from":
                raise
            return []
        return [item.passage.chunk.content for item in found.ranked]

    def violations(self) -> dict[str, list[invariants.Violation]]:
        """The invariants that do not hold."""
        with self.app.database.read() as connection:
            found = invariants.check_all(connection, self.app.ontology, self.app.index)
        return {name: violations for name, violations in found.items() if violations}

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a SELECT, in order."""
        with self.app.database.read() as connection:
            return sorted(map(tuple, connection.execute(text(query))), key=repr)

    def dump(self) -> Rows:
        """Every row of every table, as the driver gives it."""
        with self.app.database.read() as connection:
            return {
                name: sorted(map(tuple, connection.exec_driver_sql(f"SELECT * FROM {name}")), key=repr)
                for name in Schema.metadata.tables
            }

    def living(self) -> Rows:
        """What lives, without anything that depends on how it came to be."""
        return {name: self.rows(query) for name, query in _LIVING.items()}

    def decide(self, subject: str, uid: str, decision: str, **payload: str) -> None:
        """A person decides; takes effect with the next reconcile."""
        with self.app.database.write() as connection:
            decisions.record(
                connection,
                subject_type=subject,
                subject_uid=uid,
                decision=decision,
                payload=payload,
                reviewer="Prüferin",
                at=datetime.now(UTC),
            )

    def namespace(self) -> UUID:
        """What uids are minted from."""
        with self.app.database.read() as connection:
            return installation.namespace(connection)


@cache
def tables(namespace: UUID) -> Path:
    """An SQLite database without rows, made once: a migration takes longer than a copy."""
    file = _scratch() / f"{namespace}.sqlite"
    database = Database(f"sqlite:///{file}")
    migrate.upgrade(database, namespace=namespace)
    database.close()
    return file


@contextmanager
def opened(place: Path, *, namespace: UUID, notation: bool, database_url: str = "") -> Iterator[Base]:
    """An installation in `place`/home over `place`/folder, with the embedder that needs no model.

    `notation`: facts are read from the notation of `campus`; else from German, by rules and the project's ontology.
    Documents are cut into many small chunks.
    """
    home, folder = place / "home", place / "folder"
    home.mkdir(parents=True)
    folder.mkdir(exist_ok=True)
    if not database_url:
        shutil.copyfile(tables(namespace), home / "rag.sqlite")
    settings = load_settings(
        home=home,
        database_url=database_url,
        ontology=PROJECT / "ontology.yaml",
        embedding="hashing",
        chunk_min_tokens=16,
        chunk_max_tokens=48,
        chunk_overlap_tokens=8,
        window_chars=200,
    )
    with open_app(
        settings,
        extractor=NotationExtractor() if notation else None,
        ontology=Ontology.from_mapping(ONTOLOGY) if notation else None,
        sources=(ad_hoc_source(folder, "documents"),),
        worker=_worker(),
    ) as app:
        yield Base(app)


@cache
def _worker() -> ReadingWorker:
    """One reading process for all histories: starting one takes longer than all that it reads in a history."""
    worker = ReadingWorker(ReadLimits())
    atexit.register(worker.close)
    return worker


@cache
def _scratch() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="histories-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
