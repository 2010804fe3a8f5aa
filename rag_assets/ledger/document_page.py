"""All there is to know of one document, and what changed between two of its versions. Reads only.

The list of all documents is in `overview`; what was found in a document is in `provenance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from rag_assets.errors import UsageError
from rag_assets.ledger import stages
from rag_assets.ledger.stages import StageRow
from rag_assets.stores import documents
from rag_assets.stores.documents import DocumentRow, SectionRow, VersionRow
from rag_assets.text.comparison import Comparison, compare


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One document, also one that was removed. What is said of its content is said of `version`."""

    document: DocumentRow
    version: VersionRow | None
    """The content its source holds; for a removed document the one that was there last. None before it was read."""
    versions: tuple[VersionRow, ...]
    """Oldest first; the one with the id `document.current_version_id` answers."""
    sections: tuple[SectionRow, ...]
    stages: Mapping[str, StageRow]

    @property
    def languages(self) -> tuple[str, ...]:
        """The document's language first, then those of sections that differ."""
        own = self.version.language if self.version is not None else None
        others = sorted({section.language for section in self.sections if section.language})
        return tuple(dict.fromkeys([*([own] if own else []), *others]))


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """What changed from one version of a document to another."""

    document: DocumentRow
    old: VersionRow
    new: VersionRow
    comparison: Comparison


def document_page(connection: Connection, what: str) -> DocumentPage:
    """The document that a person means (see `documents.resolve`).

    Raises:
        UsageError: `unknown_document`, `ambiguous_document`.
    """
    row = documents.resolve(connection, what)
    versions = tuple(documents.versions(connection, row.id))
    version = next((version for version in versions if version.sha256 == row.seen_sha256), None)
    if version is None:
        version = next((version for version in versions if version.id == row.current_version_id), None)
    return DocumentPage(
        document=row,
        version=version,
        versions=versions,
        sections=tuple(documents.sections_of(connection, version.id)) if version is not None else (),
        stages=stages.rows_of(connection, version.id) if version is not None else {},
    )


def difference(
    connection: Connection, what: str, *, old: int | None = None, new: int | None = None
) -> VersionDifference:
    """What changed between two versions of a document by their numbers; by default the last two that were read.

    Raises:
        UsageError: `unknown_document`, `ambiguous_document`; `no_such_version`, when a number is not one of its
            versions with text, or there are not two.
    """
    row = documents.resolve(connection, what)
    known = documents.versions(connection, row.id)
    read = {version.number: version for version in known if documents.has_text(connection, version.id)}
    for number in (old, new):
        if number is not None and number not in read:
            raise UsageError("no_such_version", "the document has no text of this version", version=number)
    if new is None:
        # What comes after `old`; where nothing does, it is compared backwards.
        new = max((number for number in read if number != old), default=None)
    if old is None:
        earlier = [number for number in read if new is not None and number < new]
        old = max(earlier, default=None)
    if old is None or new is None:
        raise UsageError("no_such_version", "there is no second version to compare with", versions=len(read))
    before, after = read[old], read[new]
    return VersionDifference(
        document=row,
        old=before,
        new=after,
        comparison=compare(
            documents.reading_of(connection, before.id)[0],
            documents.sections_of(connection, before.id),
            documents.reading_of(connection, after.id)[0],
            documents.sections_of(connection, after.id),
        ),
    )
