"""Which source a single file belongs to, as when one is named on the command line."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from rag_assets.errors import UsageError
from rag_assets.offline.glob_patterns import GlobPatterns
from rag_assets.offline.source import Source
from rag_assets.offline.sources import ad_hoc_source


def source_of(file: Path, collection: str, *, sources: Sequence[Source]) -> tuple[Source, str]:
    """The source that holds a file, and the file's source path.

    A file that no source takes becomes a source of its own, so that its neighbours are left alone and another file of
    the same folder does not make it look removed.

    Raises:
        UsageError: `unknown_document`, there is no such file.
        SettingsError: `settings`, there is no such collection.
    """
    if not os.path.isfile(file):  # noqa: PTH113 - an endless name is no file; pathlib raises
        hint = "Check the path; a relative one begins at the present folder."
        raise UsageError("unknown_document", "is not a file", hint=hint, file=file)
    real = file.expanduser().resolve()
    for source in sources:
        folder = source.folder.resolve()
        if real.is_relative_to(folder):
            relative = unicodedata.normalize("NFC", real.relative_to(folder).as_posix())
            if source.takes(relative):
                return source, source.source_path(relative)
    name = unicodedata.normalize("NFC", real.name)
    folder_source = ad_hoc_source(real.parent, collection)
    slug = folder_source.name.rpartition("-")[0]
    lone = replace(
        folder_source,
        name=f"{slug}-{sha256(os.fsencode(real)).hexdigest()[:8]}",
        include=GlobPatterns.of([_escaped(name)]),
        exclude=GlobPatterns.of([]),
    )
    return lone, lone.source_path(name)


def _escaped(name: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
