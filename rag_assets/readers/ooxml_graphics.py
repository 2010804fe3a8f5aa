"""Text of charts and of SmartArt, which DOCX and PPTX keep in parts of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rag_assets.readers.package import parse_xml
from rag_assets.text.blocks import Block, BlockKind, table_block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
GRAPHIC_DATA = f"{_A}graphicData"

_MOST_POINTS = 10_000


def graphic_blocks(data: Any, relations: Mapping[str, Any], *, page: int | None) -> Iterator[Block]:
    """Blocks of a graphic: a chart's title and figures, the texts of a SmartArt; nothing for a picture."""
    chart, diagram = data.find(f"{_C}chart"), data.find(f"{_D}relIds")
    if chart is not None and (root := _part(relations, chart.get(f"{_R}id", ""))) is not None:
        yield from _chart(root, page)
    elif diagram is not None and (root := _part(relations, diagram.get(f"{_R}dm", ""))) is not None:
        yield from _diagram(root, page)


def _part(relations: Mapping[str, Any], name: str) -> Any:
    related = relations.get(name)
    return parse_xml(related.target_part.blob) if related is not None and not related.is_external else None


def _chart(root: Any, page: int | None) -> Iterator[Block]:
    for title in root.iter(f"{_C}title"):
        text = " ".join(filter(None, (_text(paragraph) for paragraph in title.iter(f"{_A}p"))))
        if text:
            yield Block(BlockKind.CAPTION, text, page=page)
    series = list(root.iter(f"{_C}ser"))
    names = [" ".join(_points(each.find(f"{_C}tx")).values()) for each in series]
    labels: dict[int, str] = {}
    for each in series:
        labels |= _points(each.find(f"{_C}cat")) | _points(each.find(f"{_C}xVal"))
    columns = [_points(each.find(f"{_C}val")) | _points(each.find(f"{_C}yVal")) for each in series]
    places = sorted({*labels, *(at for column in columns for at in column)})[:_MOST_POINTS]
    rows = [[labels.get(at, ""), *(column.get(at, "") for column in columns)] for at in places]
    block = table_block([["", *names], *rows], header=any(names), page=page)
    if block:
        yield block


def _points(element: Any) -> dict[int, str]:
    """Values by their place in a series."""
    if element is None:
        return {}
    found = {}
    for point in element.iter(f"{_C}pt"):
        value, place = point.find(f"{_C}v"), point.get("idx", "")
        if value is not None and value.text and place.isdigit() and len(place) <= 9:
            found[int(place)] = value.text
    return found


def _diagram(root: Any, page: int | None) -> Iterator[Block]:
    points = {point.get("modelId", ""): point for point in root.iter(f"{_D}pt")}
    children: dict[str, list[tuple[int, str]]] = {}
    for line in root.iter(f"{_D}cxn"):
        if line.get("type", "parOf") == "parOf":
            order = line.get("srcOrd", "0")
            place = int(order) if order.isdigit() and len(order) <= 9 else 0
            children.setdefault(line.get("srcId", ""), []).append((place, line.get("destId", "")))
    waiting = [name for name, point in points.items() if point.get("type") == "doc"][::-1]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting += [child for _, child in sorted(children.get(name, []), reverse=True)]
        point = points.get(name)
        for paragraph in point.iter(f"{_A}p") if point is not None and point.get("type") != "pres" else ():
            if text := _text(paragraph):
                yield Block(BlockKind.LIST_ITEM, text, page=page)


def _text(paragraph: Any) -> str:
    return "".join(text.text or "" for text in paragraph.iter(f"{_A}t")).strip()
