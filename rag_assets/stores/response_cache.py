"""What extractors made of requests, by the hash of the whole request: the same request is never worked on twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from rag_assets.stores.bulk import batches
from rag_assets.stores.schema.pipeline import ResponseCache


def get_many(connection: Connection, request_hashes: Collection[str]) -> dict[str, str]:
    """Stored responses by request hash; hashes without one are missing from the result."""
    found: dict[str, str] = {}
    for batch in batches(sorted(request_hashes)):
        query = select(ResponseCache.request_sha256, ResponseCache.response).where(
            ResponseCache.request_sha256.in_(batch)
        )
        found.update((request, response) for request, response in connection.execute(query))
    return found


def put(
    connection: Connection, responses: Mapping[str, str], *, version_id: int, extractor: str, at: datetime
) -> frozenset[str]:
    """Store responses by request hash; returns the hashes that were new. A stored response is never replaced."""
    missing = sorted(responses.keys() - get_many(connection, responses.keys()).keys())
    while missing:
        rows = [
            {
                "request_sha256": request,
                "document_version_id": version_id,
                "extractor": extractor,
                "response": responses[request],
                "created_at": at,
            }
            for request in missing
        ]
        try:
            with connection.begin_nested():
                for batch in batches(rows):
                    connection.execute(insert(ResponseCache), list(batch))
            return frozenset(missing)
        except IntegrityError:
            stored = get_many(connection, missing)
            if not stored:
                raise
            missing = [request for request in missing if request not in stored]
    return frozenset()
