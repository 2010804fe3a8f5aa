"""Chunks and windows: sizes, tiling, structure, tables, progress."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.errors import SettingsError
from rag_assets.text.blocks import Block, BlockKind, table_block
from rag_assets.text.chunking import Chunk, ChunkLimits, chunk_text, embedded_text
from rag_assets.text.cleaning import CanonicalText, canonicalise
from rag_assets.text.sections import build_sections
from rag_assets.text.sentences import sentence_spans
from rag_assets.text.tokens import CharacterTokens, TokenCounter
from rag_assets_tests.text.strategies import documents

TOKENS = CharacterTokens()
LIMITS = ChunkLimits()


class WordTokens:
    """A counter that is not a function of the length."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def chunk(
    blocks: list[Block], limits: ChunkLimits = LIMITS, tokens: TokenCounter = TOKENS
) -> tuple[CanonicalText, tuple[Chunk, ...]]:
    canonical = canonicalise(blocks)
    sections = build_sections(canonical, title="Handbuch")
    return canonical, chunk_text(canonical, sections, title="Handbuch", tokens=tokens, limits=limits)


def heading(text: str, level: int = 1) -> Block:
    return Block(BlockKind.HEADING, text, level=level)


def prose(seed: int, sentences: int) -> Block:
    """Sentences of 6 to 14 words."""
    source = random.Random(seed)
    words = ["die", "Haltung", "einer", "Beraterin", "zeigt", "sich", "im", "Gespräch", "und", "trägt", "lange", "weit"]
    made = []
    for _ in range(sentences):
        picked = [source.choice(words) for _ in range(source.randint(6, 14))]
        made.append((" ".join(picked) + ".").replace(picked[0], picked[0].capitalize(), 1))
    return Block(BlockKind.PARAGRAPH, " ".join(made))


def book(seed: int = 1) -> list[Block]:
    """Three chapters: a long one with subsections, a very short one, a long one without."""
    blocks = [heading("Erstes Kapitel")]
    for part in range(12):
        blocks += [heading(f"Abschnitt {part}", 2), prose(seed + part, 9), prose(seed + part + 50, 4)]
    blocks += [heading("Kurzes Kapitel"), prose(seed + 100, 1), heading("Letztes Kapitel")]
    return blocks + [prose(seed + 200 + n, 6) for n in range(20)]


def check_chapters(canonical: CanonicalText, chunks: tuple[Chunk, ...]) -> None:
    """No chunk, its overlap included, holds text of two chapters: of two headings of the highest level there is."""
    headings = [block for block in canonical.blocks if block.level is not None]
    highest = min((block.level or 0 for block in headings), default=0)
    tops = [block.start for block in headings if block.level == highest]
    if len(tops) < 2:
        return  # A single heading may be the title of all.
    for top in tops:
        assert not any(c.start < top < c.end for c in chunks)


def check_tiling(canonical: CanonicalText, chunks: tuple[Chunk, ...], limits: ChunkLimits) -> None:
    own = "".join(canonical.text[c.start + c.overlap : c.end] for c in chunks)
    assert own == canonical.text
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    for c in chunks:
        assert 0 <= c.overlap < c.end - c.start
        assert canonical.text[c.start : c.end].strip()
        assert "".join(canonical.text[w.start : w.end] for w in c.windows) == canonical.text[c.start : c.end]
        for window in c.windows:
            assert window.end > window.start
            assert len(window.context) + 1 + window.end - window.start <= limits.window_chars + 1 - bool(window.context)
            assert len(embedded_text(window, canonical.text)) <= limits.window_chars
    for before, after in itertools.pairwise(chunks):
        assert after.start + after.overlap == before.end
        assert after.start > before.start


def test_sizes_and_overlap_of_prose() -> None:
    canonical, chunks = chunk(book())
    check_tiling(canonical, chunks, LIMITS)
    chapters = [s.start for s in build_sections(canonical, title="") if s.level == 1]
    sentence_starts = {start for start, _ in sentence_spans(canonical.text)}
    for c in chunks:
        assert c.token_count == TOKENS.count(canonical.text[c.start : c.end]) <= 800
        ends_chapter = c.end == len(canonical.text) or c.end in chapters
        assert c.token_count >= 500 or ends_chapter
        assert not any(c.start < start < c.end for start in chapters), "crosses a chapter"
        begins_chapter = c.start in chapters
        assert begins_chapter == (c.overlap == 0)
        if c.overlap:
            assert 50 <= TOKENS.count(canonical.text[c.start : c.start + c.overlap]) <= 100
        assert c.start in sentence_starts
        assert canonical.text[: c.end].rstrip()[-1] == "."


def test_tiny_subsections_are_packed_together_and_cuts_fall_on_headings() -> None:
    blocks = [heading("Buch")]
    for part in range(90):
        blocks += [heading(f"Teil {part}", 2), heading("Knapp", 3), prose(part, 2)]
    canonical = canonicalise([heading("A"), prose(0, 1), *blocks])
    sections = build_sections(canonical, title="T")
    chunks = chunk_text(canonical, sections, title="T", tokens=TOKENS, limits=LIMITS)
    packed = [c for c in chunks if c.start >= canonical.text.index("Buch")]
    assert 4 < len(packed) < 20
    starts = {s.start for s in sections}
    assert all(c.start + c.overlap in starts for c in packed)


