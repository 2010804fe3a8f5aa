"""PPTX beyond titles and bullets: groups, numbers, charts, SmartArt, formulas, what is hidden or only decoration."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pptx
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches

from rag_assets_tests.readers.helpers import blocks, read
from rag_assets_tests.readers.packages import DIAGRAM

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def box(shapes: Any, text: str, top: float, left: float = 1) -> Any:
    shape = shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(left), Inches(top), Inches(1), Inches(0.5))
    shape.text_frame.text = text
    return shape


def slide_of(deck: Any) -> Any:
    return deck.slides.add_slide(deck.slide_layouts[6])


def test_groups_stand_where_they_stand_and_numbers_are_counted(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = slide_of(deck)
    box(slide.shapes, "unten", 6)
    group = slide.shapes.add_group_shape()
    box(group.shapes, "in der Gruppe rechts", 3, 4)
    box(group.shapes, "in der Gruppe links", 3, 2)
    group.top = Inches(0.2)  # its shapes keep their own coordinates
    box(slide.shapes, "oben", 1)
    listed = box(slide.shapes, "erstens\nzweitens\ntiefer\ndrittens\nohne", 7)
    for number, paragraph in enumerate(listed.text_frame.paragraphs[:4]):
        properties = paragraph._p.get_or_add_pPr()
        properties.set("lvl", "1" if number == 2 else "0")
        kind = "alphaLcParenR" if number == 2 else "arabicPeriod"
        properties.append(etree.fromstring(f'<a:buAutoNum xmlns:a="{A}" type="{kind}"/>'))
    deck.save(str(tmp_path / "a.pptx"))
    assert [text for _, text in blocks(read(tmp_path / "a.pptx"))] == [
        "in der Gruppe links",
        "in der Gruppe rechts",
        "oben",
        "unten",
        "1. erstens",
        "2. zweitens",
        "a) tiefer",
        "3. drittens",
        "ohne",
    ]


def test_charts_smart_art_and_formulas_have_text(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = slide_of(deck)
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["Wien", "Graz"]
    data.add_series("2020", (12, None))
    data.add_series("2021", (15, 7))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(2), data)
    chart: Any = frame
    chart.chart.has_title = True
    chart.chart.chart_title.text_frame.text = "Besuche"
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/xml", deck.part.package, DIAGRAM.encode())
    name = slide.part.relate_to(part, f"{R}/diagramData")
    tree = slide.shapes._spTree
    tree.append(
        etree.fromstring(
            f'<p:graphicFrame xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}"><p:nvGraphicFramePr><p:cNvPr id="90" name="S"/>'
            '<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="914400" y="4572000"/><a:ext cx="9" cy="9"/></p:xfrm>'
            '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
            f'<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="{name}"/>'
            "</a:graphicData></a:graphic></p:graphicFrame>",
            tree.getroottree().parser,
        )
    )
    formula = box(slide.shapes, "Also ", 6)
    formula.text_frame.paragraphs[0]._p.append(
        etree.fromstring(
            '<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
            'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMath><m:r><m:t>x=5</m:t></m:r></m:oMath></a14:m>'
        )
    )
    formula.element.addprevious(
        alternatives := etree.fromstring(
            '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="a14"/>'
            "<mc:Fallback/></mc:AlternateContent>"
        )
    )
    alternatives[0].append(formula.element)
    deck.save(str(tmp_path / "a.pptx"))
    assert blocks(read(tmp_path / "a.pptx")) == [
        ("caption", "Besuche"),
        ("table", "| 2020 | 2021\nWien | 12 | 15\nGraz |  | 7"),
        ("list_item", "Auftakt"),
        ("list_item", "Anliegen klären"),
        ("list_item", "Abschluss"),
        ("paragraph", "Also x=5"),
    ]


def test_what_is_hidden_or_commented_is_counted_not_read(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = slide_of(deck)
    box(slide.shapes, "sichtbar", 1)
    box(slide.shapes, "verborgen", 2)._element.nvSpPr.cNvPr.set("hidden", "1")
    comments = f'<p:cmLst xmlns:p="{P}"><p:cm><p:text>Stimmt das?</p:text></p:cm></p:cmLst>'
    slide.part.relate_to(
        Part(PackURI("/ppt/comments/comment1.xml"), "application/xml", deck.part.package, comments.encode()),
        f"{R}/comments",
    )
    left_out = slide_of(deck)
    box(left_out.shapes, "übersprungen", 1)
    left_out._element.set("show", "0")
    deck.core_properties.language = "de-DE"
    deck.save(str(tmp_path / "a.pptx"))
    result = read(tmp_path / "a.pptx")
    assert blocks(result) == [("paragraph", "sichtbar")]
    assert result.repairs == {"hidden": 2, "comment": 1}
    assert (result.hidden_text, result.language) == ("verborgen\nübersprungen", "de")


def test_a_slide_show_is_read_like_a_presentation(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    box(slide_of(deck).shapes, "Text.", 1)
    deck.save(str(tmp_path / "a.pptx"))
    with zipfile.ZipFile(tmp_path / "a.pptx") as source, zipfile.ZipFile(tmp_path / "a.ppsx", "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "[Content_Types].xml":
                data = data.replace(b"presentation.main+xml", b"slideshow.main+xml")
            target.writestr(name, data)
    assert blocks(read(tmp_path / "a.ppsx")) == [("paragraph", "Text.")]
