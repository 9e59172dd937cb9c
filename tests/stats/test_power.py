"""The smallest detectable difference, and plans: by hand, and by drawing what was planned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from counterfoil.errors import UserError
from counterfoil.stats.power import (
    Components,
    clusters_needed,
    planned_error,
    smallest_difference,
    variance_components,
)
from counterfoil.stats.signflips import sign_flip_tests


def floats(*values: float) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def test_smallest_difference_by_hand() -> None:
    # t(0.975, 29) = 2.045230 and t(0.8, 29) = 0.854192 are in every table; without limit 1.959964 + 0.841621.
    assert smallest_difference([0.01, 0.01], [29, math.inf]) == pytest.approx([0.02899422, 0.02801585], abs=1e-7)


def test_a_stricter_level_needs_a_larger_difference() -> None:
    # Five tests: t(1 − 0.01/2) = 2.575829 for infinitely many degrees of freedom.
    assert float(smallest_difference(1, math.inf, level=0.01)) == pytest.approx(2.575829 + 0.841621, abs=1e-6)


def test_components_by_hand() -> None:
    # Five clusters of two: (0, 2), (1, 3), (2, 4), (3, 5), (4, 6). Within each the squares add up to 2, so 10/5 = 2.
    # The means 1, 2, 3, 4, 5 lie around 3: 2·(4 + 1 + 0 + 1 + 4)/4 = 5; between = (5 − 2)/2 = 1.5.
    low = np.arange(5.0)
    components = variance_components(np.full(5, 2.0), 2 * low + 2, low**2 + (low + 2) ** 2)
    assert components == pytest.approx((1.5, 2.0))


def test_components_with_clusters_of_unequal_sizes() -> None:
    # Values 0 | 1 | 0 | 1 | 0, 1, 1: N = 7, G = 5, m = 4/7. Within: (2 − 4/3)/2 = 1/3. Between: deviations −4/7, 3/7
    # twice each, and 2/3 − 4/7 = 2/21 three times: (2·16/49 + 2·9/49 + 3·4/441)/4 = 0.261905;
    # smaller than what lies within, so 0. The empty cluster counts for nothing.
    n, s = floats(1, 1, 1, 1, 3, 0), floats(0, 1, 0, 1, 2, 0)
    assert variance_components(n, s, s) == pytest.approx((0, 1 / 3))
    # With 3 in place of each 1 in clusters 1 and 3 the means are 0, 3, 0, 3, 2/3 around 8/7; n₀ = (7 − 13/7)/4 = 9/7.
    # Between: (2·(8/7)² + 2·(13/7)² + 3·(10/21)²)/4 = 2.547619; (2.547619 − 1/3)·7/9 = 1.722222.
    s, q = floats(0, 3, 0, 3, 2, 0), floats(0, 9, 0, 9, 2, 0)
    assert variance_components(n, s, q) == pytest.approx((1.722222, 1 / 3), abs=1e-6)


def test_one_record_in_each_cluster_has_all_its_variance_between() -> None:
    # 0, 1, 0, 1, 1: 5/4 times 0.24.
    s = floats(0, 1, 0, 1, 1)
    assert variance_components(np.ones(5), s, s) == pytest.approx((0.3, 0))


def test_components_find_what_was_planted() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(1, 12, 4_000)
    cluster = np.repeat(np.arange(4_000), n)
    values = rng.normal(0, 0.5, 4_000)[cluster] + rng.normal(0, 1, len(cluster))
    starts = np.cumsum(n) - n
    sums, squares = np.add.reduceat(values, starts), np.add.reduceat(values**2, starts)
    components = variance_components(n.astype(np.float64), sums, squares)
    assert components == pytest.approx((0.25, 1.0), abs=0.04)


def test_too_few_clusters_to_plan_from() -> None:
    with pytest.raises(UserError, match="4 clusters"):
        variance_components(floats(1, 1, 1, 1, 0), floats(0, 1, 0, 1, 0), floats(0, 1, 0, 1, 0))


def test_planned_error_by_hand() -> None:
    # 0.04/25 + 0.36/(25·3·2) = 0.0016 + 0.0024 = 0.004.
    assert planned_error(Components(0.04, 0.36), 25, members=3, repeats=2) == pytest.approx(math.sqrt(0.004))


def test_clusters_by_hand() -> None:
    # One unit of variance, a difference of one half. 33 clusters: (2.036933 + 0.852998)/sqrt(33) = 0.503073, too much;
    # 34: (2.034515 + 0.852665)/sqrt(34) = 0.495147.
    components = Components(1.0, 0.0)
    assert clusters_needed(0.5, components) == 34
    assert float(smallest_difference(planned_error(components, 34), 33)) == pytest.approx(0.495147, abs=1e-5)


def test_repeats_help_only_within_clusters() -> None:
    alone, repeated = (clusters_needed(0.1, Components(0.05, 0.2), repeats=repeats) for repeats in (1, 100))
    # (1.96 + 0.84)²·0.25/0.01 = 196.2, and with next to nothing left within 0.052/0.01·7.85 = 40.8; t asks for 2 more.
    assert (alone, repeated) == (199, 43)


def test_never_fewer_clusters_than_a_test_at_this_level_needs() -> None:
    # With 5 clusters that all differ p is 2 ÷ 2⁵ = 0.0625, with 6 it is 0.031; 2 ÷ 2⁹ = 0.0039 and 2 ÷ 2⁸ = 0.0078.
    assert clusters_needed(0.5, Components(0.0, 0.0)) == 6
    assert clusters_needed(0.5, Components(0.0, 0.0), level=0.005) == 9


@pytest.mark.parametrize("difference", [0, -0.1, math.nan])
def test_refuses_to_detect_nothing(difference: float) -> None:
    with pytest.raises(UserError, match="above 0"):
        clusters_needed(difference, Components(1, 1))


def test_refuses_a_plan_without_end() -> None:
    with pytest.raises(UserError, match="too small"):
        clusters_needed(1e-9, Components(1, 1))


VARIANCES = st.floats(0.001, 4)


@given(VARIANCES, VARIANCES, st.integers(5, 2_000), st.integers(1, 500))
def test_more_clusters_show_smaller_differences(between: float, within: float, clusters: int, more: int) -> None:
    components = Components(between, within)
    few, many = (
        smallest_difference(planned_error(components, count), count - 1) for count in (clusters, clusters + more)
    )
    assert many < few


@given(VARIANCES, VARIANCES, st.floats(0.005, 1), st.integers(1, 9), st.integers(1, 5))
def test_a_plan_is_enough_and_no_more(
    between: float, within: float, difference: float, members: int, repeats: int
) -> None:
    components = Components(between, within)
    enough = clusters_needed(difference, components, members=members, repeats=repeats)

    def shown_by(clusters: int) -> float:
        error = planned_error(components, clusters, members=members, repeats=repeats)
        return float(smallest_difference(error, clusters - 1))

    assert shown_by(enough) <= difference
    assert enough == 6 or shown_by(enough - 1) > difference


def test_a_plan_has_the_power_that_it_claims() -> None:
    components, difference, members = Components(0.1, 0.5), 0.15, 4
    clusters = clusters_needed(difference, components, members=members)
    rng = np.random.default_rng(11)
    shape = (clusters, 400)
    means = difference + rng.normal(0, math.sqrt(0.1), shape) + rng.normal(0, math.sqrt(0.5 / members), shape)
    found = np.mean([test.p is not None and test.p <= 0.05 for test in sign_flip_tests(means)])
    # 80 %, and three standard errors of 400 trials.
    assert found == pytest.approx(0.8, abs=0.06)
