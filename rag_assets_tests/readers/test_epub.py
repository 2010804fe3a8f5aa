"""EPUB: order of the spine, chapters without headings, notes across pages, printed pages, protection, broken pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits
from rag_assets_tests.readers.helpers import blocks, read
from rag_assets_tests.readers.packages import epub, xhtml

NOTEREF = '<a epub:type="noteref" href="{0}">{1}</a>'


def test_pages_in_the_order_of_the_spine_without_contents_and_furniture(tmp_path: Path) -> None:
    pages = {
        "z.xhtml": xhtml(
            "<h1>Vorwort</h1><p>Erst <em>dies</em>.</p><nav><a href='a.xhtml'>weiter</a></nav>", title="Weg"
        ),
        "a.xhtml": xhtml("<h1>Haltung</h1><p>Dann jenes.</p><ol><li>fragen</li></ol><p hidden='hidden'>geheim</p>"),
    }
    nav = '<li><a href="text/z.xhtml">Vorwort</a></li><li><a href="text/a.xhtml">Haltung</a></li>'
    metadata = (
        "<dc:title>Leitfaden</dc:title><dc:creator>Anna Beispiel</dc:creator><dc:creator>Bernd Muster</dc:creator>"
        '<dc:date opf:event="modification">2022-01-01</dc:date><dc:date opf:event="publication">2021-05-04</dc:date>'
        "<dc:language>de-DE</dc:language>"
    )
    result = read(epub(tmp_path / "a.epub", pages, nav=nav, metadata=metadata))
    assert blocks(result) == [
        ("heading1", "Vorwort"),
        ("paragraph", "Erst dies."),
        ("heading1", "Haltung"),
        ("paragraph", "Dann jenes."),
        ("list_item", "1. fragen"),
    ]
    assert (result.title, result.authors, str(result.published_on), result.language) == (
        "Leitfaden",
        ("Anna Beispiel", "Bernd Muster"),
        "2021-05-04",
        "de",
    )
    assert result.repairs == {"navigation": 1, "hidden": 1}
    assert result.hidden_text == "geheim"
    assert (result.reader, result.page_count) == ("epub", None)


def test_the_contents_name_chapters_whose_pages_have_no_headings(tmp_path: Path) -> None:
    pages = {
        "eins.xhtml": xhtml(
            '<p class="titel">Erstes Kapitel</p><p>Text eins.</p><p id="b">Abschnitt</p><p>Text zwei.</p>'
        ),
        "zwei.xhtml": xhtml("<p>Text drei.</p>"),
        "drei.xhtml": xhtml("<h2>Eigene</h2><p>Text vier.</p>"),
    }

    def point(label: str, target: str, inner: str = "") -> str:
        return f'<navPoint><navLabel><text>{label}</text></navLabel><content src="text/{target}"/>{inner}</navPoint>'

    ncx = point("Erstes Kapitel", "eins.xhtml", point("Abschnitt", "eins.xhtml#b")) + point("Zweites", "zwei.xhtml")
    assert blocks(read(epub(tmp_path / "a.epub", pages, ncx=ncx + point("Fremd", "drei.xhtml")))) == [
        ("heading1", "Erstes Kapitel"),
        ("paragraph", "Text eins."),
        ("heading2", "Abschnitt"),
        ("paragraph", "Text zwei."),
        ("heading1", "Zweites"),
        ("paragraph", "Text drei."),
        ("heading2", "Eigene"),
        ("paragraph", "Text vier."),
    ]


def test_notes_of_all_pages_follow_the_paragraph_that_cites_them(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": xhtml(
            f"<p>Autopoiesis{NOTEREF.format('noten.xhtml#n1', '1')} heißt es.</p><p>Am Ort{NOTEREF.format('#n1', '2')}.</p>"
            '<aside epub:type="footnote" id="n1"><p>Hier gesagt.</p></aside>'
        ),
        "noten.xhtml": xhtml(
            '<h1>Anmerkungen</h1><section epub:type="endnotes"><p id="n1">1 Maturana 1987.</p></section>'
        ),
    }
    assert blocks(read(epub(tmp_path / "a.epub", pages))) == [
        ("paragraph", "Autopoiesis[1] heißt es."),
        ("footnote", "1 Maturana 1987."),
        ("paragraph", "Am Ort[2]."),
        ("footnote", "[2] Hier gesagt."),
        ("heading1", "Anmerkungen"),
    ]


def test_printed_pages_are_pages_and_no_text(tmp_path: Path) -> None:
    mark = '<span epub:type="pagebreak" id="{0}" title="{0}"/>'
    pages = {
        "a.xhtml": xhtml(
            f"{mark.format('iv')}<p>Vorher.</p><p>Ein Satz, der {mark.format('1')}weitergeht.</p><p>Danach.</p>"
        ),
        "b.xhtml": xhtml(f'<p>Noch eins.</p><div class="pagebreak"></div><p>{mark.format("2")}Zwei.</p>'),
    }
    result = read(epub(tmp_path / "a.epub", pages))
    assert [text for _, text in blocks(result)] == [
        "Vorher.",
        "Ein Satz, der weitergeht.",
        "Danach.",
        "Noch eins.",
        "Zwei.",
    ]
    assert [(b.page, b.page_label) for b in result.blocks] == [(1, "iv"), (1, "iv"), (2, "1"), (2, "1"), (3, "2")]
    assert [(m.offset, m.page, m.label) for m in result.blocks[1].page_breaks] == [(14, 2, "1")]
    assert result.page_count == 3


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(xhtml("<p>Gr&ouml;&szlig;e&nbsp;2 &amp; mehr</p>"), id="named entities"),
        pytest.param("<html><body><p>Größe 2 &amp; mehr<br></body>", id="not well-formed"),
        pytest.param(
            "<?xml version='1.0' encoding='iso-8859-1'?><html><head><title/></head><body><p>Größe 2 &amp; mehr</p></body></html>".encode(
                "latin-1"
            ),
            id="another encoding, an empty title",
        ),
    ],
)
def test_pages_are_read_however_they_are_written(tmp_path: Path, page: str | bytes) -> None:
    assert blocks(read(epub(tmp_path / "a.epub", {"a.xhtml": page}))) == [("paragraph", "Größe 2 & mehr")]


def encryption(uri: str) -> dict[str, str | bytes]:
    return {
        "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><CipherData>'
        f'<CipherReference URI="{uri}"/></CipherData></EncryptedData></encryption>'
    }


BOMB = '<!DOCTYPE html [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><html><body>&b;</body></html>'


@pytest.mark.parametrize(
    ("more", "code"),
    [
        pytest.param(encryption("OEBPS/text/a.xhtml"), "locked", id="protected"),
        pytest.param({"OEBPS/text/a.xhtml": BOMB}, "unsafe_archive", id="entities"),
        pytest.param({"META-INF/container.xml": "<container/>"}, "damaged", id="no package document"),
        pytest.param({"OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"/>'}, "damaged", id="no spine"),
        pytest.param({"OEBPS/text/a.xhtml": xhtml("<img src='a.png'/>")}, "empty", id="pictures only"),
    ],
)
def test_what_cannot_be_read_is_refused_for_the_right_reason(
    tmp_path: Path, more: dict[str, str | bytes], code: str
) -> None:
    with pytest.raises(DocumentError) as refusal:
        read(epub(tmp_path / "a.epub", {"a.xhtml": xhtml("<p>Text.</p>")}, more=more))
    assert refusal.value.code == code


def test_scrambled_fonts_lock_nothing_and_parts_are_limited(tmp_path: Path) -> None:
    path = epub(tmp_path / "a.epub", {"a.xhtml": xhtml("<p>Text.</p>")}, more=encryption("OEBPS/font.otf"))
    assert blocks(read(path)) == [("paragraph", "Text.")]
    with pytest.raises(DocumentError) as refusal:
        read(path, limits=ReadLimits(max_pages=0))
    assert refusal.value.code == "too_large"


def test_characters_that_no_attribute_may_hold_break_no_link(tmp_path: Path) -> None:
    page = xhtml('<p>Ein Satz.<a href="#n%01">1</a></p><p id="n">Die Note.</p>')
    path = epub(
        tmp_path / "a.epub", {"a.xhtml": page.replace("Ein Satz", "Ein\x02 Satz").replace("<body>", "<body>Vor\x03")}
    )
    assert ("paragraph", "Ein Satz.1") in blocks(read(path))
