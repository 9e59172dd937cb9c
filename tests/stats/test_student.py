from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from counterfoil.stats.student import t_quantile

DEGREES = np.concatenate(
    [
        [1, 1.0001, 1.25, 2, 3, 4, 4.5, 10, 499.99, 500, 1e6],
        np.exp(np.random.default_rng(0).uniform(0, np.log(1e6), 500)),
    ]
)


@pytest.mark.parametrize("probability", [0.00001, 0.025, 0.4, 0.51, 0.8, 0.9, 0.975, 0.9995, 0.99999])
def test_agrees_with_scipy(probability: float) -> None:
    assert t_quantile(probability, DEGREES) == pytest.approx(t.ppf(probability, DEGREES), rel=1e-9)


def test_known_values() -> None:
    # With one degree of freedom t is Cauchy: tan(π·0.475). With two: 2(p−½)·sqrt(2/(4p(1−p))) = 0.95·sqrt(2/0.0975).
    assert t_quantile(0.975, [1, 2]) == pytest.approx([np.tan(np.pi * 0.475), 0.95 * np.sqrt(2 / 0.0975)])


def test_infinitely_many_degrees_are_the_normal_quantile() -> None:
    assert t_quantile(0.975, np.inf) == pytest.approx(1.959963984540054, rel=1e-12)


def test_the_median_is_0() -> None:
    assert t_quantile(0.5, [1, 7.5, 1e4]) == pytest.approx([0, 0, 0])


def test_keeps_the_shape() -> None:
    assert t_quantile(0.9, np.full((2, 3), 5.0)).shape == (2, 3)


@pytest.mark.parametrize(("probability", "df"), [(0, 5), (1, 5), (0.9, 0.5), (0.9, np.nan), (np.nan, 5)])
def test_refuses_what_is_not_defined(probability: float, df: float) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1|1 or more"):
        t_quantile(probability, df)


def test_a_single_number_of_degrees() -> None:
    # 2.045 is the value for 29 degrees of freedom in every table.
    assert float(t_quantile(0.975, 29)) == pytest.approx(2.04523, abs=1e-5)


@given(st.lists(st.floats(1, 700), min_size=2, max_size=30), st.sampled_from((0.9, 0.975, 0.9999)))
def test_a_quantile_does_not_depend_on_what_is_asked_with_it(df: list[float], probability: float) -> None:
    together = t_quantile(probability, df)
    assert together.tolist() == [float(t_quantile(probability, one)) for one in df]
