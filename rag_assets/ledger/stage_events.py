"""Which finished stages Dagster was told of: the link from a stage's row to the event that reported it.

Work done in SQL whose event is missing (the process died in between, or Dagster's history was lost) gets one on the
next run; who writes the event is `orchestration.history`.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from rag_assets.knowledge.lifecycle import StageStatus
from rag_assets.ledger.stages import StageRow, row_of
from rag_assets.stores.schema.sources import Document, DocumentStage, DocumentVersion


def set_event(connection: Connection, version_id: int, stage: str, event: int) -> None:
    """Remember the Dagster event that reported the stage's work."""
    connection.execute(
        update(DocumentStage)
        .where(DocumentStage.document_version_id == version_id, DocumentStage.stage == stage)
        .values(event=event)
    )


def has_events(connection: Connection) -> bool:
    """Whether any work is known to have been reported to Dagster."""
    return connection.scalar(select(DocumentStage.id).where(DocumentStage.event.is_not(None)).limit(1)) is not None


def forget_events(connection: Connection) -> None:
    """All work counts as unreported again, as when Dagster's own history was lost."""
    connection.execute(update(DocumentStage).where(DocumentStage.event.is_not(None)).values(event=None))


def without_event(connection: Connection) -> list[tuple[str, int, StageRow]]:
    """Finished work that Dagster was not told of: (partition key, version id, row), for repair."""
    query = (
        select(Document.partition_key, DocumentStage.__table__)
        .join(DocumentVersion, DocumentVersion.id == DocumentStage.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_id)
        .where(
            DocumentStage.status == StageStatus.DONE.value,
            DocumentStage.event.is_(None),
            Document.removed_at.is_(None),
            Document.seen_sha256 == DocumentVersion.sha256,
        )
        .order_by(Document.id, DocumentStage.id)
    )
    return [(row.partition_key, row.document_version_id, row_of(row)) for row in connection.execute(query)]
