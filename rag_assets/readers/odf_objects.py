"""Which elements of ODF hold no text, and what is embedded and has text of its own: formulas, charts, form controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from rag_assets.readers.odf_styles import DRAW, FORM, OFFICE, TEXT, XLINK

INDEXES = frozenset(f"{TEXT}{name}-index" for name in ("illustration", "table", "object", "user", "alphabetical")) | {
    f"{TEXT}table-of-content"
}
NOT_TEXT = frozenset(
    f"{TEXT}{name}"
    for name in "tracked-changes sequence-decls variable-decls user-field-decls dde-connection-decls "
    "alphabetical-index-auto-mark-file ruby-text number".split()
) | {f"{OFFICE}forms", f"{OFFICE}event-listeners", f"{OFFICE}annotation-end"}
SHAPES = frozenset(
    f"{DRAW}{name}" for name in "custom-shape rect ellipse circle line polyline polygon path connector caption".split()
)
_MATH = "{http://www.w3.org/1998/Math/MathML}"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"


def embedded(frame: Any, part: Callable[[str], Any]) -> Any:
    """The root of the object in a frame, which stands in it or in a part of its own; None when there is none."""
    reference = frame.find(f"{DRAW}object")
    if reference is None:
        return None
    if len(reference):
        return reference[0]
    return part(reference.get(f"{XLINK}href", "").removeprefix("./") + "/content.xml")


def formula_text(root: Any) -> str | None:
    """The signs of a formula in reading order; None when the object is something else."""
    if root is None or root.tag != f"{_MATH}math":
        return None
    signs = root.iter(*(f"{_MATH}{name}" for name in ("mi", "mn", "mo", "mtext")))
    return " ".join(sign.text.strip() for sign in signs if sign.text)


def shown_controls(forms: Any) -> Iterator[tuple[str, str]]:
    """What form controls show, by their id: a label, or what is filled in."""
    for element in forms.iter(etree.Element):
        name = element.get(f"{FORM}id") or element.get(_XML_ID)
        shown = element.get(f"{FORM}label") or element.get(f"{FORM}current-value") or ""
        if name and shown:
            yield name, f" {shown} "
