"""Every document of the corpora, read by us and by another program: the same words, and the same headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.formats import EXPLAINED, HEADINGS_EXPLAINED, LEAST, compare, documents
from benchmarks.references import needed, reference, words
from rag_assets.errors import DocumentError
from rag_assets_tests import services

pytestmark = pytest.mark.long

#: What cannot be read, by the beginning of the name: made so on purpose.
REFUSED = {
    "44": "empty",
    "47": "damaged",
    "49": "empty",
    "57": "damaged",
    "58": "damaged",
    "59": "locked",
    "64": "empty",
    "67": "locked",
}
PLACES = {"pandoc": services.pandoc, "pdftotext": services.pdftotext}

_PLACE = services.corpora()
_FILES = documents(Path(_PLACE.address)) if _PLACE.absent is None else []


def test_all_formats_are_there(corpora: Path) -> None:
    assert len(_FILES) == 57
    assert {path.suffix for path in _FILES} >= {
        ".pdf",
        ".docx",
        ".pptx",
        ".odt",
        ".epub",
        ".html",
        ".md",
        ".rtf",
        ".eml",
    }


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.name)
def test_the_words_and_headings_are_those_that_another_program_reads(corpora: Path, path: Path) -> None:
    number = path.name[:2]
    if number in REFUSED:
        with pytest.raises(DocumentError) as refused:
            compare(path)
        assert refused.value.code == REFUSED[number]
        return
    if (program := needed(path)) is not None:
        services.need(PLACES[program]())
    found = compare(path)
    ours, other = words(found.text.text), found.reference.words
    least = min(found.agreement.recall, found.agreement.precision)
    if number in EXPLAINED:
        assert least < LEAST, "explained without need"
    else:
        assert found.agreement.recall >= LEAST, (other - ours).most_common(20)
        assert found.agreement.precision >= LEAST, (ours - other).most_common(20)
    if found.reference.headings is not None:
        more, fewer, _ = HEADINGS_EXPLAINED.get(number, (0, 0, ""))
        additional, missing = found.heading_differences
        assert (len(additional), len(missing)) == (more, fewer), (additional, missing)


def test_headings_of_rtf_are_those_of_the_text_that_it_was_made_from(corpora: Path, tmp_path: Path) -> None:
    services.need(services.pandoc())
    source = tmp_path / "auszug.md"
    whole = (corpora / "docs" / "13_BBiG_2005.md").read_text("utf-8").split("\n")
    source.write_text("\n".join(whole[:420]), encoding="utf-8")
    found = compare(corpora / "docs" / "26_BBiG_Auszug.rtf")
    wanted = reference(source).headings
    assert wanted is not None
    assert len(wanted) == 20
    assert [(level, words(text)) for level, text in found.headings] == [(level, words(text)) for level, text in wanted]


def test_a_lost_and_an_added_word_are_told() -> None:
    from benchmarks.references import agreement

    found = agreement(words("Ein Gespräch beginnt."), words("Ein Gespräch beginnt, ein\u00adfach so."))
    assert (found.recall, found.precision) == (3 / 5, 1.0)
    assert agreement(words("Ein Ein Gespräch"), words("Ein Gespräch")).precision == 2 / 3
