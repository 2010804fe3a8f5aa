"""The parts that the offline stages work with, put together by `app.open_app`, and what stages take and give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from rag_assets.config import Settings
from rag_assets.knowledge.ontology import Ontology
from rag_assets.ledger.model_calls import CallPolicy
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.extraction.base import Extractor
from rag_assets.models.vision.base import Vision
from rag_assets.offline.sources import Source
from rag_assets.readers.worker import ReadingWorker
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Connection, Database
from rag_assets.stores.documents import DocumentRow, VersionRow
from rag_assets.stores.vectors.base import VectorIndex

Progress = Callable[[str, str, int, int], None]
"""Called with stage, document uid, pieces done and pieces in all; for people who watch, never with text."""


class Complete(Protocol):
    """Called by a stage as the last thing inside its transaction: marks it done, together with what it made."""

    def __call__(self, connection: Connection, data_version: str, counts: Mapping[str, int], /) -> None:
        """`data_version` is a hash of what was made; `counts` are shown to people."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """The version that a stage works on, and the fingerprint of the stage's inputs."""

    document: DocumentRow
    version: VersionRow
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a stage may need. Opening them is cheap; a model is loaded at its first use."""

    settings: Settings
    database: Database
    archive: Archive
    index: VectorIndex
    embedder: Embedder
    extractor: Extractor
    ontology: Ontology
    worker: ReadingWorker
    sources: tuple[Source, ...]
    clock: Callable[[], datetime]
    vision: Vision | None = None
    """What recognises text on pictures of pages, where there is something that can."""
    calls: CallPolicy = field(default_factory=CallPolicy)
    """What calls to the extractor's model may cost."""
    house_extractor: Extractor | None = None
    """Who extracts from text that must not leave the house; None when the extractor itself may."""

    def extractor_for(self, *, local_only: bool) -> Extractor:
        """The extractor for a document."""
        return self.house_extractor if local_only and self.house_extractor else self.extractor


@dataclass(frozen=True, slots=True)
class StageReport:
    """What became of one stage of one document: counts and hashes, never text."""

    document_uid: str
    version_id: int
    stage: str
    outcome: str
    """`done`, or `skipped` when it was up to date."""
    fingerprint: str
    data_version: str
    counts: Mapping[str, int]
