"""What an installation knows, comparable with another one of the same namespace: rows without what is only a number.

Every table is read past the code under test. A reference becomes the uid (or else the content) of the row that it
points to, a moment becomes whether there is one. Left out is what tells how something came to be, and how often.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from dagster import AssetKey
from sqlalchemy import Connection, create_engine, inspect, text

from rag_assets.app import open_app
from rag_assets.config import Settings, load_settings
from rag_assets.ledger import audit, invariants, stage_events, stages
from rag_assets.orchestration.instance import open_instance, prepare_home
from rag_assets.stores import migrate
from rag_assets.stores.database import Database
from rag_assets.stores.schema import Base
from rag_assets.stores.schema.base import UtcDateTime
from rag_assets_tests.system.installation import PROJECT, Installation

Rows = dict[str, Counter[Any]]

# What was done and by whom, what it cost, and over which versions it came to be; a killed run leaves more of it.
_HISTORY = {
    "activities",
    "alembic_version",
    "audit_log",
    "audit_seals",
    "knowledge_versions",
    "model_calls",
    "prompts",  # kept when a question is asked
    "work_done",  # of these tests
}
_NO_KNOWLEDGE = {
    "activity_id",
    "seal_id",
    "audit_seal_id",
    # of the file system
    "seen_mtime_ns",
    "seen_inode",
    # of Dagster, and of the process that worked
    "event",
    "owner",
    # how much was embedded anew: what was paid for before a kill is taken again
    "counts",
    # how often the index was written
    "generation",
}
# Names and classes that held for a time are kept for ever: what they once were tells how the base came to be.
_HELD_ONCE: dict[str, tuple[str, Any]] = {
    "entity_synonyms": ("status", "deprecated"),
    "entity_classifications": ("confidence", 0),
}
_VERSION_IN_FORCE = (
    "SELECT content_hash, structure_hash, pipeline_hash FROM knowledge_versions ORDER BY id DESC LIMIT 1"
)
_OPEN_STAGES = (
    "SELECT s.stage, s.status, s.owner FROM document_stages s"
    " LEFT JOIN documents d ON d.current_version_id = s.document_version_id AND d.removed_at IS NULL"
    " WHERE s.owner IS NOT NULL OR (d.id IS NOT NULL AND s.status <> 'done')"
)
_TWICE = "SELECT version, stage, of, count(*) FROM work_done GROUP BY version, stage, of HAVING count(*) > 1"
# References that are no foreign keys, because the index outlives what it points to.
_LOOSE = {("vector_points", "chunk_id"): "chunks", ("vector_points", "document_id"): "documents"}


@dataclass(frozen=True)
class _Table:
    keys: dict[Any, Any]
    """Primary key → what names the row."""
    rows: Counter[Any]


def knowledge(installation: Installation) -> Rows:
    """The rows of every table that holds knowledge, as a bag."""
    engine = create_engine(installation.url)
    with engine.connect() as connection:
        names = set(inspect(connection).get_table_names()) - _HISTORY
        names = {name for name in names if not name.startswith("chat_")}
        loaded: dict[str, _Table] = {}
        for name in sorted(names):
            _load(connection, name, loaded)
        in_force = connection.execute(text(_VERSION_IN_FORCE)).one()
    engine.dispose()
    return {**{name: loaded[name].rows for name in sorted(names)}, "version in force": Counter([tuple(in_force)])}


def _load(connection: Connection, name: str, loaded: dict[str, _Table]) -> _Table:
    if name in loaded:
        return loaded[name]
    table = Base.metadata.tables[name]
    (primary,) = table.primary_key.columns
    targets = {key.parent.name: key.column.table.name for key in table.foreign_keys}
    targets |= {column: target for (of, column), target in _LOOSE.items() if of == name}
    kept = [column for column in table.columns if column.name not in _NO_KNOWLEDGE and column.name != "id"]
    # Documents and their versions point to each other, and sections to sections: the first have uids, of the last it is
    # only told whether there is one above.
    named_by = "uid" if "uid" in table.columns else None
    stored = connection.execute(text(f"SELECT * FROM {name}")).mappings().all()
    if named_by is not None:
        loaded[name] = _Table({row[primary.name]: row[named_by] for row in stored}, Counter())
    keys: dict[Any, Any] = {}
    rows: Counter[Any] = Counter()
    for row in stored:
        values: list[tuple[str, Any]] = []
        for column in kept:
            value = row[column.name]
            target = targets.get(column.name)
            if value is None:
                values.append((column.name, None))
            elif isinstance(column.type, UtcDateTime) or (target == name and named_by is None):
                values.append((column.name, "set"))
            elif target is not None:
                values.append((column.name, _load(connection, target, loaded).keys[value]))
            else:
                # SQLite gives a date as its text.
                values.append((column.name, str(value) if isinstance(value, date) else value))
        content = tuple(values)
        if name in _HELD_ONCE and row[_HELD_ONCE[name][0]] == _HELD_ONCE[name][1]:
            continue
        keys[row[primary.name]] = row[named_by] if named_by is not None else content
        rows[content] += 1
    loaded[name] = _Table(keys, rows)
    return loaded[name]


def differences(wanted: Rows, found: Rows) -> dict[str, tuple[list[Any], list[Any]]]:
    """By table: rows that are missing, rows too many."""
    return {
        name: (list((wanted[name] - found[name]).elements()), list((found[name] - wanted[name]).elements()))
        for name in wanted.keys() | found.keys()
        if wanted.get(name) != found.get(name)
    }


def set_up(installation: Installation, *, namespace: UUID | None = None) -> None:
    """Make the databases of an empty home, with uids that can be compared with those of another home."""
    database = Database(installation.url)
    migrate.upgrade(database, namespace=namespace)
    database.close()
    note_work(installation)
    prepare_home(settings_of(installation))


def note_work(installation: Installation) -> None:
    """From now on keep each time that a stage is done, inside the transaction that says so."""
    engine = create_engine(installation.url)
    with engine.begin() as connection:
        connection.execute(
            text("CREATE TABLE IF NOT EXISTS work_done (version INTEGER, stage VARCHAR(40), of CHAR(64))")
        )
        done = "NEW.status = 'done' AND OLD.status <> 'done'"
        insert = "INSERT INTO work_done VALUES (NEW.document_version_id, NEW.stage, NEW.fingerprint);"
        body = f"WHEN {done} BEGIN {insert} END" if engine.name == "sqlite" else f"IF {done} THEN {insert} END IF"
        connection.execute(text(f"CREATE TRIGGER note_work AFTER UPDATE ON document_stages FOR EACH ROW {body}"))
    engine.dispose()


def settings_of(installation: Installation) -> Settings:
    """The settings under which `rag` runs there."""
    return load_settings(
        home=installation.home,
        database_url=installation.database_url,
        sources=installation.folder / "sources.yaml",
        ontology=PROJECT / "ontology.yaml",
        embedding=installation.embedding,
    )


def work_reported(installation: Installation) -> Counter[tuple[str, str | None, str]]:
    """How often Dagster was told that a stage of a document was done: by stage, key and version of the result."""
    counted: Counter[tuple[str, str | None, str]] = Counter()
    with open_instance(settings_of(installation)) as dagster:
        for stage in stages.STAGES:
            for record in dagster.fetch_materializations(AssetKey(stage), limit=1000).records:
                event = record.asset_materialization
                assert event is not None
                assert event.tags is not None
                if "outcome" in event.metadata and event.metadata["outcome"].value == "done":
                    counted[stage, event.partition, event.tags["dagster/data_version"]] += 1
    return counted


def assert_in_order(installation: Installation) -> None:
    """All is done, and once; the invariants hold, the audit verifies; Dagster knows it all and has no open run."""
    settings = settings_of(installation)
    with open_app(settings) as app, app.database.read() as connection:
        found = invariants.check_all(connection, app.ontology, app.index)
        violations = {name: violations for name, violations in found.items() if violations}
        assert violations == {}, violations
        assert audit.verify(connection) == []
        assert stage_events.without_event(connection) == []
        open_stages = connection.execute(text(_OPEN_STAGES)).all()
        assert open_stages == [], open_stages
        if inspect(connection).has_table("work_done"):
            twice = connection.execute(text(_TWICE)).all()
            assert twice == [], f"done twice: {twice}"
    with open_instance(settings) as dagster:
        open_runs = [run.status for run in dagster.get_runs() if not run.is_finished]
    assert open_runs == [], open_runs
    said = installation.logs()
    assert "locked" not in said, said
    assert "Traceback" not in said, said
