"""Intervals of means: cluster sums in, one `Interval` for each estimate out.

All are 95 % intervals. V, G_eff and the t quantile c are those of `spread_of`; the effective number of records n_eff
is limited, and G_eff where all clusters agree, as `Spread.n_eff` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from counterfoil.stats.interval import Bounds, intervals_from
from counterfoil.stats.spread import spread_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from counterfoil.stats.interval import Interval
    from counterfoil.stats.spread import Spread
    from counterfoil.stats.sums import Layout, MeanSums


def wilson(layout: Layout, sums: MeanSums) -> list[Interval]:
    """Means m of values in 0…1: Wilson's score interval (1927) with n_eff = m(1−m)/V.

        (m + c²/2n_eff ± c·sqrt(m(1−m)/n_eff + c²/4n_eff²)) / (1 + c²/n_eff)

    For values that are 0 or 1, n_eff is at most the number of records, since V is at least m(1−m)/N.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = layout.total(sums.s) / layout.total(sums.n)
        spread = spread_of_mean(layout, sums, mean)
        bernoulli = np.maximum(mean * (1 - mean), 0)
        n_eff = spread.n_eff(bernoulli)
        pull = spread.quantile**2 / n_eff
        centre = (mean + pull / 2) / (1 + pull)
        half = np.sqrt(pull * (bernoulli + pull / 4)) / (1 + pull)
    low, high = np.maximum(centre - half, 0), np.minimum(centre + half, 1)
    clusters = layout.total(sums.n > 0)
    bounds = Bounds(mean, low, high, layout.total(sums.records), clusters, clusters, spread.agree)
    return intervals_from(bounds, "Wilson, cluster-robust")


def bonett_price(
    layout: Layout,
    sums: MeanSums,
    *,
    most_per_cluster: float | None = None,
    least_correlation: float = 0.0,
    added: float = 1.0,
) -> list[Interval]:
    """Means m of values in −1…1: the adjusted Wald interval of Bonett and Price (2012) with n_eff = σ²/V.

    One +1 and one −1 are added to n_eff values with mean m and mean square Q, then an ordinary interval is made:

        m' = n_eff·m/(n_eff + 2),   Q' = (n_eff·Q + 2)/(n_eff + 2),   m' ± c·sqrt((Q' − m'²)/(n_eff + 2))

    `most_per_cluster` limits n_eff to that many for each cluster: for differences of means over many draws, whose
    spread within a cluster says little about how clusters differ. `least_correlation` is −1 where clusters are
    balanced by design, so that what is high in a cluster makes something else in it low. The two values that are
    added are +1 and −1, or ± `added` where most values are 0 by nature, as when the same is asked again: there they
    would make up most of the variance, Q' = (n_eff·Q + 2·added²)/(n_eff + 2).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        total = layout.total(sums.n)
        clusters = layout.total(sums.n > 0)
        mean = layout.total(sums.s) / total
        mean_square = layout.total(sums.q) / total
        spread = spread_of_mean(layout, sums, mean, least_correlation=least_correlation)
        n_eff = spread.n_eff(mean_square - mean**2)
        if most_per_cluster is not None:
            n_eff = np.minimum(n_eff, most_per_cluster * clusters)
        centre = n_eff * mean / (n_eff + 2)
        variance = (n_eff * mean_square + 2 * added**2) / (n_eff + 2) - centre**2
        half = spread.quantile * np.sqrt(variance / (n_eff + 2))
    low, high = np.maximum(centre - half, -1), np.minimum(centre + half, 1)
    bounds = Bounds(mean, low, high, layout.total(sums.records), clusters, clusters, spread.agree)
    return intervals_from(bounds, "Bonett–Price, cluster-robust")


def residuals(
    layout: Layout, sums: MeanSums, mean: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The cluster sums of w·(x − m) and of w·(x − m)²."""
    m = layout.repeat(mean)
    return sums.s - m * sums.n, sums.q - 2 * m * sums.s + m**2 * sums.n


def spread_of_mean(
    layout: Layout, sums: MeanSums, mean: NDArray[np.float64], *, least_correlation: float = 0.0
) -> Spread:
    """The spread of the weighted mean."""
    return spread_of(layout, sums.n, sums.n2, *residuals(layout, sums, mean), least_correlation=least_correlation)
