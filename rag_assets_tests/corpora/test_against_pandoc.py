"""Office files and books of third parties, read by us and by pandoc: the same headings, and the same words.

Left out of pandoc's reading is what a book repeats on every page: navigation, page feet, printed page numbers. PPTX, which
pandoc does not read, is compared with the text runs in its parts.
"""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits
from rag_assets.text.blocks import BlockKind
from rag_assets.text.cleaning import BlockSpan, CanonicalText, canonicalise
from rag_assets_tests import services

FURNITURE = {"related", "footer", "pagenum"}
LEAST = 0.98

#: Of docs/, by the beginning of the name. Reading the books takes pandoc its time.
DOCUMENTS = (
    pytest.param("07", id="DOCX with numbered lists, tables, formulas"),
    pytest.param("11", id="ODT"),
    pytest.param("16", id="DOCX with nested numbers"),
    pytest.param("20", id="EPUB with notes and printed pages", marks=pytest.mark.long),
    pytest.param("22", id="EPUB made by Sphinx", marks=pytest.mark.long),
    pytest.param("26", id="RTF with numbered lists"),
    pytest.param("52", id="ODT with a form"),
    pytest.param("53", id="DOCX with a soft hyphen"),
    pytest.param("55", id="RTF with an umlaut"),
    pytest.param("56", id="DOCX with a footnote"),
    pytest.param("65", id="DOCX with tables"),
)
#: What we read and pandoc does not: the fields of a form; the heading of a title page.
MORE_WORDS, MORE_HEADINGS = {"52"}, {"20": 1}


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", unicodedata.normalize("NFKC", text).replace("\u00ad", "").lower()))


def ours(path: Path) -> CanonicalText:
    return canonicalise(registry.read(path, ReadLimits()).blocks)


def without_furniture(value: Any) -> Any:
    """Pandoc's tree without the elements whose class says that they are furniture."""
    if isinstance(value, dict):
        return {key: without_furniture(inner) for key, inner in value.items()}
    if isinstance(value, list):
        kept = (inner for inner in value if not (isinstance(inner, dict) and is_furniture(inner)))
        return [without_furniture(inner) for inner in kept]
    return value


def is_furniture(element: dict[str, Any]) -> bool:
    return element.get("t") in ("Div", "Span") and not FURNITURE.isdisjoint(element["c"][0][1])


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        kind, content = value.get("t"), value.get("c", "")
        if kind in ("Str", "Code", "Math"):
            yield content if isinstance(content, str) else content[1]
        elif kind in ("Space", "SoftBreak", "LineBreak"):
            yield " "
        elif kind != "Note":
            yield from strings(content)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def headings_in(value: Any) -> Iterator[tuple[int, str]]:
    if isinstance(value, dict):
        if value.get("t") == "Header":
            yield value["c"][0], "".join(strings(value["c"][2]))
        else:
            yield from headings_in(value.get("c"))
    elif isinstance(value, list):
        for inner in value:
            yield from headings_in(inner)


def is_heading(span: BlockSpan) -> bool:
    return span.kind is BlockKind.HEADING


def pandoc(*arguments: str, text: str | None = None) -> str:
    program = services.need(services.pandoc())
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("number", DOCUMENTS)
def test_the_words_and_headings_are_those_that_pandoc_reads(corpora: Path, number: str) -> None:
    path = next((corpora / "docs").glob(f"{number}_*"))
    tree = without_furniture(json.loads(pandoc("-t", "json", str(path))))
    reference = words(pandoc("-f", "json", "-t", "plain", "--wrap=none", text=json.dumps(tree)))
    read = ours(path)
    found = words(read.text)
    shared = (found & reference).total()
    assert shared >= LEAST * reference.total(), (reference - found).most_common(20)
    if number not in MORE_WORDS:
        assert shared >= LEAST * found.total(), (found - reference).most_common(20)
    headings = [(span.level or 0, words(read.text[span.start : span.end])) for span in read.blocks if is_heading(span)]
    wanted = [(level, words(text)) for level, text in headings_in(tree["blocks"])]
    if number == "26":  # pandoc knows no headings in RTF: those of the text that the file was made from
        source = (corpora / "docs" / "13_BBiG_2005.md").read_text("utf-8").split("\n")[:420]
        wanted = [(len(line.split()[0]), words(line)) for line in source if line.startswith("#")]
    at = iter(headings)
    assert [heading for heading in wanted if heading not in at] == [], "a heading is missing, or out of order"
    assert len(headings) == len(wanted) + MORE_HEADINGS.get(number, 0)


def test_the_words_of_slides_are_those_in_their_parts(corpora: Path) -> None:
    path = next((corpora / "docs").glob("08_*.pptx"))
    with zipfile.ZipFile(path) as archive:
        slides = [archive.read(name).decode("utf-8") for name in archive.namelist() if "slides/slide" in name]
    runs = " ".join(
        re.findall(r"<a:t>([^<]*)</a:t>", " ".join(slide.replace("</a:p>", "<a:t> </a:t>") for slide in slides))
    )
    reference, read = words(runs.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")), ours(path)
    found = words(read.text)
    shared = (found & reference).total()
    assert shared >= LEAST * reference.total(), (reference - found).most_common(20)
    assert shared >= LEAST * found.total(), (found - reference).most_common(20)
    assert sum(map(is_heading, read.blocks)) >= 20
