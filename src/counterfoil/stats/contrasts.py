"""Intervals of what compares two things: a difference of two means, and a ratio.

All are 95 % intervals. V, G_eff and the t quantile c are those of `spread_of`; the effective number of records n_eff
is limited, and G_eff where all clusters agree, as `Spread.n_eff` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from counterfoil.stats.interval import Bounds, intervals_from
from counterfoil.stats.means import residuals, spread_of_mean
from counterfoil.stats.spread import spread_of
from counterfoil.stats.sums import MeanSums

if TYPE_CHECKING:
    from counterfoil.stats.interval import Interval
    from counterfoil.stats.sums import Layout, RatioSums


def agresti_caffo(layout: Layout, first: MeanSums, second: MeanSums) -> list[Interval]:
    """Differences m₁ − m₂ of two means in 0…1 over the same clusters: Agresti and Caffo (2000) with n_eff = N/deff.

    A record of the first kind has the influence (x − m₁)·N/N₁ on the difference, one of the second −(x − m₂)·N/N₂,
    with N = N₁ + N₂. V is the variance of the mean of both kinds together. Clusters that are hard for both cancel
    out, so here the correlation within clusters may be negative. Then

        deff = V / (m₁(1−m₁)/N₁ + m₂(1−m₂)/N₂),   n_i = N_i/deff,   p_i = (n_i·m_i + 1)/(n_i + 2)
        p₁ − p₂ ± c·sqrt(p₁(1−p₁)/(n₁ + 2) + p₂(1−p₂)/(n₂ + 2))

    Where all clusters agree, n_i is the G_eff of each kind. Fewer clusters than needed in one kind are too few.
    """
    arms = ((first, 1), (second, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = [layout.total(arm.n) for arm, _ in arms]
        both = totals[0] + totals[1]
        means = [layout.total(arm.s) / total for (arm, _), total in zip(arms, totals, strict=True)]
        u, square = np.zeros_like(first.n), np.zeros_like(first.n)
        for (arm, sign), total, mean in zip(arms, totals, means, strict=True):
            scale = layout.repeat(sign * both / total)
            deviation, squared = residuals(layout, arm, mean)
            u += scale * deviation
            square += scale**2 * squared
        n, n2 = first.n + second.n, first.n2 + second.n2
        spread = spread_of(layout, n, n2, u, square, least_correlation=-1.0)

        binomial = sum(m * (1 - m) / total for m, total in zip(means, totals, strict=True))
        deff = both / spread.n_eff(both * binomial)
        centre, variance = np.zeros(layout.estimates), np.zeros(layout.estimates)
        for (arm, sign), total, mean in zip(arms, totals, means, strict=True):
            n_eff = np.where(spread.agree, total**2 / layout.total(arm.n**2), total / deff)
            share = (n_eff * mean + 1) / (n_eff + 2)
            centre += sign * share
            variance += share * (1 - share) / (n_eff + 2)
        half = spread.quantile * np.sqrt(variance)
    bounds = Bounds(
        value=means[0] - means[1],
        low=np.maximum(centre - half, -1),
        high=np.minimum(centre + half, 1),
        n=layout.total(first.records + second.records),
        clusters=layout.total(n > 0),
        fewest=np.minimum(layout.total(first.n > 0), layout.total(second.n > 0)),
        agree=spread.agree,
    )
    return intervals_from(bounds, "Agresti–Caffo, cluster-robust", undefined="no values on one side")


def fieller(layout: Layout, sums: RatioSums) -> list[Interval]:
    """Ratios R = Σy/Σx of values in 0…1: Fieller's interval (1954) with the pseudo-pairs (y, x) = (1, 0) and (0, 1).

    n_eff = σ²/V for the residuals y − R·x. The two pairs are added to n_eff pairs with the observed means and mean
    products; ȳ, x̄ and the variances v of these means are taken from the n_eff + 2. The bounds are the roots R of

        (ȳ − R·x̄)² = c²·(v_yy − 2R·v_xy + R²·v_xx)

    Where x̄ can't be told from 0 the set has no upper end, and no interval is given. Where the denominators of all
    clusters agree, V has not seen what a cluster with another denominator would do, and n_eff is at most G_eff.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        total = layout.total(sums.n)
        y, x, yy, xx, xy = (layout.total(part) / total for part in sums[3:])
        ratio = np.where(x > 0, y / x, np.nan)
        r = layout.repeat(ratio)
        spread = spread_of(layout, sums.n, sums.n2, sums.y - r * sums.x, sums.yy - 2 * r * sums.xy + r**2 * sums.xx)
        sigma2 = yy - 2 * ratio * xy + ratio**2 * xx
        n_eff = spread.n_eff(sigma2)
        denominator = MeanSums(sums.records, sums.n, sums.n2, sums.x, sums.xx)
        same_denominator = spread_of_mean(layout, denominator, x).agree
        n_eff = np.where(same_denominator, np.minimum(n_eff, spread.g_eff), n_eff)

        more = n_eff + 2
        y, x = (n_eff * y + 1) / more, (n_eff * x + 1) / more
        v_yy, v_xx = ((n_eff * yy + 1) / more - y**2) / more, ((n_eff * xx + 1) / more - x**2) / more
        v_xy = (n_eff * xy / more - x * y) / more
        c2 = spread.quantile**2
        a, b, c = x**2 - c2 * v_xx, x * y - c2 * v_xy, y**2 - c2 * v_yy
        root = np.sqrt(np.maximum(b**2 - a * c, 0))
        bounded = a > 0
        low = np.where(bounded, np.maximum((b - root) / a, 0), np.nan)
        high = np.where(bounded, (b + root) / a, np.nan)
    clusters = layout.total(sums.n > 0)
    return intervals_from(
        Bounds(ratio, low, high, layout.total(sums.records), clusters, clusters, spread.agree),
        "Fieller, cluster-robust",
        undefined="the denominator is 0",
        unbounded="no interval: the denominator can't be told from 0",
    )
