"""The difference between two arms of the same items: both values, the interval, the test, what could be seen.

An arm's value is Σ coefficient · mean. Where each item counts in both arms or in neither, the difference is a mean of
paired differences, with the interval of Bonett and Price and the test of sign flips. Where the arms have different
denominators it is a contrast of means by their joint influence, and the test swaps the arms of whole clusters. It does
so for ratios as well, whose interval is put together from those of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.estimate import Bounds, Interval, intervals_from
from counterfoil.stats.intervals import bonett_price, contrast, contrast_spread, fieller, spread_of_mean
from counterfoil.stats.power import smallest_difference
from counterfoil.stats.signflips import Ratio, Term, sign_flip_tests, swap_tests
from counterfoil.stats.spread import spread_of
from counterfoil.stats.sums import Layout, MeanSums, RatioSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Interval
    from counterfoil.stats.signflips import Test
    from counterfoil.stats.spread import Spread
    from counterfoil.stats.sums import Layout, RatioSums

METHOD = "Fieller and MOVER, cluster-robust"


class RatioDifference(NamedTuple):
    """R_b − R_a, and the spread with fewer degrees of freedom of the two ratios'."""

    interval: Interval
    spread: Spread


def ratio_difference(layout: Layout, a: RatioSums, b: RatioSums) -> RatioDifference:
    """R_b − R_a of one estimate: both intervals of Fieller, put together by the MOVER of Zou and Donner (2008).

    With l and u the bounds of each ratio, and r the correlation of both by the cluster sums of their residuals y − R·x:

        low  = R_b − R_a − sqrt((R_b − l_b)² + (u_a − R_a)² − 2r(R_b − l_b)(u_a − R_a))
        high = R_b − R_a + sqrt((u_b − R_b)² + (R_a − l_a)² − 2r(u_b − R_b)(R_a − l_a))

    There is no interval where one of the ratios has none.
    """
    [one], [other] = fieller(layout, a), fieller(layout, b)
    (u_a, spread_a), (u_b, spread_b) = _residuals(layout, a, one), _residuals(layout, b, other)
    spread = min(spread_a, spread_b, key=lambda it: float(it.df[0]))
    n, clusters = float(np.sum(a.records + b.records)), float(np.count_nonzero((a.n > 0) | (b.n > 0)))
    if one.value is None or other.value is None:
        why = one.note if one.value is None else other.note
        return RatioDifference(Interval(None, None, None, int(n), int(clusters), METHOD, why), spread)
    value = other.value - one.value
    size = float(np.sqrt(np.sum(u_a**2) * np.sum(u_b**2)))
    r = float(np.sum(u_a * u_b)) / size if size else 0.0
    low = high = float("nan")
    if one.low is not None and one.high is not None and other.low is not None and other.high is not None:
        low = value - _together(other.value - other.low, one.high - one.value, r)
        high = value + _together(other.high - other.value, one.value - one.low, r)
    bounds = Bounds(
        value=np.array([value]),
        low=np.array([low]),
        high=np.array([high]),
        n=np.array([n]),
        clusters=np.array([clusters]),
        fewest=np.array([float(min(one.clusters, other.clusters))]),
        agree=spread_a.agree & spread_b.agree,
    )
    [interval] = intervals_from(bounds, METHOD, unbounded="no interval: a denominator can't be told from 0")
    return RatioDifference(interval, spread)


def _together(one: float, other: float, r: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * r * one * other, 0.0)))


def _residuals(layout: Layout, sums: RatioSums, found: Interval) -> tuple[NDArray[np.float64], Spread]:
    """The cluster sums of y − R·x, and how far they spread."""
    ratio = 0.0 if found.value is None else found.value
    u = sums.y - ratio * sums.x
    square = sums.yy - 2 * ratio * sums.xy + ratio**2 * sums.xx
    return u, spread_of(layout, sums.n, sums.n2, u, square)


# The tests are to say nothing about levels: which one counts is known only to who makes families of them.
_ANY = 1.0
# To paired differences on a scale from 0 to 1; by simulation (docs/statistics.md). Where no pair differs, nothing but
# what is added says how far one would.
_ADDED = 0.75
_ADDED_TO_NOTHING = 1.0


class Arms(NamedTuple):
    """One term of a metric: its coefficient, and for each item the values of both arms (nan: does not count)."""

    coefficient: float
    a: NDArray[np.float64]
    b: NDArray[np.float64]


class Difference(NamedTuple):
    """b − a. `error` and `df` are what the smallest detectable difference is made from; nan where there is none."""

    value_a: float | None
    value_b: float | None
    interval: Interval
    test: Test
    error: float
    df: float
    pairs: int

    def detectable(self, level: float) -> float | None:
        """The smallest true difference that a test at this level finds with a chance of 80 %."""
        if not self.error > 0 or not self.df >= 1:
            return None
        return float(smallest_difference(self.error, self.df, level=level))


class Case(NamedTuple):
    """One difference to be found: its terms, the cluster of each item (numbered from 0), values in `low`…1.

    With `over`, an arm's value is the coefficient times Σ values of its only term / Σ values of `over`, both in 0…1.
    """

    arms: Sequence[Arms]
    clusters: NDArray[np.int64]
    low: float = 0.0
    over: Arms | None = None


def difference_of(arms: Sequence[Arms], clusters: NDArray[np.int64], *, low: float) -> Difference:
    """`differences_of` for one."""
    [difference] = differences_of([Case(arms, clusters, low)])
    return difference


