"""The score and its parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.knowledge.scoring import Weights, calibrate, recency, score

PART = st.floats(0, 1)


def test_the_missions_weights() -> None:
    assert score(1.0, 0.0, 0.0) == pytest.approx(0.7)
    assert score(0.0, 1.0, 0.0) == pytest.approx(0.1)
    assert score(0.0, 0.0, 1.0) == pytest.approx(0.2)
    assert score(0.8, 0.5, 0.6) == pytest.approx(0.73)


@given(PART, PART, PART, PART)
def test_the_score_stays_in_range_and_grows_with_each_part(a: float, b: float, c: float, more: float) -> None:
    base = score(a, b, c)
    assert 0 <= base <= 1
    assert score(max(a, more), b, c) >= base
    assert score(a, max(b, more), c) >= base
    assert score(a, b, max(c, more)) >= base


@pytest.mark.parametrize("parts", [(1.1, 0, 0), (0, -0.1, 0), (0, 0, float("nan"))])
def test_parts_out_of_range_are_refused(parts: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        score(*parts)


def test_weights_add_up() -> None:
    with pytest.raises(ValueError, match="add up"):
        Weights(similarity=0.7, recency=0.7, authority=0.2)


def test_recency_halves_with_each_half_life() -> None:
    assert recency(0, 5) == 1
    assert recency(5 * 365.25, 5) == pytest.approx(0.5)
    assert recency(10 * 365.25, 5) == pytest.approx(0.25)
    assert recency(None, 5) == 0.5
    assert recency(-30, 5) == 1
    with pytest.raises(ValueError, match="half-life"):
        recency(1, 0)


def test_calibration() -> None:
    assert calibrate(0.8, 0.8) == 0
    assert calibrate(1.0, 0.8) == 1
    assert calibrate(0.9, 0.8) == pytest.approx(0.5)
    assert calibrate(0.2, 0.8) == 0
    with pytest.raises(ValueError, match="background"):
        calibrate(0.5, 1.0)
