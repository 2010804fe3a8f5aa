"""The extractions of a version's chunks: from the cache where the same request was made before, else made now.

A model is never called inside a transaction, and what was paid for is stored at once. One bad chunk is quarantined
with a code; the others go on. What is let in of a reply is decided in `intake`.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from rag_assets.errors import ModelError, RagError
from rag_assets.ledger.fingerprints import digest
from rag_assets.ledger.model_calls import CallPolicy
from rag_assets.models.extraction.base import AskingExtractor, Extraction, ExtractionRequest, Extractor
from rag_assets.offline.asking import Asking
from rag_assets.stores import activities, response_cache
from rag_assets.stores.activities import NewActivity, NewModelCall
from rag_assets.stores.bulk import in_write
from rag_assets.stores.chunks import ChunkRow
from rag_assets.stores.database import Connection, Database

# Results are stored once so much time went into them: a call to a model takes longer, so each is stored at once;
# rules take milliseconds, and a transaction for each chunk would cost more than they do.
_STORE_AFTER_MS: Final = 100

_logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as extraction needs it; `start` is its offset in the document."""

    id: int
    start: int
    text: str
    request: ExtractionRequest
    request_sha256: str


@dataclass(frozen=True, slots=True)
class Obtained:
    """Extractions of the chunks in order (offsets count from the chunk's beginning), and codes of those without."""

    extractions: tuple[tuple[ChunkText, Extraction], ...]
    quarantined: tuple[tuple[ChunkText, str], ...]
    calls: int
    cached: int
    spent: Mapping[str, int] = field(default_factory=dict)
    """Tokens and cost of a language model, see `ledger.model_calls`."""

    def counts(self) -> Counter[str]:
        """Counts for the stage's report; codes of quarantined chunks as `quarantined.<code>`."""
        counted = Counter({"chunks": len(self.extractions) + len(self.quarantined)})
        counted.update({"calls": self.calls, "cached": self.cached, "quarantined": len(self.quarantined)})
        counted.update(f"quarantined.{code}" for _, code in self.quarantined)
        counted.update(self.spent)
        return counted


