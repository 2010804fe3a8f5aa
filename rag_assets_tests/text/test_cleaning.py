"""The canonical text: what is mended, what stays, and that all offsets are exact."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from rag_assets.text.blocks import LINED_KINDS, Block, BlockKind, PageBreak, table_block
from rag_assets.text.cleaning import canonicalise
from rag_assets_tests.text.strategies import documents


def clean(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> str:
    return canonicalise([Block(kind, text)]).text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("Ent-\nwicklung", "Entwicklung", id="divided word"),
        pytest.param("Ent-  \n   wick-\nlung", "Entwicklung", id="divided twice, blanks around"),
        pytest.param("E-Mail-\nAdresse", "E-Mail-Adresse", id="compound keeps its hyphen"),
        pytest.param("Vor-\nund Nachname", "Vor- und Nachname", id="shortened compound at a line end"),
        pytest.param("Vor- und Nachname", "Vor- und Nachname", id="shortened compound in a line"),
        pytest.param("20-\njährig", "20-jährig", id="number and word"),
        pytest.param("COVID-\n19", "COVID-19", id="word and number"),
        pytest.param("KOMMUNI-\nKATION", "KOMMUNIKATION", id="capitals"),
        pytest.param("IT-\ngestützt", "IT-gestützt", id="abbreviation and word"),
        pytest.param(
            "long-term goals and long-\nterm plans", "long-term goals and long-term plans", id="seen elsewhere"
        ),
        pytest.param("1984 –\nein Roman", "1984 – ein Roman", id="a dash is no hyphen"),
        pytest.param("Refle\u00ad\nxion", "Reflexion", id="soft hyphen at a line end"),
        pytest.param("Refle\u00ad xion", "Reflexion", id="soft hyphen and blank"),
        pytest.param("Organisations\u00adentwicklung", "Organisationsentwicklung", id="soft hyphen inside"),
        pytest.param("Mail\u00ad\nAdresse", "Mail-Adresse", id="soft hyphen before a capital"),
        pytest.param("Refle\ufffexion", "Reflexion", id="pdfium's mark"),
        pytest.param("Mail\ufffe\nAdresse", "Mail-Adresse", id="pdfium's mark before a capital"),
        pytest.param("Reﬂexion, Deﬁnition, Schiﬀe", "Reflexion, Definition, Schiffe", id="ligatures"),
        pytest.param("Fu\u0308hrung", "Führung", id="decomposed umlaut"),
        pytest.param("u\u200b\u0308ber", "über", id="mark parted by a zero-width character"),
        pytest.param("a\x00b\x07c\ue001d\u200be\ufefff", "abcdef", id="control, private use, zero width"),
        pytest.param("x\ud83d\ude00y\ud800z", "x😀yz", id="surrogates"),
        pytest.param("a \u00a0\t b\r\nc\u2028d\x0ce", "a b c d e", id="white space"),
        pytest.param("Maß, Straße, naïve, 20 €", "Maß, Straße, naïve, 20 €", id="nothing to do"),
    ],
)
def test_mends_prose(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_keeps_lines_of_tables_and_code() -> None:
    assert clean("Nr | Ziel\n1 | Klä\u00adrung  \n\n2 | x", BlockKind.TABLE) == "Nr | Ziel\n1 | Klärung\n2 | x"
    assert clean("def f():\n\treturn 1", BlockKind.CODE) == "def f():\n    return 1"


def test_counts_repairs_and_adds_those_of_the_reader() -> None:
    result = canonicalise([Block(BlockKind.PARAGRAPH, "Ent-\nwick-\nlung ﬁ \x00\x01")], repairs={"page_header": 3})
    assert result.repairs == {"control": 2, "ligature": 1, "line_hyphen": 2, "page_header": 3}
    assert canonicalise([Block(BlockKind.PARAGRAPH, "Nichts zu tun.")]).repairs == {}


def test_pages_follow_blocks_and_breaks_inside_them() -> None:
    blocks = [
        Block(BlockKind.HEADING, "Haltung", level=1, page=2, page_label="ii"),
        Block(
            BlockKind.PARAGRAPH,
            "Er geht über\ndie Seite.",
            page=2,
            page_label="ii",
            page_breaks=(PageBreak(13, 3, "1"),),
        ),
        Block(BlockKind.PARAGRAPH, "Ende.", page=3, page_label="1"),
    ]
    result = canonicalise(blocks)
    assert [(page.page, page.label, result.text[page.start : page.end]) for page in result.pages] == [
        (2, "ii", "Haltung\n\nEr geht über "),
        (3, "1", "die Seite.\n\nEnde."),
    ]
    assert result.page_at(0) == 2
    assert result.page_at(result.text.index("die Seite")) == 3
    assert result.page_label_at(len(result.text)) == "1"


def test_empty_blocks_leave_no_trace() -> None:
    result = canonicalise(
        [Block(BlockKind.PARAGRAPH, " \n\u200b"), Block(BlockKind.PARAGRAPH, "a"), Block(BlockKind.NOTE, "")]
    )
    assert result.text == "a"
    assert len(result.blocks) == 1
    assert canonicalise([]).text == ""


def test_table_block_has_rows_and_header() -> None:
    table = table_block([["", ""], ["Nr", "Methode"], ["1", "Auf|stellung\nklein"]], header=True)
    assert table is not None
    assert table.text == "Nr | Methode\n1 | Auf/stellung klein"
    assert table.table_header == "Nr | Methode"
    assert table_block([["", " "]], header=True) is None


@given(documents)
def test_offsets_are_exact_and_text_is_clean(blocks: list[Block]) -> None:
    result = canonicalise(blocks)
    text = result.text
    assert unicodedata.is_normalized("NFC", text)
    assert "\n\n".join(text[span.start : span.end] for span in result.blocks) == text
    for span in result.blocks:
        piece = text[span.start : span.end]
        assert piece
        assert piece == piece.strip()
        assert span.kind in LINED_KINDS or "\n" not in piece
    for character in text:
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Co", "Cs")
        assert character not in "\u00ad\ufffe\uffff\ufeff\u200b"
    assert all(before.end == after.start for before, after in zip(result.pages, result.pages[1:], strict=False))
    if result.pages:
        assert result.pages[-1].end == len(text)
    text.encode("utf-8")


@given(documents)
def test_cleaning_again_changes_nothing(blocks: list[Block]) -> None:
    once = canonicalise(blocks)
    again = canonicalise([Block(s.kind, once.text[s.start : s.end], level=s.level) for s in once.blocks])
    assert again.text == once.text
    assert again.repairs == {}


@given(documents)
def test_no_letter_is_lost(blocks: list[Block]) -> None:
    """Letters and digits of the raw blocks are those of the text, compared after compatibility folding."""

    def letters(text: str) -> list[str]:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        return [c for c in unicodedata.normalize("NFKD", whole) if c.isalnum()]

    assert letters("\n".join(block.text for block in blocks)) == letters(canonicalise(blocks).text)


def test_a_heading_as_long_as_a_paragraph_is_one() -> None:
    assert canonicalise([Block(BlockKind.HEADING, "Wort " * 100, level=1)]).blocks[0].kind is BlockKind.PARAGRAPH
