"""DOCX beyond plain text: automatic numbers, pages as laid out, merged cells, graphics, what is left out, kin, entities."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml as _parse_xml
from docx.oxml.ns import nsdecls

from rag_assets.errors import DocumentError
from rag_assets.text.blocks import BlockKind
from rag_assets_tests.readers.helpers import blocks, read, texts
from rag_assets_tests.readers.packages import CHART, DIAGRAM

NS = nsdecls("w")


def parse_xml(xml: str) -> Any:
    return _parse_xml(xml)


def saved(document: Document, path: Path, replacing: dict[str, tuple[bytes, bytes]] | None = None) -> Path:
    """Save; `replacing` names parts in which bytes are exchanged afterwards."""
    document.save(str(path))
    if replacing:
        with zipfile.ZipFile(path) as source:
            parts = {name: source.read(name) for name in source.namelist()}
        with zipfile.ZipFile(path, "w") as target:
            for name, data in parts.items():
                old, new = replacing.get(name, (b"", b""))
                assert not old or old in data
                target.writestr(name, data.replace(old, new) if old else data)
    return path


def level(number: int, pattern: str, kind: str = "decimal", *, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{more}<w:lvlText w:val="{pattern}"/></w:lvl>'


def numbered(document: Document, number: int, levels: str, *, override: str = "", abstract: int | None = None) -> None:
    root = document.part.numbering_part.element
    if abstract is None:
        root.insert(0, parse_xml(f'<w:abstractNum {NS} w:abstractNumId="{number}">{levels}</w:abstractNum>'))
    root.append(
        parse_xml(f'<w:num {NS} w:numId="{number}"><w:abstractNumId w:val="{abstract or number}"/>{override}</w:num>')
    )


def item(document: Document, text: str, number: int, at: int = 0) -> None:
    properties = document.add_paragraph(text)._p.get_or_add_pPr()
    properties.append(parse_xml(f'<w:numPr {NS}><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>'))


def test_numbers_that_word_counts_stand_before_headings_and_items(tmp_path: Path) -> None:
    document = docx.Document()
    tied = '<w:pStyle w:val="Heading{0}"/>'
    numbered(
        document,
        901,
        level(0, "%1", more=tied.format(1))
        + level(1, "%1.%2", more=tied.format(2))
        + level(2, "§ %1.%3)", "lowerLetter", more=tied.format(3)),
    )
    for name in ("Heading 1", "Heading 2", "Heading 3"):
        style: Any = document.styles[name]
        style.element.get_or_add_pPr().append(parse_xml(f'<w:numPr {NS}><w:numId w:val="901"/></w:numPr>'))
    numbered(document, 902, level(0, "(%1)") + level(1, "%2.", "upperRoman") + level(2, "•", "bullet"))
    numbered(
        document,
        903,
        "",
        abstract=902,
        override='<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>',
    )
    for heading, at in (("Eins", 1), ("Eins eins", 2), ("Eins zwei", 2), ("Klein", 3), ("Zwei", 1), ("Zwei eins", 2)):
        document.add_heading(heading, at)
    for text, number, at in (("a", 902, 0), ("b", 902, 1), ("c", 902, 1), ("d", 902, 2), ("e", 902, 0), ("f", 902, 1)):
        item(document, text, number, at)
    item(document, "neu ab fünf", 903)
    item(document, "weiter", 903)
    item(document, "unbekannt", 999)
    off = document.add_heading("Ohne", 1)
    off._p.get_or_add_pPr().append(parse_xml(f'<w:numPr {NS}><w:numId w:val="0"/></w:numPr>'))
    assert [text for _, text in blocks(read(saved(document, tmp_path / "a.docx")))] == [
        "1 Eins",
        "1.1 Eins eins",
        "1.2 Eins zwei",
        "§ 1.a) Klein",
        "2 Zwei",
        "2.1 Zwei eins",
        "(1) a",
        "I. b",
        "II. c",
        "d",
        "(2) e",
        "I. f",
        "(5) neu ab fünf",
        "(6) weiter",
        "unbekannt",
        "Ohne",
    ]


@pytest.mark.parametrize(("declared", "pages"), [(3, [1, 1, 3]), (1, [None, None, None])], ids=["as laid out", "not"])
def test_pages_are_those_of_the_last_layout_or_none(tmp_path: Path, declared: int, pages: list[int | None]) -> None:
    document = docx.Document()
    turn = f"<w:r {NS}><w:lastRenderedPageBreak/></w:r>"
    document.add_paragraph("Anfang.")
    long = document.add_paragraph("Ein Absatz, der ")
    long._p.append(parse_xml(turn))
    long.add_run("weitergeht.")
    last = document.add_paragraph()
    last._p.append(parse_xml(turn))
    last.add_run("Neue Seite.")
    part = Part(
        PackURI("/docProps/app.xml"),
        "application/vnd.openxmlformats-officedocument.extended-properties+xml",
        f'<Properties xmlns="x"><Pages>{declared}</Pages></Properties>'.encode(),
        document.part.package,
    )
    # The template has such a part already; the relationship of the package names it.
    for related in document.part.package.rels.values():
        if related.reltype == RELATIONSHIP_TYPE.EXTENDED_PROPERTIES:
            related._target = part
    result = read(saved(document, tmp_path / "a.docx"))
    assert [block.page for block in result.blocks] == pages
    assert result.page_count == (3 if pages[0] else None)
    assert [(mark.offset, mark.page) for mark in result.blocks[1].page_breaks] == ([(16, 2)] if pages[0] else [])


def test_merged_cells_keep_their_columns(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=3)
    for number, text in enumerate("abcdef"):
        table.cell(number // 3, number % 3).text = text
    table.cell(1, 0).merge(table.cell(1, 1)).text = "d und e"
    assert texts(read(saved(document, tmp_path / "a.docx")), BlockKind.TABLE) == ["a | b | c\nd und e |  | f"]


def test_charts_and_smart_art_have_text(tmp_path: Path) -> None:
    document = docx.Document()
    for number, (kind, element, xml, attribute) in enumerate(
        (("chart", "c:chart", CHART, "r:id"), ("diagramData", "dgm:relIds", DIAGRAM, "r:dm"))
    ):
        part = Part(PackURI(f"/word/x{number}.xml"), "application/xml", xml.encode(), document.part.package)
        name = document.part.relate_to(
            part, f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
        )
        document.add_paragraph(f"Bild {number}:")._p.append(
            parse_xml(
                f'<w:r {NS} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
                'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
                'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
                'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
                f'<w:drawing><a:graphic><a:graphicData><{element} {attribute}="{name}"/></a:graphicData></a:graphic></w:drawing></w:r>'
            )
        )
    assert blocks(read(saved(document, tmp_path / "a.docx"))) == [
        ("paragraph", "Bild 0:"),
        ("caption", "Besuche"),
        ("table", "| 2020 | 2021\nWien | 12 | 15\nGraz |  | 7"),
        ("paragraph", "Bild 1:"),
        ("list_item", "Auftakt"),
        ("list_item", "Anliegen klären"),
        ("list_item", "Abschluss"),
    ]


def test_comments_and_page_headers_are_counted_not_read(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Ein Satz.")
    document.add_comment(paragraph.runs, text="Stimmt das?", author="A")
    document.sections[0].header.paragraphs[0].text = "Kopf"
    document.sections[0].footer.paragraphs[0].text = " "
    document.core_properties.language = "de-CH"
    result = read(saved(document, tmp_path / "a.docx"))
    assert blocks(result) == [("paragraph", "Ein Satz.")]
    assert result.repairs == {"comment": 1, "page_header": 1}
    assert result.language == "de"


@pytest.mark.parametrize(
    "kind",
    [
        "openxmlformats-officedocument.wordprocessingml.template.main",
        "ms-word.document.macroEnabled.main",
        "ms-word.template.macroEnabledTemplate.main",
    ],
)
def test_templates_and_documents_with_macros_are_read(tmp_path: Path, kind: str) -> None:
    document = docx.Document()
    document.add_paragraph("Text.")
    old = b"vnd.openxmlformats-officedocument.wordprocessingml.document.main"
    path = saved(document, tmp_path / "a.docm", {"[Content_Types].xml": (old, f"vnd.{kind}".encode())})
    assert blocks(read(path)) == [("paragraph", "Text.")]


@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.xml", "word/numbering.xml"])
def test_entities_are_refused(tmp_path: Path, part: str) -> None:
    document = docx.Document()
    document.add_paragraph("Text.")
    document.styles.add_style("Eigene", WD_STYLE_TYPE.PARAGRAPH)
    declaration = b"standalone='yes'?><!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>"
    path = saved(document, tmp_path / "a.docx", {part: (b"standalone='yes'?>", declaration)})
    with pytest.raises(DocumentError) as refusal:
        read(path)
    assert refusal.value.code == "unsafe_archive"
