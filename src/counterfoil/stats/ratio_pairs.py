"""The difference between two ratios over the same clusters, as of a consistency."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.contrasts import fieller
from counterfoil.stats.interval import Bounds, Interval, intervals_from
from counterfoil.stats.spread import spread_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
