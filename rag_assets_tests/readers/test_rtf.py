"""RTF: code pages, headings, lists, tables, notes, fields, what is left out, and files cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.errors import DocumentError
from rag_assets_tests.readers.helpers import blocks, read

FONTS = r"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\froman\fcharset238 Times New Roman CE;}{\f2\fnil\fcharset128 Mincho;}{\f3\fcharset2 Wingdings;}}"
STYLES = (
    r"{\stylesheet{\s0 Standard;}{\s1\sbasedon0\outlinelevel0 Kapitel;}{\s2\sbasedon1\outlinelevel1 Abschnitt;}"
    r"{\s3\sbasedon0 \'dcberschrift 3;}{\s4 Beschriftung;}{\s5 toc 1;}{\s6 Titel;}{\*\cs10 Zeichen;}}"
)


def rtf(path: Path, body: str, *, head: str = "") -> Path:
    path.write_bytes((r"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + STYLES + head + body + "}").encode("latin-1"))
    return path


def test_headings_paragraphs_captions_and_lists(tmp_path: Path) -> None:
    body = r"""{\pard\s6 Der Leitfaden\par}
{\pard\s1 Grundlagen\par}\pard\plain Vor der Liste,\line weiter.\par
\pard\s2 Haltung\par\pard\s3 Kleines\par\pard\outlinelevel3 Am Absatz\par
{\pard{\listtext\pard\plain 1.\tab}\ls1 erstens\par}{\pard{\listtext\f3 n\tab}\ls2 mit Punkt\par}
{\pard{\pntext\f0 a)\tab}{\*\pn\pnlvlbody}alt gez\'e4hlt\par}
\pard\s4 Abbildung 1\par\pard\s5 Grundlagen 3\par\pard Ende."""
    result = read(rtf(tmp_path / "a.rtf", body))
    assert blocks(result) == [
        ("paragraph", "Der Leitfaden"),
        ("heading1", "Grundlagen"),
        ("paragraph", "Vor der Liste, weiter."),
        ("heading2", "Haltung"),
        ("heading3", "Kleines"),
        ("heading4", "Am Absatz"),
        ("list_item", "1. erstens"),
        ("list_item", "mit Punkt"),
        ("list_item", "a) alt gezählt"),
        ("caption", "Abbildung 1"),
        ("paragraph", "Ende."),
    ]
    assert result.title == "Der Leitfaden"
    assert result.repairs == {"contents_list": 1}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(r"Gr\'f6\'dfe", "Größe", id="code page of the document"),
        pytest.param(r"{\f1 P\'f8\'edklad \'9a}", "Příklad š", id="code page of the font"),
        pytest.param(r"{\f2 \'93\'fa\'96\'7b}", "日本", id="two bytes a character"),
        pytest.param(r"Gr\u246\'f6\u223\'dfe", "Größe", id="Unicode with a stand-in"),
        pytest.param(r"{\uc2 Gr\u246\'81\'82\u223 xyfe}", "Größfe", id="Unicode with two stand-ins"),
        pytest.param(r"\uc0 Gr\u246 \u223 e", "Größe", id="Unicode without"),
        pytest.param(r"Viele \u-10179?\u-8704? da", "Viele 😀 da", id="two halves of a character"),
        pytest.param(r"{\upr{Gr??e}{\*\ud{Gr\u246 ?\u223 ?e}}}", "Größe", id="both forms"),
        pytest.param(
            r"Ein\~Wort\_mit\-Trennung \endash  \{Klammer\} \bullet\ldblquote x\rdblquote",
            "Ein Wort‑mitTrennung – {Klammer} •“x”",
            id="signs",
        ),
    ],
)
def test_characters(tmp_path: Path, body: str, text: str) -> None:
    assert blocks(read(rtf(tmp_path / "a.rtf", body + r"\par"))) == [("paragraph", text)]


def test_tables_have_rows_and_notes_follow_them(tmp_path: Path) -> None:
    def row(*cells: str, head: str = "") -> str:
        return (
            rf"\trowd{head}\cellx100\cellx200 "
            + "".join(rf"\pard\intbl {cell}\cell" + "\n" for cell in cells)
            + r"\row"
            + "\n"
        )

    body = (
        "Vorher.\\par\n" + row("Phase", "Ziel", head=r"\trhdr")
        + row(r"Auftakt\par kurz", r"Anliegen{\super\chftn}{\footnote\pard\plain {\super\chftn} Siehe dort.}")
        + row("", "leer davor") + r"\pard Nachher.\par" + row(r"Rahmen\par um Text") + r"\pard"
    )  # fmt: skip
    result = read(rtf(tmp_path / "a.rtf", body))
    assert blocks(result) == [
        ("paragraph", "Vorher."),
        ("table", "Phase | Ziel\nAuftakt kurz | Anliegen[1]\n| leer davor"),
        ("footnote", "[1] Siehe dort."),
        ("paragraph", "Nachher."),
        ("paragraph", "Rahmen"),
        ("paragraph", "um Text"),
    ]
    assert result.blocks[1].table_header == "Phase | Ziel"


def test_notes_boxes_and_changes(tmp_path: Path) -> None:
    body = r"""Autopoiesis{\super\chftn{\*\footnote\chftn\pard\plain\s0 Maturana\par Varela.}} ist {\deleted alt }{\revised neu}{\footnote\ftnalt Am Ende.}.{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt \pard Im Kasten.\par}}{\shprslt{\pard Im Kasten.\par}}}\par
{\header\pard Kopf\par}{\footerr\pard\par}Sichtbar{\v geheim}{\*\atnid AB}{\*\annotation{\*\atnauthor x}Stimmt das?}.\par
{\field{\*\fldinst HYPERLINK "http://example.org"}{\fldrslt Ein Verweis}}, 20 m{\super 2}, seit 1987{\super 3}.\par
{\field{\*\fldinst { TOC \\o }}{\fldrslt Grundlagen 3\par Haltung 4\par}}{\*\unbekannt nicht}{\pict\wmetafile8 0102}{\pict{\bin4 }{}}}}Ende.\par"""
    result = read(rtf(tmp_path / "a.rtf", body))
    assert blocks(result) == [
        ("paragraph", "Autopoiesis[1] ist neu[E1]."),
        ("footnote", "[1] Maturana Varela."),
        ("footnote", "[E1] Am Ende."),
        ("paragraph", "Im Kasten."),
        ("paragraph", "Sichtbar."),
        ("paragraph", "Ein Verweis, 20 m², seit 1987[3]."),
        ("paragraph", "Ende."),
    ]
    assert result.repairs == {"tracked_deletion": 1, "hidden": 1, "page_header": 1, "comment": 1, "contents_list": 1}
    assert (result.hidden_text, result.warnings) == ("geheim", ("hidden_text",))


def test_metadata_and_bold_headings(tmp_path: Path) -> None:
    head = (
        r"{\info{\title Leitf\'e4den}{\author Anna Beispiel; Bernd Muster}{\creatim\yr2021\mo5\dy4\hr10}{\operator X}}"
    )
    result = read(rtf(tmp_path / "a.rtf", r"\pard{\b Ablauf}\par\pard Der Ablauf ist {\b einfach}.\par", head=head))
    assert (result.title, result.authors, str(result.published_on)) == (
        "Leitfäden",
        ("Anna Beispiel", "Bernd Muster"),
        "2021-05-04",
    )
    assert blocks(result) == [("heading2", "Ablauf"), ("paragraph", "Der Ablauf ist einfach.")]


def test_the_content_decides_and_what_is_cut_off_is_damaged(tmp_path: Path) -> None:
    whole = rtf(tmp_path / "a.doc", r"\pard Ein Absatz.\par").read_bytes()
    assert read(tmp_path / "a.doc").reader == "rtf"
    for content, code in ((whole[:-3], "damaged"), (b"{\\rtf1 }", "empty"), (b"{\\rtf1" + b"{" * 100_000, "damaged")):
        with pytest.raises(DocumentError) as refusal:
            read(tmp_path / "b.rtf", content)
        assert refusal.value.code == code
    assert blocks(read(tmp_path / "c.rtf", whole + b" Rest }}}")) == [("paragraph", "Ein Absatz.")]
