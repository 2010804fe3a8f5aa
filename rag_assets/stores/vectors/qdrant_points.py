"""What a point looks like in Qdrant: its two named vectors, its payload, conditions on it; and its errors as ours.

How points are written, found and counted lives in `qdrant`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from qdrant_client import models
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from rag_assets.errors import ServiceError, StoreError
from rag_assets.stores.vectors.base import Filter, VectorPoint, term_hash, term_weight

DENSE: Final = "dense"
LEXICAL: Final = "lexical"
# Every point has this term, else Qdrant would leave points without words out of the count that idf is based on.
PRESENT: Final = 0
PAYLOAD: Final = {"chunk_id": "integer", "document_id": "integer", "language": "keyword", "type": "keyword"}


def sparse_index(term: str) -> int:
    """Qdrant's sparse indices have 32 bits; 0 is taken. Two of 100,000 terms may share one, which costs next to nothing."""
    return term_hash(term) % (2**32 - 1) + 1


def struct(point: VectorPoint) -> models.PointStruct:
    """The point as Qdrant takes it."""
    weights: dict[int, float] = {PRESENT: 1.0}
    for term, count in point.terms.items():
        index = sparse_index(term)
        weights[index] = weights.get(index, 0.0) + float(term_weight(count))
    return models.PointStruct(
        id=point.uid,
        vector={
            DENSE: np.asarray(point.vector, dtype=np.float32).tolist(),
            LEXICAL: models.SparseVector(indices=list(weights), values=list(weights.values())),
        },
        payload={name: getattr(point, name) for name in PAYLOAD},
    )


def halves(vector: object) -> tuple[NDArray[np.float32], dict[int, float]]:
    """The dense and the sparse vector of a record; a missing one is empty."""
    named = cast("dict[str, Any]", vector)
    sparse = named.get(LEXICAL)
    weights = dict(zip(sparse.indices, sparse.values, strict=True)) if sparse is not None else {}
    return np.asarray(named.get(DENSE, ()), dtype=np.float32), weights


def any_of(field: str, values: Sequence[int] | Sequence[str]) -> models.FieldCondition:
    """Condition that a payload field has one of these values."""
    return models.FieldCondition(key=field, match=models.MatchAny(any=cast("Any", list(values))))


def filter_of(where: Filter | None) -> models.Filter | None:
    """The filter as Qdrant takes it."""
    if where is None:
        return None
    wanted: dict[str, Any] = {"document_id": where.document_ids, "language": where.languages, "type": where.types}
    return models.Filter(must=[any_of(name, sorted(values)) for name, values in wanted.items() if values is not None])


@contextmanager
def translated() -> Iterator[None]:
    """Qdrant's errors as ours; none of them carries text of a document."""
    try:
        yield
    except ResponseHandlingException as error:
        raise ServiceError("vector_store_unreachable", "no answer from the Qdrant server") from error
    except UnexpectedResponse as error:
        status = error.status_code or 0
        if status >= 500 or status == 429:
            raise ServiceError("vector_store_unreachable", "Qdrant answers with an error", status=status) from error
        raise StoreError("vector_store_refused", "Qdrant refuses the request", status=status) from error
    except ApiException as error:
        raise StoreError("vector_store_refused", "Qdrant's reply could not be used") from error
