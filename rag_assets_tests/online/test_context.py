"""The context: exact form, exact budget, nothing lost that fits, never empty with a hit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.online.context import SEPARATOR, build_context, title_of
from rag_assets.text.tokens import CharacterTokens
from rag_assets_tests.online.made import ranked

ONE_EACH = CharacterTokens(1.0)


def test_the_form_is_the_missions() -> None:
    """Header, text, separator, to the letter."""
    context = build_context(
        [ranked(1, "Erster Text.", title="Coaching-Handbuch.pdf"), ranked(2, "Zweiter.", title="Teamentwicklung.pdf")],
        limit=3000, tokens=CharacterTokens(),
    )  # fmt: skip
    assert context.text == (
        "[Quelle 1: Coaching-Handbuch.pdf]\nErster Text.\n\n---\n\n[Quelle 2: Teamentwicklung.pdf]\nZweiter."
    )
    assert [source.number for source in context.sources] == [1, 2]


def test_a_passage_in_the_middle_of_a_table_has_the_header_row_above_it() -> None:
    """Beside the text, not in it: what is quoted still stands at its place in the document."""
    context = build_context(
        [ranked(1, "Genogramm | 90 Min.", table_header="Methode | Dauer")], limit=3000, tokens=CharacterTokens()
    )
    assert context.text == "[Quelle 1: Titel 1]\nMethode | Dauer\nGenogramm | 90 Min."
    assert (context.sources[0].text, context.sources[0].offset) == ("Genogramm | 90 Min.", 0)


@pytest.mark.parametrize(
    ("title", "file_name", "expected"),
    [
        ("Handbuch", "h.pdf", "Handbuch"),
        (None, "h.pdf", "h.pdf"),
        ("  ", "h.pdf", "h.pdf"),
        (None, "", "Unbekannt"),
        ("Zeile\neins", "h.pdf", "Zeile eins"),
        ("x] [Quelle 9: y", "h.pdf", "x) (Quelle 9: y"),
    ],
)
def test_the_title(title: str | None, file_name: str, expected: str) -> None:
    """The document's own, else its file name; it can neither break nor forge a header."""
    assert title_of(title, file_name) == expected


def test_what_does_not_fit_is_skipped_and_smaller_ones_follow() -> None:
    """The campus's old function stopped at the first that did not fit; numbers have no gap."""
    texts = ["a" * 50, "b" * 500, "c" * 50]
    context = build_context([ranked(i, text) for i, text in enumerate(texts, 1)], limit=200, tokens=ONE_EACH)
    assert [source.text for source in context.sources] == ["a" * 50, "c" * 50]
    assert [source.number for source in context.sources] == [1, 2]


def test_the_first_is_cut_at_a_sentence() -> None:
    """Rather than left out."""
    text = "Der erste Satz steht hier. Der zweite Satz ist auch noch da. " + "Und ein dritter. " * 30
    context = build_context([ranked(1, text)], limit=90, tokens=ONE_EACH)
    assert context.sources[0].text == "Der erste Satz steht hier. Der zweite Satz ist auch noch da."


def test_a_cut_keeps_the_passage_that_was_found() -> None:
    """When the hit is far down in a long text, the cut begins there."""
    text = "Ganz vorne steht etwas anderes. " * 20 + "Der Treffer steht erst hier hinten. Und noch mehr."
    item = ranked(1, text)
    start = text.index("Der Treffer")
    found = type(item.passage)(item.passage.candidate, item.passage.chunk, (start, len(text)))
    item = type(item)(found, 0.5, 0.5, 0.5, 0.5, 0.5)
    (source,) = build_context([item], limit=100, tokens=ONE_EACH).sources
    assert source.text.startswith("Der Treffer steht erst hier hinten.")
    assert source.offset == start


@given(
    texts=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), min_size=1, max_size=6),
    title=st.text(max_size=300),
    limit=st.integers(64, 700),
    rate=st.sampled_from([1.0, 2.75, 3.2]),
)
def test_any_input_keeps_the_budget(texts: list[str], title: str, limit: int, rate: float) -> None:
    """Headers and separators counted; never empty with a hit; each text a piece of its chunk; numbers 1, 2, 3, …."""
    tokens = CharacterTokens(rate)
    context = build_context(
        [ranked(i, text, title=title) for i, text in enumerate(texts, 1)], limit=limit, tokens=tokens
    )
    assert tokens.count(context.text) == context.tokens <= limit
    assert context.sources
    assert [source.number for source in context.sources] == list(range(1, len(context.sources) + 1))
    for source in context.sources:
        whole = source.ranked.passage.chunk.content
        assert source.text
        assert whole[source.offset : source.offset + len(source.text)] == source.text
    assert context.text == SEPARATOR.join(f"[Quelle {s.number}: {s.title}]\n{s.text}" for s in context.sources)
    assert all(re.fullmatch(r"[^\[\]\n]*", source.title) for source in context.sources)


def test_no_passages_make_an_empty_context() -> None:
    """And no error."""
    assert build_context([], limit=64, tokens=ONE_EACH).text == ""


def test_a_limit_in_which_nothing_fits_is_refused() -> None:
    """Settings do not allow it; a caller's mistake."""
    with pytest.raises(ValueError, match="64"):
        build_context([], limit=63, tokens=ONE_EACH)
