"""What the styles of an ODF document say: headings, captions, code, hidden text, page breaks, and how lists are numbered.

Styles stand in two parts (content.xml for what was formatted by hand, styles.xml for the named ones) and inherit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rag_assets.readers.conventions import CAPTION_NAMES, CODE_NAMES, HEADING_NAME, TITLE_NAMES
from rag_assets.readers.numbering import LEVELS, Level

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE, DRAW, STYLE, PRESENTATION, FORM = (
    f"{{{_URN}{name}:1.0}}" for name in ("office", "text", "table", "drawing", "style", "presentation", "form")
)
FO, SVG, CHART = (f"{{{_URN}{name}:1.0}}" for name in ("xsl-fo-compatible", "svg-compatible", "chart"))
XLINK, DC, META = "{http://www.w3.org/1999/xlink}", "{http://purl.org/dc/elements/1.1/}", f"{{{_URN}meta:1.0}}"

_CAPTIONS = CAPTION_NAMES | frozenset(
    "illustration abbildung table tabelle figure drawing zeichnung figurecaption tablecaption".split()
)


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph's style, or one it is based on, says."""

    heading: int | None = None
    is_title: bool = False
    is_caption: bool = False
    is_code: bool = False
    hidden: bool = False
    break_before: bool = False
    break_after: bool = False
    list_style: str = ""
    """Names the list style that numbers it, for a heading outside the outline's numbering."""


@dataclass(slots=True)
class OdfStyles:
    """The styles of both parts."""

    _elements: dict[tuple[str, str], Any] = field(default_factory=dict)
    _lists: dict[str, Mapping[int, Level]] = field(default_factory=dict)
    _resolved: dict[str, ParagraphStyle] = field(default_factory=dict)
    outline: Mapping[int, Level] = field(default_factory=dict)

    def add(self, root: Any) -> None:
        """Take in the styles of a part."""
        for element in root.iter(f"{STYLE}style"):
            self._elements[element.get(f"{STYLE}family", ""), element.get(f"{STYLE}name", "")] = element
        for element in root.iter(f"{TEXT}list-style"):
            self._lists[element.get(f"{STYLE}name", "")] = _levels(element)
        for element in root.iter(f"{TEXT}outline-style"):
            self.outline = _levels(element)

    def paragraph(self, name: str) -> ParagraphStyle:
        """What the paragraph style `name` says."""
        if name not in self._resolved:
            self._resolved[name] = self._resolve(name)
        return self._resolved[name]

    def hides(self, family: str, name: str | None) -> bool:
        """Whether text of the style is not shown."""
        return _nearest(_property(element, "text", f"{TEXT}display") for element in self._chain(family, name)) == "none"

    def hides_page(self, name: str | None) -> bool:
        """Whether a slide of the drawing-page style is left out of the show."""
        return (
            _nearest(
                _property(element, "drawing-page", f"{PRESENTATION}visibility")
                for element in self._chain("drawing-page", name)
            )
            == "hidden"
        )

    def list_levels(self, name: str) -> Mapping[int, Level]:
        """How the levels of a list style are numbered; levels with bullets are left out."""
        return self._lists.get(name, {})

    def _resolve(self, name: str) -> ParagraphStyle:
        chain = list(self._chain("paragraph", name))
        names = [_shown_name(element) for element in chain] or [name.replace("_20_", " ")]
        lowered = {each.lower() for each in names}
        outline = _nearest(element.get(f"{STYLE}default-outline-level") for element in chain)
        by_name = next((int(found[1]) for each in names if (found := HEADING_NAME.match(each))), None)

        def page_break(place: str) -> bool:
            return _nearest(_property(element, "paragraph", f"{FO}break-{place}") for element in chain) == "page"

        return ParagraphStyle(
            heading=int(outline) if outline.isdigit() and outline != "0" else by_name,
            is_title=not lowered.isdisjoint(TITLE_NAMES),
            is_caption=not lowered.isdisjoint(_CAPTIONS),
            is_code=not lowered.isdisjoint(CODE_NAMES),
            hidden=_nearest(_property(element, "text", f"{TEXT}display") for element in chain) == "none",
            # A change of the page's style is a new page.
            break_before=page_break("before") or bool(chain and chain[0].get(f"{STYLE}master-page-name")),
            break_after=page_break("after"),
            list_style=_nearest(element.get(f"{STYLE}list-style-name") for element in chain),
        )

    def _chain(self, family: str, name: str | None) -> Iterator[Any]:
        seen = set()
        while name and name not in seen and (family, name) in self._elements:
            seen.add(name)
            element = self._elements[family, name]
            yield element
            name = element.get(f"{STYLE}parent-style-name")


def _shown_name(element: Any) -> str:
    return str(element.get(f"{STYLE}display-name") or element.get(f"{STYLE}name", "").replace("_20_", " "))


def _property(element: Any, kind: str, name: str) -> str:
    found = element.find(f"{STYLE}{kind}-properties")
    return str(found.get(name, "")) if found is not None else ""


def _nearest(values: Iterable[str | None]) -> str:
    """What the style itself says, else what the nearest one says that it is based on."""
    return next((value for value in values if value), "")


def _levels(style: Any) -> dict[int, Level]:
    levels = {}
    for element in style.iterchildren(f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"):
        number = small_int(element.get(f"{TEXT}level"), 1) - 1
        shown = min(small_int(element.get(f"{TEXT}display-levels"), 1), number + 1)
        if not element.get(f"{STYLE}num-format") or not 0 <= number < LEVELS:
            continue
        places = ".".join(f"%{at + 1}" for at in range(number + 1 - shown, number + 1))
        prefix, suffix = element.get(f"{STYLE}num-prefix", ""), element.get(f"{STYLE}num-suffix", "")
        levels[number] = Level(
            f"{prefix}{places}{suffix}",
            style=element.get(f"{STYLE}num-format", "1")[:1],
            start=small_int(element.get(f"{TEXT}start-value"), 1),
        )
    return levels


def small_int(value: str | None, default: int) -> int:
    """A count as an attribute gives it; `default` when it is none or absurd."""
    return int(value) if value and value.isascii() and value.isdigit() and len(value) <= 6 else default
