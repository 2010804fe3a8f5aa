"""Alembic's entry: the connection comes from `stores.migrate`, there is no alembic.ini."""

from alembic import context

from rag_assets.stores.migrate import CONTEXT_OPTIONS
from rag_assets.stores.schema import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata, **CONTEXT_OPTIONS)
with context.begin_transaction():
    context.run_migrations()