def test_a_single_title_heading_does_not_hide_the_chapters() -> None:
    canonical, chunks = chunk([heading("Titel"), heading("Eins", 2), prose(1, 60), heading("Zwei", 2), prose(2, 6)])
    firsts = [canonical.text[c.start : c.end].split("\n")[0] for c in chunks if not c.overlap]
    assert firsts == ["Titel", "Zwei"]
    assert chunks[0].title_path == "Handbuch › Titel"
    assert chunks[-1].title_path == "Handbuch › Titel › Zwei"


def test_a_table_is_cut_between_rows_and_repeats_its_header_as_context() -> None:
    rows = [["Nr", "Methode", "Dauer"]] + [
        [str(n), f"Methode {n} klärt den Aspekt {n} im Team", f"{n * 5} Min."] for n in range(1, 121)
    ]
    table = table_block(rows, header=True)
    assert table is not None
    canonical, chunks = chunk([heading("Koffer"), Block(BlockKind.PARAGRAPH, "Die Übersicht."), table, prose(1, 3)])
    check_tiling(canonical, chunks, LIMITS)
    assert len(chunks) > 2
    line_starts = {0} | {n + 1 for n, c in enumerate(canonical.text) if c == "\n"}
    for c in chunks:
        assert c.start in line_starts
        for window in c.windows:
            assert window.start in line_starts or canonical.text[window.start - 1] == " "
            if "Methode " in canonical.text[window.start : window.end]:
                assert "Nr | Methode | Dauer" in embedded_text(window, canonical.text)
    assert chunks[1].table_header == "Nr | Methode | Dauer"
    assert chunks[0].table_header == ""
    lines = "".join(canonical.text[c.start + c.overlap : c.end] for c in chunks).split("\n")
    assert sum(line.startswith("97 | ") for line in lines) == 1


def test_one_huge_line_is_cut_in_seconds_without_loss() -> None:
    began = time.monotonic()
    canonical, chunks = chunk([Block(BlockKind.PARAGRAPH, "x" * 1_200_000)])
    check_tiling(canonical, chunks, LIMITS)
    assert all(c.token_count <= 800 for c in chunks)
    assert time.monotonic() - began < 20


def test_headings_alone_make_one_chunk_and_nothing_makes_none() -> None:
    canonical, chunks = chunk([heading("A"), heading("B", 2), heading("C", 2)])
    assert [canonical.text[c.start : c.end] for c in chunks] in (["A\n\nB\n\nC"], ["A\n\nB\n\n", "C"])
    assert chunk([])[1] == ()


def test_windows_say_where_they_stand() -> None:
    canonical, chunks = chunk([heading("Kapitel Eins"), prose(1, 20), heading("Haltung", 2), prose(2, 20)])
    windows = [w for c in chunks for w in c.windows if w.start >= canonical.text.index("Haltung\n")]
    assert all(w.context == "Handbuch › Kapitel Eins › Haltung" for w in windows)
    assert windows[0].start == canonical.text.index("Haltung\n"), "a section begins a window"


def test_a_changed_sentence_leaves_the_windows_of_other_chapters_alone() -> None:
    before_text, before = chunk(book())
    changed = book()
    changed[1:3] = [changed[1], prose(999, 9)]
    after_text, after = chunk(changed)
    old = {embedded_text(w, before_text.text) for c in before for w in c.windows}
    new = {embedded_text(w, after_text.text) for c in after for w in c.windows}
    assert 0 < len(new - old) <= 8
    assert len(old) > 30


@pytest.mark.parametrize(
    "sizes",
    [
        {"min_tokens": 100, "overlap_tokens": 100},
        {"min_tokens": 100, "overlap_tokens": 150},
        {"overlap_tokens": -5},
        {"min_tokens": 0, "overlap_tokens": 0},
        {"min_tokens": 900},
        {"window_chars": 0},
    ],
)
def test_impossible_limits_are_refused_with_the_numbers(sizes: dict[str, int]) -> None:
    with pytest.raises(SettingsError) as refusal:
        ChunkLimits(**sizes)
    for value in sizes.values():
        assert str(value) in str(refusal.value)


small_limits = st.builds(
    lambda overlap, room, spread, window: ChunkLimits(overlap + room, overlap + room + spread, overlap, window),
    st.integers(0, 20),
    st.integers(20, 60),
    st.integers(0, 40),
    st.integers(60, 300),
)


@given(documents, small_limits, st.sampled_from([CharacterTokens(), CharacterTokens(1.0), WordTokens()]))
def test_chunks_tile_any_text_within_the_limits(blocks: list[Block], limits: ChunkLimits, tokens: TokenCounter) -> None:
    canonical, chunks = chunk(blocks, limits, tokens)
    check_tiling(canonical, chunks, limits)
    check_chapters(canonical, chunks)
    assert all(c.token_count <= limits.max_tokens for c in chunks)
    assert chunk(blocks, limits, tokens)[1] == chunks
