"""The tree of sections, and languages."""

from __future__ import annotations

from hypothesis import given

from rag_assets.text.blocks import Block, BlockKind
from rag_assets.text.cleaning import canonicalise
from rag_assets.text.language import detect_language
from rag_assets.text.sections import build_sections, chapters, section_path, with_languages
from rag_assets_tests.text.strategies import documents


def outline(*levels: int) -> list[Block]:
    blocks = []
    for number, level in enumerate(levels):
        blocks.append(Block(BlockKind.HEADING, f"H{number}", level=level, page=number + 1))
        blocks.append(Block(BlockKind.PARAGRAPH, f"Text {number}.", page=number + 1))
    return blocks


def test_levels_become_a_tree_with_exact_spans() -> None:
    canonical = canonicalise(outline(1, 3, 2, 1))
    sections = build_sections(canonical, title="Buch")
    assert [(s.parent, s.level, s.heading) for s in sections] == [
        (None, 0, "Buch"),
        (0, 1, "H0"),
        (1, 3, "H1"),
        (1, 2, "H2"),
        (0, 1, "H3"),
    ]
    assert canonical.text[sections[1].start : sections[1].end].startswith("H0\n\nText 0.\n\nH1")
    assert sections[1].end == sections[4].start
    assert (sections[1].page_start, sections[1].page_end) == (1, 3)
    assert section_path(sections, 3) == ("Buch", "H0", "H2")


def test_a_heading_that_repeats_the_title_is_not_repeated_in_the_path() -> None:
    canonical = canonicalise(outline(1, 2))
    assert section_path(build_sections(canonical, title="H0"), 2) == ("H0", "H1")


def test_chapters_are_the_top_sections_or_those_below_a_single_title() -> None:
    several = canonicalise(outline(1, 2, 1))
    assert chapters(build_sections(several, title="")) == (0, several.text.index("H2"))
    blocks = outline(1, 2, 3, 2)
    assert chapters(build_sections(canonicalise(blocks), title="")) == (0,), "small parts of one chapter"
    long = [Block(BlockKind.PARAGRAPH, "Satz. " * 600)]
    single = canonicalise([*blocks[:4], *long, *blocks[4:], *long])
    assert chapters(build_sections(single, title="")) == (0, single.text.index("H1"), single.text.index("H3"))


@given(documents)
def test_sections_nest_in_reading_order(blocks: list[Block]) -> None:
    canonical = canonicalise(blocks)
    sections = build_sections(canonical, title="T")
    assert (sections[0].start, sections[0].end) == (0, len(canonical.text))
    for section in sections[1:]:
        assert section.parent is not None
        assert section.parent < section.ordinal
        parent = sections[section.parent]
        assert parent.level < section.level
        assert parent.start <= section.start < section.end <= parent.end
        assert canonical.text.startswith(section.heading, section.start)


def test_languages() -> None:
    assert (
        detect_language("Die Haltung der Beraterin zeigt sich darin, wie sie zuhört und welche Fragen sie stellt.")
        == "de"
    )
    assert (
        detect_language("The counsellor's attitude shows in how she listens and in the questions that she asks.")
        == "en"
    )
    assert (
        detect_language("L'attitude de la conseillère se montre dans la manière dont elle écoute les personnes.")
        == "und"
    )
    assert detect_language("Haltung") == "und"


GERMAN = "Die Beraterin klärt das Anliegen, bevor sie mit der Arbeit beginnt, und fragt nach dem Ziel der Sitzung. " * 4
ENGLISH = "The coach asks what the client wants to achieve before they begin, and listens to what is not said. " * 4


def test_a_section_in_another_language_is_told_and_short_ones_follow_the_one_above() -> None:
    blocks = [
        Block(BlockKind.HEADING, "Haltung", level=1),
        Block(BlockKind.PARAGRAPH, GERMAN * 3),
        Block(BlockKind.HEADING, "Abstract", level=1),
        Block(BlockKind.PARAGRAPH, ENGLISH),
        Block(BlockKind.HEADING, "Keywords", level=2),
        Block(BlockKind.PARAGRAPH, "Coaching, Supervision"),
        Block(BlockKind.HEADING, "Methode", level=1),
        Block(BlockKind.PARAGRAPH, GERMAN),
    ]
    canonical = canonicalise(blocks)
    sections = with_languages(build_sections(canonical, title="Handbuch"), canonical.text, document="de")
    assert [(section.heading, section.language) for section in sections] == [
        ("Handbuch", None),
        ("Haltung", None),
        ("Abstract", "en"),
        ("Keywords", "en"),
        ("Methode", None),
    ]
