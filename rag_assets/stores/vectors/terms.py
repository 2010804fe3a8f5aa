"""Term counts as bytes, the way the `embeddings` table keeps them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping


def pack_terms(terms: Mapping[str, int]) -> bytes:
    """Zlib of `term TAB count NEWLINE` lines, sorted, so that equal counts give equal bytes."""
    lines = "".join(f"{term}\t{count}\n" for term, count in sorted(terms.items()))
    return zlib.compress(lines.encode(), 6)


def unpack_terms(packed: bytes) -> dict[str, int]:
    """The counts that `pack_terms` packed."""
    lines = zlib.decompress(packed).decode().splitlines()
    return {term: int(count) for term, _, count in (line.partition("\t") for line in lines)}
