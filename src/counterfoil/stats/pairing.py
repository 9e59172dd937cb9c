"""The difference between two arms of the same items: both values, the interval, the test, what could be seen.

An arm's value is Σ coefficient · mean, or a ratio. Which interval and which test a difference has is in the table of
docs/statistics.md, "Comparisons".
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.estimate import Interval, interval_from
from counterfoil.stats.intervals import bonett_price, contrast, fieller, spread_of_mean
from counterfoil.stats.power import smallest_difference
from counterfoil.stats.signflips import UNDEFINED, Term, sign_flip_tests, swap_tests
from counterfoil.stats.spread import CONFIDENCE, spread_of
from counterfoil.stats.sums import Layout, MeanSums, RatioSums
from counterfoil.stats.tested.means import no_surer_than

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from counterfoil.stats.signflips import Test
    from counterfoil.stats.spread import Spread

_RATIOS = "Fieller and MOVER, cluster-robust"
# To paired differences on a scale from 0 to 1; by simulation (docs/statistics.md). Where no pair differs, nothing but
# what is added says how far one would.
_ADDED = 0.75
_ADDED_TO_NOTHING = 1.0
# Cluster sums that are held at once.
_ENTRIES_AT_ONCE = 1_000_000


class Arms(NamedTuple):
    """One term of a metric: its coefficient, and for each item the values of both arms (nan: does not count)."""

    coefficient: float
    a: NDArray[np.float64]
    b: NDArray[np.float64]


class Difference(NamedTuple):
    """b − a, with a 95 % interval. `error` and `df` are what the smallest detectable difference is made from; nan where
    there is none.
    """

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


class _Untested(NamedTuple):
    """What is known before the tests are made: the sums of paired differences, or the terms whose arms are swapped."""

    interval: Interval
    quantile: float
    df: float
    paired: MeanSums | None
    terms: list[Term]

    @property
    def error(self) -> float:
        """The standard error that the interval stands for: the plain one is blind where few clusters differ."""
        if self.interval.low is None or self.interval.high is None:
            return math.nan
        return (self.interval.high - self.interval.low) / 2 / self.quantile


class _Prepared(NamedTuple):
    """The cluster sums of a case. Those of a `kind` have the same closed form, and are computed together.

    `scale` is what a paired difference is multiplied with; `sides` are the coefficients and sums of a contrast.
    """

    kind: Hashable
    scale: float
    paired: MeanSums | None
    sides: list[tuple[float, MeanSums]]
    terms: list[Term]


def differences_of(cases: Sequence[Case]) -> list[Difference]:
    """The difference between both arms of each case. All share the numbers of their clusters, and the drawn flips."""
    untested = _untested(cases, [CONFIDENCE] * len(cases))
    paired = [one.paired for one in untested if one.paired is not None]
    flips, swaps = iter(_flip_tests(paired)), iter(swap_tests([one.terms for one in untested if one.paired is None]))
    tests = [next(swaps if one.paired is None else flips) for one in untested]
    tests = [
        test if one.interval.value is not None else test._replace(p=None, smallest_p=1.0, differing=0, note=UNDEFINED)
        for test, one in zip(tests, untested, strict=True)
    ]
    # Where few clusters differ, a test can't see what a sample hides: p is at least that of the interval.
    ps = no_surer_than(
        [test.p for test in tests],
        lambda places, confidences: intervals_at([cases[place] for place in places], confidences),
    )
    differences = []
    for case, one, test, p in zip(cases, untested, tests, ps, strict=True):
        if p != test.p:
            test = test._replace(p=p, method=f"{test.method}, p by the interval")
        over_a, over_b = (None, None) if case.over is None else case.over[1:]
        value_a = _value([(arm.coefficient, arm.a) for arm in case.arms], over_a)
        value_b = _value([(arm.coefficient, arm.b) for arm in case.arms], over_b)
        pairs = int(np.sum(~np.isnan(case.arms[0].a) & ~np.isnan(case.arms[0].b)))
        differences.append(Difference(value_a, value_b, one.interval, test, one.error, one.df, pairs))
    return differences


def intervals_at(cases: Sequence[Case], confidences: Sequence[float]) -> list[Interval]:
    """The intervals of differences with other confidences than 95 %."""
    return [one.interval for one in _untested(cases, confidences)]


def interval_at(case: Case, confidence: float) -> Interval:
    """The interval of one difference with this confidence."""
    return intervals_at([case], [confidence])[0]


def _flip_tests(paired: Sequence[MeanSums]) -> list[Test]:
    if not paired:
        return []
    records = np.column_stack([sums.records for sums in paired])
    return sign_flip_tests(np.column_stack([sums.s for sums in paired]), records.astype(np.int64))


def _untested(cases: Sequence[Case], confidences: Sequence[float]) -> list[_Untested]:
    """Intervals of the cases, those of the same form together."""
    count = max((int(case.clusters.max()) + 1 for case in cases if case.clusters.size), default=0)
    found: dict[int, _Untested] = {}
    together: dict[tuple[Hashable, float], list[tuple[int, _Prepared]]] = {}
    for place, (case, confidence) in enumerate(zip(cases, confidences, strict=True)):
        if case.over is None:
            prepared = _prepared(case, count)
            together.setdefault((prepared.kind, confidence), []).append((place, prepared))
        else:
            found[place] = _ratio(case, count, confidence)
    at_once = max(1, _ENTRIES_AT_ONCE // max(count, 1))
    for (_, confidence), of_kind in together.items():
        for start in range(0, len(of_kind), at_once):
            some = of_kind[start : start + at_once]
            made = _closed_form([prepared for _, prepared in some], count, confidence)
            found |= {place: one for (place, _), one in zip(some, made, strict=True)}
    return [found[place] for place in range(len(cases))]


def _ratio(case: Case, count: int, confidence: float) -> _Untested:
    arms, clusters, low, over = case
    assert over is not None
    [arm] = arms
    a, b = (_ratio_sums(*values, clusters, count) for values in zip(arm[1:], over[1:], strict=True))
    interval, spread = _ratio_difference(Layout(np.zeros(count, dtype=np.int64), 1), a, b, low, confidence)
    term = Term(arm.coefficient, a.y, a.x, b.y, b.x)
    return _Untested(_scaled(interval, arm.coefficient), float(spread.quantile[0]), float(spread.df[0]), None, [term])


def _prepared(case: Case, count: int) -> _Prepared:
    """On a scale from 0 to 1, as the intervals want it."""
    arms, clusters, low, _ = case
    width = 1.0 - low
    scaled = [Arms(arm.coefficient * width, (arm.a - low) / width, (arm.b - low) / width) for arm in arms]
    if len(arms) == 1 and bool(np.array_equal(np.isnan(arms[0].a), np.isnan(arms[0].b))):
        [(coefficient, values_a, values_b)] = scaled
        paired = _sums(values_b - values_a, clusters, count)
        return _Prepared(_ADDED if paired.q.any() else _ADDED_TO_NOTHING, coefficient, paired, [], [])
    sums = [(arm.coefficient, _sums(arm.a, clusters, count), _sums(arm.b, clusters, count)) for arm in scaled]
    sides = [part for coefficient, a, b in sums for part in ((coefficient, b), (-coefficient, a))]
    terms = [Term(coefficient, a.s, a.n, b.s, b.n) for coefficient, a, b in sums]
    return _Prepared(tuple(coefficient for coefficient, _ in sides), 1.0, None, sides, terms)


def _closed_form(cases: Sequence[_Prepared], count: int, confidence: float) -> list[_Untested]:
    """Of cases of one kind."""
    layout = Layout(np.repeat(np.arange(len(cases)), count), len(cases))
    paired = [one.paired for one in cases if one.paired is not None]
    if paired:
        sums = _joined(paired)
        [added] = {one.kind for one in cases}
        assert isinstance(added, float)
        intervals = bonett_price(layout, sums, added=added, confidence=confidence)
        mean = layout.total(sums.s) / np.maximum(layout.total(sums.n), 1)
        spread = spread_of_mean(layout, sums, mean, confidence=confidence)
    else:
        sides = [
            (of_side[0][0], _joined([sums for _, sums in of_side]))
            for of_side in zip(*(one.sides for one in cases), strict=True)
        ]
        intervals, spread = contrast(layout, sides, confidence=confidence)
    return [
        _Untested(_scaled(interval, one.scale), quantile, df, one.paired, one.terms)
        for one, interval, quantile, df in zip(
            cases, intervals, spread.quantile.tolist(), spread.df.tolist(), strict=True
        )
    ]


def _joined(sums: Sequence[MeanSums]) -> MeanSums:
    """The sums of several cases one after the other."""
    return MeanSums(*(np.concatenate(parts) for parts in zip(*sums, strict=True)))


def _ratio_difference(
    layout: Layout, a: RatioSums, b: RatioSums, low: float, confidence: float
) -> tuple[Interval, Spread]:
    """R_b − R_a of one estimate: both intervals of Fieller, put together by the MOVER of Zou and Donner (2008).

    With l and u the bounds of each ratio, and r the correlation of both by the cluster sums of their residuals y − R·x:

        low  = R_b − R_a − sqrt((R_b − l_b)² + (u_a − R_a)² − 2r(R_b − l_b)(u_a − R_a))
        high = R_b − R_a + sqrt((u_b − R_b)² + (R_a − l_a)² − 2r(u_b − R_b)(R_a − l_a))

    There is no interval where one of the ratios has none. The spread is that with fewer degrees of freedom.
    """
    [one], [other] = (fieller(layout, side, low=low, confidence=confidence) for side in (a, b))
    (u_a, spread_a), (u_b, spread_b) = _residuals(layout, a, one.value), _residuals(layout, b, other.value)
    spread = min(spread_a, spread_b, key=lambda spread: float(spread.df[0]))
    n, clusters = int(np.sum(a.records + b.records)), int(np.count_nonzero((a.n > 0) | (b.n > 0)))
    if one.value is None or other.value is None:
        why = one.note if one.value is None else other.note
        return Interval(None, None, None, n, clusters, _RATIOS, why), spread
    value = other.value - one.value
    size = float(np.sqrt(np.sum(u_a**2) * np.sum(u_b**2)))
    r = float(np.sum(u_a * u_b)) / size if size else 0.0
    bounds = math.nan, math.nan
    if one.low is not None and one.high is not None and other.low is not None and other.high is not None:
        down = _together(other.value - other.low, one.high - one.value, r)
        up = _together(other.high - other.value, one.value - one.low, r)
        bounds = value - down, value + up
    agree = bool(spread_a.agree[0] and spread_b.agree[0])
    fewest, unbounded = min(one.clusters, other.clusters), "no interval: a denominator can't be told from 0"
    return interval_from(value, *bounds, n, clusters, fewest, agree, method=_RATIOS, unbounded=unbounded), spread


def _together(one: float, other: float, r: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * r * one * other, 0.0)))


def _residuals(layout: Layout, sums: RatioSums, value: float | None) -> tuple[NDArray[np.float64], Spread]:
    """The cluster sums of y − R·x, and how far they spread."""
    ratio = value or 0.0
    u = sums.y - ratio * sums.x
    square = sums.yy - 2 * ratio * sums.xy + ratio**2 * sums.xx
    return u, spread_of(layout, sums.n, sums.n2, u, square)


def _value(terms: Sequence[tuple[float, NDArray[np.float64]]], over: NDArray[np.float64] | None) -> float | None:
    """The value of one arm; None where nothing counts."""
    if over is not None:
        [(coefficient, values)] = terms
        there = ~np.isnan(values) & ~np.isnan(over)
        total = float(over[there].sum())
        return coefficient * float(values[there].sum()) / total if total > 0 else None
    counted = [(coefficient, values[~np.isnan(values)]) for coefficient, values in terms]
    if not all(values.size for _, values in counted):
        return None
    return sum(coefficient * float(values.mean()) for coefficient, values in counted)


def _sums(values: NDArray[np.float64], clusters: NDArray[np.int64], count: int) -> MeanSums:
    there = ~np.isnan(values)
    x = values[there]
    return MeanSums(*_cluster_sums(clusters[there], count, x, x * x))


def _ratio_sums(
    above: NDArray[np.float64], below: NDArray[np.float64], clusters: NDArray[np.int64], count: int
) -> RatioSums:
    there = ~np.isnan(above) & ~np.isnan(below)
    y, x = above[there], below[there]
    return RatioSums(*_cluster_sums(clusters[there], count, y, x, y * y, x * x, x * y))


def _cluster_sums(clusters: NDArray[np.int64], count: int, *values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Of each cluster the number of records, as Σw and as Σw² as well, and the sum of each of the values."""
    n = np.bincount(clusters, minlength=count).astype(np.float64)
    sums = (np.bincount(clusters, weights=part, minlength=count).astype(np.float64) for part in values)
    return [n, n, n, *sums]


def _scaled(interval: Interval, factor: float) -> Interval:
    if interval.value is None:
        return interval
    low, high = interval.low, interval.high
    bounds = (None, None) if low is None or high is None else sorted((low * factor, high * factor))
    return interval._replace(value=interval.value * factor, low=bounds[0], high=bounds[1])
