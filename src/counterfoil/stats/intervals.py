"""Intervals of means: cluster sums in, one `Interval` for each estimate out.

All are 95 % intervals, unless another confidence is given or in force (`at_confidence`). V, G_eff and the t quantile c
are those of `spread_of`; the effective number of records n_eff is limited, and G_eff where all clusters agree, as
`Spread.n_eff` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from counterfoil.stats.estimate import Bounds, intervals_from
from counterfoil.stats.spread import spread_of
from counterfoil.stats.sums import MeanSums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Interval
    from counterfoil.stats.spread import Spread
    from counterfoil.stats.sums import Layout, MeanSums, RatioSums


# To values in −1…1; by simulation (docs/statistics.md).
ADDED = 0.5
# To pairs of which a ratio is made, and to those of a signed one, whose values are quarters.
ADDED_TO_RATIOS, ADDED_TO_SIGNED_RATIOS = 0.5, 0.125
# Of what a sample can hide, on either side of a mean of such values; by simulation as well.
LEFT_OPEN = 0.6


def wilson(layout: Layout, sums: MeanSums) -> list[Interval]:
    """Means m of values in 0…1: Wilson's score interval (1927) with n_eff = m(1−m)/V.

        (m + c²/2n_eff ± c·sqrt(m(1−m)/n_eff + c²/4n_eff²)) / (1 + c²/n_eff)

    For values that are 0 or 1, n_eff is at most the number of records, since V is at least m(1−m)/N.

    A few scattered errors do not tell that no cluster is quite different. So no bound is surer than that of a sample in
    which all clusters are right, or all wrong: low is at most 1 − `Spread.hidden`, and high at least `Spread.hidden`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = layout.total(sums.s) / layout.total(sums.n)
        spread = spread_of_mean(layout, sums, mean)
        bernoulli = np.maximum(mean * (1 - mean), 0)
        n_eff = spread.n_eff(bernoulli)
        pull = spread.quantile**2 / n_eff
        centre = (mean + pull / 2) / (1 + pull)
        half = np.sqrt(pull * (bernoulli + pull / 4)) / (1 + pull)
    low = np.maximum(np.minimum(centre - half, 1 - spread.hidden), 0)
    high = np.minimum(np.maximum(centre + half, spread.hidden), 1)
    clusters = layout.total(sums.n > 0)
    bounds = Bounds(mean, low, high, layout.total(sums.records), clusters, clusters, spread.agree)
    return intervals_from(bounds, "Wilson, cluster-robust")


def bonett_price(
    layout: Layout,
    sums: MeanSums,
    *,
    most_per_cluster: float | None = None,
    least_correlation: float = 0.0,
    added: float = ADDED,
    confidence: float | None = None,
) -> list[Interval]:
    """Means m of values in −1…1: the adjusted Wald interval of Bonett and Price (2012) with n_eff = σ²/V.

    Two values, ± `added`, are added to n_eff values with mean m and mean square Q, then an ordinary interval is made:

        m' = n_eff·m/(n_eff + 2),   Q' = (n_eff·Q + 2·added²)/(n_eff + 2),   m' ± c·sqrt((Q' − m'²)/(n_eff + 2))

    `most_per_cluster` limits n_eff to that many for each cluster: for differences of means over many draws, whose
    spread within a cluster says little about how clusters differ. `least_correlation` is −1 where clusters are
    balanced by design, so that what is high in a cluster makes something else in it low.

    A sample in which few values are below 0 does not tell that no cluster is: the share of clusters that a sample can
    hide is `Spread.hidden`, and 0.6 of it are left open on either side. With the shares (Q ± m)/2 of values above and
    below 0, low is at most (Q + m)/2 − 0.6·hidden, and high at least 0.6·hidden − (Q − m)/2.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        total = layout.total(sums.n)
        clusters = layout.total(sums.n > 0)
        mean = layout.total(sums.s) / total
        mean_square = layout.total(sums.q) / total
        spread = spread_of_mean(layout, sums, mean, least_correlation=least_correlation, confidence=confidence)
        n_eff = spread.n_eff(mean_square - mean**2)
        if most_per_cluster is not None:
            n_eff = np.minimum(n_eff, most_per_cluster * clusters)
        # Where all clusters agree, each is one value: what differs within them cancels out by design.
        of_values = np.where(spread.agree, mean**2, mean_square)
        centre = n_eff * mean / (n_eff + 2)
        variance = (n_eff * of_values + 2 * added**2) / (n_eff + 2) - centre**2
        half = spread.quantile * np.sqrt(variance / (n_eff + 2))
        hidden = LEFT_OPEN * spread.hidden
    low = np.minimum(centre - half, (mean_square + mean) / 2 - hidden)
    high = np.maximum(centre + half, hidden - (mean_square - mean) / 2)
    low, high = np.maximum(low, -1), np.minimum(high, 1)
    bounds = Bounds(mean, low, high, layout.total(sums.records), clusters, clusters, spread.agree)
    return intervals_from(bounds, "Bonett–Price, cluster-robust")


def residuals(
    layout: Layout, sums: MeanSums, mean: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The cluster sums of w·(x − m) and of w·(x − m)²."""
    m = layout.repeat(mean)
    return sums.s - m * sums.n, sums.q - 2 * m * sums.s + m**2 * sums.n


