"""Chances that differ from cluster to cluster: levels of 0, 1/10, … 1, drawn from a beta-binomial distribution.

The intervals were chosen with such chances in mind. So that the self-test is not their own witness, there are others:
logistic-normal ones, as of questions that differ in difficulty, and heavy-tailed ones, where most clusters are alike
and a few are far off.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from counterfoil.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from counterfoil.suite.planting import Cell


LEVELS = 10
# How chances are spread, beside the beta-binomial way; so many points stand for the distribution, each as likely.
BETA, LOGISTIC_NORMAL, HEAVY = "beta-binomial", "logistic-normal", "heavy-tailed"
POINTS = 20
_HALVINGS = 60


def draw_levels(
    rng: np.random.Generator, mean: float, correlation: float, clusters: int, spread: str = BETA
) -> NDArray[np.float64]:
    """The chance of each cluster."""
    import numpy as np

    if spread != BETA and correlation and 0 < mean < 1:
        return np.array(points(mean, correlation, spread))[rng.integers(POINTS, size=clusters)]
    if correlation == 0 or mean in (0, 1):
        return np.full(clusters, mean)
    if correlation == 1:
        return rng.binomial(1, mean, clusters).astype(np.float64)
    weight = _weight(correlation)
    chance = rng.beta(mean * weight, (1 - mean) * weight, clusters) if weight else np.full(clusters, mean)
    return rng.binomial(LEVELS, chance) / LEVELS


@cache
def points(mean: float, correlation: float, spread: str) -> tuple[float, ...]:
    """Equally likely chances 1 ÷ (1 + exp(−m − s·q)) with this mean, and the variance correlation · p(1 − p).

    q are quantiles: of the normal distribution, or of Student's t with 2 degrees of freedom, which has no variance.
    Both m and s are found by halving.
    """
    places = [(point + 0.5) / POINTS for point in range(POINTS)]
    normal = NormalDist()
    quantiles = [
        normal.inv_cdf(u) if spread == LOGISTIC_NORMAL else (2 * u - 1) / math.sqrt(2 * u * (1 - u)) for u in places
    ]

    def with_mean(scale: float) -> list[float]:
        low, high = -60.0, 60.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            at = [_logistic(middle + scale * q) for q in quantiles]
            low, high = (middle, high) if fmean(at) < mean else (low, middle)
        return at

    goal = correlation * mean * (1 - mean)
    low, high = 0.0, 60.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = with_mean(middle)
        low, high = (middle, high) if fmean((chance - mean) ** 2 for chance in found) < goal else (low, middle)
    return tuple(found)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def level_chances(mean: float, correlation: float, spread: str = BETA) -> dict[float, float]:
    """How likely each level is: P(k) = C(K,k)·B(k + a, K − k + b) ÷ B(a, b) with a = p·w, b = (1−p)·w."""
    if spread != BETA and correlation and 0 < mean < 1:
        return dict.fromkeys(points(mean, correlation, spread), 1 / POINTS)
    if correlation == 0 or mean in (0, 1):
        return {mean: 1.0}
    if correlation == 1:
        return {0.0: 1 - mean, 1.0: mean}
    weight = _weight(correlation)
    a, b = mean * weight, (1 - mean) * weight

    def chance(k: int) -> float:
        if not weight:
            return math.comb(LEVELS, k) * mean**k * (1 - mean) ** (LEVELS - k)
        return math.comb(LEVELS, k) * math.exp(_log_beta(k + a, LEVELS - k + b) - _log_beta(a, b))

    return {k / LEVELS: chance(k) for k in range(LEVELS + 1)}


def _weight(correlation: float) -> float:
    """The weight w of the beta distribution; 0 where the binomial draw alone brings the correlation, 1 ÷ K.

    A share k ÷ K of a beta-binomial has the variance p(1−p)·(1 + (K−1)·r) ÷ K, where the beta distribution has the
    correlation r = 1 ÷ (w + 1).
    """
    if not 1 / LEVELS <= correlation <= 1:
        raise UserError(f"A correlation within clusters is 0, or from {1 / LEVELS:g} to 1; it is {correlation:g}.")
    rest = (LEVELS * correlation - 1) / (LEVELS - 1)
    # 0.1 · 10 is 1 but for rounding on some machines.
    return (1 - rest) / rest if rest > 1e-9 else 0.0


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def after_losses(settings: Mapping[str, float], cell: Cell) -> dict[str, float]:
    """The mean chances of the clusters that are left, where the hard ones are missing more often: of the first setting
    E[l · (1 − m(1 − l))] ÷ E[1 − m(1 − l)], l its level and m the cell's `missing`. The others are not touched.
    """
    if not cell.missing:
        return dict(settings)
    first = next(iter(settings))
    levels = level_chances(settings[first], cell.correlation, cell.spread).items()
    left = {level: chance * (1 - cell.missing * (1 - level)) for level, chance in levels}
    return {**settings, first: sum(level * weight for level, weight in left.items()) / sum(left.values())}
