"""Damaged and hostile bytes of every format: a result or a refusal with a code; no crash, no hang, no eaten memory.

A sample; `proofs/test_damage.py` reads many more. The files go through the reading process, so that a crash of a library
shows as what it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.readers.registry import SUFFIXES
from rag_assets.readers.worker import ReadingWorker
from rag_assets_tests.readers.damage import FORMATS, LIMITS, damaged, members, outcome, packed, whole

SAMPLE = 20


@pytest.fixture(scope="module")
def worker() -> Iterator[ReadingWorker]:
    with ReadingWorker(LIMITS) as made:
        yield made


def test_every_format_that_is_read_has_a_whole_file() -> None:
    same = {".markdown": "md", ".text": "txt", ".htm": "html", ".xhtml": "html", ".tsv": "csv"}
    assert {same.get(suffix, suffix[1:]) for suffix in SUFFIXES} == set(FORMATS)


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_files_are_read_or_refused(worker: ReadingWorker, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    assert outcome(worker, path, whole(kind)) == "read"
    found = {number: outcome(worker, path, damaged(kind, number)) for number in range(SAMPLE)}
    assert not {number: said for number, said in found.items() if said.startswith("FAULT")}
    assert len(Counter(found.values())) > 1 or kind in ("html", "md", "txt", "csv", "eml"), "the damage does no harm"


@pytest.mark.parametrize("kind", ["odt", "odp", "epub", "docx", "pptx"])
def test_deep_nesting_is_read_or_refused(worker: ReadingWorker, tmp_path: Path, kind: str) -> None:
    inner = members(kind)
    name = {"docx": "word/document.xml", "pptx": "ppt/slides/slide1.xml", "epub": "OEBPS/text/a.xhtml"}.get(
        kind, "content.xml"
    )
    opened, closed = {
        "odt": ("<text:section>", "</text:section>"),
        "odp": ("<draw:g>", "</draw:g>"),
        "epub": ("<div>", "</div>"),
        "docx": ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        "pptx": ("<p:grpSp><p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>", "</p:grpSp>"),
    }[kind]  # fmt: skip
    start, end = {
        "odt": ("<office:text>", "</office:text>"),
        "odp": ("<draw:page>", "</draw:page>"),
        "epub": ("<body>", "</body>"),
        "docx": ("<w:body>", "</w:body>"),
        "pptx": ("<p:spTree>", "</p:spTree>"),
    }[kind]
    for depth in (60, 240, 5000):
        text = inner[name].decode("utf-8")
        assert start in text
        text = text.replace(start, start + opened * depth).replace(end, closed * depth + end)
        found = outcome(worker, tmp_path / f"a.{kind}", packed({**inner, name: text.encode("utf-8")}))
        assert not found.startswith("FAULT"), f"depth {depth}: {found}"
