"""What a run tells those who watch it. Uids, keys, codes and counts; no text, and no dagster here.

The command line shows it as progress; nobody watches a run of the daemon, where Dagster's own pages do.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag_assets.errors import RagError
from rag_assets.offline.parts import StageReport


class Watcher:
    """Sees everything and shows nothing; those who want to show something override what they need."""

    def planned(self, documents: int, stages: Sequence[str]) -> None:
        """So many documents are worked on, through some of these stages."""

    def started(self, document_uid: str, stage: str) -> None:
        """A stage of a document begins."""

    def pieces(self, stage: str, document_uid: str, done: int, total: int, /) -> None:
        """A stage has come so far, in its own pieces."""

    def finished(self, report: StageReport) -> None:
        """A stage of a document is done, or was already."""

    def failed(self, document_uid: str, stage: str, error: RagError) -> None:
        """A stage of a document failed."""

    def document_ended(self, document_uid: str) -> None:
        """Nothing more is done for this document in this run."""

    def settling(self) -> None:
        """All documents of the run are through; the whole base is brought in line."""
