"""DOCX and PPTX: order, headings, lists, tables, notes, tracked changes, hidden text, unsafe containers."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml as _parse_xml
from docx.oxml.ns import nsdecls
from pptx.util import Inches

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits
from rag_assets.text.blocks import BlockKind
from rag_assets_tests.readers.helpers import blocks, read, texts


def parse_xml(xml: str) -> Any:
    return _parse_xml(xml)


def save(document: Document, path: Path) -> Path:
    document.save(str(path))
    return path


def test_body_in_order_with_headings_lists_and_tables(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Grundlagen", 1)
    document.add_paragraph("Vor der Tabelle.")
    table = document.add_table(rows=0, cols=2)
    for row in (("Phase", "Ziel"), ("Auftakt", "Anliegen"), ("Arbeit", "Lösung")):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_heading("Haltung", 2)
    document.add_paragraph("zuhören", style="List Bullet")
    document.add_paragraph("Nach der Tabelle.")
    result = read(save(document, tmp_path / "a.docx"))
    assert blocks(result) == [
        ("heading1", "Grundlagen"),
        ("paragraph", "Vor der Tabelle."),
        ("table", "Phase | Ziel\nAuftakt | Anliegen\nArbeit | Lösung"),
        ("heading2", "Haltung"),
        ("list_item", "zuhören"),
        ("paragraph", "Nach der Tabelle."),
    ]
    assert result.blocks[2].table_header == "Phase | Ziel"


def test_german_styles_and_outline_levels_are_headings(tmp_path: Path) -> None:
    document = docx.Document()
    document.styles.add_style("Überschrift 3", WD_STYLE_TYPE.PARAGRAPH)
    own = document.styles.add_style("Kapitelkopf", WD_STYLE_TYPE.PARAGRAPH)
    own.base_style = document.styles["Heading 2"]
    document.add_paragraph("Nach deutschem Namen", style="Überschrift 3")
    document.add_paragraph("Nach Vorlage darunter", style="Kapitelkopf")
    direct = document.add_paragraph("Nach Gliederungsebene")
    direct._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="0"/>'))
    document.add_paragraph("Text.")
    assert [kind for kind, _ in blocks(read(save(document, tmp_path / "a.docx")))] == [
        "heading3",
        "heading2",
        "heading1",
        "paragraph",
    ]


def test_insertions_stay_deletions_and_hidden_text_go(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Das Honorar beträgt ")
    for xml in (
        '<w:del {0} w:id="1" w:author="a"><w:r><w:delText>900</w:delText></w:r></w:del>',
        '<w:ins {0} w:id="2" w:author="a"><w:r><w:t>1200</w:t></w:r></w:ins>',
        "<w:r {0}><w:rPr><w:vanish/></w:rPr><w:t>geheim</w:t></w:r>",
        '<w:r {0}><w:t xml:space="preserve"> Euro.</w:t></w:r>',
    ):
        paragraph._p.append(parse_xml(xml.format(nsdecls("w"))))
    result = read(save(document, tmp_path / "a.docx"))
    assert blocks(result) == [("paragraph", "Das Honorar beträgt 1200 Euro.")]
    assert result.repairs == {"hidden": 1, "tracked_deletion": 1}


def test_text_boxes_and_content_controls_are_read_once(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Anker.")
    box = "<w:txbxContent><w:p><w:r><w:t>Im Kasten.</w:t></w:r></w:p></w:txbxContent>"
    paragraph._p.append(
        parse_xml(
            f'<w:r {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
            f"<mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
            f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        )
    )
    control = f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Im Feld.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    paragraph._p.addnext(parse_xml(control))
    assert [text for _, text in blocks(read(save(document, tmp_path / "a.docx")))] == [
        "Anker.",
        "Im Kasten.",
        "Im Feld.",
    ]


def with_footnote(path: Path) -> Path:
    """A document whose first paragraph cites a footnote: python-docx writes none, so the parts are put in by hand."""
    document = docx.Document()
    paragraph = document.add_paragraph("Autopoiesis")
    paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'))
    paragraph.add_run(" heißt Selbsterzeugung.")
    document.add_paragraph("Danach.")
    buffer = io.BytesIO()
    document.save(buffer)
    note = (
        f'<w:footnotes {nsdecls("w")}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>Maturana 1987.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "word/_rels/document.xml.rels":
                data = data.replace(
                    b"</Relationships>",
                    f'<Relationship Id="rIdF" Type="{kind}" Target="footnotes.xml"/></Relationships>'.encode(),
                )
            if name == "[Content_Types].xml":
                override = b'<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/>'
                data = data.replace(b"</Types>", override + b"</Types>")
            target.writestr(name, data)
        target.writestr("word/footnotes.xml", note)
    return path


def test_a_footnote_follows_the_paragraph_that_cites_it(tmp_path: Path) -> None:
    assert blocks(read(with_footnote(tmp_path / "a.docx"))) == [
        ("paragraph", "Autopoiesis[1] heißt Selbsterzeugung."),
        ("footnote", "[1] Maturana 1987."),
        ("paragraph", "Danach."),
    ]


def test_core_properties(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Text.")
    document.core_properties.title = "Leitfaden"
    document.core_properties.author = "Anna Beispiel und Bernd Muster"
    document.core_properties.created = datetime(2021, 5, 4, tzinfo=UTC)
    result = read(save(document, tmp_path / "a.docx"))
    assert (result.title, result.authors, str(result.published_on)) == (
        "Leitfaden",
        ("Anna Beispiel", "Bernd Muster"),
        "2021-05-04",
    )


def test_bold_lines_are_headings_where_no_style_says_so(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph().add_run("Ablauf").bold = True
    document.add_paragraph("Der Ablauf ist einfach.")
    assert blocks(read(save(document, tmp_path / "a.docx")))[0] == ("heading2", "Ablauf")


def test_slides_have_titles_bullets_tables_and_notes(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "Systemisch fragen"
    second = deck.slides.add_slide(deck.slide_layouts[1])
    second.shapes.title.text = "Fragetypen"
    second.placeholders[1].text = "zirkulär\nhypothetisch"
    cells = second.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(5), Inches(1)).table
    for number, text in enumerate(["Typ", "Beispiel", "Skala", "Von 1 bis 10?"]):
        cells.cell(number // 2, number % 2).text = text
    second.notes_slide.notes_text_frame.text = "Hier langsam sprechen."
    deck.save(str(tmp_path / "a.pptx"))
    result = read(tmp_path / "a.pptx")
    assert blocks(result) == [
        ("heading1", "Systemisch fragen"),
        ("heading2", "Fragetypen"),
        ("list_item", "zirkulär"),
        ("list_item", "hypothetisch"),
        ("table", "Typ | Beispiel\nSkala | Von 1 bis 10?"),
        ("note", "Hier langsam sprechen."),
    ]
    assert [block.page for block in result.blocks] == [1, 2, 2, 2, 2, 2]
    assert result.page_count == 2


def test_a_container_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("[Content_Types].xml", "<Types/>")
        bomb.writestr("word/document.xml", b" " * 60_000_000)
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / "a.docx")
    assert refusal.value.code == "unsafe_archive"
    with pytest.raises(DocumentError) as total:
        read(tmp_path / "a.docx", limits=ReadLimits(max_expanded_bytes=1_000_000))
    assert total.value.ids["limit"] == 1_000_000


@pytest.mark.parametrize("keep", [40, 2000, -300])
def test_a_broken_container_is_damaged(tmp_path: Path, keep: int) -> None:
    whole = with_footnote(tmp_path / "whole.docx").read_bytes()
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / "a.docx", whole[:keep])
    assert refusal.value.code == "damaged"


def test_no_text_is_empty(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as refusal:
        read(save(docx.Document(), tmp_path / "a.docx"))
    assert refusal.value.code == "empty"
    assert texts(read(with_footnote(tmp_path / "b.docx")), BlockKind.NOTE) == []


def test_notes_numbered_by_hand_keep_apart_from_the_text(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Erschienen 1987")
    paragraph.add_run("2").font.superscript = True
    note = document.add_paragraph()
    note.add_run("2").font.superscript = True
    note.add_run("Maturana und Varela.")
    assert blocks(read(save(document, tmp_path / "a.docx"))) == [
        ("paragraph", "Erschienen 1987[2]"),
        ("footnote", "[2] Maturana und Varela."),
    ]