def read_chunks(
    chunks: Iterable[ChunkRow], extractor: Extractor, *, title: str, language: str
) -> tuple[ChunkText, ...]:
    """The chunks in order, each with its request.

    A request holds no offset: a chunk that only moved in its document is the same request.
    """
    read = []
    for row in sorted(chunks, key=lambda row: row.ordinal):
        request = ExtractionRequest(
            text=row.content, start=0, title=title, title_path=row.title_path, language=language
        )
        asked = json.dumps(asdict(request), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        read.append(ChunkText(row.id, row.char_start, row.content, request, digest(extractor.fingerprint, asked)))
    return tuple(read)


def obtain(
    database: Database,
    extractor: Extractor,
    chunks: Sequence[ChunkText],
    *,
    version_id: int,
    clock: Clock,
    run_id: str | None = None,
    policy: CallPolicy | None = None,
    retry_failed: bool = True,
) -> Obtained:
    """The extraction of every chunk. With `retry_failed=False` a request whose last call failed is not made again.

    Raises:
        RagError: a transient failure (a server out of reach); what was made before it is stored.
    """
    hashes = {chunk.request_sha256 for chunk in chunks}
    with database.read() as connection:
        stored = response_cache.get_many(connection, hashes)
        failed = set() if retry_failed else _failed_before(connection, extractor, chunks, stored)
    extractions = {request: Extraction.from_json(response) for request, response in stored.items()}
    codes = dict.fromkeys(failed, "failed_before")
    if isinstance(extractor, AskingExtractor):
        missing = {chunk.request_sha256: chunk for chunk in chunks if chunk.request_sha256 not in stored.keys() | codes}
        asking = Asking(
            database,
            extractor,
            policy or CallPolicy(),
            label=label(extractor),
            version_id=version_id,
            run_id=run_id,
            clock=clock,
        )
        for request, result in asking.extract(tuple(missing.values())).items():
            if isinstance(result, Extraction):
                extractions[request] = result
            else:
                codes[request] = result
        return _obtained(chunks, extractions, codes, len(stored), asking.counts)
    ledger = _Ledger(database, extractor, version_id, clock)
    try:
        for chunk in chunks:
            request = chunk.request_sha256
            if request not in extractions and request not in codes:
                result = ledger.extract(chunk)
                if isinstance(result, Extraction):
                    extractions[request] = result
                else:
                    codes[request] = result
    finally:
        ledger.store()
    return _obtained(chunks, extractions, codes, len(stored), {"calls": ledger.calls})


def _obtained(
    chunks: Sequence[ChunkText],
    extractions: Mapping[str, Extraction],
    codes: Mapping[str, str],
    cached: int,
    spent: Mapping[str, int],
) -> Obtained:
    return Obtained(
        extractions=tuple((c, extractions[c.request_sha256]) for c in chunks if c.request_sha256 in extractions),
        quarantined=tuple((c, codes[c.request_sha256]) for c in chunks if c.request_sha256 in codes),
        calls=spent.get("calls", 0),
        cached=cached,
        spent={name: count for name, count in spent.items() if name != "calls"},
    )


def _failed_before(
    connection: Connection, extractor: Extractor, chunks: Sequence[ChunkText], stored: Mapping[str, str]
) -> set[str]:
    """Requests that were made and gave no extraction."""
    made = {chunk.request_sha256: chunk.request_sha256 for chunk in chunks if chunk.request_sha256 not in stored}
    if isinstance(extractor, AskingExtractor):
        asked = extractor.model.fingerprint
        made = {
            c.request_sha256: extractor.first_request(c.request).sha256(asked)
            for c in chunks
            if c.request_sha256 in made
        }
    outcomes = activities.last_outcomes(connection, set(made.values()))
    return {request for request, call in made.items() if outcomes.get(call, "ok") != "ok"}


class _Ledger:
    """Calls the extractor and keeps what came of it, a little at a time."""

    def __init__(self, database: Database, extractor: Extractor, version_id: int, clock: Clock) -> None:
        self._database = database
        self._extractor = extractor
        self._version_id = version_id
        self._clock = clock
        self._responses: dict[str, str] = {}
        self._calls: list[NewModelCall] = []
        self._spent_ms = 0
        self.calls = 0

    def extract(self, chunk: ChunkText) -> Extraction | str:
        """The extraction, or the code of the failure that quarantines the chunk."""
        began = self._clock()
        self.calls += 1
        try:
            extraction = self._extractor.extract(chunk.request)
        except ModelError as error:
            if error.transient:
                self._note(chunk, began, "error")
                raise
            self._note(chunk, began, "invalid_output")
            return error.code
        except RagError:
            self._note(chunk, began, "error")
            raise
        except Exception as error:  # noqa: BLE001 - one bad passage must never cost the document
            # The type alone: a message or a traceback might hold text of the document.
            _logger.warning("extraction of chunk %d failed with %s", chunk.id, type(error).__name__)
            self._note(chunk, began, "error")
            return "internal"
        self._responses[chunk.request_sha256] = extraction.to_json()
        self._note(chunk, began, "ok")
        return extraction

    def store(self) -> None:
        """Write what is not yet written."""
        responses, calls = dict(self._responses), tuple(self._calls)
        if not calls:
            return

        def write(connection: Connection) -> None:
            response_cache.put(
                connection,
                responses,
                version_id=self._version_id,
                extractor=label(self._extractor),
                at=calls[-1].created_at,
            )
            activities.add_calls(connection, calls)

        in_write(self._database, write)
        self._responses.clear()
        self._calls.clear()
        self._spent_ms = 0

    def _note(self, chunk: ChunkText, began: datetime, outcome: str) -> None:
        ended = self._clock()
        latency_ms = max(0, round((ended - began).total_seconds() * 1000))
        self._calls.append(
            NewModelCall(
                purpose="extraction",
                model=label(self._extractor),
                request_sha256=chunk.request_sha256,
                latency_ms=latency_ms,
                outcome=outcome,
                created_at=ended,
            )
        )
        self._spent_ms += latency_ms
        if self._spent_ms >= _STORE_AFTER_MS:
            self.store()


class ActivityOnDemand:
    """The activity behind what is written; no row is made when nothing is written."""

    def __init__(
        self,
        connection: Connection,
        kind: str,
        *,
        extractor: Extractor,
        version_id: int,
        run_id: str | None,
        clock: Clock,
    ) -> None:
        self._connection = connection
        self._activity = NewActivity(
            kind=kind,
            document_version_id=version_id,
            run_id=run_id,
            code_version=code_version(),
            agent="rag-assets",
            model=label(extractor),
            started_at=clock(),
            ended_at=None,
        )
        self._id: int | None = None

    def __call__(self) -> int:
        """Id of the activity, made at the first call."""
        if self._id is None:
            self._id = activities.add(self._connection, self._activity)
        return self._id


def label(extractor: Extractor) -> str:
    """Name and version of the extractor as they are recorded."""
    return f"{extractor.name} {extractor.version}"


@cache
def code_version() -> str:
    """Version of this package."""
    try:
        return version("rag-assets")
    except PackageNotFoundError:
        return "unknown"
