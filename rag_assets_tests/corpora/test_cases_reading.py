"""The public fault classes of reading, cleaning and chunking: each case's own expectations, read through the worker.

A case is a folder with an input and `expected.json`; its `must_contain` and `must_not_contain` apply to the stored text
with white space collapsed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_assets.errors import DocumentError, SettingsError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.worker import ReadingWorker
from rag_assets.text.blocks import BlockKind
from rag_assets.text.chunking import Chunk, ChunkLimits, chunk_text, embedded_text
from rag_assets.text.cleaning import CanonicalText, canonicalise
from rag_assets.text.sections import build_sections
from rag_assets.text.sentences import sentence_spans
from rag_assets.text.tokens import CharacterTokens

CASES = [
    "docx-tracked-changes/vertrag.docx",
    "eml-quoted-printable/mail.eml",
    "html-wrong-meta-charset/seite.html",
    "html-xss/kurs.html",
    "md-headings-only/gliederung.md",
    "md-long-table/methoden.md",
    "pdf-hidden-prompt-injection/protokoll.pdf",
    "pdf-letterspaced-heading/modul1.pdf",
    "pdf-ligatures-fb01/reflexion.pdf",
    "pdf-nfd-umlauts/coaching.pdf",
    "pdf-null-bytes/null.pdf",
    "pdf-repeated-header-footer/handbuch_12s.pdf",
    "pdf-rotated-page/quer.pdf",
    "pdf-soft-hyphen/handbuch.pdf",
    "pdf-two-columns-rowwise/zweispaltig.pdf",
    "pdf-xref-prev-loop/loop.pdf",
    "txt-cp1252/notizen.txt",
    "txt-utf16le-bom/export.txt",
    "wrong-extension/eigentlich_html.txt",
    "wrong-extension/eigentlich_pdf.docx",
]
LIMITS = ChunkLimits()


@pytest.fixture(scope="module")
def worker() -> Iterator[ReadingWorker]:
    with ReadingWorker(ReadLimits(timeout_s=20)) as made:
        yield made


@pytest.fixture
def cases(corpora: Path) -> Path:
    return corpora / "cases"


def chunked(result: ReadResult, title: str = "Titel") -> tuple[CanonicalText, tuple[Chunk, ...]]:
    canonical = canonicalise(result.blocks, repairs=result.repairs)
    sections = build_sections(canonical, title=title)
    return canonical, chunk_text(canonical, sections, title=title, tokens=CharacterTokens(), limits=LIMITS)


def expected(case: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((case / "expected.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_as_the_case_expects(cases: Path, worker: ReadingWorker, name: str) -> None:
    path = cases / name
    wanted = expected(path.parent)
    canonical, chunks = chunked(worker.read(path))
    text = " ".join(canonical.text.split())
    for needle in (*wanted.get("must_contain", ()), *wanted.get("must_contain_all_chunks_union", ())):
        assert needle in text
    for needle in wanted.get("must_not_contain", ()):
        assert needle not in canonical.text
    for needle, most in wanted.get("max_count", {}).items():
        assert text.count(needle) <= most
    assert chunks
    assert all(canonical.text[chunk.start : chunk.end].strip() for chunk in chunks)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("docx-zip-bomb/bombe.docx", {"unsafe_archive"}),
        ("pdf-truncated/halb.pdf", {"damaged"}),
        ("pdf-zero-pages/leer.pdf", {"empty"}),
    ],
)
def test_what_cannot_be_read_is_refused_for_the_right_reason(
    cases: Path, worker: ReadingWorker, name: str, codes: set[str]
) -> None:
    with pytest.raises(DocumentError) as refusal:
        worker.read(cases / name)
    assert refusal.value.code in codes


def test_scanned_pages_are_counted_and_no_text_is_claimed(cases: Path, worker: ReadingWorker) -> None:
    result = worker.read(cases / "pdf-image-only" / "scan.pdf")
    assert result.blocks == ()
    assert result.needs_ocr_pages == tuple(range(1, 7))


def test_letter_spaced_headings_are_section_titles(cases: Path, worker: ReadingWorker) -> None:
    result = worker.read(cases / "pdf-letterspaced-heading" / "modul1.pdf")
    canonical = canonicalise(result.blocks)
    headings = [section.heading for section in build_sections(canonical, title="")[1:]]
    assert headings == ["AUFTRAGSKLÄRUNG", "HALTUNG UND METHODE"]


def test_a_mail_has_its_subject_and_its_body_once(cases: Path, worker: ReadingWorker) -> None:
    result = worker.read(cases / "eml-quoted-printable" / "mail.eml")
    text = canonicalise(result.blocks).text
    assert result.title == "Rückblick Teamtag – Größe"
    assert text.count("Zielklärung am 9. März.") == 1


def test_a_rotated_page_keeps_its_number(cases: Path, worker: ReadingWorker) -> None:
    canonical = canonicalise(worker.read(cases / "pdf-rotated-page" / "quer.pdf").blocks)
    assert canonical.page_at(canonical.text.index("Ressourcenanalyse")) == 2


def test_hidden_text_is_flagged(cases: Path, worker: ReadingWorker) -> None:
    result = worker.read(cases / "pdf-hidden-prompt-injection" / "protokoll.pdf")
    assert "hidden_text" in result.warnings


def test_every_line_of_the_body_survives_the_removal_of_headers(cases: Path, worker: ReadingWorker) -> None:
    canonical, _ = chunked(worker.read(cases / "pdf-repeated-header-footer" / "handbuch_12s.pdf"))
    assert all(f"Absatz {page}.{line}:" in canonical.text for page in range(1, 13) for line in range(1, 9))


def test_a_long_table_repeats_its_header_and_keeps_its_rows(cases: Path, worker: ReadingWorker) -> None:
    canonical, chunks = chunked(worker.read(cases / "md-long-table" / "methoden.md"))
    for chunk in chunks:
        for window in chunk.windows:
            body = canonical.text[window.start : window.end]
            if "Methode " in body:
                assert "Dauer" in embedded_text(window, canonical.text)
            if "Methode 97 " in body:
                assert "485" in body
        if "Methode " in canonical.text[chunk.start : chunk.end]:
            assert "Dauer" in chunk.table_header + canonical.text[chunk.start : chunk.end]
    own = "".join(canonical.text[c.start + c.overlap : c.end] for c in chunks)
    assert sum(line.startswith("97 |") for line in own.split("\n")) == 1


def test_german_abbreviations(cases: Path, worker: ReadingWorker) -> None:
    case = cases / "txt-german-abbreviations"
    canonical = canonicalise(worker.read(case / "abk.txt").blocks)
    sentences = [canonical.text[start:end] for start, end in sentence_spans(canonical.text)]
    assert len(sentences) == expected(case)["sentences"]
    for ending in expected(case)["must_not_split_after"]:
        assert not any(sentence.endswith(" " + ending) for sentence in sentences)


def test_one_huge_line(cases: Path, worker: ReadingWorker) -> None:
    began = time.monotonic()
    canonical, chunks = chunked(worker.read(cases / "txt-one-huge-line" / "zeile.txt"))
    assert len("".join(canonical.text[c.start + c.overlap : c.end] for c in chunks)) == 1_200_000
    assert all(chunk.token_count <= LIMITS.max_tokens for chunk in chunks)
    assert time.monotonic() - began < 30


def test_impossible_chunk_sizes_are_refused(cases: Path) -> None:
    sizes = json.loads((cases / "config-overlap-ge-size" / "config.json").read_text("utf-8"))
    assert len(sizes) == 4
    for size in sizes:
        with pytest.raises(SettingsError) as refusal:
            ChunkLimits(size["chunk_size"], size["chunk_size"], size["overlap"])
        assert str(size["chunk_size"]) in str(refusal.value)
        assert str(size["overlap"]) in str(refusal.value)


def test_a_file_of_four_gigabytes_is_refused_unread(worker: ReadingWorker, tmp_path: Path) -> None:
    for name in ("riesig.pdf", "riesig.txt"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(4 * 1024**3)
        with pytest.raises(DocumentError) as refusal:
            worker.read(tmp_path / name)
        assert refusal.value.code == "too_large"
        assert refusal.value.ids["bytes"] == 4 * 1024**3


#: What cannot be read of docs/, by the beginning of the name, and why.
REFUSED = {
    "44": "empty",
    "47": "damaged",
    "49": "empty",
    "57": "damaged",
    "58": "damaged",
    "64": "empty",
    "67": "locked",
}
NOT_YET = {".odt", ".epub", ".rtf"}


def test_every_document_is_read_or_refused_for_a_reason(corpora: Path, worker: ReadingWorker) -> None:
    read = 0
    for path in sorted((corpora / "docs").iterdir()):
        code = REFUSED.get(path.name[:2]) or ("unsupported" if path.suffix in NOT_YET else None)
        try:
            result = worker.read(path)
        except DocumentError as refusal:
            assert refusal.code == code, path.name  # noqa: PT017
            continue
        assert code is None, path.name
        read += 1
        canonical, chunks = chunked(result)
        assert canonical.text or result.needs_ocr_pages, path.name
        assert all(chunk.token_count <= LIMITS.max_tokens for chunk in chunks)
        assert not any(b.kind is BlockKind.HEADING and b.end - b.start > 300 for b in canonical.blocks), path.name
    assert read >= 35
