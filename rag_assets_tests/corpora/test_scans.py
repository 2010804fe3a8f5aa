"""A real scan: six pages of a book of 1921, recognised and compared with the proof-read text of the same book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rapidfuzz.distance import Levenshtein

from rag_assets.models.vision.tesseract import Tesseract
from rag_assets.offline.recognition import recognise
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.worker import ReadingWorker
from rag_assets.text.cleaning import CanonicalText, canonicalise

FOOTNOTE = "Übersetzt von Dr. Rudolf Eisler, zweite Auflage 1912."


@pytest.fixture(scope="module")
def book(corpora: Path, tesseract: None) -> CanonicalText:
    path = corpora / "docs" / "21_Freud_Scan_S1-6_nur_Bild.pdf"
    with ReadingWorker(ReadLimits()) as worker:
        result = worker.read(path)
        read = recognise(result, Tesseract(), lambda page: worker.picture(path, page), lambda done, total: None)
    assert read.needs_ocr_pages == ()
    return canonicalise(read.blocks)


def alike(text: str) -> str:
    """Without what the transcription writes another way: emphasis, quotation marks, dashes, the footnote's place."""
    text = re.sub(r"_|\[1\]", "", text).replace("--", "-")
    text = re.sub(r"[–—]", "-", re.sub(r"[»«„“”‘’‚'\"]", '"', text))
    return " ".join(re.sub(r"(?:\* )?Übersetzt von Dr.{1,40}1912\.", "", text).split())


@pytest.mark.long
def test_nearly_every_character_is_right(corpora: Path, book: CanonicalText) -> None:
    whole = (corpora / "docs" / "19_Freud_Kap_I-III_utf16le_BOM.txt").read_text("utf-16")
    reference = alike(whole)
    reference = reference[
        reference.index("I. Einleitung. Der Gegensatz") : reference.index("wie ähnlich") + len("wie ähn")
    ]
    wrong = Levenshtein.distance(reference, alike(book.text))
    assert len(reference) > 5800
    assert wrong / len(reference) <= 0.02, wrong
    assert FOOTNOTE[:13] in book.text


@pytest.mark.long
def test_pages_keep_their_numbers_and_lose_their_headers(book: CanonicalText) -> None:
    for words, page in (
        ("Gegensatz von Individual", 1),
        ("zu seinen Eltern", 2),
        ("engeren Kreis", 4),
        ("Zweckmäßiger", 5),
    ):
        assert book.page_at(book.text.index(words)) == page
    assert "Massenpsychologie und Ich-Analyse" not in book.text
    assert "daß die Anfänge seiner Bildung in einem engeren Kreis" in book.text, "a sentence goes on overleaf"
