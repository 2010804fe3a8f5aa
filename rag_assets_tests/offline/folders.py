"""A watched folder with its database, as tests of the scan use it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from rag_assets.offline.scan import ScanReport, scan
from rag_assets.offline.sources import Source, ad_hoc_source
from rag_assets.stores import documents, scanned
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Connection, Database
from rag_assets.stores.documents import DocumentRow
from rag_assets.stores.schema import Base
from rag_assets.stores.schema.governance import AuditLog

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def ticking() -> Callable[[], datetime]:
    """A clock of which every look is a second later."""
    seconds = itertools.count()
    return lambda: START + timedelta(seconds=next(seconds))


@dataclass
class Watched:
    """One source over `folder`."""

    database: Database
    folder: Path
    archive: Archive
    source: Source = field(init=False)
    clock: Callable[[], datetime] = field(default_factory=ticking)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.source = ad_hoc_source(self.folder, "documents")

    def write(self, path: str, text: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def scan(self, **options: Any) -> ScanReport:
        return scan(self.database, (self.source,), archive=self.archive, clock=self.clock, **options)

    def rows(self, *, removed: bool = False) -> dict[str, DocumentRow]:
        """Documents by their path below the folder."""
        with self.database.read() as connection:
            return self.rows_in(connection, removed=removed)

    def rows_in(self, connection: Connection, *, removed: bool = False) -> dict[str, DocumentRow]:
        """The same within a transaction."""
        found = documents.list_all(connection, include_removed=removed)
        return {row.source_path.removeprefix(self.source.name + "/"): row for row in found}

    def uids(self) -> dict[str, str]:
        return {path: row.uid for path, row in self.rows().items()}

    def skipped(self) -> dict[str, str]:
        with self.database.read() as connection:
            found = scanned.skipped_files(connection)
        return {path.removeprefix(self.source.name + "/"): reason for path, reason in found.items()}

    def dump(self, *names: str) -> dict[str, list[tuple[object, ...]]]:
        """Every row of every table, or of those named."""
        with self.database.read() as connection:
            return {
                name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
                for name, table in Base.metadata.tables.items()
                if not names or name in names
            }


NOTHING = {"added": (), "changed": (), "moved": (), "removed": (), "returned": (), "failed": ()}


def events(report: ScanReport) -> dict[str, tuple[object, ...]]:
    return {name: getattr(report, name) for name in NOTHING}


def happened(report: ScanReport) -> set[str]:
    return {name for name, found in events(report).items() if found}


def audit(database: Database) -> list[tuple[str, str, str | None, str | None]]:
    with database.read() as connection:
        query = select(AuditLog.action, AuditLog.subject_uid, AuditLog.from_state, AuditLog.to_state)
        return [(row[0], row[1], row[2], row[3]) for row in connection.execute(query.order_by(AuditLog.id))]
