"""Prompts as they were used: a row per text, so that an answer can name what it was asked with."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from rag_assets.stores.bulk import insert_row
from rag_assets.stores.schema.pipeline import Prompt
from rag_assets.stores.tables import table_of


def prompt_id(connection: Connection, *, name: str, template: str, template_sha256: str) -> int:
    """The row of this text under this name; a new text gets the name's next version number."""
    found = connection.scalar(select(Prompt.id).where(Prompt.name == name, Prompt.template_sha256 == template_sha256))
    if found is not None:
        return found
    latest = connection.scalar(select(func.max(Prompt.version)).where(Prompt.name == name)) or 0
    return insert_row(
        connection,
        table_of(Prompt),
        name=name,
        version=latest + 1,
        template=template,
        template_sha256=template_sha256,
        active=True,
    )
