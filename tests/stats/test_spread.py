"""The variance, worked out by hand on a few clusters."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.stats.intervals import spread_of_mean
from counterfoil.stats.spread import Spread
from counterfoil.stats.sums import Layout, MeanSums


def spread_of_right(sizes: list[float], right: list[float], *, weight: float = 1) -> Spread:
    n = np.array(sizes, dtype=float) * weight
    s = np.array(right, dtype=float) * weight
    sums = MeanSums(np.array(sizes, dtype=float), n, n * weight, s, s)
    layout = Layout(np.zeros(len(sizes), dtype=np.int64), 1)
    return spread_of_mean(layout, sums, layout.total(s) / layout.total(n))


def test_model_variance_wins() -> None:
    # m = 4/8, u = (1, −1, 0), h = (1/4, 1/4, 1/2): robust = (4/3 + 4/3 + 0)/64 = 1/24 = 0.0417.
    # σ² = 1/4; within = 0 + 0 + 4·1/4 = 1; ρ = 1 − 1/((8 − 3)/4) = 0.2; Σn²/N − 1 = 24/8 − 1 = 2:
    # model = 1/32 · (1 + 2·0.2) = 0.04375.
    spread = spread_of_right([2, 2, 4], [2, 0, 2])
    assert spread.variance[0] == pytest.approx(0.04375)
    assert spread.g_eff[0] == pytest.approx(64 / 24)


def test_robust_variance_wins() -> None:
    # m = 3/6, u = (1, −1, 0), h = 1/3: robust = (3/2 + 3/2)/36 = 1/12.
    # within = 2·1/4 = 1/2, ρ = 1 − (1/2)/(3/4) = 1/3: model = 1/24 · (1 + 1/3) = 1/18.
    assert spread_of_right([2, 2, 2], [2, 0, 1]).variance[0] == pytest.approx(1 / 12)


def test_negative_correlation_is_taken_as_none() -> None:
    # m = 4/8, u = (1, −1, 0, 0), h = 1/4: robust = (4/3 + 4/3)/64 = 1/24.
    # within = 2·1/2 + 0 … = 1, σ² = 1/4, ρ = 1 − 1/((8 − 4)/4) = 0: model = 1/32.
    assert spread_of_right([2, 2, 2, 2], [2, 0, 1, 1]).variance[0] == pytest.approx(1 / 24)
    # u = 0 everywhere: robust = 0; within = 2, ρ = 1 − 2/1 = −1, taken as 0: model = 1/32.
    assert spread_of_right([2, 2, 2, 2], [1, 1, 1, 1]).variance[0] == pytest.approx(1 / 32)


def test_scale_of_weights_does_not_matter() -> None:
    plain, heavy = spread_of_right([2, 3, 4], [2, 0, 2]), spread_of_right([2, 3, 4], [2, 0, 2], weight=7)
    for ours, theirs in zip(plain, heavy, strict=True):
        assert ours == pytest.approx(theirs)


def test_an_empty_cluster_counts_for_nothing() -> None:
    plain, more = spread_of_right([2, 3, 4], [2, 0, 2]), spread_of_right([2, 0, 3, 4], [2, 0, 0, 2])
    for ours, theirs in zip(plain, more, strict=True):
        assert ours == pytest.approx(theirs)


def test_degrees_of_freedom() -> None:
    # 20 clusters of 1, 5 right: df by the formula is 2/(1.640625/3.75² − 1/20) = 30, G_eff − 1 = 19 is less.
    assert spread_of_right([1] * 20, [1] * 5 + [0] * 15).quantile[0] == pytest.approx(2.093024, abs=1e-6)
    # 20 clusters of 10, 1 with all right and the rest with none: u = 9.5 once, −0.5 nineteen times; Σu² = 95,
    # Σu⁴ = 8146.25, 2/(0.902632 − 0.05) = 2.35, at least 4.
    assert spread_of_right([10] * 20, [10] + [0] * 19).quantile[0] == pytest.approx(2.776445, abs=1e-6)
    # One cluster holds nearly all: G_eff = 10020²/(10000² + 20) = 1.004, so the 1 that is the least.
    assert spread_of_right([10000] + [1] * 20, [5000] + [1] * 20).quantile[0] == pytest.approx(12.7062, abs=1e-4)


def test_effective_number_is_limited_where_one_cluster_differs() -> None:
    # 30 clusters of 10, a single record right. m = 1/300; u = 29/30 once, −1/30 twenty-nine times; Σu² = 29/30;
    # robust = (29/30)/(29/30)/300² = 1/90000, model is less; m(1−m)/V = 299.
    # A = (29/30)²/((29/30)⁴ + 29/30⁴) = 1.07011, so n_eff is at most 4·1.07011·30 = 128.41.
    spread = spread_of_right([10] * 30, [1] + [0] * 29)
    assert spread.variance[0] == pytest.approx(1 / 90000)
    assert spread.n_eff(np.array([299 / 90000]))[0] == pytest.approx(128.41, abs=0.01)


@pytest.mark.parametrize("right", [[0] * 6, [3] * 6, [1] * 6])
def test_effective_number_is_that_of_clusters_where_all_agree(right: list[float]) -> None:
    spread = spread_of_right([3] * 6, right)
    assert spread.agree[0]
    assert spread.n_eff(np.array([0.25]))[0] == pytest.approx(6)
