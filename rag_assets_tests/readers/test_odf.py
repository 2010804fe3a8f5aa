"""ODT and ODP: order, headings and their numbers, lists, tables, notes, frames, changes, pages, slides, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits
from rag_assets_tests.readers.helpers import blocks, read
from rag_assets_tests.readers.packages import PRESENTATION, odf, package

NUMBERED = (
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>'
    '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>'
)


def test_body_in_order_with_headings_lists_tables_and_captions(tmp_path: Path) -> None:
    body = """
    <text:h text:outline-level="1">Grundlagen</text:h>
    <text:p>Vor  der
      <text:span>Ta</text:span>belle.<text:s text:c="2"/>Ende<text:tab/>hier<text:line-break/>neu.</text:p>
    <table:table><table:table-header-rows><table:table-row>
      <table:table-cell><text:p>Phase</text:p></table:table-cell><table:table-cell><text:p>Ziel</text:p></table:table-cell>
    </table:table-row></table:table-header-rows><table:table-row>
      <table:table-cell table:number-columns-spanned="2"><text:p>Auftakt</text:p><text:p>kurz</text:p></table:table-cell>
      <table:covered-table-cell/></table:table-row></table:table>
    <text:p text:style-name="Illustration">Abbildung <text:sequence text:name="A">1</text:sequence>: Ablauf</text:p>
    <text:h text:outline-level="2">Haltung</text:h>
    <text:list text:style-name="B"><text:list-item><text:p>zuhören</text:p></text:list-item></text:list>
    <text:p text:style-name="Preformatted_20_Text">rag all</text:p>
    <text:p>Nach der Liste.</text:p>"""
    result = read(odf(tmp_path / "a.odt", body, automatic=NUMBERED))
    assert blocks(result) == [
        ("heading1", "Grundlagen"),
        ("paragraph", "Vor der Tabelle. Ende hier neu."),
        ("table", "Phase | Ziel\nAuftakt kurz |"),
        ("caption", "Abbildung 1: Ablauf"),
        ("heading2", "Haltung"),
        ("list_item", "zuhören"),
        ("code", "rag all"),
        ("paragraph", "Nach der Liste."),
    ]
    assert result.blocks[2].table_header == "Phase | Ziel"
    assert {block.page for block in result.blocks} == {None}


def test_numbers_of_headings_and_lists_are_counted(tmp_path: Path) -> None:
    outline = (
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
        '<text:outline-level-style text:level="3" style:num-format=""/></text:outline-style>'
    )
    body = """
    <text:h text:outline-level="1">Eins</text:h><text:h text:outline-level="2">Eins eins</text:h>
    <text:h text:outline-level="2">Eins zwei</text:h><text:h text:outline-level="3">ohne Zahl</text:h>
    <text:h text:outline-level="1" text:is-list-header="true">Vorwort</text:h>
    <text:h text:outline-level="1">Zwei</text:h><text:h text:outline-level="2">Zwei eins</text:h>
    <text:list text:style-name="N"><text:list-item><text:p>erstens</text:p><text:p>noch im Punkt</text:p>
      <text:list><text:list-item><text:p>klein</text:p></text:list-item><text:list-item><text:p>kleiner</text:p></text:list-item></text:list>
    </text:list-item><text:list-item><text:p>zweitens</text:p></text:list-item></text:list>
    <text:p>Dazwischen.</text:p>
    <text:list text:style-name="N" text:continue-numbering="true"><text:list-item><text:p>drittens</text:p></text:list-item></text:list>
    <text:list text:style-name="N"><text:list-item text:start-value="7"><text:p>siebtens</text:p></text:list-item></text:list>"""
    assert [text for _, text in blocks(read(odf(tmp_path / "a.odt", body, automatic=NUMBERED, styles=outline)))] == [
        "1 Eins",
        "1.1 Eins eins",
        "1.2 Eins zwei",
        "ohne Zahl",
        "Vorwort",
        "2 Zwei",
        "2.1 Zwei eins",
        "1. erstens",
        "noch im Punkt",
        "a) klein",
        "b) kleiner",
        "2. zweitens",
        "Dazwischen.",
        "3. drittens",
        "7. siebtens",
    ]


def test_styles_make_headings_titles_and_hidden_text(tmp_path: Path) -> None:
    styles = (
        '<style:style style:name="Kapitel" style:family="paragraph" style:default-outline-level="2"/>'
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Kapitel"/>'
        '<style:style style:name="Unsichtbar" style:family="text"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="P2" style:family="paragraph" style:parent-style-name="Title"/>'
        '<style:style style:name="Title" style:family="paragraph"/>'
    )
    body = """<text:p text:style-name="P2">Der Leitfaden</text:p><text:p text:style-name="P1">Kapitel eins</text:p>
    <text:p>Sichtbar<text:span text:style-name="Unsichtbar">geheim</text:span>.</text:p>
    <text:section text:display="none"><text:p>auch geheim</text:p></text:section>
    <text:section><text:p>Im Bereich.</text:p></text:section>
    <text:table-of-content><text:index-body><text:p>Kapitel eins 3</text:p></text:index-body></text:table-of-content>"""
    master = "<style:master-page><style:header><text:p>Kopf</text:p></style:header><style:footer/></style:master-page>"
    result = read(odf(tmp_path / "a.odt", body, automatic=styles, master=master))
    assert blocks(result) == [
        ("paragraph", "Der Leitfaden"),
        ("heading2", "Kapitel eins"),
        ("paragraph", "Sichtbar."),
        ("paragraph", "Im Bereich."),
    ]
    assert result.title == "Der Leitfaden"
    assert result.repairs == {"hidden": 2, "contents_list": 1, "page_header": 1}
    assert (result.hidden_text, result.warnings) == ("geheim\nauch geheim", ("hidden_text",))


def test_notes_and_frames_follow_their_paragraph_and_changes_are_applied(tmp_path: Path) -> None:
    def note(kind: str, text: str) -> str:
        return (
            f'<text:note text:note-class="{kind}"><text:note-citation>9</text:note-citation>'
            f"<text:note-body><text:p>{text}</text:p></text:note-body></text:note>"
        )

    body = f"""<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>alt</text:p></text:deletion>
    </text:changed-region><text:changed-region text:id="c2"><text:insertion/></text:changed-region></text:tracked-changes>
    <text:p>Autopoiesis{note("footnote", "Maturana 1987.")} ist <text:change text:change-id="c1"/><text:change-start
    text:change-id="c2"/>neu<text:change-end text:change-id="c2"/>{note("endnote", "Am Ende.")}.<office:annotation>
    <text:p>Stimmt das?</text:p></office:annotation><draw:frame><draw:text-box><text:p>Im Kasten.</text:p></draw:text-box>
    </draw:frame><draw:custom-shape><text:p>In der Form.</text:p></draw:custom-shape></text:p><text:p>Danach{note("footnote", "Luhmann.")}.</text:p>"""
    result = read(odf(tmp_path / "a.odt", body))
    assert blocks(result) == [
        ("paragraph", "Autopoiesis[1] ist neu[E1]."),
        ("paragraph", "Im Kasten."),
        ("paragraph", "In der Form."),
        ("footnote", "[1] Maturana 1987."),
        ("footnote", "[E1] Am Ende."),
        ("paragraph", "Danach[2]."),
        ("footnote", "[2] Luhmann."),
    ]
    assert result.repairs == {"tracked_deletion": 1, "comment": 1}


def test_formulas_charts_and_form_controls_have_text(tmp_path: Path) -> None:
    formula = "<math:math><math:mi>x</math:mi><math:mo>=</math:mo><math:mn>5</math:mn></math:math>"
    chart = (
        '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><chart:title><text:p>Besuche</text:p></chart:title><table:table>'
        + "".join(
            f"<table:table-row><table:table-cell><text:p>{a}</text:p></table:table-cell><table:table-cell><text:p>{b}</text:p>"
            "</table:table-cell></table:table-row>"
            for a, b in (("Jahr", "Zahl"), ("2020", "12"), ("2021", "15"))
        )
        + "</table:table></office:document-content>"
    )
    body = f"""<office:forms><form:form><form:fixed-text form:id="c1" form:label="Vorname"/>
    <form:text form:id="c2" form:current-value="Anna"/></form:form></office:forms>
    <text:p>Also <draw:frame><draw:object>{formula}</draw:object></draw:frame> gilt.</text:p>
    <text:p><draw:control draw:control="c1"/><draw:control draw:control="c2"/></text:p>
    <text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>"""
    assert blocks(read(odf(tmp_path / "a.odt", body, more={"Object 1/content.xml": chart}))) == [
        ("paragraph", "Also x = 5 gilt."),
        ("paragraph", "Vorname Anna"),
        ("caption", "Besuche"),
        ("table", "Jahr | Zahl\n2020 | 12\n2021 | 15"),
    ]


@pytest.mark.parametrize(("declared", "pages"), [(3, [1, 1, 3]), (4, [None, None, None])], ids=["as laid out", "not"])
def test_pages_are_those_of_the_last_layout_or_none(tmp_path: Path, declared: int, pages: list[int | None]) -> None:
    styles = '<style:style style:name="P1" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>'
    body = """<text:p text:style-name="P1">Anfang.</text:p><text:p>Ein Absatz, der <text:soft-page-break/>weitergeht.</text:p>
    <text:p text:style-name="P1">Neue Seite.</text:p>"""
    meta = f'<meta:document-statistic meta:page-count="{declared}"/>'
    result = read(odf(tmp_path / "a.odt", body, automatic=styles, meta=meta))
    assert [block.page for block in result.blocks] == pages
    assert result.page_count == (3 if pages[0] else None)
    assert [(mark.offset, mark.page) for mark in result.blocks[1].page_breaks] == ([(16, 2)] if pages[0] else [])


def test_metadata(tmp_path: Path) -> None:
    meta = (
        "<dc:title>Leitfaden</dc:title><meta:initial-creator>Anna Beispiel</meta:initial-creator><dc:creator>X</dc:creator>"
        "<meta:creation-date>2021-05-04T10:00:00</meta:creation-date><dc:date>2022-01-01</dc:date><dc:language>de-AT</dc:language>"
    )
    result = read(odf(tmp_path / "a.odt", "<text:p>Text.</text:p>", meta=meta))
    assert (result.title, result.authors, str(result.published_on), result.language) == (
        "Leitfaden",
        ("Anna Beispiel",),
        "2021-05-04",
        "de",
    )


def frame(kind: str, inner: str, *, y: str = "1cm", x: str = "1cm", more: str = "") -> str:
    return f'<draw:frame presentation:class="{kind}" svg:x="{x}" svg:y="{y}" {more}><draw:text-box>{inner}</draw:text-box></draw:frame>'


def test_slides_have_titles_bullets_shapes_and_notes(tmp_path: Path) -> None:
    bullets = "<text:list><text:list-item><text:p>zirkulär</text:p></text:list-item><text:list-item><text:p>hypothetisch</text:p></text:list-item></text:list>"
    notes = f"<presentation:notes>{frame('notes', '<text:p>Langsam sprechen.</text:p>')}</presentation:notes>"
    body = f"""<draw:page>{frame("title", "<text:p>Systemisch fragen</text:p>")}</draw:page>
    <draw:page><draw:g><draw:custom-shape svg:y="90mm" svg:x="2cm"><text:p>Unten.</text:p></draw:custom-shape></draw:g>
    {frame("outline", bullets, y="4cm")}{frame("title", "<text:p>Fragetypen</text:p>", y="1in")}
    {frame("footer", "<text:p>Campus</text:p>")}{frame("subtitle", "<text:p>Klicken</text:p>", more='presentation:placeholder="true"')}
    {notes}</draw:page>
    <draw:page draw:style-name="dp"><draw:custom-shape><text:p>Ausgeblendet.</text:p></draw:custom-shape></draw:page>"""
    hidden = '<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    result = read(odf(tmp_path / "a.odp", body, kind=PRESENTATION, automatic=hidden))
    assert blocks(result) == [
        ("heading1", "Systemisch fragen"),
        ("heading2", "Fragetypen"),
        ("list_item", "zirkulär"),
        ("list_item", "hypothetisch"),
        ("paragraph", "Unten."),
        ("note", "Langsam sprechen."),
    ]
    assert [block.page for block in result.blocks] == [1, 2, 2, 2, 2, 2]
    assert (result.page_count, result.title, result.reader) == (3, "Systemisch fragen", "odp")
    assert result.repairs == {"page_header": 1, "hidden": 1}
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / "a.odp", limits=ReadLimits(max_pages=2))
    assert refusal.value.code == "too_large"


BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'
LOOP = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'
FILE = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        pytest.param({"META-INF/manifest.xml": "<manifest:encryption-data/>"}, "locked", id="encrypted"),
        pytest.param({"encrypted-package": b"x"}, "locked", id="encrypted as a whole"),
        pytest.param({"content.xml": "<office"}, "damaged", id="broken markup"),
        pytest.param({"content.xml": ""}, "damaged", id="no content"),
        pytest.param({"content.xml": f"{BOMB}<a>&b;</a>"}, "unsafe_archive", id="entities"),
        pytest.param({"content.xml": f'{LOOP}<a b="&a;"/>'}, "unsafe_archive", id="entities in a circle"),
        pytest.param({"content.xml": f"{FILE}<a>&a;</a>"}, "unsafe_archive", id="an outer entity"),
        pytest.param({"meta.xml": f"{FILE}<a>&a;</a>"}, "unsafe_archive", id="an outer entity in the metadata"),
        pytest.param({"content.xml": b" " * 3_000_000}, "unsafe_archive", id="unpacks to too much"),
    ],
)
def test_what_cannot_be_read_is_refused_for_the_right_reason(
    tmp_path: Path, parts: dict[str, str | bytes], code: str
) -> None:
    with pytest.raises(DocumentError) as refusal:
        read(odf(tmp_path / "a.odt", "<text:p>Text.</text:p>", more=parts))
    assert refusal.value.code == code


def test_the_content_decides_not_the_suffix(tmp_path: Path) -> None:
    assert read(odf(tmp_path / "a.docx", "<text:p>Text.</text:p>")).reader == "odt"
    without_type = odf(tmp_path / "b.odt", "<text:p>Text.</text:p>", more={"mimetype": ""})
    assert read(without_type).reader == "odt"
    for name, parts, code in (
        ("c.odt", {"mimetype": "application/vnd.oasis.opendocument.graphics", "content.xml": "<a/>"}, "unsupported"),
        ("d.odt", {"word/document.xml": "<a/>"}, "unsupported"),
    ):
        with pytest.raises(DocumentError) as refusal:
            read(package(tmp_path / name, parts))
        assert refusal.value.code == code
    with pytest.raises(DocumentError) as damaged:
        read(tmp_path / "e.odt", "Kein Zip.")
    assert damaged.value.code == "damaged"
