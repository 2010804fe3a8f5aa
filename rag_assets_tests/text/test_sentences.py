"""Where sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given

from rag_assets.text.cleaning import canonicalise
from rag_assets.text.sentences import sentence_spans
from rag_assets_tests.text.strategies import documents, raw_text


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "marked",
    [
        "Das gilt z. B. für Coaching, d. h. für Beratung.| Es folgt mehr.",
        "Prof. Dr. Müller und Dr. Satir sprachen mit Frau Dipl.-Psych. Meyer.| Alle hörten zu.",
        "In der 3. Sitzung wurde geklärt, was am 3. Mai geschah.| Danach war Pause.",
        "Siehe Kap. 2.3.| Der Abschnitt ist kurz.",
        "V. Satir und C. R. Rogers trafen sich 1964.| Sie sprachen lange.",
        "Er sagte: „Komm herein.“| Dann schwieg er.",
        "„Wie geht es dir?“, fragte sie.| Er schwieg.",
        "(Das war der Anfang.)| Danach kam die Klärung.",
        "Naja …| Dann begann er.",
        "Er zögerte … und ging dann doch.",
        "Wirklich?| Ja!| So war es.",
        "Vgl. Luhmann (1984, S. 30 f.).| Ende.",
        "Das 1. Treffen dauerte ca. 2 Std. und kostete 1.250,50 Euro.| Mehr nicht.",
        "Er wohnt in Frankfurt a. M.| Das ist weit.",
        "Friedrich II. war nicht dabei.| Er kam später.",
        "Autorinnen u. a. Satir meinen das.| Andere nicht.",
        "Methoden, Übungen usw.| Themen gibt es genug.",
        "1. Zielklärung ist der Anfang.| 2. Vereinbarung folgt.",
        "2.3. Methoden der Beratung",
        "Das war 1984.| Danach kam die Wende.",
        "Es kamen nur 12.| Die anderen blieben fern.",
        "Am 3. 5. 1984 begann es.| Es endete nie.",
        "Auf diese Art.| Coaching hilft.",
        "Das ist Autopoiesis.[1]| Luhmann übernahm den Begriff.",
        "Gem. § 5 Abs. 2 Satz 1 Nr. 3 BBiG i. V. m. Art. 12 GG gilt dies auch für Hrn. Schulz.| Punkt.",
        "Das steht im BGB.| Niemand liest es.",
        "Dr. Smith, e.g., agrees.| Mr. Brown does not.",
        "See Fig. 3.| The result holds.",
    ],
)
def test_ends_where_a_reader_would(marked: str) -> None:
    """The bar marks where a sentence ends; everything else goes on."""
    assert split(marked.replace("|", "")) == [part.strip() for part in marked.split("|")]


def test_blocks_and_table_rows_end_sentences() -> None:
    assert split("Überschrift\n\nEin Satz\n\nNr | Wert\n1. Das | a\n2 | b") == [
        "Überschrift",
        "Ein Satz",
        "Nr | Wert",
        "1. Das | a",
        "2 | b",
    ]


@given(raw_text)
def test_spans_are_ordered_inside_and_hold_every_character(text: str) -> None:
    spans = sentence_spans(text)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert text[at:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        at = end
    assert text[at:].strip() == ""


@given(documents)
def test_no_sentence_crosses_a_block(blocks: list) -> None:  # type: ignore[type-arg]
    canonical = canonicalise(blocks)
    for start, end in sentence_spans(canonical.text):
        assert any(block.start <= start and end <= block.end for block in canonical.blocks)