def differences_of(cases: Sequence[Case]) -> list[Difference]:
    """The difference between both arms of each case. All share the numbers of their clusters, and the drawn flips."""
    count = max((int(case.clusters.max()) + 1 for case in cases if case.clusters.size), default=0)
    found = [_interval(case, count) for case in cases]
    paired = [it.paired for it in found if it.paired is not None]
    flips = iter(
        sign_flip_tests(
            np.column_stack([sums.s for sums in paired]),
            np.column_stack([sums.records for sums in paired]).astype(np.int64),
            level=_ANY,
        )
        if paired
        else []
    )
    swapped = [it.terms for it in found if it.paired is None]
    swaps = iter(swap_tests(swapped, level=_ANY) if swapped else [])
    differences = []
    for case, it in zip(cases, found, strict=True):
        test = next(swaps if it.paired is None else flips)
        if it.interval.value is None:
            test = test._replace(p=None, smallest_p=1.0, differing=0, note="not defined: one side has no values")
        value_a, value_b = (_value(case, side) for side in ("a", "b"))
        pairs = int(np.sum(~np.isnan(case.arms[0].a) & ~np.isnan(case.arms[0].b)))
        differences.append(Difference(value_a, value_b, it.interval, test, it.error, it.df, pairs))
    return differences


class _Found(NamedTuple):
    """What is known before the tests are made; `paired` are the sums of paired differences, where they are paired."""

    interval: Interval
    error: float
    df: float
    paired: MeanSums | None
    terms: list[Term]


def _interval(case: Case, count: int) -> _Found:
    arms, clusters, low, over = case
    layout = Layout(np.zeros(count, dtype=np.int64), 1)
    if over is not None:
        return _ratios(layout, case, over, count)
    # On a scale from 0 to 1, as the intervals want it.
    width = 1.0 - low
    scaled = [Arms(arm.coefficient * width, (arm.a - low) / width, (arm.b - low) / width) for arm in arms]
    if len(arms) == 1 and bool(np.array_equal(np.isnan(arms[0].a), np.isnan(arms[0].b))):
        [(coefficient, a, b)] = scaled
        paired = _sums(b - a, clusters, count)
        [interval] = bonett_price(layout, paired, added=_ADDED if paired.q.any() else _ADDED_TO_NOTHING)
        spread = spread_of_mean(layout, paired, layout.total(paired.s) / np.maximum(layout.total(paired.n), 1))
        interval = _scaled(interval, coefficient)
        return _Found(interval, _error(interval, spread), float(spread.df[0]), paired, [])
    sums = [(arm.coefficient, _sums(arm.a, clusters, count), _sums(arm.b, clusters, count)) for arm in scaled]
    sides = [part for coefficient, a, b in sums for part in ((coefficient, b), (-coefficient, a))]
    [interval] = contrast(layout, sides)
    spread, _ = contrast_spread(layout, sides)
    terms = [Term(coefficient, (Ratio(a.s, a.n, b.s, b.n),)) for coefficient, a, b in sums]
    return _Found(interval, _error(interval, spread), float(spread.df[0]), None, terms)


def _ratios(layout: Layout, case: Case, over: Arms, count: int) -> _Found:
    [arm] = case.arms
    a = _ratio_sums(arm.a, over.a, case.clusters, count)
    b = _ratio_sums(arm.b, over.b, case.clusters, count)
    interval, spread = ratio_difference(layout, a, b)
    interval = _scaled(interval, arm.coefficient)
    terms = [Term(arm.coefficient, (Ratio(a.y, a.x, b.y, b.x),))]
    return _Found(interval, _error(interval, spread), float(spread.df[0]), None, terms)


def _value(case: Case, side: str) -> float | None:
    if case.over is not None:
        [arm] = case.arms
        above, below = getattr(arm, side), getattr(case.over, side)
        there = ~np.isnan(above) & ~np.isnan(below)
        total = float(below[there].sum())
        return arm.coefficient * float(above[there].sum()) / total if total > 0 else None
    parts = []
    for arm in case.arms:
        values = getattr(arm, side)
        there = values[~np.isnan(values)]
        if not there.size:
            return None
        parts.append(arm.coefficient * float(there.mean()))
    return sum(parts)


def _sums(values: NDArray[np.float64], clusters: NDArray[np.int64], count: int) -> MeanSums:
    there = ~np.isnan(values)
    where, found = clusters[there], values[there]
    n = np.bincount(where, minlength=count).astype(np.float64)
    s = np.bincount(where, weights=found, minlength=count).astype(np.float64)
    q = np.bincount(where, weights=found * found, minlength=count).astype(np.float64)
    return MeanSums(n, n, n, s, q)


def _ratio_sums(
    above: NDArray[np.float64], below: NDArray[np.float64], clusters: NDArray[np.int64], count: int
) -> RatioSums:
    there = ~np.isnan(above) & ~np.isnan(below)
    where, y, x = clusters[there], above[there], below[there]
    n = np.bincount(where, minlength=count).astype(np.float64)
    products = (y, x, y * y, x * x, x * y)
    return RatioSums(n, n, n, *(np.bincount(where, weights=it, minlength=count).astype(np.float64) for it in products))


def _error(interval: Interval, spread: Spread) -> float:
    """The standard error that the interval stands for: the plain one is blind where few clusters differ."""
    if interval.low is None or interval.high is None:
        return float("nan")
    return (interval.high - interval.low) / 2 / float(spread.quantile[0])


def _scaled(interval: Interval, factor: float) -> Interval:
    if interval.value is None:
        return interval
    low, high = interval.low, interval.high
    bounds = (None, None) if low is None or high is None else sorted((low * factor, high * factor))
    return interval._replace(value=interval.value * factor, low=bounds[0], high=bounds[1])
