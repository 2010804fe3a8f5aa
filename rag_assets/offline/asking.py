"""Extractions of many chunks by a language model: several calls at once, each chunk's failure its own.

A chunk that cannot be extracted gets a code. A service that fails for some chunks does not stop the others, so that what
can be had is had and kept; when it fails for several in a row it is taken to be away.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rag_assets.errors import ModelError, RagError
from rag_assets.ledger.model_calls import CallPolicy, Calls
from rag_assets.models.extraction.base import AskingExtractor, Extraction
from rag_assets.stores import response_cache
from rag_assets.stores.bulk import in_write
from rag_assets.stores.database import Connection, Database

if TYPE_CHECKING:
    from rag_assets.offline.extraction import ChunkText

_MOST_FAILURES: Final = 3
"""Failures of the service one after the other, after which nothing more is asked."""

_logger = logging.getLogger(__name__)


class Asking:
    """Extracts chunks of one document version through a model.

    Args:
        database: where replies, records and extractions are kept.
        extractor: the extractor.
        policy: prices, budgets and how many calls may be under way.
        label: how the extractor is recorded.
        version_id: the version whose chunks they are.
        run_id: what the budget of a run is counted over.
        clock: the present moment.
    """

    def __init__(
        self,
        database: Database,
        extractor: AskingExtractor,
        policy: CallPolicy,
        *,
        label: str,
        version_id: int,
        run_id: str | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._policy = policy
        self._label = label
        self._version_id = version_id
        self._clock = clock
        self._calls = Calls(
            database,
            extractor.model,
            policy,
            version_id=version_id,
            purpose="extraction",
            run_id=run_id or "none",
            clock=clock,
        )
        self._extractor = extractor.asking(self._calls.ask)
        self._lock = threading.Lock()
        self._failures: list[RagError] = []
        self._in_a_row = 0

    @property
    def counts(self) -> dict[str, int]:
        """See `Calls.counts`."""
        return dict(self._calls.counts)

    def extract(self, chunks: Sequence[ChunkText]) -> dict[str, Extraction | str]:
        """By request: the extraction, or the code that quarantines the chunk.

        Raises:
            RagError: the service or the budget failed for a chunk; everything else that could be had is kept, and
                running again asks for the rest.
        """
        with ThreadPoolExecutor(self._policy.concurrency, thread_name_prefix="extraction") as pool:
            made = dict(pool.map(self._one, chunks))
        if self._failures:
            raise self._failures[0]
        return {request: result for request, result in made.items() if result is not None}

    def _one(self, chunk: ChunkText) -> tuple[str, Extraction | str | None]:
        if self._in_a_row >= _MOST_FAILURES:
            return chunk.request_sha256, None
        try:
            extraction = self._extractor.extract(chunk.request)
        except RagError as error:
            if isinstance(error, ModelError) and not error.transient:
                return chunk.request_sha256, error.code
            with self._lock:
                self._failures.append(error)
                # A budget that is spent, or a key that is refused, is so for all.
                self._in_a_row += 1 if error.transient and error.code != "budget" else _MOST_FAILURES
            return chunk.request_sha256, None
        except Exception as error:  # noqa: BLE001 - one bad passage must never cost the document
            # The type alone: a message or a traceback might hold text of the document.
            _logger.warning("extraction of chunk %d failed with %s", chunk.id, type(error).__name__)
            return chunk.request_sha256, "internal"
        with self._lock:
            self._in_a_row = 0
        self._keep(chunk, extraction)
        return chunk.request_sha256, extraction

    def _keep(self, chunk: ChunkText, extraction: Extraction) -> None:
        def write(connection: Connection) -> None:
            response_cache.put(
                connection,
                {chunk.request_sha256: extraction.to_json()},
                version_id=self._version_id,
                extractor=self._label,
                at=self._clock(),
            )

        in_write(self._database, write)
