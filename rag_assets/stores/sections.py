"""The stored hierarchy of a version's sections. How it is found in a text lives in `text.sections`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from rag_assets.stores.schema.sources import DocumentSection
from rag_assets.stores.tables import table_of
from rag_assets.text.sections import Section

_SECTIONS: Final = table_of(DocumentSection)

HEADING_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section of a version: `text[start:end]`; `parent` is the parent's ordinal, None for the root (ordinal 0)."""

    id: int
    ordinal: int
    parent: int | None
    level: int
    heading: str
    start: int
    end: int
    page_start: int | None
    page_end: int | None
    language: str | None = None


def replace_sections(
    connection: Connection, version_id: int, document_id: int, sections: Sequence[Section]
) -> dict[int, int]:
    """Store a version's hierarchy; when it is stored so already, nothing is written and the rows keep their ids.

    `sections` in pre-order. Returns the row id of each section by ordinal.
    """
    stored = sections_of(connection, version_id)
    if [_values(section) for section in sections] == [_values(row) for row in stored]:
        return {row.ordinal: row.id for row in stored}
    connection.execute(delete(_SECTIONS).where(_SECTIONS.c.document_version_id == version_id))
    row_ids: dict[int, int] = {}
    for section in sections:
        ordinal, parent, level, heading, start, end, page_start, page_end, language = _values(section)
        result = connection.execute(
            insert(_SECTIONS).values(
                document_id=document_id,
                document_version_id=version_id,
                parent_section_id=None if parent is None else row_ids[parent],
                ordinal=ordinal,
                level=level,
                heading=heading,
                char_start=start,
                char_end=end,
                page_start=page_start,
                page_end=page_end,
                language=language,
            )
        )
        assert result.inserted_primary_key is not None
        row_ids[ordinal] = int(result.inserted_primary_key[0])
    return row_ids


def sections_of(connection: Connection, version_id: int) -> list[SectionRow]:
    """The sections of a version in reading order."""
    columns = _SECTIONS.c
    query = select(_SECTIONS).where(columns.document_version_id == version_id).order_by(columns.ordinal)
    rows = connection.execute(query).all()
    ordinals = {row.id: row.ordinal for row in rows}
    return [
        SectionRow(
            row.id,
            row.ordinal,
            None if row.parent_section_id is None else ordinals[row.parent_section_id],
            row.level,
            row.heading,
            row.char_start,
            row.char_end,
            row.page_start,
            row.page_end,
            row.language,
        )
        for row in rows
    ]


def _values(
    section: Section | SectionRow,
) -> tuple[int, int | None, int, str, int, int, int | None, int | None, str | None]:
    return (
        section.ordinal,
        section.parent,
        section.level,
        section.heading[:HEADING_LENGTH],
        section.start,
        section.end,
        section.page_start,
        section.page_end,
        section.language,
    )
