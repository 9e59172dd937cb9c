"""Chances that differ from cluster to cluster: levels of 0, 1/10, … 1, drawn from a beta-binomial distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from counterfoil.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LEVELS = 10


def draw_levels(rng: np.random.Generator, mean: float, correlation: float, clusters: int) -> NDArray[np.float64]:
    """The chance of each cluster."""
    import numpy as np

    if correlation == 0 or mean in (0, 1):
        return np.full(clusters, mean)
    if correlation == 1:
        return rng.binomial(1, mean, clusters).astype(np.float64)
    weight = _weight(correlation)
    chance = rng.beta(mean * weight, (1 - mean) * weight, clusters) if weight else np.full(clusters, mean)
    return rng.binomial(LEVELS, chance) / LEVELS


def level_chances(mean: float, correlation: float) -> dict[float, float]:
    """How likely each level is: P(k) = C(K,k)·B(k + a, K − k + b) ÷ B(a, b) with a = p·w, b = (1−p)·w."""
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
