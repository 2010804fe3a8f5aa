"""The protocol that every embedding model fulfils, the checks on what one returns, and the isolation of bad texts.

Here lives what all adapters share. No technology, no settings, no storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from rag_assets.errors import ModelError

Vectors: TypeAlias = npt.NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """A model that turns passages and questions into unit vectors of one space.

    Passages and questions go through different methods because most models want a different prefix for each. The
    triple (provider, name, digest) names the space: equal triples give comparable vectors, others do not.
    """

    @property
    def provider(self) -> str:
        """Technology that runs the model, e.g. `e5`, `ollama`; at most 40 characters."""
        ...

    @property
    def name(self) -> str:
        """The model's own name there, e.g. `multilingual-e5-small`."""
        ...

    @property
    def digest(self) -> str:
        """64 hexadecimal digits over all that changes a vector: weights, prefixes, version of the computation."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector, read from the model itself."""
        ...

    @property
    def background(self) -> float | None:
        """Mean cosine of a question with a passage that has nothing to do with it; None when nobody measured it."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that are searched, `(len(texts), dimension)` float32, unit length, same order.

        Raises:
            ModelError: a text cannot be embedded (`text_too_long`, `model_reply`); nothing is returned for the others,
                see `embed_each`.
            ServiceError: the model's server is out of reach; the same call may succeed later.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Vector of a question, `(dimension,)` float32, unit length. Raises as `embed_passages` does."""
        ...


def unit_rows(vectors: object, *, expected: int, dimension: int | None, model: str) -> Vectors:
    """Check what a model returned and bring it to unit length: `(expected, d)` float32, C order.

    Raises:
        ModelError: other count, other dimension than before, ragged rows, NaN, infinity or a zero vector. A vector
            must never end up at the wrong text, nor poison an index.
    """
    try:
        array = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError):
        raise ModelError("model_reply", "vectors of uneven or non-numeric form", model=model) from None
    if array.ndim != 2 or array.shape[0] != expected or array.shape[1] == 0:
        raise ModelError("model_reply", "wrong number of vectors", model=model, expected=expected, got=array.shape)
    if dimension is not None and array.shape[1] != dimension:
        raise ModelError("model_reply", "other dimension", model=model, expected=dimension, got=array.shape[1])
    lengths = np.linalg.norm(array.astype(np.float64), axis=1)
    if not np.all(np.isfinite(lengths)) or np.any(lengths == 0):
        raise ModelError("model_reply", "vector with NaN, infinity or without direction", model=model)
    return np.ascontiguousarray(array / lengths[:, None], dtype=np.float32)


def embed_each(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | ModelError]:
    """Embed a batch so that one bad text costs only itself: per text its vector or the error that it caused.

    A failing batch is halved until the culprits stand alone, so b bad texts among n cost O(b · log n) more calls.

    Raises:
        ModelError: `model_missing`; that is no text's fault.
        ServiceError: the server is out of reach; nor is that.
    """
    if not texts:
        return []
    try:
        return list(embedder.embed_passages(texts))
    except ModelError as error:
        if error.code == "model_missing":
            raise
        if len(texts) == 1:
            return [error]
    middle = len(texts) // 2
    return embed_each(embedder, texts[:middle]) + embed_each(embedder, texts[middle:])
