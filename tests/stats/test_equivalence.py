from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

from counterfoil.stats.power import is_equivalent


def test_equivalent_by_hand() -> None:
    # (0.05 − 0.01)/0.02 = 2 with 2 degrees of freedom: P(T > 2) = ½ − 2/(2·sqrt(2 + 4)) = 0.0917517.
    assert is_equivalent(0.01, 0.02, 2, 0.05) is False
    assert is_equivalent(0.01, 0.02, 2, 0.05, level=0.0917518)
    assert not is_equivalent(0.01, 0.02, 2, 0.05, level=0.0917516)


def test_a_narrow_interval_is_equivalent() -> None:
    # (0.05 − 0.01)/0.01 = 4 for infinitely many degrees of freedom: P(Z > 4) = 3.167e-5.
    assert is_equivalent(-0.01, 0.01, math.inf, 0.05) is True
    assert is_equivalent(-0.01, 0.01, math.inf, 0.05, level=3.168e-5)
    assert not is_equivalent(-0.01, 0.01, math.inf, 0.05, level=3.167e-5)


@pytest.mark.parametrize("difference", [0.05, -0.05, -0.08])
def test_a_difference_at_the_margin_or_beyond(difference: float) -> None:
    assert is_equivalent(difference, 0.01, 10, 0.05, level=0.49) is False


def test_agrees_with_two_tests_of_scipy() -> None:
    values = [0.1, -0.2, 0.3, 0.0, 0.1, -0.1, 0.2]
    mean = sum(values) / 7
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / 6 / 7)
    above = ttest_1samp(values, -0.2, alternative="greater").pvalue
    below = ttest_1samp(values, 0.2, alternative="less").pvalue
    p = max(above, below)
    assert is_equivalent(mean, error, 6, 0.2, level=p * (1 + 1e-8))
    assert not is_equivalent(mean, error, 6, 0.2, level=p * (1 - 1e-8))


@pytest.mark.parametrize("error", [0.0, math.nan])
def test_without_a_standard_error_nothing_is_shown(error: float) -> None:
    assert is_equivalent(0.0, error, 10, 0.05) is None


LEVELS = st.sampled_from([0.05, 0.01, 0.05 / 21])


@given(st.floats(-0.3, 0.3), st.floats(0.001, 0.2), st.floats(1, 500), st.floats(0.01, 0.3), LEVELS)
def test_equivalent_exactly_if_both_one_sided_tests_say_so(
    difference: float, error: float, df: float, margin: float, level: float
) -> None:
    p = max(t.sf((difference + margin) / error, df), t.sf((margin - difference) / error, df))
    found = is_equivalent(difference, error, df, margin, level=level)
    if abs(p - level) > 1e-9:
        assert found == (p < level)
    assert is_equivalent(-difference, error, df, margin, level=level) == found
