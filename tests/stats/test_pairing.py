"""The difference between two arms: values, interval, test, and what could be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from counterfoil.stats.pairing import Arms, Case, Difference, differences_of

pytestmark = pytest.mark.heavy

NAN = math.nan
Arm = tuple[float, list[float], list[float]]


def difference_of(arms: Sequence[Arms], clusters: NDArray[np.int64], *, low: float) -> Difference:
    [difference] = differences_of([Case(arms, clusters, low)])
    return difference


def difference(*arms: Arm, clusters: list[int], low: float = 0.0) -> Difference:
    made = [Arms(c, np.array(a, dtype=np.float64), np.array(b, dtype=np.float64)) for c, a, b in arms]
    return difference_of(made, np.array(clusters, dtype=np.int64), low=low)


def test_one_pair_in_each_cluster_is_mcnemar() -> None:
    # Five clusters where only b is right, one where only a is: 5/6 − 1/6. Of 2^6 flips, those with at most one of
    # either sign: 2·(1 + 6)/64.
    found = difference((1, [0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0]), clusters=[0, 1, 2, 3, 4, 5])
    assert [found.value_a, found.value_b] == pytest.approx([1 / 6, 5 / 6])
    assert found.interval.value == pytest.approx(4 / 6)
    assert found.test.p == 14 / 64
    assert found.test.method == "McNemar, exact"
    assert found.pairs == 6


def test_several_pairs_in_a_cluster_are_not_called_mcnemar() -> None:
    # The first cluster has two pairs. Sums 2, 1, 1, 1, 1, −1: observed 5, and of 2^6 flips |Σ| ≥ 5 for all of one
    # sign (|7|, 2 ways) and for one of the five ones against the rest (|5|, 5·2 ways): 12/64.
    found = difference((1, [0, 0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1, 0]), clusters=[0, 0, 1, 2, 3, 4, 5])
    assert found.test.method == "sign flips, complete"
    assert found.test.p == 12 / 64


def test_each_side_has_its_own_denominator() -> None:
    # a: 1 of 2 right, b: 3 of 4; two items count on both sides.
    a, b = [1, 0, NAN, NAN, NAN, NAN], [1, 1, 0, 1, NAN, NAN]
    found = difference((1, a, b), clusters=list(range(6)))
    assert (found.value_a, found.value_b) == (0.5, 0.75)
    assert found.interval.value == pytest.approx(0.25)
    assert found.pairs == 2
    assert found.test.method.startswith("label swaps")


def test_a_difference_of_two_accuracies() -> None:
    # a: 2/2 − 1/2 = 0.5, b: 1/2 − 1/2 = 0.
    first: Arm = (1, [1, 1, NAN, NAN], [1, 0, NAN, NAN])
    second: Arm = (-1, [NAN, NAN, 1, 0], [NAN, NAN, 0, 1])
    found = difference(first, second, clusters=[0, 1, 2, 3])
    assert (found.value_a, found.value_b) == (0.5, 0.0)
    assert found.interval.value == pytest.approx(-0.5)
    assert found.interval.low is None, "fewer than five clusters"
    assert found.detectable(0.05) is None


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_nothing_on_one_side_or_on_both_is_not_defined(low: float) -> None:
    for a, b in (([NAN] * 6, [NAN] * 6), ([1.0] * 6, [NAN] * 6), ([], [])):
        found = difference((1, a, b), clusters=list(range(len(a))), low=low)
        assert found.interval.value is None
        assert found.test.p is None, "nothing is no evidence of equality"
        assert found.test.note is not None
        assert found.detectable(0.05) is None


def test_a_coefficient_is_a_unit() -> None:
    rng = np.random.default_rng(3)
    a, b, clusters = rng.random(40), rng.random(40), np.arange(40) // 2
    one, hundred = (difference_of([Arms(c, a, b)], clusters, low=0.0) for c in (1.0, 100.0))
    for name in ("value", "low", "high"):
        assert getattr(hundred.interval, name) == pytest.approx(100 * getattr(one.interval, name))
    assert hundred.test.p == one.test.p
    assert hundred.detectable(0.05) == pytest.approx(100 * (one.detectable(0.05) or NAN))


def test_signed_values_reach_from_minus_2_to_2() -> None:
    found = difference((1, [-1.0] * 8, [1.0] * 8), clusters=list(range(8)), low=-1.0)
    assert (found.value_a, found.value_b, found.interval.value) == (-1, 1, 2)
    assert found.interval.high == 2
    # Eight clusters, all of one sign: 2/2^8.
    assert found.test.p == 2 / 256


def test_three_quarters_are_added_to_paired_differences() -> None:
    # Ten clusters of one pair, differences 1, 1, 0, …: m = 0.2, Q = 0.2, and V = Σu²/(1 − 1/10)/100 with u = d − m:
    # (2·0.64 + 8·0.04)/0.9/100 = 1.6/90. σ² = 0.16, so n_eff = 0.16·90/1.6 = 9. A = 1.6²/(2·0.64² + 8·0.04²) = 3.08,
    # no limit. m' = 9·0.2/11, Q' = (9·0.2 + 2·0.75²)/11; df = 2/(1/A − 1/10) = 8.9, at most 10 − 1.
    found = difference((1, [0.0] * 10, [1.0, 1.0] + [0.0] * 8), clusters=list(range(10)))
    uneven = (2 * 0.64**2 + 8 * 0.04**2) / 1.6**2
    quantile = stats.t.ppf(0.975, min(2 / (uneven - 1 / 10), 9))
    centre, square = 9 * 0.2 / 11, (9 * 0.2 + 2 * 0.75**2) / 11
    half = quantile * math.sqrt((square - centre**2) / 11)
    assert [found.interval.low, found.interval.high] == pytest.approx([centre - half, centre + half], rel=1e-4)


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_one_is_added_where_no_pair_differs(low: float) -> None:
    # n_eff is the 10 clusters, m = Q = 0: m' = 0, Q' = 2·1²/12, so ± t(9)·sqrt(2/12/12); twice that on −1…1.
    found = difference((1, [0.5] * 10, [0.5] * 10), clusters=list(range(10)), low=low)
    half = stats.t.ppf(0.975, 9) * math.sqrt(2 / 12 / 12) * (1 - low)
    assert [found.interval.low, found.interval.high] == pytest.approx([-half, half])


def test_a_difference_that_leaves_no_trace_is_covered_all_the_same() -> None:
    # b is always right and a wrong with chance d, one record in each of G clusters. With no wrong answer among them, of
    # chance (1 − d)^G, the interval must reach so far that what lies beyond it comes in less than 9 % of the samples.
    for count in (30, 100, 269):
        found = difference((1, [1.0] * count, [1.0] * count), clusters=list(range(count)))
        assert found.interval.high is not None
        assert (1 - found.interval.high) ** count < 0.09


def ratios(y_a: list[float], x_a: list[float], y_b: list[float], x_b: list[float], clusters: list[int]) -> Difference:
    y_1, x_1, y_2, x_2 = (np.array(column, dtype=np.float64) for column in (y_a, x_a, y_b, x_b))
    [found] = differences_of([Case([Arms(1.0, y_1, y_2)], np.array(clusters), 0.0, Arms(1.0, x_1, x_2))])
    return found


def test_a_difference_of_ratios() -> None:
    # a: 3/6, b: 4/5; where the denominator is missing, the item does not count.
    y_a, x_a = [1.0, 1, 1, 0, 0, 0, 1], [1.0, 1, 1, 1, 1, 1, NAN]
    y_b, x_b = [1.0, 1, 1, 1, 0, 0, 0], [1.0, 1, 1, 1, 1, 0, 0]
    found = ratios(y_a, x_a, y_b, x_b, list(range(7)))
    assert [found.value_a, found.value_b] == pytest.approx([1 / 2, 4 / 5])
    assert found.interval.value == pytest.approx(0.3)
    assert found.interval.low is not None
    assert found.interval.high is not None
    assert found.interval.low < 0 < 0.3 < found.interval.high
    # Exchanges change something in clusters 3, 5 and 6 alone. b − a for those of {3} × {5}: 4/5 − 3/6, 3/5 − 4/6,
    # 4/6 − 3/5, 3/6 − 4/5: half of all reach 0.3, whatever becomes of cluster 6, whose values are (0, 0) in b.
    assert found.test.p == 1 / 2
    turned = ratios(y_b, x_b, y_a, x_a, list(range(7)))
    assert turned.test.p == found.test.p
    assert turned.interval.high == pytest.approx(-found.interval.low)
    same = ratios(y_a, x_a, y_a, x_a, list(range(7)))
    assert (same.interval.value, same.test.p) == (0, 1)


def test_what_both_ratios_share_cancels_out() -> None:
    # With MOVER, r near 1 leaves nearly nothing of the widths; r = 0 adds the squares.
    rng = np.random.default_rng(11)
    o, v = (rng.random((2, 60)) < [[0.8], [0.6]]).astype(np.float64)
    other = (rng.random((2, 60)) < [[0.8], [0.6]]).astype(np.float64)
    again = v.copy()
    again[:2] = 1 - again[:2]
    near = ratios(v.tolist(), o.tolist(), again.tolist(), o.tolist(), list(range(60)))
    apart = ratios(v.tolist(), o.tolist(), other[1].tolist(), other[0].tolist(), list(range(60)))
    widths = [(it.interval.high or NAN) - (it.interval.low or NAN) for it in (near, apart)]
    assert widths[0] < widths[1] / 2


def test_ratios_without_a_denominator() -> None:
    found = ratios([0.0] * 6, [0.0] * 6, [1.0] * 6, [1.0] * 6, list(range(6)))
    assert (found.value_a, found.value_b, found.interval.value, found.test.p) == (None, 1, None, None)
    # One right of six: Fieller's set has no end.
    found = ratios([1.0] + [0.0] * 5, [1.0] + [0.0] * 5, [1.0] * 6, [1.0] * 6, list(range(6)))
    assert (found.value_a, found.interval.value, found.interval.low) == (1, 0, None)
    assert found.interval.note == "no interval: a denominator can't be told from 0"
    assert found.test.p is not None
    assert found.detectable(0.05) is None


def test_the_detectable_difference_is_made_from_the_interval() -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.random((2, 60)) < [[0.4], [0.6]]).astype(np.float64)
    found = difference_of([Arms(1.0, a, b)], np.arange(60), low=0.0)
    assert found.interval.high is not None
    assert found.interval.low is not None
    error = (found.interval.high - found.interval.low) / 2 / stats.t.ppf(0.975, found.df)
    for level in (0.05, 0.05 / 7):
        wanted = (stats.t.ppf(1 - level / 2, found.df) + stats.t.ppf(0.8, found.df)) * error
        assert found.detectable(level) == pytest.approx(wanted, rel=1e-4)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    items = draw(st.integers(5, 24))
    clusters = np.array(draw(st.lists(st.integers(0, 8), min_size=items, max_size=items)))
    low = draw(st.sampled_from([0.0, -1.0]))
    values = st.one_of(st.just(NAN), st.sampled_from([low, 0.0, 0.25, 1.0]))
    column = st.lists(values, min_size=items, max_size=items).map(lambda column: np.array(column, dtype=np.float64))
    arms = [Arms(c, draw(column), draw(column)) for c in draw(st.sampled_from([(1.0,), (2.0,), (1.0, -1.0)]))]
    if draw(st.booleans()):
        arms = [Arms(c, np.where(np.isnan(b), NAN, a), np.where(np.isnan(a), NAN, b)) for c, a, b in arms]
    return Case(arms, clusters, low)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_what_must_always_be_true(case: Case) -> None:
    found = difference_of(case.arms, case.clusters, low=case.low)
    if found.value_a is None or found.value_b is None:
        assert found.interval.value is None
        assert found.test.p is None
        return
    value = found.interval.value
    assert value is not None
    assert value == pytest.approx(found.value_b - found.value_a, abs=1e-9)
    if found.interval.low is not None and found.interval.high is not None:
        assert found.interval.low <= value <= found.interval.high
    turned = difference_of([Arms(c, b, a) for c, a, b in case.arms], case.clusters, low=case.low)
    assert turned.interval.value == pytest.approx(-value, abs=1e-9)
    assert turned.test.p == found.test.p
    if found.interval.low is not None:
        assert turned.interval.high == pytest.approx(-found.interval.low, abs=1e-9)
    same = difference_of([Arms(c, a, a) for c, a, _ in case.arms], case.clusters, low=case.low)
    assert same.interval.value == pytest.approx(0, abs=1e-12)
    assert same.test.p == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(cases(), min_size=1, max_size=4))
def test_together_is_as_one_by_one(many: list[Case]) -> None:
    # Never more than nine clusters: all flips are counted, and none are drawn.
    for case, found in zip(many, differences_of(many), strict=True):
        alone = difference_of(case.arms, case.clusters, low=case.low)
        assert found.test == alone.test
        assert found.interval.value == pytest.approx(alone.interval.value)
        assert found.interval.clusters == alone.interval.clusters
        if alone.interval.low is not None:
            assert found.interval[1:3] == pytest.approx(alone.interval[1:3])


TRIALS = 200


def simulated(rng: np.random.Generator, kind: str) -> tuple[list[Arms], NDArray[np.int64]]:
    """Two respondents with the same chances on the same questions: 40 clusters of 1 to 6, some hard and some easy."""
    sizes = rng.integers(1, 7, 40)
    clusters = np.repeat(np.arange(40), sizes)
    chance = np.repeat(rng.beta(1.5, 1.0, 40), sizes)
    a, b = ((rng.random(len(clusters)) < chance).astype(np.float64) for _ in range(2))
    if kind == "single":
        return [Arms(1.0, a, b)], clusters
    if kind == "unequal":
        # What is dropped is not chosen at random: wrong answers are out of choice more often.
        a, b = (np.where(rng.random(len(x)) < np.where(x == 1, 0.05, 0.3), NAN, x) for x in (a, b))
        return [Arms(1.0, a, b)], clusters
    first = rng.random(len(clusters)) < 0.5
    return [
        Arms(1.0, np.where(first, a, NAN), np.where(first, b, NAN)),
        Arms(-1.0, np.where(first, NAN, a), np.where(first, NAN, b)),
    ], clusters


@pytest.mark.parametrize("kind", ["single", "unequal", "two terms"])
def test_where_nothing_differs_alarms_are_as_rare_as_claimed(kind: str) -> None:
    rng = np.random.default_rng(20240607)
    alarms = covered = 0
    for _ in range(TRIALS):
        arms, clusters = simulated(rng, kind)
        found = difference_of(arms, clusters, low=0.0)
        assert found.test.p is not None
        assert found.interval.low is not None
        assert found.interval.high is not None
        alarms += found.test.p <= 0.05
        covered += found.interval.low <= 0 <= found.interval.high
    assert alarms / TRIALS <= 0.085
    assert covered / TRIALS >= 0.90
    assert alarms, "a test that never alarms has no power"
