"""What must hold, by the number of trials.

With 2,000 trials every coverage is at least 91 % (86 % under 15 clusters) and false alarms are at most 7 %; with 400,
90 % (85 %) and 8.5 %. Where there are fewer trials, or no interval in most of them, chance alone would break these
bounds: then one is broken only if the bound itself, as the true rate, gave so bad a result in less than one of 1,000.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Bounds(NamedTuple):
    trials: int
    coverage: float
    coverage_few: float
    false_alarms: float


LONG = Bounds(2_000, 0.91, 0.86, 0.07)
SHORT = Bounds(400, 0.90, 0.85, 0.085)
RARE = 0.001


def too_low(coverage: float | None, intervals: int, trials: int, *, few: bool) -> float | None:
    """The bound that this coverage is below, if it is."""
    bounds = LONG if trials >= LONG.trials else SHORT
    least = bounds.coverage_few if few else bounds.coverage
    if coverage is None or coverage >= least:
        return None
    if _enough(intervals, trials) or _at_least(round((1 - coverage) * intervals), intervals, 1 - least) < RARE:
        return least
    return None


def too_many(false_alarms: float | None, tests: int, trials: int) -> float | None:
    """The bound that this rate of false alarms is above, if it is."""
    bounds = LONG if trials >= LONG.trials else SHORT
    most = bounds.false_alarms
    if false_alarms is None or false_alarms <= most:
        return None
    if _enough(tests, trials) or _at_least(round(false_alarms * tests), tests, most) < RARE:
        return most
    return None


def _enough(found: int, trials: int) -> bool:
    return trials >= SHORT.trials and found >= trials / 2


def _at_least(events: int, of: int, rate: float) -> float:
    """The chance of so many events or more, if each has the chance `rate`."""
    return sum(math.comb(of, k) * rate**k * (1 - rate) ** (of - k) for k in range(events, of + 1))
