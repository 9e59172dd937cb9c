from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t, ttest_1samp

from counterfoil.stats.power import equivalence_p
from counterfoil.stats.student import t_quantile, t_tail


def test_equivalent_by_hand() -> None:
    # (0.05 − 0.01)/0.02 = 2 with 2 degrees of freedom: P(T > 2) = ½ − 2/(2·sqrt(2 + 4)) = 0.0917517.
    assert equivalence_p(0.01, 0.02, 2, 0.05) == pytest.approx(0.0917517, abs=1e-7)


def test_a_narrow_interval_is_equivalent() -> None:
    # (0.05 − 0.01)/0.01 = 4 for infinitely many degrees of freedom: P(Z > 4) = 3.167e-5.
    assert equivalence_p(-0.01, 0.01, math.inf, 0.05) == pytest.approx(3.167e-5, rel=1e-3)


def test_a_difference_at_the_margin_or_beyond() -> None:
    assert equivalence_p(0.05, 0.01, 10, 0.05) == 0.5
    assert equivalence_p(-0.08, 0.01, 10, 0.05) == pytest.approx(t.cdf(3, 10))


def test_agrees_with_two_tests_of_scipy() -> None:
    values = [0.1, -0.2, 0.3, 0.0, 0.1, -0.1, 0.2]
    mean = sum(values) / 7
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / 6 / 7)
    above = ttest_1samp(values, -0.2, alternative="greater").pvalue
    below = ttest_1samp(values, 0.2, alternative="less").pvalue
    assert equivalence_p(mean, error, 6, 0.2) == pytest.approx(max(above, below), rel=1e-9)


@pytest.mark.parametrize("error", [0.0, math.nan])
def test_without_a_standard_error_nothing_is_shown(error: float) -> None:
    assert equivalence_p(0.0, error, 10, 0.05) is None


@given(st.floats(-0.3, 0.3), st.floats(0.001, 0.2), st.floats(4, 500), st.floats(0.01, 0.3))
def test_equivalent_exactly_if_the_90_percent_interval_lies_within_the_margin(
    difference: float, error: float, df: float, margin: float
) -> None:
    reach = abs(difference) + float(t_quantile(0.95, df)) * error
    p = equivalence_p(difference, error, df, margin)
    assert p is not None
    if abs(reach - margin) > 1e-9:
        assert (p <= 0.05) == (reach < margin)
    assert equivalence_p(-difference, error, df, margin) == p


@pytest.mark.parametrize("df", [0.5, 1, 1.5, 2, 4, 9.3, 30, 199, 201, 5_000, 1e6, 5e7])
@pytest.mark.parametrize("value", [-5, -0.3, 0.001, 0.5, 1, 1.4, 2, 3, 7, 20])
def test_tail_agrees_with_scipy(value: float, df: float) -> None:
    assert t_tail(value, df) == pytest.approx(t.sf(value, df), rel=1e-8)


def test_tail_by_hand() -> None:
    # One degree of freedom: ½ − atan(t)/π. Two: ½ − t/(2·sqrt(2 + t²)).
    assert t_tail(math.sqrt(3), 1) == pytest.approx(1 / 6)
    assert t_tail(1, 2) == pytest.approx(0.5 - 1 / (2 * math.sqrt(3)))
    assert t_tail(0, 7) == 0.5
    assert t_tail(1e-8, 1) == pytest.approx(0.5 - 1e-8 / math.pi, rel=1e-12)


def test_tail_at_the_ends() -> None:
    assert (t_tail(math.inf, 3), t_tail(-math.inf, 3)) == (0, 1)
    assert t_tail(1.5, math.inf) == pytest.approx(norm.sf(1.5))


@given(st.floats(1e-5, 0.99999), st.floats(1, 1_000))
def test_tail_undoes_the_quantile(probability: float, df: float) -> None:
    assert t_tail(float(t_quantile(probability, [df])[0]), df) == pytest.approx(1 - probability, rel=1e-6)


@pytest.mark.parametrize(("value", "df"), [(math.nan, 5), (1, 0), (1, math.nan)])
def test_tail_refuses_what_is_not_defined(value: float, df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_tail(value, df)
