"""Sums of means over the same clusters: the closed form by hand, and what must always be true of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from counterfoil.stats import difference
from counterfoil.stats.estimate import Interval
from counterfoil.stats.intervals import agresti_caffo, contrast
from counterfoil.stats.sums import Layout, MeanSums


def sums(values: list[list[float]]) -> MeanSums:
    """From the values in each cluster."""
    n, s, q = (np.array([sum(x**power for x in cluster) for cluster in values], dtype=float) for power in (0, 1, 2))
    return MeanSums(n, n, n, s, q)


def one(arms: list[tuple[float, list[list[float]]]]) -> Interval:
    [interval], _ = contrast(
        Layout(np.zeros(len(arms[0][1]), dtype=np.int64), 1), [(a, sums(values)) for a, values in arms]
    )
    return interval


def test_where_all_clusters_agree_each_counts_as_one() -> None:
    # Ten clusters, m₁ = 1 and m₂ = 0 in all: nᵢ = 10, p₁ = 11/12, p₂ = 1/12, centre 10/12; the variance is
    # 2·(11/12)(1/12)/12, and t has 9 degrees of freedom. 10/12 + half is beyond 1, the largest difference.
    found = one([(1.0, [[1.0]] * 10), (-1.0, [[0.0]] * 10)])
    half = stats.t.ppf(0.975, 9) * math.sqrt(2 * (11 / 12) * (1 / 12) / 12)
    assert found.value == 1
    assert found.low == pytest.approx(10 / 12 - half, abs=1e-6)
    assert found.high == 1
    assert "all clusters agree" in (found.note or "")


def test_four_means() -> None:
    # (1 − 0) − (0 − 1) = 2 with the coefficients 1, −1, −1, 1: each pᵢ(1 − pᵢ) is (11/12)(1/12).
    ones, zeros = [[1.0]] * 10, [[0.0]] * 10
    found = one([(1.0, ones), (-1.0, zeros), (-1.0, zeros), (1.0, ones)])
    half = stats.t.ppf(0.975, 9) * math.sqrt(4 * (11 / 12) * (1 / 12) / 12)
    assert found.value == 2
    assert found.low == pytest.approx(20 / 12 - half, abs=1e-6)
    assert found.clusters == 10


def test_fewer_than_five_clusters_of_one_kind_are_too_few() -> None:
    found = one([(1.0, [[1.0]] * 10), (-1.0, [[0.0]] * 4 + [[]] * 6)])
    assert found.value == 1
    assert found.low is None
    assert found.note == "no interval: fewer than 5 clusters (4)"


def test_clusters_that_are_hard_for_both_cancel_out() -> None:
    # Half of the clusters are hard for both, and the sides differ in one of four records: much narrower than if the
    # same values came from clusters that have nothing to do with each other.
    hard = [[0.0] * 4] * 20 + [[1.0] * 4] * 20
    other = [[1.0, 0.0, 0.0, 0.0]] * 20 + [[0.0, 1.0, 1.0, 1.0]] * 20
    paired = one([(1.0, other), (-1.0, hard)])
    apart = one([(1.0, other + [[]] * 40), (-1.0, [[]] * 40 + hard)])
    assert paired.value == apart.value == 0
    assert width(paired) < 0.5 * width(apart)


def width(interval: Interval) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


clustered = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=3), min_size=8, max_size=8)


@settings(max_examples=100, deadline=None)
@given(clustered, clustered, st.sampled_from([0.5, 2.0, 100.0]))
def test_turned_and_scaled(first: list[list[float]], second: list[list[float]], factor: float) -> None:
    plain = one([(1.0, first), (-1.0, second)])
    turned = one([(-1.0, first), (1.0, second)])
    scaled = one([(factor, first), (-factor, second)])
    [known] = agresti_caffo(Layout(np.zeros(8, dtype=np.int64), 1), sums(first), sums(second))
    assert known == plain
    assert plain.value is not None
    assert plain.low is not None
    assert plain.high is not None
    assert -1 <= plain.low <= plain.value <= plain.high <= 1
    assert turned[:3] == pytest.approx((-plain.value, -plain.high, -plain.low), abs=1e-9)
    assert scaled[:3] == pytest.approx([factor * it for it in plain[:3] if it is not None], rel=1e-9, abs=1e-9)


def test_scattered_errors_bring_no_better_bound_than_none() -> None:
    # Thirty clusters of twelve on each side. Where all agree the bounds of the difference are ±0.062; with one error in
    # each of three clusters they lie no nearer to 0.
    def bounds(wrong: int) -> tuple[float, float]:
        first = [[1.0] * 12 for _ in range(30)]
        for cluster in range(wrong):
            first[cluster][0] = 0.0
        values = [x for cluster in first for x in cluster] + [1.0] * 360
        clusters = [g for _ in range(2) for g in range(30) for _ in range(12)]
        one = difference(values, [True] * 360 + [False] * 360, clusters, metric="difference", model="m", variant="v")
        assert one.low is not None
        assert one.high is not None
        return one.low, one.high

    low, high = bounds(0)
    hidden = 0.6 * 2.045**2 / (30 + 2.045**2)  # t of 29 degrees of freedom
    assert low <= -hidden + 1e-3
    assert high >= hidden - 1e-3
    for wrong in (1, 3, 10):
        low, high = bounds(wrong)
        assert low <= -hidden + 1e-3 + wrong / 360
        assert high >= hidden - 1e-3 - wrong / 360
