"""What a run that stops early asks on average, and what it finds: before anything is asked."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterfoil.stats.power import LEVEL, POWER
from counterfoil.stats.stopping.levels import chance_to_decide, critical, levels_of

_NODES, _HALVINGS, _FEW_HALVINGS = 48, 40, 14
_MOST_LARGER = 2.0


class Course(NamedTuple):
    """The chance that the difference is found, and the expected share of the asks."""

    power: float
    share: float


@lru_cache(maxsize=512)
def course(fractions: tuple[float, ...], drift: float, futility: float, alpha: float = LEVEL) -> Course:
    """Of looks at these fractions, where the true difference is `drift` standard errors of the whole.

    The same integrals as for the levels (`levels_of`), with a drift: B(t) has the mean drift·t. A run goes on between
    the bound of the test and that of the futility rule.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    levels = levels_of(fractions, alpha)
    last = critical(levels[-1])
    points, mass, at = np.zeros(1), np.ones(1), 0.0
    power = share = 0.0
    for level, fraction in zip(levels, fractions, strict=True):
        root, step = math.sqrt(fraction), fraction - at
        upper, lower = critical(level) * root, _given_up(fraction, last, futility) * root
        means, spread = points + drift * step, math.sqrt(step)

        def beyond(bound: float, means: np.ndarray = means, spread: float = spread) -> np.ndarray:
            high = [0.5 * math.erfc((bound - mean) / spread / math.sqrt(2)) for mean in means.tolist()]
            low = [0.5 * math.erfc((bound + mean) / spread / math.sqrt(2)) for mean in means.tolist()]
            return np.array([one + other for one, other in zip(high, low, strict=True)])

        share += float(mass.sum()) * step
        power += float(beyond(upper) @ mass)
        half = (upper - lower) / 2
        side = lower + half * (nodes + 1)
        new = np.concatenate([-side, side])
        density = np.exp(-((new[:, None] - means) ** 2) / (2 * spread**2)) / (math.sqrt(2 * math.pi) * spread)
        points, mass, at = new, np.tile(weights * half, 2) * (density @ mass), fraction
    return Course(power, share)


def _given_up(fraction: float, last: float, futility: float) -> float:
    """The standardised difference below which a question is given up at a look."""
    low, high = 0.0, last
    if fraction >= 1 or chance_to_decide(0.0, fraction, last) >= futility:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance_to_decide(middle, fraction, last) < futility else (low, middle)
    return low


@lru_cache(maxsize=64)
def larger(fractions: tuple[float, ...], futility: float, alpha: float = LEVEL) -> float:
    """How many times as many clusters such a run must have at the most, to find with the same chance what a run finds
    that looks once.
    """
    detectable = critical(alpha) + critical(2 * (1 - POWER))
    low, high = 1.0, _MOST_LARGER
    for _ in range(_FEW_HALVINGS):
        middle = (low + high) / 2
        found = course(fractions, detectable * math.sqrt(middle), futility, alpha).power
        low, high = (middle, high) if found < POWER else (low, middle)
    return high
