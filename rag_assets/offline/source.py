"""A watched folder: which files it takes, what a file's place in it says about the document, where a file lies.

How sources are described in sources.yaml lives in `sources`; what lies in the folders is found by `scan`.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rag_assets.offline.glob_patterns import GlobPatterns


@dataclass(frozen=True, slots=True)
class Placement:
    """What a document is because of where it lies; a scan keeps the document's row so."""

    type: str
    authority: float
    half_life_years: float
    audience: tuple[str, ...]
    personal: bool
    local_only: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """An exception for a part of the folder: what is None stays as the source has it."""

    match: GlobPatterns
    type: str | None = None
    authority: float | None = None
    half_life_years: float | None = None
    audience: tuple[str, ...] | None = None
    personal: bool | None = None
    local_only: bool | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A folder to watch. A document's source path is `name` + "/" + its path below `folder`, in NFC."""

    name: str
    folder: Path
    collection: str
    placement: Placement
    include: GlobPatterns
    exclude: GlobPatterns
    rules: tuple[Rule, ...] = ()

    def takes(self, relative: str) -> bool:
        """Whether the file at this path below the folder (NFC) belongs to the source."""
        return self.include.match(relative) and not self.exclude.match(relative)

    def enters(self, relative: str) -> bool:
        """Whether the subfolder at this path (NFC) is looked into: an excluded one is not."""
        return not self.exclude.match(relative)

    def placement_of(self, relative: str) -> Placement:
        """What the path below the folder says about a document: the first rule that fits, else the source itself."""
        base = self.placement
        rule = next((rule for rule in self.rules if rule.match.match(relative)), None)
        if rule is None:
            return base
        personal = base.personal if rule.personal is None else rule.personal
        local_only = base.local_only if rule.local_only is None else rule.local_only
        return Placement(
            type=base.type if rule.type is None else rule.type,
            authority=base.authority if rule.authority is None else rule.authority,
            half_life_years=base.half_life_years if rule.half_life_years is None else rule.half_life_years,
            audience=base.audience if rule.audience is None else rule.audience,
            personal=personal,
            local_only=local_only or personal,
        )

    def source_path(self, relative: str) -> str:
        """The document's path, stable and unique over all sources."""
        return f"{self.name}/{unicodedata.normalize('NFC', relative)}"

    def find(self, source_path: str) -> Path | None:
        """Where the file of a source path lies, by its real name (macOS writes names decomposed); None when gone.

        Links are not followed.
        """
        head, _, relative = source_path.partition("/")
        parts = tuple(relative.split("/"))
        if head != self.name or not {"", ".", ".."}.isdisjoint(parts):
            return None
        return next(_find(self.folder, parts), None)


def spelling(relative: str) -> tuple[tuple[bool, str], ...]:
    """Sorts real paths that are equal in NFC: the one in NFC first. `Source.find` looks in this order."""
    return tuple((not unicodedata.is_normalized("NFC", part), part) for part in relative.split("/"))


def _find(folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    here = [folder / parts[0]]
    if not parts[0].isascii():
        try:
            others = sorted(entry.name for entry in os.scandir(folder) if entry.name != parts[0])
        except OSError:
            others = []
        here += [folder / name for name in others if unicodedata.normalize("NFC", name) == parts[0]]
    for path in here:
        if path.is_symlink():
            continue
        if len(parts) > 1:
            yield from _find(path, parts[1:])
        elif path.is_file():
            yield path
