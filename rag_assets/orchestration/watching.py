"""What a run tells those who watch it. Uids, keys, codes and counts; no text, and no dagster here.

The command line shows it as progress; nobody watches a run of the daemon, where Dagster's own pages do.
"""

from __future__ import annotations

from collections.abc import Mapping

from rag_assets.errors import RagError
from rag_assets.offline.parts import StageReport


class Watcher:
    """Sees everything and shows nothing; those who want to show something override what they need."""

    error: BaseException | None = None
    """What broke a run off as a whole, as it was raised; Dagster is told its code or type only."""

    def broke_off(self, error: BaseException) -> None:
        """A run ends early, for another reason than a document."""
        self.error = error

    def planned(self, totals: Mapping[str, int], names: Mapping[str, str]) -> None:
        """What is going to be done: number of documents by stage, and source paths by uid."""

    def started(self, document_uid: str, stage: str) -> None:
        """A stage of a document begins."""

    def pieces(self, stage: str, document_uid: str, done: int, total: int, /) -> None:
        """A stage has come so far, in its own pieces."""

    def finished(self, report: StageReport) -> None:
        """A stage of a document is done, or was already."""

    def failed(self, document_uid: str, stage: str, error: RagError) -> None:
        """A stage of a document failed."""

    def out_of_reach(self, document_uid: str, stage: str) -> None:
        """A stage is not tried, because what comes before it failed."""

    def document_ended(self, document_uid: str) -> None:
        """Nothing more is done for this document in this run."""

    def settling(self) -> None:
        """All documents of the run are through; the whole base is brought in line."""

    def closed(self) -> None:
        """All runs are through."""
