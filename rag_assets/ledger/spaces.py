"""Which space an embedder's vectors and terms live in: what offline records for a collection and online asks with.

Both sides must name it alike, else every question would be refused; that is why it stands below both.
"""

from __future__ import annotations

from uuid import UUID

from rag_assets.knowledge import ids
from rag_assets.ledger import fingerprints
from rag_assets.models.embedding.base import Embedder
from rag_assets.stores.vectors.base import ModelRef
from rag_assets.text.lexical import LEXICAL_VERSION


def model_ref(embedder: Embedder) -> ModelRef:
    """The model as the index records it; vectors of another one are never compared with these."""
    return ModelRef(
        provider=embedder.provider, name=embedder.name, digest=space(embedder), dimension=embedder.dimension
    )


def space(embedder: Embedder) -> str:
    """Digest of all that vector and terms of a text depend on."""
    return fingerprints.digest(embedder.digest, LEXICAL_VERSION)


def point_uid(namespace: UUID, window_uid: str, model: ModelRef) -> str:
    """Uid of the point that a window has in the index under this model."""
    return ids.uid(namespace, "point", f"{window_uid}:{model.digest}")
