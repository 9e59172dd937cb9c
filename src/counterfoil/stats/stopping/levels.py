"""Looking several times at data that grow, without more false alarms: the level of each look.

By a look at the fraction t of all clusters a test may have raised a false alarm with a chance of α·t (Lan and DeMets,
1983, with the spending function of Kim and DeMets, 1987). From that follows the level at each look. The standardised
difference at a look is B(t)/√t, with B(t) a Brownian motion: what is added between two looks is independent of what was
there before. So the chance to cross the bound at look k, and none before, is an integral over the last look:

    g₁(x) = φ(x; t₁),   g_k(x) = ∫ g_{k−1}(y) φ(x − y; t_k − t_{k−1}) dy over |y| < c_{k−1}·√t_{k−1}

where φ(·; v) is the normal density with variance v, and c_k is such that ∫ g_k over |x| ≥ c_k·√t_k is α(t_k − t_{k−1}).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np

_NORMAL = NormalDist()
# Nodes of the integrals, and halvings by which a bound is found.
_NODES, _HALVINGS = 96, 48
_HIGHEST = 12.0


@lru_cache(maxsize=256)
def levels_of(fractions: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    """The two-sided level of the test at each look, for looks at these fractions, of which the last is 1.

    All looks together raise a false alarm with the chance `alpha`.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    before = np.zeros(1)
    mass = np.ones(1)
    at = 0.0
    levels = []
    for fraction in fractions:
        spread = math.sqrt(fraction - at)
        bound = _bound(before, mass, spread, alpha * (fraction - at), _HIGHEST * math.sqrt(fraction))
        levels.append(2 * (1 - _NORMAL.cdf(bound / math.sqrt(fraction))))
        points = bound * nodes
        steps = np.exp(-((points[:, None] - before) ** 2) / (2 * spread**2)) / (math.sqrt(2 * math.pi) * spread)
        before, mass, at = points, bound * weights * (steps @ mass), fraction
    return tuple(levels)


def _bound(before: np.ndarray, mass: np.ndarray, spread: float, chance: float, highest: float) -> float:
    """The bound that is crossed with this chance by what was `before`, each with its mass, and a normal step."""
    low, high = 0.0, highest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        crossed = sum(
            share * (_NORMAL.cdf((at - middle) / spread) + _NORMAL.cdf((-at - middle) / spread))
            for at, share in zip(before.tolist(), mass.tolist(), strict=True)
        )
        low, high = (middle, high) if crossed > chance else (low, middle)
    return (low + high) / 2


def critical(level: float) -> float:
    """The standardised difference that a two-sided test at this level must reach."""
    return -_NORMAL.inv_cdf(level / 2)


def chance_to_decide(z: float, fraction: float, last: float, margin: float | None = None) -> float:
    """The chance that what is not decided at a look will be at the last one: the futility rule goes by it.

    `z` is the standardised difference at the look, and `margin` the margin of equality in standard errors of the look,
    if there is one; `last` is the critical value of the last look. With no opinion beforehand, the difference after all
    clusters, in standard errors of the look, is normal around z with the variance 1 − t. Its own standard error is √t:
    it is told from 0 beyond last·√t, and shown equal within margin − last·√t.
    """
    if fraction >= 1:
        return 0.0
    spread, reach = math.sqrt(1 - fraction), last * math.sqrt(fraction)
    chance = _NORMAL.cdf((z - reach) / spread) + _NORMAL.cdf((-z - reach) / spread)
    room = 0.0 if margin is None else margin - reach
    if room > 0:
        inside = min(room, reach)
        chance += _NORMAL.cdf((inside - z) / spread) - _NORMAL.cdf((-inside - z) / spread)
    return chance


def fractions_text(fractions: Sequence[float]) -> str:
    """As 1/16, 1/8, 0.3, 1."""
    return ", ".join(_fraction_text(fraction) for fraction in fractions)


def _fraction_text(fraction: float) -> str:
    for below in range(1, 33):
        above = fraction * below
        if abs(above - round(above)) < 1e-9:
            return f"{round(above)}/{below}" if below > 1 else f"{round(above)}"
    return f"{fraction:g}"
