"""Documents for property tests: blocks of every kind with the characters that have broken text tools before."""

from __future__ import annotations

from hypothesis import strategies as st

from rag_assets.text.blocks import Block, BlockKind, PageBreak

NASTY = "\u00ad\ufffe\u200b\ufeff\x00\x0c\ue000ﬁﬀ\u0308\u0301\ud800\udc00\u2028\u00a0\uffff\ufdd0😀가¬-‐"
PLAIN = "abcdeÄößXYZ 019.,;:!?…„“()[]|\n\t"

raw_text = st.one_of(
    st.text(alphabet=st.sampled_from(NASTY + PLAIN), max_size=60),
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "Haltung",
                "Ent-\nwicklung",
                "E-Mail-\nAdresse",
                "z. B.",
                "Dr.",
                "3.",
                "Sitzung",
                "ging.",
                "Vor-\nund",
                "Das",
            ]
        ),
        max_size=40,
    ).map(" ".join),
)


@st.composite
def block(draw: st.DrawFn) -> Block:
    """One block; tables are of rows with cells, headings have a level, some run over a page."""
    kind = draw(st.sampled_from(list(BlockKind)))
    page = draw(st.one_of(st.none(), st.integers(1, 5)))
    text = draw(raw_text)
    if kind is BlockKind.TABLE:
        rows = draw(st.integers(1, 30))
        text = "\n".join(f"Zeile {row} | {text[:20].replace(chr(10), ' ')} | x" for row in range(rows))
        return Block(kind, "Nr | Wert | x\n" + text, page=page, table_header="Nr | Wert | x")
    breaks = (PageBreak(len(text) // 2, page + 1),) if page and len(text) > 4 and draw(st.booleans()) else ()
    level = draw(st.integers(1, 6)) if kind is BlockKind.HEADING else None
    return Block(kind, text, level=level, page=page, page_breaks=breaks)


documents = st.lists(block(), max_size=25)
