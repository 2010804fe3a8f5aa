"""One document through one stage, under a claim and with its end recorded; and what closes a run.

Here lives what all stages share: which version, what must come first, the fingerprint, the claim, the record of
success or failure, the document's status. What a stage does lives in the module of its name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from rag_assets.errors import DocumentError, RagError
from rag_assets.knowledge.lifecycle import DocumentStatus, StageStatus
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.placement import COLLECTIONS
from rag_assets.ledger import fingerprints, reconcile, stages
from rag_assets.ledger.model_calls import CallPolicy
from rag_assets.ledger.spaces import model_ref
from rag_assets.ledger.stages import UPSTREAM, Claim, StageRow
from rag_assets.models.extraction.base import Extractor
from rag_assets.offline import chunks, documents, embeddings, entities, statements
from rag_assets.offline.parts import Complete, Parts, Progress, StageReport, Target
from rag_assets.stores import chunks as chunk_store
from rag_assets.stores import documents as document_store
from rag_assets.stores import failures
from rag_assets.stores.chunks import ChunkRow
from rag_assets.stores.database import Connection, Database


def nobody_watches(stage: str, document_uid: str, done: int, total: int, /) -> None:
    """The progress callback when nobody watches."""


def parameters(parts: Parts) -> dict[str, str]:
    """For each stage, what its result depends on besides what comes from upstream.

    Where text that must not leave the house is extracted by other means, its stages stand apart, see `with_place`.
    """
    kept = parts.house_extractor
    apart = (
        {"entities.local": entities.parameters(kept), "statements.local": statements.parameters(kept, parts.ontology)}
        if kept
        else {}
    )
    return {
        **apart,
        "documents": documents.parameters(parts.vision),
        "chunks": chunks.parameters(parts.settings),
        "embeddings": embeddings.parameters(parts.embedder),
        "entities": entities.parameters(parts.extractor),
        "statements": statements.parameters(parts.extractor, parts.ontology),
    }


def run_stage(
    parts: Parts, document_uid: str, stage: str, *, run_id: str | None = None, progress: Progress = nobody_watches
) -> StageReport:
    """Bring one stage of one document up to date.

    Up to date already: nothing is written. Another process is at it: waits, then takes its result.

    Raises:
        DocumentError: the document cannot be worked on (the code says why; it is recorded), or `prerequisite`: the
            stage before has not been done for the present content.
        RagError: a model or a store failed; recorded likewise.
    """
    with parts.database.read() as connection:
        document = document_store.get(connection, document_uid)
    if document.removed_at is not None:
        raise DocumentError("vanished", document=document_uid)
    target, before = _target(parts, document, stage)
    own = fingerprints.with_place(
        parameters(parts), collection=document.collection, kind=document.type, local_only=document.local_only
    )
    expected = fingerprints.fingerprint(stage, before, own[stage])
    taken = stages.claim(parts.database, target.version.id, stage, expected, lease_s=parts.settings.lease_s)
    if isinstance(taken, StageRow):
        return _report(document_uid, taken, "skipped", expected)
    try:
        if stage == "documents":
            with parts.database.write() as connection:
                _move(parts, connection, document.id, DocumentStatus.PROCESSING, None)
        _work(parts, replace(target, fingerprint=expected), taken, run_id, progress)
    except RagError as error:
        _record_failure(parts, target, taken, error.code)
        raise
    except Exception as error:
        # The traceback stays with `from error` for --debug; the message that travels holds no text.
        meaning = failures.known(error) or DocumentError(
            "internal", type(error).__name__, document=document_uid, stage=stage
        )
        _record_failure(parts, target, taken, meaning.code)
        raise meaning from error
    except BaseException:
        # Ctrl-C, by whatever name: under Dagster it is no KeyboardInterrupt.
        with parts.database.write() as connection:
            stages.release(connection, taken)
        raise
    with parts.database.read() as connection:
        row = stages.rows_of(connection, target.version.id)[stage]
    return _report(document_uid, row, "done", expected)


def _target(parts: Parts, document: document_store.DocumentRow, stage: str) -> tuple[Target, str]:
    """The version to work on, and the data version of what comes before (the content's hash for the import)."""
    if stage == "documents":
        try:
            target = documents.take_in(parts, document)
        except RagError as error:
            with parts.database.write() as connection:
                _move(parts, connection, document.id, DocumentStatus.ERROR, error.code)
            raise
        return target, target.version.sha256
    upstream = UPSTREAM[stage]
    assert upstream is not None
    with parts.database.read() as connection:
        version = (
            document_store.version_by_sha(connection, document.id, document.seen_sha256)
            if document.seen_sha256
            else None
        )
        row = stages.rows_of(connection, version.id).get(upstream) if version is not None else None
    if version is None or row is None or row.status != StageStatus.DONE:
        raise DocumentError("prerequisite", document=document.uid, stage=stage, needs=upstream)
    return Target(document, version), row.data_version or ""


def _work(parts: Parts, target: Target, claim: Claim, run_id: str | None, progress: Progress) -> None:
    def complete(connection: Connection, data_version: str, counts: Mapping[str, int], /) -> None:
        stages.complete(connection, claim, data_version=data_version, counts=counts)
        _derive_status(parts, connection, target)

    progress = _keeping(parts, claim, progress)
    match claim.stage:
        case "documents":
            documents.read_document(parts, target, complete, progress)
        case "chunks":
            chunks.chunk_document(parts, target, complete)
        case "embeddings":
            embeddings.embed_document(parts, target, complete, progress)
        case "entities":
            _extract(parts, target, complete, run_id, entities.extract_entities)
        case "statements":
            _extract(parts, target, complete, run_id, statements.extract_statements)
        case other:
            raise ValueError(f"no such stage: {other}")


def _keeping(parts: Parts, claim: Claim, progress: Progress) -> Progress:
    """The progress callback, which also keeps the claim while there is progress: a long scan outlasts any lease."""
    renewed = time.monotonic()

    def report(stage: str, document_uid: str, done: int, total: int, /) -> None:
        nonlocal renewed
        if time.monotonic() - renewed > parts.settings.lease_s / 3:
            stages.renew(parts.database, claim, lease_s=parts.settings.lease_s)
            renewed = time.monotonic()
        progress(stage, document_uid, done, total)

    return report


def _extract(parts: Parts, target: Target, complete: Complete, run_id: str | None, work: ExtractionWork) -> None:
    with parts.database.read() as connection:
        rows = chunk_store.of_version(connection, target.version.id)
    work(
        database=parts.database,
        extractor=parts.extractor_for(local_only=target.document.local_only),
        ontology=parts.ontology,
        policy=parts.calls,
        document_id=target.document.id,
        version_id=target.version.id,
        language=target.version.language or "de",
        title=target.version.title or "",
        chunks=rows,
        run_id=run_id,
        clock=parts.clock,
        complete=complete,
    )


class ExtractionWork(Protocol):
    """What the stages `entities` and `statements` have in common."""

    def __call__(
        self,
        *,
        database: Database,
        extractor: Extractor,
        ontology: Ontology,
        document_id: int,
        version_id: int,
        language: str,
        title: str,
        chunks: Sequence[ChunkRow],
        run_id: str | None,
        clock: Callable[[], datetime],
        complete: Complete,
        policy: CallPolicy,
    ) -> None:
        """Work on the version's chunks and call `complete` last inside the transaction that stores the result."""
        ...


def _record_failure(parts: Parts, target: Target, claim: Claim, code: str) -> None:
    with parts.database.write() as connection:
        stages.fail(connection, claim, code)
        if claim.stage == "embeddings":
            chunk_store.finish_embedding(connection, target.version.id, failed=code)
        _derive_status(parts, connection, target)


def _derive_status(parts: Parts, connection: Connection, target: Target) -> None:
    """A document is in error when a stage of its present version is, else done as soon as it has been chunked."""
    rows = stages.rows_of(connection, target.version.id)
    failed = next((rows[stage] for stage in stages.STAGES if stage in rows and rows[stage].error_code), None)
    if failed is not None:
        _move(parts, connection, target.document.id, DocumentStatus.ERROR, failed.error_code)
    elif "chunks" in rows and rows["chunks"].status == StageStatus.DONE:
        _move(parts, connection, target.document.id, DocumentStatus.DONE, None)


def _move(
    parts: Parts, connection: Connection, document_id: int, status: DocumentStatus, error_code: str | None
) -> None:
    before = document_store.get_by_id(connection, document_id).status
    if before not in (DocumentStatus.PROCESSING, status):
        # A later stage was worked on after the document was done or in error already.
        document_store.set_status(connection, document_id, DocumentStatus.PROCESSING, None, now=parts.clock())
    document_store.set_status(connection, document_id, status, error_code, now=parts.clock())


def _report(document_uid: str, row: StageRow, outcome: str, expected: str) -> StageReport:
    return StageReport(
        document_uid, row.version_id, row.stage, outcome, expected, row.data_version or "", dict(row.counts)
    )


def check_model(parts: Parts) -> None:
    """Refuse to start when the index was built with another embedding model than the one set now.

    Raises:
        StoreError: `dimension_mismatch`, with the way out.
    """
    reference = model_ref(parts.embedder)
    for collection in COLLECTIONS:
        if parts.index.count(collection):
            parts.index.ensure(collection, reference)


@dataclass(frozen=True, slots=True)
class Settled:
    """What closing a run changed: all zero when nothing did."""

    swept: Mapping[str, int]
    reconciled: Mapping[str, int]
    version: str
    """The knowledge version that holds now, `content.structure.pipeline`."""

    @property
    def changed(self) -> bool:
        """Whether any row was written."""
        return any(self.swept.values()) or any(self.reconciled.values())


def settle(parts: Parts, *, run_id: str | None = None) -> Settled:
    """Close a run: drop what no longer answers, bring the whole base into agreement, seal a new version if it moved.

    Idempotent; safe after a crash anywhere, and the same whatever order the documents came in.
    """
    swept = embeddings.sweep(parts)
    report = reconcile.reconcile(
        parts.database, parts.ontology, pipeline=parameters(parts), run_id=run_id, clock=parts.clock
    )
    return Settled(swept, report.counts, report.version)
