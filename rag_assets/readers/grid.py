"""From cells that hold blocks to a table: shared by the formats in which a cell is a small document.

What a table's text looks like is decided in `text.blocks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag_assets.text.blocks import Block, BlockKind, table_block

_FEWEST_ROWS = 3
"""With fewer, and no row marked as header, the first row may as well be data."""


def grid_blocks(rows: Sequence[Sequence[Sequence[Block]]], *, header: bool) -> Iterator[Block]:
    """Blocks of a table whose cells hold blocks; `header`: the first row is marked as one.

    A single column is a frame around text and gives that text. Notes cited in a cell follow the table.
    """
    if max((len(row) for row in rows), default=0) <= 1:
        for row in rows:
            for cell in row:
                yield from cell
        return
    texts = [[" ".join(block.text for block in cell if not _is_note(block)) for cell in row] for row in rows]
    filled = sum(any(text.strip() for text in row) for row in texts)
    inner = [block for row in rows for cell in row for block in cell]
    first = next((block for block in inner if block.page is not None), None)
    block = table_block(
        texts,
        header=header or filled >= _FEWEST_ROWS,
        page=first.page if first else None,
        page_label=first.page_label if first else None,
    )
    if block:
        yield block
    yield from (block for block in inner if _is_note(block))


def _is_note(block: Block) -> bool:
    return block.kind is BlockKind.FOOTNOTE
