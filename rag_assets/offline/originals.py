"""Archived originals that are missing or damaged are copied again from the sources that still hold them.

What the archive is lives in `stores.archive`; that a document is archived at all is the import's work (`documents`).
"""

from __future__ import annotations

from collections.abc import Sequence

from rag_assets.errors import DocumentError
from rag_assets.offline.source import Source
from rag_assets.stores import versions
from rag_assets.stores.archive import Archive
from rag_assets.stores.database import Database


def restore(database: Database, archive: Archive, sources: Sequence[Source], *, full: bool = False) -> tuple[str, ...]:
    """Copy what is missing or has another size than it had, with `full` also what has another hash.

    Returns the uids of the documents whose original was copied again. What no source holds any more only a backup
    brings back; `governance.doctor` names it.

    Raises:
        ServiceError, StoreError: the archive cannot be written.
    """
    by_name = {source.name: source for source in sources}
    with database.read() as connection:
        originals = versions.present_originals(connection, sources=list(by_name))
    restored = []
    for original in originals:
        if archive.is_intact(original.sha256) if full else archive.has(original.sha256, size=original.byte_size):
            continue
        file = by_name[original.source].find(original.source_path)
        if file is None:
            continue
        try:
            archive.put(file)
        except DocumentError:
            continue  # unreadable, or changing right now: the scan's own business
        if archive.is_intact(original.sha256):
            restored.append(original.document_uid)
    return tuple(restored)
