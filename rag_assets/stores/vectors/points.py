"""The rows of the embedded index: which model a collection has, its points, and the counter that every change moves.

SQL only; how points are searched lives in `embedded`. The caller holds the transaction. Whoever changes points takes the
collection's row in `index_generations` first: so ids are given in the order of commits, and "all rows above id x" is
all that was written since x, on MariaDB as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from rag_assets.stores import embeddings
from rag_assets.stores.bulk import batches, insert_rows
from rag_assets.stores.schema.derivatives import Embedding, IndexGeneration, Model
from rag_assets.stores.schema.derivatives import VectorPoint as PointTable
from rag_assets.stores.tables import table_of
from rag_assets.stores.vectors.base import ModelRef, VectorPoint
from rag_assets.stores.vectors.segment import PointRow
from rag_assets.stores.vectors.terms import unpack_terms


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection as the database knows it."""

    model_id: int
    model: ModelRef
    generation: int


def collection_row(connection: Connection, collection: str) -> CollectionRow | None:
    """The collection's model and generation; None when it was never made."""
    query = (
        select(
            IndexGeneration.model_id, IndexGeneration.generation, Model.provider, Model.name, Model.digest,
            Model.dimension,
        )
        .join(Model, Model.id == IndexGeneration.model_id)
        .where(IndexGeneration.collection == collection)
    )  # fmt: skip
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    return CollectionRow(row.model_id, ModelRef(row.provider, row.name, row.digest, row.dimension or 0), row.generation)


def make_collection(connection: Connection, collection: str, model: ModelRef) -> None:
    """Record the collection with its model; when another process was faster, his row stays."""
    values = {"collection": collection, "model_id": _model_id(connection, model), "generation": 0}
    try:
        with connection.begin_nested():
            connection.execute(insert(IndexGeneration).values(**values))
    except IntegrityError:
        pass


def change_model(connection: Connection, collection: str, model: ModelRef) -> None:
    """Drop all points and record this model."""
    move_generation(connection, collection)
    connection.execute(delete(PointTable).where(PointTable.collection == collection))
    connection.execute(
        update(IndexGeneration)
        .where(IndexGeneration.collection == collection)
        .values(model_id=_model_id(connection, model))
    )


def move_generation(connection: Connection, collection: str) -> None:
    """Count a change; also the lock that puts writers of one collection in a row."""
    connection.execute(
        update(IndexGeneration)
        .where(IndexGeneration.collection == collection)
        .values(generation=IndexGeneration.generation + 1)
    )


def differing(
    connection: Connection, collection: str, points: Sequence[VectorPoint], model_id: int
) -> list[VectorPoint]:
    """Those of the points that are not stored exactly so."""
    stored: dict[str, tuple[object, ...]] = {}
    for some in batches(points):
        query = select(
            PointTable.uid, PointTable.collection, PointTable.model_id, PointTable.chunk_id, PointTable.document_id,
            PointTable.language, PointTable.type, PointTable.text_sha256,
        ).where(PointTable.uid.in_([point.uid for point in some]))  # fmt: skip
        stored.update((row[0], tuple(row[1:])) for row in connection.execute(query))
    return [
        point
        for point in points
        if stored.get(point.uid)
        != (collection, model_id, point.chunk_id, point.document_id, point.language, point.type, point.text_sha256)
    ]


def replace(connection: Connection, collection: str, points: Sequence[VectorPoint], model_id: int) -> None:
    """Write points under new ids, with their embeddings where these are missing."""
    for some in batches(points):
        connection.execute(delete(PointTable).where(PointTable.uid.in_([point.uid for point in some])))
    embeddings.put(
        connection,
        model_id,
        {point.text_sha256: embeddings.StoredEmbedding(point.vector, point.terms) for point in points},
    )
    insert_rows(
        connection,
        table_of(PointTable),
        [
            {
                "uid": point.uid, "collection": collection, "model_id": model_id, "chunk_id": point.chunk_id,
                "document_id": point.document_id, "language": point.language, "type": point.type,
                "text_sha256": point.text_sha256,
            }
            for point in points
        ],
    )  # fmt: skip


