"""Vectors and terms of embedded texts, shared by all windows with the same text under the same model.

Nothing that was paid for is paid for twice: a text that moved, was re-chunked or returned finds its vector here.
Which windows may be searched lives in `stores.vectors`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.derivatives import Embedding, Model
from rag_assets.stores.vectors.terms import pack_terms, unpack_terms


@dataclass(frozen=True, slots=True)
class StoredEmbedding:
    """`vector`: (dimension,) float32, unit length; `terms`: term → how often."""

    vector: NDArray[np.float32]
    terms: Mapping[str, int]


def model_id(connection: Connection, *, provider: str, name: str, digest: str, kind: str, dimension: int | None) -> int:
    """The row of a model, made when it is new."""
    where = (Model.provider == provider, Model.name == name, Model.digest == digest, Model.kind == kind)
    found = connection.scalar(select(Model.id).where(*where))
    if found is not None:
        return found
    values = {"provider": provider, "name": name, "digest": digest, "kind": kind, "dimension": dimension}
    try:
        with connection.begin_nested():
            connection.execute(insert(Model).values(**values))
    except IntegrityError:
        pass  # another process made it meanwhile
    return connection.scalars(select(Model.id).where(*where)).one()


def known(connection: Connection, model: int, text_sha256s: Collection[str]) -> set[str]:
    """Which of these texts have a vector already."""
    found: set[str] = set()
    for batch in batches(sorted(text_sha256s)):
        query = select(Embedding.text_sha256).where(Embedding.model_id == model, Embedding.text_sha256.in_(batch))
        found.update(connection.scalars(query))
    return found


def get(connection: Connection, model: int, text_sha256s: Collection[str]) -> dict[str, StoredEmbedding]:
    """The stored vectors and terms of these texts."""
    found: dict[str, StoredEmbedding] = {}
    for batch in batches(sorted(text_sha256s)):
        query = select(Embedding.text_sha256, Embedding.vector, Embedding.terms).where(
            Embedding.model_id == model, Embedding.text_sha256.in_(batch)
        )
        for sha, vector, terms in connection.execute(query):
            found[sha] = StoredEmbedding(np.frombuffer(vector, dtype="<f4"), unpack_terms(terms))
    return found


def put(connection: Connection, model: int, new: Mapping[str, StoredEmbedding]) -> None:
    """Store vectors and terms of texts; those already there (another process was faster) stay as they are."""
    missing = new.keys() - known(connection, model, new.keys())
    if not missing:
        return
    connection.execute(
        insert(Embedding),
        [
            {
                "model_id": model,
                "text_sha256": sha,
                "vector": new[sha].vector.astype("<f4").tobytes(),
                "terms": pack_terms(new[sha].terms),
            }
            for sha in sorted(missing)
        ],
    )
