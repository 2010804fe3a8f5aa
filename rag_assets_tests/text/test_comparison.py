"""What is said to have changed between two texts: worked by hand, and what must hold for any two."""

from __future__ import annotations

from hypothesis import given

from rag_assets.text.blocks import Block, BlockKind
from rag_assets.text.cleaning import canonicalise
from rag_assets.text.comparison import Comparison, compare, shortened
from rag_assets.text.sections import build_sections
from rag_assets_tests.text.strategies import documents

RULES = "Die Anmeldung läuft über das Sekretariat und kostet nichts."
CARD = "Hospitantinnen tragen einen grünen Ausweis und melden sich am Empfang."
KEYS = "Schlüssel gibt es beim Hausmeister gegen Unterschrift."
HOUSE = "Das Haus schließt um acht Uhr abends."


def blocks(*lines: str) -> list[Block]:
    """`# Kapitel` is a heading of level 1, `## Abschnitt` one of level 2, all else a paragraph."""
    made = []
    for line in lines:
        marks, _, rest = line.partition(" ")
        heading = bool(marks) and not marks.strip("#")
        made.append(Block(BlockKind.HEADING, rest, level=len(marks)) if heading else Block(BlockKind.PARAGRAPH, line))
    return made


def compared(old: list[Block], new: list[Block]) -> Comparison:
    before, after = canonicalise(old), canonicalise(new)
    return compare(
        before.text, build_sections(before, title="Alt"), after.text, build_sections(after, title="Neu")
    )  # fmt: skip


def test_what_was_added_removed_changed_and_renamed() -> None:
    result = compared(
        blocks("# Anmeldung", RULES, CARD, "# Haus", "## Zeiten", HOUSE, "# Alt", "Faxe gehen an die Pforte."),
        blocks("# Anmeldung", RULES, CARD.replace("grünen", "roten"), KEYS, "# Gebäude", "## Zeiten", HOUSE, "# Mensa"),
    )
    assert result.sections_added == (("Mensa",),)
    assert result.sections_removed == (("Alt",),)
    assert result.sections_renamed == ((("Haus",), ("Gebäude",)),)
    assert [(c.kind, c.section, c.old, c.new, c.unchanged_before) for c in result.changes] == [
        ("changed", ("Anmeldung",), CARD, CARD.replace("grünen", "roten"), 1),
        ("added", ("Anmeldung",), "", KEYS, 0),
        ("removed", ("Alt",), "Faxe gehen an die Pforte.", "", 1),
    ]
    assert result.unchanged == 2


def test_a_heading_that_stands_twice_is_matched_in_order() -> None:
    result = compared(blocks("# A", RULES, "# A", CARD), blocks("# A", RULES, "# A", CARD, "# A", KEYS))
    assert (result.sections_added, result.sections_removed, result.sections_renamed) == ((("A",),), (), ())


def test_long_unchanged_stretches_of_a_paragraph_are_left_out() -> None:
    words = [f"w{n}" for n in range(60)]
    old, new = " ".join(words), " ".join([*words[:30], "neu", *words[31:]])
    assert shortened(old, new, around=2) == ("… w28 w29 w30 w31 w32 …", "… w28 w29 neu w31 w32 …")


@given(documents)
def test_a_text_does_not_differ_from_itself(made: list[Block]) -> None:
    result = compared(made, made)
    assert (result.sections_added, result.sections_removed, result.sections_renamed, result.changes) == ((), (), (), ())


@given(documents, documents)
def test_every_paragraph_of_both_texts_is_told_of_once(old: list[Block], new: list[Block]) -> None:
    result, back = compared(old, new), compared(old, old)
    removed = result.count("removed") + result.count("changed")
    added = result.count("added") + result.count("changed")
    assert result.unchanged + removed == back.unchanged
    assert result.unchanged + added == compared(new, new).unchanged
    before, after = (sum(b.level is not None for b in canonicalise(made).blocks) for made in (old, new))
    assert before - len(result.sections_removed) == after - len(result.sections_added)
