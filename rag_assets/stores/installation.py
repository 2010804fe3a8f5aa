"""The one row that makes an installation itself: the random namespace from which its uids are minted."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import Connection, insert, select

from rag_assets.errors import StoreError
from rag_assets.stores.schema.sources import Installation


def namespace(connection: Connection) -> UUID:
    """The installation's namespace.

    Raises:
        StoreError: the database was not set up.
    """
    found = connection.scalars(select(Installation.namespace).order_by(Installation.id).limit(1)).one_or_none()
    if found is None:
        raise StoreError("database_damaged", "the installation has no namespace")
    return UUID(found)


def ensure(connection: Connection, *, at: datetime, wanted: UUID | None = None) -> UUID:
    """The namespace, minted (or taken from `wanted`, as in a rebuild) when there is none yet."""
    found = connection.scalars(select(Installation.namespace).order_by(Installation.id).limit(1)).one_or_none()
    if found is not None:
        return UUID(found)
    fresh = wanted or uuid4()
    connection.execute(insert(Installation).values(id=1, namespace=str(fresh), created_at=at))
    return fresh