def delete_of_chunks(connection: Connection, collection: str, chunk_ids: Sequence[int]) -> int:
    """Delete the points of these chunks; how many there were."""
    deleted = 0
    for some in batches(chunk_ids):
        of_chunks = (PointTable.collection == collection, PointTable.chunk_id.in_(some))
        deleted += connection.execute(delete(PointTable).where(*of_chunks)).rowcount
    return deleted


def newer_than(connection: Connection, collection: str, last_id: int) -> Iterator[PointRow]:
    """Points with an id above `last_id`, with vectors and terms, ascending."""
    query = (
        select(
            PointTable.id, PointTable.uid, PointTable.chunk_id, PointTable.document_id, PointTable.language,
            PointTable.type, Embedding.vector, Embedding.terms,
        )
        .join(
            Embedding,
            (Embedding.model_id == PointTable.model_id) & (Embedding.text_sha256 == PointTable.text_sha256),
        )
        .where(PointTable.collection == collection, PointTable.id > last_id)
        .order_by(PointTable.id)
    )  # fmt: skip
    for row in connection.execute(query):
        vector = np.frombuffer(row.vector, dtype="<f4")
        yield PointRow(
            row.id, row.uid, row.chunk_id, row.document_id, row.language, row.type, vector, unpack_terms(row.terms)
        )


def count(connection: Connection, collection: str, *, up_to: int | None = None) -> int:
    """How many points there are, all or those with an id of at most `up_to`."""
    query = select(func.count()).select_from(PointTable).where(PointTable.collection == collection)
    if up_to is not None:
        query = query.where(PointTable.id <= up_to)
    return connection.scalar(query) or 0


def ids(connection: Connection, collection: str, *, up_to: int) -> NDArray[np.int64]:
    """Ids of the points of at most `up_to`, ascending."""
    query = select(PointTable.id).where(PointTable.collection == collection, PointTable.id <= up_to)
    return np.array(sorted(connection.scalars(query)), dtype=np.int64)


def places(connection: Connection, collection: str, point_ids: Sequence[int]) -> dict[int, str]:
    """Id → uid of those of these points that exist."""
    found: dict[int, str] = {}
    for some in batches(point_ids):
        query = select(PointTable.id, PointTable.uid).where(
            PointTable.id.in_(some), PointTable.collection == collection
        )
        found.update((row.id, row.uid) for row in connection.execute(query))
    return found


def vectors(connection: Connection, collection: str, uids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Uid → vector of those of these points that exist."""
    found: dict[str, NDArray[np.float32]] = {}
    for some in batches(uids):
        query = (
            select(PointTable.uid, Embedding.vector)
            .join(
                Embedding,
                (Embedding.model_id == PointTable.model_id) & (Embedding.text_sha256 == PointTable.text_sha256),
            )
            .where(PointTable.collection == collection, PointTable.uid.in_(some))
        )
        found.update((row.uid, np.frombuffer(row.vector, dtype="<f4")) for row in connection.execute(query))
    return found


def first_uids(connection: Connection, collection: str, size: int) -> list[str]:
    """The smallest uids of the collection, at most `size`."""
    query = select(PointTable.uid).where(PointTable.collection == collection).order_by(PointTable.uid).limit(size)
    return list(connection.scalars(query))


def chunk_ids(connection: Connection, collection: str) -> set[int]:
    """Chunks that have points in the collection."""
    return set(connection.scalars(select(PointTable.chunk_id).where(PointTable.collection == collection).distinct()))


def _model_id(connection: Connection, model: ModelRef) -> int:
    return embeddings.model_id(
        connection, provider=model.provider, name=model.name, digest=model.digest, kind="embedding",
        dimension=model.dimension,
    )  # fmt: skip
