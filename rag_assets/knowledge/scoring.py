"""The relevance score: 0.7·similarity + 0.1·recency + 0.2·authority, with each part between 0 and 1.

Not here: where cosine, age and authority come from, nor the order of equal scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final

UNKNOWN_AGE: Final = 0.5
DAYS_PER_YEAR: Final = 365.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Share of each part of the score. Not negative, together 1.

    >>> Weights(similarity=0.5, recency=0.25, authority=0.25).recency
    0.25
    """

    similarity: float = 0.7
    recency: float = 0.1
    authority: float = 0.2

    def __post_init__(self) -> None:
        parts = (self.similarity, self.recency, self.authority)
        if any(not isfinite(part) or part < 0 for part in parts) or abs(sum(parts) - 1) > 1e-9:
            raise ValueError("weights must not be negative and must add up to 1")


def score(similarity: float, recency: float, authority: float, weights: Weights | None = None) -> float:
    """Weighted sum of three parts in 0..1; itself in 0..1 and growing with each part. ValueError outside of 0..1."""
    for part in (similarity, recency, authority):
        if not 0 <= part <= 1:
            raise ValueError("similarity, recency and authority lie between 0 and 1")
    chosen = weights or Weights()
    total = chosen.similarity * similarity + chosen.recency * recency + chosen.authority * authority
    return min(1.0, total)  # rounding may pass 1 by the last bit


def recency(age_days: float | None, half_life_years: float) -> float:
    """0.5^(age / half-life): 1 for today, ½ after one half-life. Unknown age counts ½, a date to come counts as today."""
    if half_life_years <= 0:
        raise ValueError("a half-life is longer than nothing")
    if age_days is None:
        return UNKNOWN_AGE
    return float(0.5 ** (max(0.0, age_days) / (half_life_years * DAYS_PER_YEAR)))


def calibrate(cosine: float, background: float) -> float:
    """Cosine stretched so that `background` is 0 and 1 is 1, cut to 0..1.

    `background` is the mean cosine of random query–passage pairs of the collection. Rank by the raw cosine, not by
    this: what is cut off is equal here though it was not before.
    """
    if not background < 1:
        raise ValueError("a background cosine of 1 leaves nothing to tell apart")
    return min(1.0, max(0.0, (cosine - background) / (1 - background)))
