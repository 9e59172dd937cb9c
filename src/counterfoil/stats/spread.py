"""How far an estimate strays from sample to sample when its records come in clusters."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.student import t_quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from counterfoil.stats.sums import Layout

CONFIDENCE = 0.95
_IN_FORCE: ContextVar[float] = ContextVar("confidence", default=CONFIDENCE)

# Cluster sums of residuals smaller than this, relative to the clusters' sizes, are rounding: the clusters agree.
_ROUNDING = 1e-10
_FEWEST_DEGREES = 4
_MOST_PER_DIFFERING_CLUSTER = 4


@contextmanager
def at_confidence(confidence: float) -> Iterator[None]:
    """Within it, intervals whose confidence is not named have this one. A run that looks at its figures before all is
    asked needs wider intervals, and the suites that make them know nothing of looks.
    """
    token = _IN_FORCE.set(confidence)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def level_in_force() -> float:
    """1 − the confidence of intervals whose confidence is not named."""
    return 1 - _IN_FORCE.get()


def confidence_in_force() -> float:
    """That of intervals whose confidence is not named."""
    return _IN_FORCE.get()


class Spread(NamedTuple):
    """One entry for each estimate. Where `agree` holds, all clusters agree and `variance` means nothing.

    `hidden` is the largest share of clusters, unlike all others, of which a sample may well hold none: Wilson's upper
    bound of a share of which nothing was seen, c²/(G_eff + c²) with c of G_eff − 1 degrees of freedom.
    """

    variance: NDArray[np.float64]
    agree: NDArray[np.bool_]
    g_eff: NDArray[np.float64]
    most: NDArray[np.float64]
    quantile: NDArray[np.float64]
    df: NDArray[np.float64]
    hidden: NDArray[np.float64]

    def n_eff(self, variance_of_one: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many independent records would know as much, if one of them had this variance.

        Where all clusters agree that is G_eff: each counts as one record. Where few differ from the rest the
        variance is nearly as blind, and n_eff is at most `most` = 4·A·G_eff, with A = (Σu²)²/Σu⁴ the effective number
        of clusters that differ. In large samples A is large, and the limit is out of reach.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.agree, self.g_eff, np.minimum(variance_of_one / self.variance, self.most))


def spread_of(
    layout: Layout,
    n: NDArray[np.float64],
    n2: NDArray[np.float64],
    u: NDArray[np.float64],
    square: NDArray[np.float64],
    *,
    least_correlation: float = 0.0,
    confidence: float | None = None,
) -> Spread:
    """The variance of the mean of residuals e with weights w, and the t quantile that goes with it.

    For each cluster n = Σw, n2 = Σw², u = Σwe, square = Σwe²; over all clusters Σu = 0. With N = Σn, h = n/N and
    σ² = Σ square / N, sums over clusters:

        robust = Σ u²/(1−h) / N²
        model  = σ²/K · [1 + (Σn²/Σn2 − 1)·ρ],   ρ = 1 − within / ((N − Σ n2/n)·σ²)
        V      = max(robust, model)

    `within` is the sum of squares within clusters, Σ(square − u²/n), and K = N²/Σn2 the number of equal records that
    would weigh as much; without weights K = N and Σ n2/n is the number of clusters. The scale of the weights does
    not matter. ρ is clipped to `least_correlation`…1.

    robust is the sandwich estimator with its leverage correction; it is too small when few clusters differ from the
    rest, which is where model, the design effect of Kish with the correlation of a one-way analysis of variance,
    takes over.

    Degrees of freedom: 2 / (Σu⁴/(Σu²)² − 1/G), which matches the first two moments of Σu² (Satterthwaite), at least
    4, at most G_eff − 1, where G_eff = N²/Σn². Where a few clusters hold nearly all records, G_eff − 1 can fall
    below 1; 1 is used.
    """
    confidence = _IN_FORCE.get() if confidence is None else confidence
    with np.errstate(divide="ignore", invalid="ignore"):
        total = layout.total(n)
        sum_n2 = layout.total(n2)
        sum_nn = layout.total(n * n)
        g_eff = total**2 / sum_nn
        sigma2 = layout.total(square) / total

        uu = u * u
        sum_uu = layout.total(uu)
        agree = ~(sum_uu > _ROUNDING**2 * sum_nn)

        robust = layout.total(_ratio_or_0(uu, 1 - n / layout.repeat(total))) / total**2

        within = layout.total(square - _ratio_or_0(uu, n))
        free = total - layout.total(_ratio_or_0(n2, n))
        # With one record in each cluster nothing is free; ρ is then multiplied by 0.
        rho = np.nan_to_num(np.clip(1 - within / (free * sigma2), least_correlation, 1))
        model = sigma2 * sum_n2 / total**2 * (1 + (sum_nn / sum_n2 - 1) * rho)

        differing = sum_uu**2 / layout.total(uu * uu)
        most = _MOST_PER_DIFFERING_CLUSTER * differing * g_eff
        unevenness = 1 / differing - 1 / layout.total(n > 0)
        # Where all clusters agree, u is rounding, and says nothing.
        df = np.where((unevenness > 0) & ~agree, 2 / unevenness, np.inf)
        df = np.minimum(np.maximum(df, _FEWEST_DEGREES), g_eff - 1)
        df = np.where(df > 1, df, 1)
        quantile, of_clusters = (t_quantile((1 + confidence) / 2, d) for d in (df, np.where(g_eff > 2, g_eff - 1, 1)))
        hidden = of_clusters**2 / (g_eff + of_clusters**2)
    return Spread(np.maximum(robust, model), agree, g_eff, most, quantile, df, hidden)


def _ratio_or_0(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """above/below, and 0 where nothing is below: an empty cluster, or one that holds everything."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
