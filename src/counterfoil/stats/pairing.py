"""The difference between two arms of the same items: both values, the interval, the test, what could be seen.

An arm's value is Σ coefficient · mean. Where each item counts in both arms or in neither, the difference is a mean of
paired differences, with the interval of Bonett and Price and the test of sign flips. Where the arms have different
denominators it is a contrast of means by their joint influence, and the test swaps the arms of whole clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.contrasts import contrast, contrast_spread
from counterfoil.stats.means import bonett_price, spread_of_mean
from counterfoil.stats.power import smallest_difference
from counterfoil.stats.signflips import Ratio, Term, sign_flip_tests, swap_tests
from counterfoil.stats.sums import Layout, MeanSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from counterfoil.stats.interval import Interval
    from counterfoil.stats.signflips import Test
    from counterfoil.stats.spread import Spread


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


def difference_of(arms: Sequence[Arms], clusters: NDArray[np.int64], *, low: float, level: float = 0.05) -> Difference:
    """The difference between both arms; values lie in `low`…1, and clusters are numbered from 0."""
    count = int(clusters.max()) + 1 if clusters.size else 0
    layout = Layout(np.zeros(count, dtype=np.int64), 1)
    # On a scale from 0 to 1, as the intervals want it.
    width = 1.0 - low
    scaled = [Arms(arm.coefficient * width, (arm.a - low) / width, (arm.b - low) / width) for arm in arms]
    value_a, value_b = (_value(arms, side) for side in ("a", "b"))
    paired = len(arms) == 1 and bool(np.array_equal(np.isnan(arms[0].a), np.isnan(arms[0].b)))
    if paired:
        [(coefficient, a, b)] = scaled
        sums = _sums(b - a, clusters, count)
        [interval] = bonett_price(layout, sums)
        spread = spread_of_mean(layout, sums, layout.total(sums.s) / np.maximum(layout.total(sums.n), 1))
        [test] = sign_flip_tests(sums.s[:, None], sums.records[:, None].astype(np.int64), level=level)
        interval = _scaled(interval, coefficient)
    else:
        sides = [
            part
            for coefficient, a, b in scaled
            for part in ((coefficient, _sums(b, clusters, count)), (-coefficient, _sums(a, clusters, count)))
        ]
        [interval] = contrast(layout, sides)
        spread, _ = contrast_spread(layout, sides)
        [test] = swap_tests([[_term(arm, clusters, count) for arm in arms]], level=level)
    pairs = int(np.sum(~np.isnan(arms[0].a) & ~np.isnan(arms[0].b)))
    return Difference(value_a, value_b, interval, test, _error(interval, spread), float(spread.df[0]), pairs)


def _value(arms: Sequence[Arms], side: str) -> float | None:
    parts = []
    for arm in arms:
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


def _term(arm: Arms, clusters: NDArray[np.int64], count: int) -> Term:
    a, b = _sums(arm.a, clusters, count), _sums(arm.b, clusters, count)
    return Term(arm.coefficient, (Ratio(a.s, a.n, b.s, b.n),))


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
