"""Which text of a PDF page is there to be found and copied, not to be seen.

That is text drawn invisibly, without any opacity, or in white where nothing lies beneath. Text too small or off the
page is told from its lines, in `readers.pdf_lines`. Invisible text over a picture is what somebody recognised in the
scan: it is the page's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from ctypes import addressof, c_float, c_int, c_uint
from typing import Any

import pypdfium2.raw as pdfium

_INVISIBLE = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
_STROKED = frozenset(
    {
        pdfium.FPDF_TEXTRENDERMODE_STROKE,
        pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE,
        pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP,
        pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP,
    }
)
_WHITE = 248
"""From this value of red, green and blue on, paper and type cannot be told apart."""

_DEEPEST_FORM = 8

Box = tuple[float, float, float, float]
_Object = tuple[Any, int, bool]


def hidden_objects(page: Any) -> frozenset[int]:
    """Addresses of the text objects that nobody sees; empty for nearly every page."""
    if not _suspicious(page, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject):
        return frozenset()
    objects = list(_objects(page, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject))
    beneath = _Beneath(objects)
    hidden: set[int] = set()
    for place, (item, kind, in_form) in enumerate(objects):
        if kind != pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
        if mode in _INVISIBLE:
            seen = beneath.picture(item, in_form=in_form)
        elif mode not in _STROKED and _is_pale(_fill(item)):
            seen = beneath.colour(item, place, in_form=in_form)
        else:
            continue
        if not seen:
            hidden.add(address(item) or 0)
    return frozenset(hidden)


def _suspicious(holder: Any, count: Callable[..., int], get: Callable[..., Any], depth: int = 0) -> bool:
    """Whether any text is drawn invisibly or in white, whatever lies beneath."""
    # This runs over every object of every page: what is looked up once is looked up outside of the loop.
    kind_of, mode_of, fill_of = (
        pdfium.FPDFPageObj_GetType,
        pdfium.FPDFTextObj_GetTextRenderMode,
        pdfium.FPDFPageObj_GetFillColor,
    )
    text, form = pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_FORM
    red, green, blue, alpha = c_uint(), c_uint(), c_uint(), c_uint()
    found = False
    for index in range(count(holder)):
        item = get(holder, index)
        kind = kind_of(item)
        if kind == text:
            mode = mode_of(item)
            found = mode in _INVISIBLE or (
                mode not in _STROKED
                and fill_of(item, red, green, blue, alpha)
                and (alpha.value == 0 or (red.value >= _WHITE and green.value >= _WHITE and blue.value >= _WHITE))
            )
        elif kind == form and depth < _DEEPEST_FORM:
            found = _suspicious(item, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, depth + 1)
        if found:
            return True
    return False


class _Beneath:
    """What could make text visible, or recognised: pictures, and areas that are not white, in the order drawn."""

    def __init__(self, objects: Sequence[_Object]) -> None:
        self._pictures: list[Box] = []
        self._areas: list[tuple[int, Box]] = []
        for place, (item, kind, _) in enumerate(objects):
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self._pictures.append(_box(item))
            if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING) or (
                kind == pdfium.FPDF_PAGEOBJ_PATH and _is_filled(item) and not _is_pale(_fill(item))
            ):
                self._areas.append((place, _box(item)))

    def picture(self, item: Any, *, in_form: bool) -> bool:
        """Whether a picture lies where the text does. A form has coordinates of its own: there any picture counts."""
        return self._any(item, self._pictures, in_form=in_form)

    def colour(self, item: Any, place: int, *, in_form: bool) -> bool:
        """Whether anything that is not white was drawn before the text where it stands."""
        return self._any(item, [box for before, box in self._areas if in_form or before < place], in_form=in_form)

    def _any(self, item: Any, boxes: list[Box], *, in_form: bool) -> bool:
        if in_form:
            return bool(boxes)
        left, bottom, right, top = _box(item)
        x, y = (left + right) / 2, (bottom + top) / 2
        return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes)


def _objects(holder: Any, count: Callable[..., int], get: Callable[..., Any], depth: int = 0) -> Iterator[_Object]:
    """All objects in the order drawn, those inside forms too: the object, its kind, whether it stands in a form."""
    kind_of, form = pdfium.FPDFPageObj_GetType, pdfium.FPDF_PAGEOBJ_FORM
    for index in range(count(holder)):
        item = get(holder, index)
        kind = kind_of(item)
        if kind != form:
            yield item, kind, depth > 0
        elif depth < _DEEPEST_FORM:
            yield from _objects(item, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, depth + 1)


def _fill(item: Any) -> tuple[int, int, int, int]:
    red, green, blue, alpha = c_uint(), c_uint(), c_uint(), c_uint()
    if not pdfium.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
        return 0, 0, 0, 255  # a pattern: seen
    return red.value, green.value, blue.value, alpha.value


def _is_pale(colour: tuple[int, int, int, int]) -> bool:
    return colour[3] == 0 or min(colour[:3]) >= _WHITE


def _is_filled(item: Any) -> bool:
    mode, stroke = c_int(), c_int()
    return bool(pdfium.FPDFPath_GetDrawMode(item, mode, stroke)) and mode.value != pdfium.FPDF_FILLMODE_NONE


def _box(item: Any) -> Box:
    left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def address(pointer: Any) -> int | None:
    """What tells one object of the page from another."""
    return addressof(pointer.contents) if pointer else None
