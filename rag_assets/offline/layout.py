"""The layout of a canonical text (blocks and pages with their spans) as JSON, the way a version keeps it."""

from __future__ import annotations

import json

from rag_assets.text.blocks import BlockKind
from rag_assets.text.cleaning import BlockSpan, CanonicalText, PageSpan


def dump(canonical: CanonicalText) -> str:
    """Blocks and pages, without the text itself; equal layouts give equal strings."""
    blocks = [
        [block.kind.value, block.start, block.end, block.level, block.page, block.page_label, block.table_header]
        for block in canonical.blocks
    ]
    pages = [[page.page, page.label, page.start, page.end] for page in canonical.pages]
    return json.dumps({"blocks": blocks, "pages": pages}, ensure_ascii=False, separators=(",", ":"))


def load(text: str, layout: str) -> CanonicalText:
    """The canonical text that was dumped; repairs are kept elsewhere and empty here."""
    stored = json.loads(layout)
    blocks = tuple(BlockSpan(BlockKind(kind), *rest) for kind, *rest in stored["blocks"])
    pages = tuple(PageSpan(*page) for page in stored["pages"])
    return CanonicalText(text, blocks, pages, {})
