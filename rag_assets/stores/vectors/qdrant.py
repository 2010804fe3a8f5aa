"""The vector index on a Qdrant server; what a point looks like there stands in `qdrant_points`.

A collection of the project (`documents`) is an alias; behind it stands one Qdrant collection per model, so that another
model is built beside and swapped in. A point has the named vectors `dense` and `lexical` (sparse, weighted by Qdrant
with the inverse document frequency) and exactly the payload `chunk_id, document_id, language, type`: never text.

Qdrant ranks by one vector at a time. So both rankings are fetched, missing halves of the score are computed from stored
vectors, and more is fetched until nothing unseen can belong to the best: the result is as exact as the server's search.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from qdrant_client import QdrantClient, models

from rag_assets.stores.vectors.base import (
    LEXICAL_WEIGHT,
    Filter,
    Hit,
    ModelRef,
    Query,
    VectorPoint,
    inverse_frequency,
    reach,
    refuse_missing,
    refuse_other_dimension,
    refuse_other_model,
)
from rag_assets.stores.vectors.qdrant_points import (
    DENSE,
    LEXICAL,
    PAYLOAD,
    any_of,
    filter_of,
    halves,
    sparse_index,
    struct,
    translated,
)

TIMEOUT_S: Final = 30
_BATCH: Final = 256
_PAGE: Final = 1000
_FIRST_FETCH: Final = 64


def open_qdrant(url: str, api_key: str = "", *, timeout_s: int = TIMEOUT_S) -> QdrantIndex:
    """The index on the server at `url`; it is first asked when the index is first used."""
    client = QdrantClient(url=url, api_key=api_key or None, timeout=timeout_s, check_compatibility=False)
    return QdrantIndex(client)


@dataclass(frozen=True, slots=True)
class _Behind:
    """The Qdrant collection behind an alias, and the model it was made for."""

    name: str
    model: ModelRef


class QdrantIndex:
    """`VectorIndex` on a Qdrant client; `exact=False` lets the server use its approximate index (HNSW).

    >>> QdrantIndex(QdrantClient(":memory:")).count("documents")
    0
    """

    def __init__(self, client: QdrantClient, *, exact: bool = True) -> None:
        self._client = client
        self._exact = exact

    def ensure(self, collection: str, model: ModelRef) -> None:
        """See `VectorIndex`."""
        with translated():
            behind = self._behind(collection)
            if behind is None:
                self._point_alias(collection, self._make(collection, model), old=None)
                behind = self._behind(collection) or _Behind("", model)
        refuse_other_model(collection, behind.model, model)

    def reset(self, collection: str, model: ModelRef) -> None:
        """See `VectorIndex`. The alias moves in one step; then the old vectors are dropped."""
        with translated():
            behind = self._behind(collection)
            name = _physical(collection, model)
            if behind is not None and behind.name == name:
                everything = models.FilterSelector(filter=models.Filter())
                self._client.delete(name, points_selector=everything, wait=True)
                return
            if self._client.collection_exists(name):
                self._client.delete_collection(name)
            self._point_alias(collection, self._make(collection, model), old=behind)
            if behind is not None:
                self._client.delete_collection(behind.name)

    def model(self, collection: str) -> ModelRef | None:
        """See `VectorIndex`."""
        with translated():
            behind = self._behind(collection)
        return None if behind is None else behind.model

    def upsert(self, collection: str, points: Sequence[VectorPoint]) -> None:
        """See `VectorIndex`."""
        with translated():
            behind = self._behind(collection)
            if behind is None:
                raise refuse_missing(collection)
            refuse_other_dimension(collection, behind.model.dimension, [point.vector for point in points])
            for start in range(0, len(points), _BATCH):
                batch = [struct(point) for point in points[start : start + _BATCH]]
                self._client.upsert(collection, points=batch, wait=True)

    def delete_chunks(self, collection: str, chunk_ids: Sequence[int]) -> int:
        """See `VectorIndex`."""
        deleted = 0
        with translated():
            if not chunk_ids or self._behind(collection) is None:
                return 0
            for start in range(0, len(chunk_ids), _PAGE):
                of_chunks = models.Filter(must=[any_of("chunk_id", chunk_ids[start : start + _PAGE])])
                deleted += self._client.count(collection, count_filter=of_chunks, exact=True).count
                self._client.delete(collection, points_selector=models.FilterSelector(filter=of_chunks), wait=True)
        return deleted

    def search(
        self,
        collection: str,
        query: Query,
        *,
        limit: int,
        lexical_weight: float = LEXICAL_WEIGHT,
        where: Filter | None = None,
    ) -> list[Hit]:
        """See `VectorIndex`."""
        if limit < 1 or (query.vector is None and not query.terms):
            return []
        with translated():
            behind = self._behind(collection)
            if behind is None:
                return []
            if query.vector is not None:
                refuse_other_dimension(collection, behind.model.dimension, [query.vector])
            frequencies = self._frequencies(collection, query.terms)
            fetch = max(_FIRST_FETCH, 4 * limit)
            while True:
                hits, unseen = self._fetch(collection, query, frequencies, fetch, lexical_weight, where)
                hits.sort(key=lambda hit: (-hit.rank(lexical_weight), hit.uid))
                # Whatever was not fetched ranks at most `unseen`, so it cannot belong before these.
                if unseen is None or (len(hits) >= limit and hits[limit - 1].rank(lexical_weight) > unseen + 1e-5):
                    return hits[:limit]
                fetch *= 4

    def vectors(self, collection: str, uids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """See `VectorIndex`."""
        with translated():
            if not uids or self._behind(collection) is None:
                return {}
            return {uid: dense for uid, (dense, _) in self._stored(collection, uids).items()}

    def sample(self, collection: str, size: int) -> NDArray[np.float32]:
        """See `VectorIndex`; Qdrant scrolls in the order of the uids."""
        with translated():
            behind = self._behind(collection)
            if behind is None or size < 1:
                return np.empty((0, 0), dtype=np.float32)
            page, _ = self._client.scroll(collection, limit=size, with_payload=False, with_vectors=[DENSE])
        rows = [halves(record.vector)[0] for record in page]
        return np.vstack([np.empty((0, behind.model.dimension), dtype=np.float32), *rows])

    def count(self, collection: str) -> int:
        """See `VectorIndex`."""
        with translated():
            if self._behind(collection) is None:
                return 0
            return self._client.count(collection, exact=True).count

    def chunk_ids(self, collection: str) -> set[int]:
        """See `VectorIndex`."""
        found: set[int] = set()
        with translated():
            if self._behind(collection) is None:
                return found
            offset: Any = None
            while True:
                page, offset = self._client.scroll(
                    collection, limit=_PAGE, offset=offset, with_payload=["chunk_id"], with_vectors=False
                )
                found.update(int((record.payload or {})["chunk_id"]) for record in page)
                if offset is None:
                    return found

    def _behind(self, collection: str) -> _Behind | None:
        for alias in self._client.get_aliases().aliases:
            if alias.alias_name == collection:
                told = self._client.get_collection(alias.collection_name).config.metadata or {}
                return _Behind(alias.collection_name, ModelRef(**told["model"]))
        return None

    def _make(self, collection: str, model: ModelRef) -> str:
        name = _physical(collection, model)
        if self._client.collection_exists(name):
            return name
        self._client.create_collection(
            name,
            vectors_config={DENSE: models.VectorParams(size=model.dimension, distance=models.Distance.COSINE)},
            sparse_vectors_config={LEXICAL: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            metadata={"model": asdict(model)},
        )
        with warnings.catch_warnings():
            # The in-memory client warns that it has no payload indexes.
            warnings.simplefilter("ignore", UserWarning)
            for field, kind in PAYLOAD.items():
                self._client.create_payload_index(name, field, field_schema=models.PayloadSchemaType(kind), wait=True)
        return name

    def _point_alias(self, collection: str, name: str, *, old: _Behind | None) -> None:
        steps: list[Any] = []
        if old is not None:
            steps.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=collection)))
        create = models.CreateAlias(collection_name=name, alias_name=collection)
        steps.append(models.CreateAliasOperation(create_alias=create))
        self._client.update_collection_aliases(steps)

    def _frequencies(self, collection: str, terms: Sequence[str]) -> dict[int, float]:
        """Sparse index → inverse document frequency, in the order of the terms.

        Qdrant knows it and does not tell: but the best window for a single term scores that times its stored weight.
        """
        indices = list(dict.fromkeys(sparse_index(term) for term in terms))
        if not indices:
            return {}
        single = [
            models.QueryRequest(
                query=models.SparseVector(indices=[index], values=[1.0]), using=LEXICAL, limit=1, with_vector=[LEXICAL]
            )
            for index in indices
        ]
        absent = inverse_frequency(self._client.count(collection, exact=True).count, 0)
        frequencies = {}
        for index, reply in zip(indices, self._client.query_batch_points(collection, single), strict=True):
            frequencies[index] = absent
            if reply.points:
                _, weights = halves(reply.points[0].vector)
                frequencies[index] = reply.points[0].score / weights[index]
        return frequencies

    def _fetch(
        self,
        collection: str,
        query: Query,
        frequencies: Mapping[int, float],
        fetch: int,
        lexical_weight: float,
        where: Filter | None,
    ) -> tuple[list[Hit], float | None]:
        """The best `fetch` of either ranking with both halves of the score, and the most that any other could rank.

        The second value is None when there is no other.
        """
        reachable = reach(list(frequencies.values())) or 1.0
        asked: dict[str, Any] = {}
        vector = np.zeros(0, dtype=np.float32)
        if query.vector is not None:
            vector = np.asarray(query.vector, dtype=np.float32)
            asked[DENSE] = vector.tolist()
        if frequencies:
            asked[LEXICAL] = models.SparseVector(indices=list(frequencies), values=[1.0] * len(frequencies))
        requests = [
            models.QueryRequest(
                query=one, using=using, limit=fetch, filter=filter_of(where), with_payload=True,
                params=models.SearchParams(exact=self._exact),
            )
            for using, one in asked.items()
        ]  # fmt: skip
        replies = dict(zip(asked, self._client.query_batch_points(collection, requests), strict=True))
        found = {using: {str(point.id): point for point in reply.points} for using, reply in replies.items()}
        points = {uid: point for by_uid in found.values() for uid, point in by_uid.items()}
        lexical_done = len(found.get(LEXICAL, ())) < fetch
        incomplete = [
            uid
            for uid in points
            if (DENSE in asked and uid not in found[DENSE])
            or (LEXICAL in asked and uid not in found[LEXICAL] and not lexical_done)
        ]
        stored = self._stored(collection, incomplete)
        hits = []
        for uid, point in points.items():
            cosine = lexical = 0.0
            if DENSE in asked:
                known = found[DENSE].get(uid)
                cosine = known.score if known else float(stored[uid][0] @ vector)
            if LEXICAL in asked and (uid in found[LEXICAL] or uid in stored):
                known = found[LEXICAL].get(uid)
                weights = {} if known else stored[uid][1]
                bm25 = known.score if known else sum(weights.get(i, 0.0) * f for i, f in frequencies.items())
                lexical = bm25 / reachable
            payload = point.payload or {}
            hits.append(Hit(uid, int(payload["chunk_id"]), int(payload["document_id"]), cosine, lexical))
        if DENSE in asked:
            if len(found[DENSE]) < fetch:
                return hits, None
            floor = min(point.score for point in found[DENSE].values())
        elif lexical_done:
            return hits, None
        else:
            floor = 0.0
        if not lexical_done:
            floor += lexical_weight * min(point.score for point in found[LEXICAL].values()) / reachable
        return hits, floor

    def _stored(self, collection: str, uids: Sequence[str]) -> dict[str, tuple[NDArray[np.float32], dict[int, float]]]:
        found = {}
        for start in range(0, len(uids), _PAGE):
            some = list(uids[start : start + _PAGE])
            for record in self._client.retrieve(collection, ids=some, with_payload=False, with_vectors=True):
                found[str(record.id)] = halves(record.vector)
        return found


def _physical(collection: str, model: ModelRef) -> str:
    fingerprint = hashlib.sha256(repr(model).encode()).hexdigest()[:12]
    return f"{collection}-{fingerprint}"
