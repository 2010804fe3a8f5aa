"""The protocol of a vector index, its values, and the one lexical measure that every index computes alike.

An index ranks windows by `cosine + lexical_weight · lexical`. `lexical` is BM25 divided by what the question could
reach at most in this collection, so it lies in 0..1 and a weak match counts little. Measured on five German sets
(MRR@10): cosine alone .766, this sum with weight .05 .778, reciprocal rank fusion .733.

BM25 here has no length normalisation (b = 0): windows have almost the same length, and .778 was reached without it as
well as with it (.776–.778). So a window's weight for a term depends on that window alone, and two technologies give the
same figures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rag_assets.errors import StoreError

#: Saturation of term frequency.
K1: Final = 0.9
#: Weight of `lexical` beside cosine, see above.
LEXICAL_WEIGHT: Final = 0.05
#: Ranks are compared at this many decimals, so that equal windows tie in spite of rounding and uids decide.
RANK_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The space that a collection's vectors live in; equal values mean comparable vectors."""

    provider: str
    name: str
    digest: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.provider}:{self.name} ({self.dimension} dimensions, {self.digest[:8]})"


@dataclass(frozen=True, slots=True)
class VectorPoint:
    """One window to be found: its vector (`(dimension,)` float32, unit length) and terms with their counts."""

    uid: str
    chunk_id: int
    document_id: int
    language: str
    type: str
    text_sha256: str
    vector: NDArray[np.float32] = field(compare=False)
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: a unit vector, distinct terms, or both. At least one of the two."""

    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """Which windows may be found; None does not restrict, an empty set admits nothing."""

    document_ids: frozenset[int] | None = None
    languages: frozenset[str] | None = None
    types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A window that was found. `cosine` is raw (-1..1; 0 without a query vector), `lexical` is 0..1."""

    uid: str
    chunk_id: int
    document_id: int
    cosine: float
    lexical: float

    def rank(self, lexical_weight: float) -> float:
        """What hits are ordered by."""
        return round(self.cosine + lexical_weight * self.lexical, RANK_DECIMALS)


class VectorIndex(Protocol):
    """Finds windows by vector and terms. Every method may be called by any number of processes at once."""

    def ensure(self, collection: str, model: ModelRef) -> None:
        """Make the collection for this model, or check that it was made for it.

        Raises:
            StoreError: `dimension_mismatch`, the collection holds vectors of another model; nothing was changed.
        """
        ...

    def reset(self, collection: str, model: ModelRef) -> None:
        """Drop all points of the collection and record this model for it."""
        ...

    def model(self, collection: str) -> ModelRef | None:
        """The model that the collection was made for; None when there is no such collection."""
        ...

    def upsert(self, collection: str, points: Sequence[VectorPoint]) -> None:
        """Add points or replace those with the same uid; searchable when this returns.

        Raises:
            StoreError: the collection does not exist, or a vector has another dimension; nothing was written.
        """
        ...

    def delete_chunks(self, collection: str, chunk_ids: Sequence[int]) -> int:
        """Remove all points of these chunks; how many there were. Unfindable when this returns."""
        ...

    def search(
        self,
        collection: str,
        query: Query,
        *,
        limit: int,
        lexical_weight: float = LEXICAL_WEIGHT,
        where: Filter | None = None,
    ) -> list[Hit]:
        """The best `limit` windows by `Hit.rank`, ties by uid; exact. Empty for a collection that does not exist.

        Without a vector only windows with a lexical match are found.

        Raises:
            StoreError: `dimension_mismatch`, the query's vector has another dimension than the collection.
        """
        ...

    def vectors(self, collection: str, uids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Stored vectors of these points, as far as they exist."""
        ...

    def sample(self, collection: str, size: int) -> NDArray[np.float32]:
        """Vectors of up to `size` points, `(m, dimension)` float32.

        Those with the smallest uids: as good as random, and the same every time.
        """
        ...

    def count(self, collection: str) -> int:
        """How many points the collection holds; 0 when it does not exist."""
        ...

    def chunk_ids(self, collection: str) -> set[int]:
        """Chunks that have points there."""
        ...


@lru_cache(maxsize=200_000)
def term_hash(term: str) -> int:
    """64 bits of a term, equal in every process and release."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def term_weight(count: float | NDArray[np.float32]) -> float | NDArray[np.float32]:
    """BM25's part that belongs to the window: count saturated by K1, at most K1 + 1."""
    return count * (K1 + 1.0) / (count + K1)


def inverse_frequency(n_windows: int, n_with_term: int) -> float:
    """BM25's part that belongs to the collection, in Lucene's form, which is never negative."""
    return float(np.log1p((n_windows - n_with_term + 0.5) / (n_with_term + 0.5)))


def reach(frequencies: Sequence[float]) -> float:
    """The most that a question with terms of these inverse frequencies could score in BM25.

    Terms that no window holds count too: a question of which only one common word is found has matched weakly.
    """
    return sum(frequencies) * (K1 + 1.0)


def refuse_other_model(collection: str, recorded: ModelRef, wanted: ModelRef) -> None:
    """Raise unless both are the same space.

    Raises:
        StoreError: `dimension_mismatch`, naming both models and what to do.
    """
    if recorded != wanted:
        raise StoreError(
            "dimension_mismatch",
            "the collection was built with another model",
            collection=collection,
            built_with=recorded,
            asked_with=wanted,
        )


def refuse_other_dimension(collection: str, expected: int, vectors: Sequence[NDArray[np.float32]]) -> None:
    """Raise unless all vectors have the collection's dimension.

    Raises:
        StoreError: `dimension_mismatch`.
    """
    for vector in vectors:
        if vector.shape != (expected,):
            raise StoreError(
                "dimension_mismatch",
                "a vector has another dimension than the collection",
                collection=collection,
                expected=expected,
                got=vector.shape,
            )


def refuse_missing(collection: str) -> StoreError:
    """The error for writing into a collection that was never made."""
    return StoreError("no_collection", "the collection was not made; call ensure() first", collection=collection)
