"""What RTF's control words mean: which groups hold what, and how a word changes what a group inherits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

_FURNITURE = frozenset(f"{place}{which}" for place in ("header", "footer") for which in ("", "l", "r", "f"))
COLLECTED = frozenset("footnote annotation listtext pntext shptxt dptxbxtext fldinst title author".split()) | _FURNITURE
"""Destinations whose text is collected apart from the text around them."""

TRANSPARENT = frozenset("rtf field object result shp shpinst do".split())
"""Destinations that only hold others."""

ENTERED = TRANSPARENT | frozenset("info creatim stylesheet fldrslt ud".split())
SKIPPED = frozenset(
    "fonttbl colortbl pict nonshppict shprslt sp nonesttables xe tc rxe template filetbl revtim printim buptim "
    "operator company manager category keywords subject comment doccomm hlinkbase upr ftnsep ftnsepc ftncn aftnsep "
    "aftnsepc aftncn listtable listoverridetable mmathPict falt bkmkstart bkmkend".split()
)


class State(NamedTuple):
    """What a group inherits and gives back when it closes."""

    destination: str = "text"
    style: int = 0
    outline: int | None = None
    listed: bool = False
    in_table: bool = False
    bold: bool = False
    raised: bool = False
    gone: str = ""
    """Why text is left out: `hidden`, `tracked_deletion`, or empty."""


PROPERTIES: dict[str, Callable[[State, int | None], State]] = {
    "pard": lambda state, _: state._replace(style=0, outline=None, listed=False, in_table=False),
    "plain": lambda state, _: state._replace(bold=False, raised=False, gone=""),
    "s": lambda state, number: state._replace(style=number or 0),
    "outlinelevel": lambda state, number: state._replace(outline=number),
    "ls": lambda state, number: state._replace(listed=number != 0),
    "intbl": lambda state, number: state._replace(in_table=number != 0),
    "b": lambda state, number: state._replace(bold=number != 0),
    "super": lambda state, number: state._replace(raised=number != 0),
    "nosupersub": lambda state, _: state._replace(raised=False),
    "v": lambda state, number: state._replace(gone="hidden" if number != 0 else ""),
    "deleted": lambda state, number: state._replace(gone="tracked_deletion" if number != 0 else ""),
}
