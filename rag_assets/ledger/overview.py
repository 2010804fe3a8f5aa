"""How far everything is, for people: what `rag status` shows. Reads only.

What still has to be done is planned in `stages`; how good it is is measured in `evaluation`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from rag_assets.knowledge.lifecycle import ChunkStatus, DocumentStatus, EntityStatus, FactStatus
from rag_assets.ledger import stages, versions
from rag_assets.ledger.stages import StageRow
from rag_assets.stores.schema.derivatives import Chunk
from rag_assets.stores.schema.knowledge import Entity, Relation, Statement
from rag_assets.stores.schema.sources import Document, DocumentVersion, SkippedFile


@dataclass(frozen=True, slots=True)
class DocumentState:
    """One document that is there. `stages` is by stage; what has not begun is missing."""

    uid: str
    source_path: str
    source: str
    collection: str
    title: str | None
    status: str
    error_code: str | None
    stages: Mapping[str, str]
    stage_errors: Mapping[str, str]
    bytes: int | None
    """Size of the file when it was last seen."""
    pages: int | None
    needs_ocr_pages: int
    chunks: int
    warnings: tuple[str, ...]
    answers_from_older_version: bool
    """The present content could not be brought to the end; answers still come from the content before it."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The whole base. `version` is None before the first knowledge version; `counts` holds rows that live."""

    version: str | None
    counts: Mapping[str, int]
    documents: tuple[DocumentState, ...]
    skipped: tuple[tuple[str, str], ...]
    """(source path, reason) of files that are no documents."""


def overview(connection: Connection, *, sources: Sequence[str] | None = None) -> Overview:
    """Everything that `rag status` says; `sources` narrows documents and skipped files to these sources."""
    documents = _documents(connection, sources)
    version = versions.latest(connection)
    return Overview(
        version=None if version is None else str(version),
        counts=_counts(connection, documents),
        documents=documents,
        skipped=_skipped(connection, sources),
    )


def failed_documents(connection: Connection, *, sources: Sequence[str] | None = None) -> tuple[tuple[str, str], ...]:
    """(source path, error code) of the documents that are there and in error."""
    query = select(Document.source_path, Document.error_code).where(
        Document.removed_at.is_(None), Document.status == DocumentStatus.ERROR.value
    )
    if sources is not None:
        query = query.where(Document.source.in_(list(sources)))
    return tuple(sorted((path, code or "internal") for path, code in connection.execute(query)))


def _documents(connection: Connection, sources: Sequence[str] | None) -> tuple[DocumentState, ...]:
    query = select(Document.__table__).where(Document.removed_at.is_(None))
    if sources is not None:
        query = query.where(Document.source.in_(list(sources)))
    rows = stages.all_rows(connection)
    versions_of = _versions(connection)
    chunks = _chunks(connection)
    states = []
    for row in connection.execute(query):
        seen = versions_of.get((row.id, row.seen_sha256))
        present = seen if seen is not None else versions_of.get((row.id, row.current_version_id))
        states.append(_state(row, present, rows.get(present.id, {}) if present is not None else {}, chunks))
    return tuple(sorted(states, key=lambda state: state.source_path))


def _state(
    row: Row[Any],
    version: Row[Any] | None,
    done: Mapping[str, StageRow],
    chunks: Mapping[int, int],
) -> DocumentState:
    return DocumentState(
        uid=row.uid,
        source_path=row.source_path,
        source=row.source,
        collection=row.collection,
        title=row.title,
        status=row.status,
        error_code=row.error_code,
        stages={stage: done[stage].status for stage in stages.STAGES if stage in done},
        stage_errors={stage: code for stage, stored in done.items() if (code := stored.error_code) is not None},
        bytes=row.seen_size,
        pages=version.page_count if version is not None else None,
        needs_ocr_pages=version.needs_ocr_pages if version is not None else 0,
        chunks=chunks.get(version.id, 0) if version is not None else 0,
        warnings=tuple(json.loads(version.warnings or "[]")) if version is not None else (),
        answers_from_older_version=(
            row.current_version_id is not None and (version is None or version.id != row.current_version_id)
        ),
    )


def _versions(connection: Connection) -> dict[tuple[int, object], Row[Any]]:
    """Versions by document and content, and by document and id."""
    query = select(
        DocumentVersion.id,
        DocumentVersion.document_id,
        DocumentVersion.sha256,
        DocumentVersion.page_count,
        DocumentVersion.needs_ocr_pages,
        DocumentVersion.warnings,
    )
    found: dict[tuple[int, object], Any] = {}
    for row in connection.execute(query):
        found[row.document_id, row.sha256] = row
        found[row.document_id, row.id] = row
    return found


def _chunks(connection: Connection) -> dict[int, int]:
    query = (
        select(Chunk.document_version_id, func.count())
        .where(Chunk.status != ChunkStatus.DEPRECATED.value)
        .group_by(Chunk.document_version_id)
    )
    return {version_id: count for version_id, count in connection.execute(query)}


def _counts(connection: Connection, documents: Sequence[DocumentState]) -> dict[str, int]:
    counts = {"documents": len(documents)}
    counts |= {
        status.value: sum(document.status == status.value for document in documents) for status in DocumentStatus
    }
    counts["chunks"] = sum(document.chunks for document in documents)
    gone = (EntityStatus.DEPRECATED.value, EntityStatus.MERGED.value)
    living = (FactStatus.PROPOSED.value, FactStatus.VALIDATED.value)
    counts["entities"] = (
        connection.scalar(select(func.count()).select_from(Entity).where(Entity.status.not_in(gone))) or 0
    )
    for name, table in (("relations", Relation), ("statements", Statement)):
        counts[name] = connection.scalar(select(func.count()).select_from(table).where(table.status.in_(living))) or 0
    return counts


def _skipped(connection: Connection, sources: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    query = select(SkippedFile.source_path, SkippedFile.reason).order_by(SkippedFile.source_path)
    if sources is not None:
        query = query.where(SkippedFile.source.in_(list(sources)))
    return tuple((path, reason) for path, reason in connection.execute(query))
