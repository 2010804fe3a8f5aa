"""Automatic numbers of a Word document: which list a paragraph belongs to, and the number that Word shows before it.

Counting itself lives in `readers.numbering`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE

from rag_assets.readers.numbering import LEVELS, Counters, Level
from rag_assets.readers.package import parse_xml

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STYLES = {
    "decimalZero": "01",
    "lowerLetter": "a",
    "upperLetter": "A",
    "lowerRoman": "i",
    "upperRoman": "I",
    "none": "",
    "bullet": "",
}


class Numbering:
    """The lists of a document, and how far each has been counted."""

    def __init__(self, document: Document) -> None:
        self._abstract: dict[str, Any] = {}
        self._lists: dict[str, Any] = {}
        self._levels: dict[str, dict[int, Level]] = {}
        self._counters: dict[str, Counters] = {}
        self._restarted: set[tuple[str, int]] = set()
        for related in document.part.rels.values():
            if related.reltype == RELATIONSHIP_TYPE.NUMBERING and not related.is_external:
                root = parse_xml(related.target_part.blob)
                for element in root.iterchildren(f"{W}abstractNum"):
                    self._abstract[element.get(f"{W}abstractNumId", "")] = element
                for element in root.iterchildren(f"{W}num"):
                    self._lists[element.get(f"{W}numId", "")] = element

    def label(self, number: str, level: int) -> str:
        """Count a paragraph of list `number` on `level` (0-based); what Word shows before it, empty for a bullet."""
        if number not in self._lists or not 0 <= level < LEVELS:
            return ""
        start = None
        override = self._override(number, level)
        restart = override.find(f"{W}startOverride") if override is not None else None
        if restart is not None and (number, level) not in self._restarted:
            self._restarted.add((number, level))
            start = _int(restart.get(f"{W}val"), 1)
        counters = self._counters.setdefault(self._abstract_id(number), Counters())
        return counters.next(level, self._levels_of(number), start=start)

    def level_of_style(self, number: str, styles: Sequence[str]) -> int:
        """The level of list `number` that is tied to one of the paragraph's styles; 0 when none is."""
        abstract = self._resolved(number)
        for element in abstract.iterchildren(f"{W}lvl") if abstract is not None else ():
            tied = element.find(f"{W}pStyle")
            if tied is not None and tied.get(f"{W}val") in styles:
                return _int(element.get(f"{W}ilvl"), 0)
        return 0

    def _levels_of(self, number: str) -> Mapping[int, Level]:
        if number not in self._levels:
            abstract = self._resolved(number)
            elements = list(abstract.iterchildren(f"{W}lvl")) if abstract is not None else []
            elements += self._lists[number].iterfind(f"{W}lvlOverride/{W}lvl")
            self._levels[number] = {_int(element.get(f"{W}ilvl"), 0): _level(element) for element in elements}
        return self._levels[number]

    def _abstract_id(self, number: str) -> str:
        reference = self._lists[number].find(f"{W}abstractNumId")
        return str(reference.get(f"{W}val", "")) if reference is not None else ""

    def _resolved(self, number: str) -> Any:
        """The definition of a list, also where it only names a list style that another one defines."""
        if number not in self._lists:
            return None
        abstract = self._abstract.get(self._abstract_id(number))
        link = abstract.find(f"{W}numStyleLink") if abstract is not None else None
        if link is None:
            return abstract
        for other in self._abstract.values():
            style = other.find(f"{W}styleLink")
            if style is not None and style.get(f"{W}val") == link.get(f"{W}val"):
                return other
        return abstract

    def _override(self, number: str, level: int) -> Any:
        overrides = self._lists[number].iterchildren(f"{W}lvlOverride")
        return next((each for each in overrides if each.get(f"{W}ilvl") == str(level)), None)


def _level(element: Any) -> Level:
    def value(name: str, default: str) -> str:
        found = element.find(f"{W}{name}")
        return str(found.get(f"{W}val", default)) if found is not None else default

    kind = value("numFmt", "decimal")
    legal = element.find(f"{W}isLgl")
    return Level(
        "" if kind == "bullet" else value("lvlText", ""),
        style=_STYLES.get(kind, "1"),
        start=_int(value("start", "0"), 0),
        decimal=legal is not None and legal.get(f"{W}val") not in ("0", "false"),
    )


def _int(value: str | None, default: int) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) <= 6 else default
