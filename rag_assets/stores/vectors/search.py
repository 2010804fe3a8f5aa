"""Exact search over several segments at once: cosine, BM25 over its possible maximum, their sum, the best rows.

Pure arrays; which rows exist at all is known to `embedded`, which passes masks and verifies what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rag_assets.stores.vectors.base import Filter, Hit, Query, inverse_frequency, reach
from rag_assets.stores.vectors.segment import Segment, lexical_scores

Part: TypeAlias = tuple[Segment, NDArray[np.bool_] | None]
"""A segment and which of its rows still exist; None: all."""

# Float32 sums of the same numbers differ by less than this; rows this near to the last place are looked at, so that
# ranks that are equal at six decimals (`base.RANK_DECIMALS`) are all seen and uids decide.
_ROUNDING: Final = 2e-6


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of all rows, per part; rank is -inf where a row must not be found."""

    parts: Sequence[Part]
    cosines: Sequence[NDArray[np.float32]]
    lexicals: Sequence[NDArray[np.float32]]
    ranks: Sequence[NDArray[np.float32]]
    weight: float

    @property
    def admitted(self) -> int:
        """How many rows may be found."""
        return sum(int(np.isfinite(rank).sum()) for rank in self.ranks)

    def best(self, wanted: int) -> list[tuple[int, Hit]]:
        """The best `wanted` rows (fewer only if there are fewer) with their ids, by rank, ties by uid."""
        together = np.concatenate(self.ranks) if self.ranks else np.zeros(0, dtype=np.float32)
        floor = -np.inf
        if wanted < len(together):
            floor = float(np.partition(together, len(together) - wanted)[len(together) - wanted]) - _ROUNDING
        found: list[tuple[float, int, Hit]] = []
        for number, (segment, _) in enumerate(self.parts):
            rank, cosines, lexicals = self.ranks[number], self.cosines[number], self.lexicals[number]
            for row in np.flatnonzero((rank >= floor) & np.isfinite(rank)):
                hit = Hit(
                    segment.uids[row].decode(), int(segment.chunk_ids[row]), int(segment.document_ids[row]),
                    float(cosines[row]), float(lexicals[row]),
                )  # fmt: skip
                found.append((hit.rank(self.weight), int(segment.ids[row]), hit))
        found.sort(key=lambda item: (-item[0], item[2].uid))
        return [(point_id, hit) for _, point_id, hit in found[:wanted]]


def score(parts: Sequence[Part], query: Query, weight: float, where: Filter | None) -> Scored:
    """Score every row of every part; term statistics are those of all existing rows, whatever the filter."""
    postings = [[segment.postings(term) for term in query.terms] for segment, _ in parts]
    n_windows = sum(alive_rows(part) for part in parts)
    frequencies = []
    for number in range(len(query.terms)):
        with_term = 0
        for (_, alive), found in zip(parts, postings, strict=True):
            rows = found[number][0]
            with_term += len(rows) if alive is None else int(alive[rows].sum())
        frequencies.append(inverse_frequency(n_windows, with_term))
    reachable = reach(frequencies)
    all_cosines, all_lexicals, ranks = [], [], []
    for (segment, alive), found in zip(parts, postings, strict=True):
        if query.vector is None:
            cosines = np.zeros(len(segment), dtype=np.float32)
        else:
            cosines = segment.vectors @ np.asarray(query.vector, dtype=np.float32)
        lexicals = lexical_scores(len(segment), found, frequencies, reachable)
        rank = cosines + np.float32(weight) * lexicals
        for mask in (alive, segment.admitted(where), lexicals > 0 if query.vector is None else None):
            if mask is not None:
                rank = np.where(mask, rank, np.float32(-np.inf))
        all_cosines.append(cosines)
        all_lexicals.append(lexicals)
        ranks.append(rank)
    return Scored(parts, all_cosines, all_lexicals, ranks, weight)


def alive_rows(part: Part) -> int:
    """How many rows of the part still exist."""
    segment, mask = part
    return len(segment) if mask is None else int(mask.sum())
