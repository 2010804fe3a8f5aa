"""Starting the index anew with the embedding model that is set now; embeddings of known texts are kept and reused."""

from __future__ import annotations

from rag_assets.knowledge.placement import COLLECTIONS
from rag_assets.ledger import stages
from rag_assets.ledger.spaces import model_ref
from rag_assets.offline.parts import Parts
from rag_assets.stores import documents


def reset_index(parts: Parts) -> None:
    """Empty the index and say that every document has to be embedded.

    First the mark, then the index: killed in between, the model check asks for this again or the embedding goes on.
    """
    reference = model_ref(parts.embedder)
    with parts.database.write() as connection:
        rows = documents.list_all(connection)
        versions = [row.current_version_id for row in rows if row.current_version_id is not None]
        stages.invalidate(connection, versions, ("embeddings",))
    for collection in COLLECTIONS:
        parts.index.reset(collection, reference)