def spread_of_mean(
    layout: Layout,
    sums: MeanSums,
    mean: NDArray[np.float64],
    *,
    least_correlation: float = 0.0,
    confidence: float | None = None,
) -> Spread:
    """The spread of the weighted mean."""
    u, square = residuals(layout, sums, mean)
    return spread_of(layout, sums.n, sums.n2, u, square, least_correlation=least_correlation, confidence=confidence)


def agresti_caffo(layout: Layout, first: MeanSums, second: MeanSums) -> list[Interval]:
    """Differences m₁ − m₂ of two means in 0…1 over the same clusters: `contrast` with the coefficients 1 and −1."""
    intervals, _ = contrast(layout, [(1.0, first), (-1.0, second)])
    return intervals


def contrast(
    layout: Layout, arms: Sequence[tuple[float, MeanSums]], *, confidence: float | None = None
) -> tuple[list[Interval], Spread]:
    """Sums Σ aᵢmᵢ of means in 0…1 over the same clusters: Agresti and Caffo (2000) with n_eff = N/deff.

    A record of kind i has the influence aᵢ(x − mᵢ)·N/Nᵢ on the sum, with N = ΣNᵢ. V is the variance of the mean of
    all kinds together. Clusters that are hard for both sides of a difference cancel out, so here the correlation
    within clusters may be negative. Then

        deff = V / Σ aᵢ²mᵢ(1−mᵢ)/Nᵢ,   nᵢ = Nᵢ/deff,   pᵢ = (nᵢ·mᵢ + 1)/(nᵢ + 2)
        Σ aᵢpᵢ ± c·sqrt(Σ aᵢ²pᵢ(1−pᵢ)/(nᵢ + 2))

    Where all clusters agree, nᵢ is the G_eff of each kind. Fewer clusters than needed in one kind are too few.

    As with values in −1…1, 0.6 of what a sample can hide are left open on either side. Of a cluster's share that pulls
    up there is at most min(Σ aᵢmᵢ over aᵢ > 0, Σ |aᵢ|(1 − mᵢ) over aᵢ < 0), and low is at most that less the open part;
    so for high, the other way round.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = [layout.total(arm.n) for _, arm in arms]
        means = [layout.total(arm.s) / total for (_, arm), total in zip(arms, totals, strict=True)]
        parts = list(zip(arms, totals, means, strict=True))
        together = np.asarray(sum(totals))
        u, square, n, n2 = (np.zeros(len(layout.estimate)) for _ in range(4))
        for (a, arm), total, mean in parts:
            scale = layout.repeat(a * together / total)
            deviation, squared = residuals(layout, arm, mean)
            u += scale * deviation
            square += scale**2 * squared
            n += arm.n
            n2 += arm.n2
        spread = spread_of(layout, n, n2, u, square, least_correlation=-1.0, confidence=confidence)
        binomial = sum(a**2 * m * (1 - m) / total for (a, _), total, m in parts)
        deff = together / spread.n_eff(together * binomial)
        centre, variance = np.zeros(layout.estimates), np.zeros(layout.estimates)
        for (a, arm), total, mean in parts:
            n_eff = np.where(spread.agree, total**2 / layout.total(arm.n**2), total / deff)
            share = (n_eff * mean + 1) / (n_eff + 2)
            centre += a * share
            variance += a**2 * share * (1 - share) / (n_eff + 2)
        half = spread.quantile * np.sqrt(variance)
        ups, downs = ([_pull(parts, sign, up) for sign in (1.0, -1.0)] for up in (True, False))
        hidden = LEFT_OPEN * spread.hidden * max(abs(a) for a, _ in arms)
        low = np.minimum(centre - half, np.minimum(*ups) - hidden)
        high = np.maximum(centre + half, hidden - np.minimum(*downs))
        value = sum(a * mean for (a, _), _, mean in parts)
    lowest, highest = sum(min(a, 0.0) for a, _ in arms), sum(max(a, 0.0) for a, _ in arms)
    bounds = Bounds(
        value=np.asarray(value),
        low=np.maximum(low, lowest),
        high=np.minimum(high, highest),
        n=layout.total(np.sum([arm.records for _, arm in arms], axis=0)),
        clusters=layout.total(np.any([arm.n > 0 for _, arm in arms], axis=0)),
        fewest=np.min([layout.total(arm.n > 0) for _, arm in arms], axis=0),
        agree=spread.agree,
    )
    return intervals_from(bounds, "Agresti–Caffo, cluster-robust", undefined="no values on one side"), spread


def _pull(
    parts: Sequence[tuple[tuple[float, MeanSums], NDArray[np.float64], NDArray[np.float64]]], sign: float, up: bool
) -> NDArray[np.float64]:
    """What the kinds of this sign add where they pull up, or down: right answers, or wrong ones."""
    right = up == (sign > 0)
    pulls = [abs(a) * (mean if right else 1 - mean) for (a, _), _, mean in parts if a * sign > 0]
    return np.asarray(sum(pulls))


def fieller(layout: Layout, sums: RatioSums, *, low: float = 0.0, confidence: float | None = None) -> list[Interval]:
    """Ratios R = Σy/Σx of values in 0…1: Fieller's interval (1954) with pseudo-pairs (y, x) of (½, 0) and (0, ½).

    n_eff = σ²/V for the residuals y − R·x. The two pairs are added to n_eff pairs with the observed means and mean
    products; ȳ, x̄ and the variances v of these means are taken from the n_eff + 2. The bounds are the roots R of

        (ȳ − R·x̄)² = c²·(v_yy − 2R·v_xy + R²·v_xx)

    Where x̄ can't be told from 0 the set has no upper end, and no interval is given. Where the denominators of all
    clusters agree, V has not seen what a cluster with another denominator would do, and n_eff is at most G_eff. As with
    values in −1…1, 0.6 of what a sample can hide are left open: high is at least that, low at most max(R, 1) less it.

    With a `low` of −1, y is what x has more than a third number in 0…1, and R at most 1. For Fieller that is 1 less the
    ratio of the third to x. The pseudo-pairs are (−⅛, 0) and (⅛, ⅛) then.
    """
    is_signed = low < 0
    with np.errstate(divide="ignore", invalid="ignore"):
        total = layout.total(sums.n)
        y, x, yy, xx, xy = (layout.total(part) / total for part in sums[3:])
        ratio = np.where(x > 0, y / x, np.nan)
        r = layout.repeat(ratio)
        square = sums.yy - 2 * r * sums.xy + r**2 * sums.xx
        spread = spread_of(layout, sums.n, sums.n2, sums.y - r * sums.x, square, confidence=confidence)
        sigma2 = yy - 2 * ratio * xy + ratio**2 * xx
        n_eff = spread.n_eff(sigma2)
        denominator = MeanSums(sums.records, sums.n, sums.n2, sums.x, sums.xx)
        same_denominator = spread_of_mean(layout, denominator, x).agree
        n_eff = np.where(same_denominator, np.minimum(n_eff, spread.g_eff), n_eff)
        if is_signed:
            # 1 less the ratio: of the third number, y' = x − y.
            y, yy, xy = x - y, xx - 2 * xy + yy, xx - xy

        more = n_eff + 2
        added = ADDED_TO_SIGNED_RATIOS if is_signed else ADDED_TO_RATIOS
        y, x = (n_eff * y + added) / more, (n_eff * x + added) / more
        v_yy, v_xx = ((n_eff * both + added**2) / more - mean**2 for both, mean in ((yy, y), (xx, x)))
        v_xy = n_eff * xy / more - x * y
        c2 = spread.quantile**2 / more
        a, b, c = x**2 - c2 * v_xx, x * y - c2 * v_xy, y**2 - c2 * v_yy
        root = np.sqrt(np.maximum(b**2 - a * c, 0))
        hidden = LEFT_OPEN * spread.hidden
        most = np.maximum(1 - ratio if is_signed else ratio, 1)
        lower = np.where(a > 0, np.minimum(np.maximum((b - root) / a, 0), most * (1 - hidden)), np.nan)
        upper = np.where(a > 0, np.maximum((b + root) / a, hidden), np.nan)
        if is_signed:
            lower, upper = 1 - upper, 1 - lower
    clusters = layout.total(sums.n > 0)
    return intervals_from(
        Bounds(ratio, lower, upper, layout.total(sums.records), clusters, clusters, spread.agree),
        "Fieller, cluster-robust",
        undefined="the denominator is 0",
        unbounded="no interval: the denominator can't be told from 0",
    )
