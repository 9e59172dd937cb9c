"""Levels of looks: all looks together raise as many false alarms as a single test may."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from counterfoil.stats.stopping.levels import chance_to_decide, critical, fractions_text, levels_of

USUAL = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)


def test_a_single_look_has_the_whole_level() -> None:
    assert levels_of((1.0,), 0.05) == pytest.approx((0.05,), abs=1e-9)


def test_the_first_look_has_its_share_of_the_error() -> None:
    assert levels_of(USUAL, 0.05)[0] == pytest.approx(0.05 / 16, rel=1e-6)


def test_two_looks_together_have_the_chance_that_scipy_gives() -> None:
    """The standardised differences at half and at all have the correlation √½."""
    levels = levels_of((0.5, 1.0), 0.05)
    a, b = map(critical, levels)
    joint = stats.multivariate_normal(cov=[[1, math.sqrt(0.5)], [math.sqrt(0.5), 1]])
    inside = joint.cdf([a, b]) - joint.cdf([-a, b]) - joint.cdf([a, -b]) + joint.cdf([-a, -b])
    assert 1 - inside == pytest.approx(0.05, abs=1e-5)


@settings(deadline=None, max_examples=30)
@given(st.sets(st.integers(1, 31), max_size=5), st.sampled_from([0.05, 0.0125]))
def test_levels_lie_between_what_a_look_spends_and_the_whole(parts: set[int], alpha: float) -> None:
    """A look alone raises at least the false alarms that it adds, and none has more than all of them."""
    fractions = (*(part / 32 for part in sorted(parts)), 1.0)
    for level, before, fraction in zip(levels_of(fractions, alpha), (0.0, *fractions), fractions, strict=False):
        assert alpha * (fraction - before) * (1 - 1e-6) <= level <= alpha * (1 + 1e-6)


def test_more_error_gives_higher_levels_at_each_look() -> None:
    """What Holm's method over looks rests on."""
    for lower, higher in zip(levels_of(USUAL, 0.025), levels_of(USUAL, 0.05), strict=True):
        assert lower < higher


def test_the_chance_to_decide_at_half_without_a_difference() -> None:
    """At half, the difference after all is normal with the variance ½ around 0, and is told apart beyond 2·√½: so the
    chance is that of a standard normal beyond 2, on both sides.
    """
    assert chance_to_decide(0.0, 0.5, 2.0) == pytest.approx(2 * stats.norm.sf(2.0))


def test_a_wide_margin_makes_equality_likely() -> None:
    """With a margin of 4 standard errors, all within 4 − 2·√½ = 2.586 of 0 will be shown equal, or told apart."""
    assert chance_to_decide(0.0, 0.5, 2.0, margin=4.0) == pytest.approx(1.0, abs=0.01)
    assert chance_to_decide(0.0, 0.5, 2.0, margin=1.0) == chance_to_decide(0.0, 0.5, 2.0)


def test_after_all_clusters_nothing_more_is_decided() -> None:
    assert chance_to_decide(1.9, 1.0, 1.96) == 0.0


def test_fractions_in_words() -> None:
    assert fractions_text(USUAL) == "1/16, 1/8, 1/4, 1/2, 3/4, 1"
    assert fractions_text((1 / 3, 0.123456)) == "1/3, 0.123456"
