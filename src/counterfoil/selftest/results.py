"""What the trials of a cell come to: bias, coverage and width of each estimate, alarms of each test, what fails."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from counterfoil.comparing.compared import is_apart
from counterfoil.stats.estimate import FEW_CLUSTERS

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate
    from counterfoil.stats.pairing import Difference


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


# With 2,000 trials a metric's mean coverage is held to a range, too.
LEAST_MEAN, MOST_MEAN = 0.94, 0.975
MOST_AGREEING = 0.05
# What an estimate's note says there.
AGREE = "all clusters agree"
# Rounding must not decide where a bound is 0 or 1.
_ROUNDING = 1e-12

# A metric, and its group as text.
Key = tuple[str, str]


class Covered(msgspec.Struct, kw_only=True):
    """A metric in a cell. `coverage` and `width` are those of the `intervals` that there are.

    `trials` are those that had an estimate at all, even one that is not defined.
    """

    metric: str
    group: str
    cell: str
    # The mean number of clusters that counted; an estimate over some questions only has fewer than the cell.
    clusters: float
    truth: float
    trials: int
    mean: float | None
    bias: float | None
    coverage: float | None
    width: float | None
    intervals: int
    few: bool
    degenerate: bool


class Tested(msgspec.Struct, kw_only=True):
    """A comparison in a cell: of two respondents alike where the true `difference` is 0 by design, or of two unlike."""

    metric: str
    group: str
    cell: str
    alike: bool
    difference: float
    tests: int
    # The share of tests that find a difference: false alarms where both are alike, else the power.
    found: float | None
    coverage: float | None
    width: float | None
    intervals: int
    few: bool


class Seen(NamedTuple):
    """What one trial gave."""

    value: float | None
    low: float | None
    high: float | None
    clusters: int
    agree: bool
    p: float | None = None


def estimate_seen(it: Estimate) -> Seen:
    """What counts of an estimate."""
    return Seen(it.value, it.low, it.high, it.clusters, AGREE in (it.note or ""))


def difference_seen(it: Difference) -> Seen:
    """What counts of a comparison."""
    value, low, high = it.interval.value, it.interval.low, it.interval.high
    return Seen(value, low, high, it.interval.clusters, AGREE in (it.interval.note or ""), it.test.p)


def covered_by(key: Key, seen: Sequence[Seen], truth: float, cell: str) -> Covered:
    """A metric's trials against its true value."""
    values = [it.value for it in seen if it.value is not None]
    mean = float(np.mean(values)) if values else None
    coverage, width, intervals = _coverage(seen, truth)
    return Covered(
        metric=key[0],
        group=key[1],
        cell=cell,
        clusters=_mean_clusters(seen),
        truth=truth,
        trials=len(seen),
        mean=mean,
        bias=None if mean is None else mean - truth,
        coverage=coverage,
        width=width,
        intervals=intervals,
        few=_mean_clusters(seen) < FEW_CLUSTERS,
        degenerate=sum(it.agree for it in seen) > MOST_AGREEING * len(seen) or intervals < len(seen) / 2,
    )


def tested_by(key: Key, seen: Sequence[Seen], difference: float, cell: str, *, alike: bool) -> Tested:
    """A comparison's trials against the true difference."""
    tested = [it.p for it in seen if it.p is not None]
    coverage, width, intervals = _coverage(seen, difference)
    return Tested(
        metric=key[0],
        group=key[1],
        cell=cell,
        alike=alike,
        difference=difference,
        tests=len(tested),
        found=float(np.mean([is_apart(p) for p in tested])) if tested else None,
        coverage=coverage,
        width=width,
        intervals=intervals,
        few=_mean_clusters(seen) < FEW_CLUSTERS,
    )


def _coverage(seen: Sequence[Seen], truth: float) -> tuple[float | None, float | None, int]:
    bounds = np.array([(it.low, it.high) for it in seen if it.low is not None and it.high is not None])
    if not len(bounds):
        return None, None, 0
    covered = (bounds[:, 0] <= truth + _ROUNDING) & (truth <= bounds[:, 1] + _ROUNDING)
    return float(covered.mean()), float((bounds[:, 1] - bounds[:, 0]).mean()), len(bounds)


def _mean_clusters(seen: Sequence[Seen]) -> float:
    return float(np.mean([it.clusters for it in seen])) if seen else 0.0


def mean_coverage(estimates: Sequence[Covered]) -> dict[str, float]:
    """Of each metric, over its cells and groups that are not degenerate."""
    by_metric: dict[str, list[float]] = {}
    for it in estimates:
        if not it.degenerate and it.coverage is not None:
            by_metric.setdefault(it.metric, []).append(it.coverage)
    return {metric: float(np.mean(coverages)) for metric, coverages in by_metric.items()}


def failures_of(estimates: Sequence[Covered], comparisons: Sequence[Tested], trials: int) -> list[str]:
    """What does not hold, with its cell."""
    failures = [f"{named(it)} in {it.cell}: it was never estimated" for it in estimates if not it.trials]
    for it in estimates:
        bound = too_low(it.coverage, it.intervals, trials, few=it.few)
        if bound is not None:
            failures.append(f"{named(it)} in {it.cell}: the intervals cover {it.coverage:.1%}, less than {bound:.1%}")
    for one in comparisons:
        what = f"The difference of {named(one)} in {one.cell}"
        bound = too_low(one.coverage, one.intervals, trials, few=one.few)
        if bound is not None:
            failures.append(f"{what}: the intervals cover {one.coverage:.1%}, less than {bound:.1%}")
        bound = too_many(one.found, one.tests, trials) if one.alike else None
        if bound is not None:
            failures.append(f"{what}: {one.found:.1%} false alarms, more than {bound:.1%}")
    return failures


def failing_means(means: dict[str, float], trials: int) -> list[str]:
    """Metrics whose mean coverage is out of its range, if there are trials enough to tell."""
    if trials < LONG.trials:
        return []
    return [
        f"{metric}: the mean coverage over all cells is {mean:.1%}, not {LEAST_MEAN:.0%} to {MOST_MEAN:.1%}"
        for metric, mean in means.items()
        if not LEAST_MEAN <= mean <= MOST_MEAN
    ]


def named(it: Covered | Tested) -> str:
    """The metric, and its group where it has one."""
    return f"{it.metric} ({it.group})" if it.group else it.metric
