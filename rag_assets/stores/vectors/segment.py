"""A segment: some windows of a collection as arrays, ready to be searched exactly; how it is made, merged and scored.

Pure arrays: no SQL (that is `points`), no files (that is `snapshot`). The embedded index searches a few segments at
once: one large from its snapshot, small ones for what was written since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag_assets.stores.vectors.base import Filter, term_hash, term_weight

_MOST_COUNT: Final = 65_535


@dataclass(frozen=True, slots=True)
class PointRow:
    """One indexed window as the database holds it; `terms` as (hash, count)."""

    id: int
    uid: str
    chunk_id: int
    document_id: int
    language: str
    type: str
    vector: NDArray[np.float32]
    terms: dict[str, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """n windows in ascending order of `ids`; t distinct terms with p postings as CSR arrays.

    Attributes:
        ids: (n,) int64, ascending. uids: (n,) S36. chunk_ids, document_ids: (n,) int64.
        language_codes, type_codes: (n,) int32, positions in `languages` and `types`.
        vectors: (n, dimension) float32, unit rows.
        terms: (t,) uint64, ascending hashes. starts: (t + 1,) int64. rows: (p,) int32. counts: (p,) uint16.
    """

    ids: NDArray[np.int64]
    uids: NDArray[np.bytes_]
    chunk_ids: NDArray[np.int64]
    document_ids: NDArray[np.int64]
    language_codes: NDArray[np.int32]
    type_codes: NDArray[np.int32]
    vectors: NDArray[np.float32]
    terms: NDArray[np.uint64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]
    languages: tuple[str, ...]
    types: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def postings(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Rows that hold the term, and how often each does."""
        wanted = np.uint64(term_hash(term))
        place = int(np.searchsorted(self.terms, wanted))
        if place == len(self.terms) or self.terms[place] != wanted:
            return self.rows[:0], self.counts[:0]
        span = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.rows[span], self.counts[span]

    def admitted(self, where: Filter | None) -> NDArray[np.bool_] | None:
        """Which rows the filter lets through; None when it lets all."""
        mask: NDArray[np.bool_] | None = None
        if where is None:
            return None
        for wanted, codes, names in (
            (where.languages, self.language_codes, self.languages),
            (where.types, self.type_codes, self.types),
        ):
            if wanted is not None:
                good = np.array([name in wanted for name in names] or [False], dtype=bool)[codes]
                mask = good if mask is None else mask & good
        if where.document_ids is not None:
            good = np.isin(self.document_ids, np.fromiter(where.document_ids, dtype=np.int64))
            mask = good if mask is None else mask & good
        return mask


def lexical_scores(
    n_rows: int,
    postings: Sequence[tuple[NDArray[np.int32], NDArray[np.uint16]]],
    frequencies: Sequence[float],
    reachable: float,
) -> NDArray[np.float32]:
    """BM25 of every row divided by what the question could reach: (n_rows,) float32 in 0..1."""
    scores = np.zeros(n_rows, dtype=np.float32)
    if reachable <= 0:
        return scores
    for (rows, counts), frequency in zip(postings, frequencies, strict=True):
        # A row holds a term once in the postings, so plain fancy addition is right and fast.
        scores[rows] += np.float32(frequency / reachable) * term_weight(counts.astype(np.float32))
    return scores


def build(points: Iterable[PointRow], dimension: int) -> Segment:
    """A segment of rows read from the database, in ascending order of their ids."""
    ordered = sorted(points, key=lambda point: point.id)
    n = len(ordered)
    vectors = np.empty((n, dimension), dtype=np.float32)
    hashes: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for row, point in enumerate(ordered):
        vectors[row] = point.vector
        for term, count in point.terms.items():
            hashes.append(term_hash(term))
            rows.append(row)
            counts.append(min(count, _MOST_COUNT))
    languages, language_codes = _codes([point.language for point in ordered])
    types, type_codes = _codes([point.type for point in ordered])
    terms, starts, sorted_rows, sorted_counts = _to_postings(
        np.array(hashes, dtype=np.uint64), np.array(rows, dtype=np.int32), np.array(counts, dtype=np.uint16)
    )
    return Segment(
        ids=np.array([point.id for point in ordered], dtype=np.int64),
        uids=np.array([point.uid.encode() for point in ordered], dtype="S36"),
        chunk_ids=np.array([point.chunk_id for point in ordered], dtype=np.int64),
        document_ids=np.array([point.document_id for point in ordered], dtype=np.int64),
        language_codes=language_codes, type_codes=type_codes, vectors=vectors,
        terms=terms, starts=starts, rows=sorted_rows, counts=sorted_counts, languages=languages, types=types,
    )  # fmt: skip


def merge(parts: Sequence[tuple[Segment, NDArray[np.bool_] | None]]) -> Segment:
    """One segment of several whose ids follow each other, without the rows that are no longer alive (mask False)."""
    kept = [np.ones(len(part), dtype=bool) if alive is None else alive for part, alive in parts]
    languages = tuple(dict.fromkeys(name for part, _ in parts for name in part.languages))
    types = tuple(dict.fromkeys(name for part, _ in parts for name in part.types))
    hashes, rows, counts, base = [], [], [], 0
    for (part, _), keep in zip(parts, kept, strict=True):
        stays = keep[part.rows]
        new_row = (np.cumsum(keep) - 1 + base).astype(np.int32)
        hashes.append(np.repeat(part.terms, np.diff(part.starts))[stays])
        rows.append(new_row[part.rows[stays]])
        counts.append(part.counts[stays])
        base += int(keep.sum())
    terms, starts, sorted_rows, sorted_counts = _to_postings(
        np.concatenate(hashes), np.concatenate(rows), np.concatenate(counts)
    )

    def joined(name: str) -> NDArray:  # type: ignore[type-arg]
        return np.concatenate([getattr(part, name)[keep] for (part, _), keep in zip(parts, kept, strict=True)])

    def recoded(codes: str, names: str, target: tuple[str, ...]) -> NDArray[np.int32]:
        found = []
        for (part, _), keep in zip(parts, kept, strict=True):
            table = np.array([target.index(name) for name in getattr(part, names)] or [0], dtype=np.int32)
            found.append(table[getattr(part, codes)[keep]])
        return np.concatenate(found)

    return Segment(
        ids=joined("ids"), uids=joined("uids"), chunk_ids=joined("chunk_ids"), document_ids=joined("document_ids"),
        language_codes=recoded("language_codes", "languages", languages),
        type_codes=recoded("type_codes", "types", types), vectors=joined("vectors"),
        terms=terms, starts=starts, rows=sorted_rows, counts=sorted_counts, languages=languages, types=types,
    )  # fmt: skip


def _codes(names: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    distinct = tuple(dict.fromkeys(names))
    places = {name: place for place, name in enumerate(distinct)}
    return distinct, np.array([places[name] for name in names], dtype=np.int32)


def _to_postings(
    hashes: NDArray[np.uint64], rows: NDArray[np.int32], counts: NDArray[np.uint16]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
    # Rows come in ascending order, so a stable sort by term leaves each term's rows ascending.
    order = np.argsort(hashes, kind="stable")
    terms, first = np.unique(hashes[order], return_index=True)
    starts = np.append(first, len(hashes)).astype(np.int64)
    return terms, starts, rows[order], counts[order]
