"""Do the simulations of kappa, alpha and corrected figures notice a broken estimator?

    python -m benchmarks.mutations_of_labels [--trials N]

The self-test knows no raters, so these have simulations of their own. Each estimator is broken in five ways, one after
the other: it must hold as it is, and be found out with each break. Exits with 1 if a break is not noticed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from benchmarks import agreement
from benchmarks import corrected as correcting

from counterfoil.stats.estimate import Interval
from counterfoil.stats.krippendorff import krippendorff_alpha

TRIALS = 300
SEED = 20261118
LEAST_COVERAGE, STRAYS, OF_WIDTH = 0.90, 5.0, 0.1


class Told(NamedTuple):
    """An estimate of one data set, the truth, and what the machine or the raters say without any correction."""

    value: float
    low: float
    high: float
    truth: float
    plain: float


Break = Callable[[Told], Told]
WAYS: dict[str, Break] = {
    "intervals at 0.6 of their width": lambda one: _bounds(one, 0.6, 0.6),
    "upper bound lost": lambda one: _bounds(one, 1.0, 0.0),
    "value and bounds 0.08 too high": lambda one: _moved(one, 0.08),
    "a third of the way to 0": lambda one: _moved(one, -one.value / 3),
    "nothing corrected for": lambda one: _moved(one, one.plain - one.value),
}


def _bounds(one: Told, below: float, above: float) -> Told:
    return one._replace(low=one.value + below * (one.low - one.value), high=one.value + above * (one.high - one.value))


def _moved(one: Told, by: float) -> Told:
    return one._replace(value=one.value + by, low=one.low + by, high=one.high + by)


def _told(interval: Interval, truth: float, plain: float) -> Iterator[Told]:
    if interval.value is not None and interval.low is not None and interval.high is not None:
        yield Told(interval.value, interval.low, interval.high, truth, plain)


def kappa(trials: int) -> Iterator[Told]:
    """Two labels of which one is rare; without the correction for chance raters agree in 0.85."""
    table = ((0.15, 0.05), (0.10, 0.70))
    cell = agreement.Cell(60, "1 to 24", 0.1, table)
    intervals, truth = agreement.kappa(cell, trials, np.random.default_rng(SEED))
    for interval in intervals:
        yield from _told(interval, float(truth), 0.85)


def alpha(trials: int) -> Iterator[Told]:
    """Three raters, a label of prevalence 0.2, beta-binomial: alpha is the correlation within a reply."""
    luck = np.random.default_rng(SEED)
    rho, prevalence = 0.4, 0.2
    for _ in range(trials):
        chance = luck.beta(prevalence * (1 - rho) / rho, (1 - prevalence) * (1 - rho) / rho, 80)
        labels = (luck.random((80, 3)) < chance[:, None]).astype(int).tolist()
        plain = float(np.mean([len(set(some)) == 1 for some in labels]))
        found = krippendorff_alpha(labels, level="nominal", metric="alpha", model="m", variant="v")
        if found.value is not None and found.low is not None and found.high is not None:
            yield Told(found.value, found.low, found.high, rho, plain)


def corrected(trials: int) -> Iterator[Told]:
    """200 labels of some 600 replies, and a judge that lets many wrong ones pass."""
    cell = correcting.Cell((60, 10), 0.1, 0.5, (0.9, 0.6), 200, "none", strata=False, people=1)
    luck = np.random.default_rng(SEED)
    for _ in range(trials):
        found, truth = correcting.share(cell, correcting.draw(cell, luck), luck)
        value, shift = found.corrected.value, found.shift.value
        assert value is not None
        assert shift is not None
        yield from _told(found.corrected, truth, value - shift)


ESTIMATORS = {"kappa": kappa, "alpha": alpha, "corrected": corrected}


def failures(told: Sequence[Told]) -> list[str]:
    """What does not hold of these data sets."""
    values = np.array([(one.value, one.low, one.high, one.truth) for one in told])
    value, low, high, truth = values.T
    coverage = float(((low <= truth) & (truth <= high)).mean())
    bias, error = float((value - truth).mean()), float(value.std(ddof=1) / np.sqrt(len(value)))
    found = []
    if coverage < LEAST_COVERAGE:
        found.append(f"the intervals cover {coverage:.1%}")
    if abs(bias) > max(STRAYS * error, OF_WIDTH * float((high - low).mean())):
        found.append(f"the mean is off by {bias:+.3f}")
    return found


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Are broken estimators of labels noticed?")
    parser.add_argument("--trials", type=int, default=TRIALS)
    trials = parser.parse_args(arguments).trials
    missed = 0
    for name, simulate in ESTIMATORS.items():
        told = list(simulate(trials))
        for way, broken in {"as it is": lambda one: one, **WAYS}.items():
            found = failures([broken(one) for one in told])
            is_right = bool(found) == (way != "as it is")
            missed += not is_right
            verdict = "as it must be" if is_right else "NOT AS IT MUST BE"
            print(f"{name}, {way}: {verdict}{': ' + '; '.join(found) if found else ''}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
