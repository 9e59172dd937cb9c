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
    from counterfoil.stats.estimate import Estimate, Interval
    from counterfoil.stats.pairing import Difference


class Limits(NamedTuple):
    """From so many trials on: the lowest coverage, the lowest with few clusters, the highest rate of false alarms."""

    trials: int
    coverage: float
    coverage_few: float
    false_alarms: float


LONG = Limits(2_000, 0.91, 0.86, 0.07)
SHORT = Limits(400, 0.90, 0.85, 0.085)
RARE = 0.001


def too_low(coverage: float | None, intervals: int, trials: int, *, few: bool) -> float | None:
    """The bound that this coverage is below, if it is."""
    limits = LONG if trials >= LONG.trials else SHORT
    least = limits.coverage_few if few else limits.coverage
    if coverage is None or coverage >= least:
        return None
    return least if _is_no_chance(1 - coverage, 1 - least, intervals, trials) else None


def too_many(false_alarms: float | None, tests: int, trials: int) -> float | None:
    """The bound that this rate of false alarms is above, if it is."""
    most = (LONG if trials >= LONG.trials else SHORT).false_alarms
    if false_alarms is None or false_alarms <= most:
        return None
    return most if _is_no_chance(false_alarms, most, tests, trials) else None


def _is_no_chance(rate: float, most: float, number: int, trials: int) -> bool:
    """Whether a rate above `most` is to be believed: it is seen often enough, or would be rare by chance."""
    if trials >= SHORT.trials and number >= trials / 2:
        return True
    events = range(round(rate * number), number + 1)
    return sum(math.comb(number, k) * most**k * (1 - most) ** (number - k) for k in events) < RARE


# With 2,000 trials a metric's mean coverage is held to a range, too.
LEAST_MEAN, MOST_MEAN = 0.94, 0.975
MOST_AGREEING = 0.05
# The mean of all trials strays from the truth by more than so many standard errors, and by this share of an interval's
# width: the figure is biased. A ratio of means has a bias that is a small part of its width.
STRAYS, OF_WIDTH = 5.0, 0.1
# Rounding must not decide where a bound is 0 or 1.
_ROUNDING = 1e-12

# A metric, and its group as text.
Key = tuple[str, str]


class MetricCoverage(msgspec.Struct, kw_only=True):
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
    # The standard error of the mean over trials.
    error: float | None = None
    # Of a tested figure whose truth is 0: the share of trials in which p says that it is not. And of any tested figure:
    # how often p says one thing and the interval another.
    claimed: float | None = None
    disagree: int = 0


class ComparisonCoverage(msgspec.Struct, kw_only=True):
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


def metric_coverage(key: Key, estimates: Sequence[Estimate], truth: float, cell: str) -> MetricCoverage:
    """A metric's trials against its true value."""
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    mean = float(np.mean(values)) if values else None
    coverage, width, intervals = _coverage(estimates, truth)
    clusters, trials = _mean_clusters(estimates), len(estimates)
    agreeing = sum(estimate.all_agree for estimate in estimates)
    tested = [estimate for estimate in estimates if estimate.p is not None and estimate.low is not None]
    return MetricCoverage(
        metric=key[0],
        group=key[1],
        cell=cell,
        clusters=clusters,
        truth=truth,
        trials=trials,
        mean=mean,
        bias=None if mean is None else mean - truth,
        coverage=coverage,
        width=width,
        intervals=intervals,
        few=clusters < FEW_CLUSTERS,
        degenerate=agreeing > MOST_AGREEING * trials or intervals < trials / 2,
        error=float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None,
        claimed=float(np.mean([is_apart(one.p) for one in tested])) if tested and abs(truth) < _ROUNDING else None,
        disagree=sum(is_apart(one.p) != _leaves_0_out(one) for one in tested),
    )


def _leaves_0_out(one: Estimate) -> bool:
    return one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)


def comparison_coverage(
    key: Key, differences: Sequence[Difference], truth: float, cell: str, *, alike: bool
) -> ComparisonCoverage:
    """A comparison's trials against the true difference."""
    tests = [is_apart(one.test.p) for one in differences if one.test.p is not None]
    of_trials = [one.interval for one in differences]
    coverage, width, intervals = _coverage(of_trials, truth)
    return ComparisonCoverage(
        metric=key[0],
        group=key[1],
        cell=cell,
        alike=alike,
        difference=truth,
        tests=len(tests),
        found=float(np.mean(tests)) if tests else None,
        coverage=coverage,
        width=width,
        intervals=intervals,
        few=_mean_clusters(of_trials) < FEW_CLUSTERS,
    )


def _coverage(trials: Sequence[Estimate | Interval], truth: float) -> tuple[float | None, float | None, int]:
    bounds = np.array([(one.low, one.high) for one in trials if one.low is not None and one.high is not None])
    if not len(bounds):
        return None, None, 0
    covered = (bounds[:, 0] <= truth + _ROUNDING) & (truth <= bounds[:, 1] + _ROUNDING)
    return float(covered.mean()), float((bounds[:, 1] - bounds[:, 0]).mean()), len(bounds)


def _mean_clusters(trials: Sequence[Estimate | Interval]) -> float:
    return float(np.mean([one.clusters for one in trials])) if trials else 0.0


def mean_coverage(estimates: Sequence[MetricCoverage]) -> dict[str, float]:
    """Of each metric, over its cells and groups that are not degenerate."""
    by_metric: dict[str, list[float]] = {}
    for one in estimates:
        if not one.degenerate and one.coverage is not None:
            by_metric.setdefault(one.metric, []).append(one.coverage)
    return {metric: float(np.mean(coverages)) for metric, coverages in by_metric.items()}


def failures_of(
    estimates: Sequence[MetricCoverage], comparisons: Sequence[ComparisonCoverage], trials: int
) -> list[str]:
    """What does not hold, with its cell; and mean coverages out of their range, with trials enough to tell."""
    failures = [f"{named(one)} in {one.cell}: it was never estimated" for one in estimates if not one.trials]
    every: list[MetricCoverage | ComparisonCoverage] = [*estimates, *comparisons]
    for one in every:
        what = f"{named(one)} in {one.cell}"
        if isinstance(one, ComparisonCoverage):
            what = f"The difference of {what}"
        bound = too_low(one.coverage, one.intervals, trials, few=one.few)
        if bound is not None:
            failures.append(f"{what}: the intervals cover {one.coverage:.1%}, less than {bound:.1%}")
        if isinstance(one, ComparisonCoverage) and one.alike:
            bound = too_many(one.found, one.tests, trials)
            if bound is not None:
                failures.append(f"{what}: {one.found:.1%} false alarms, more than {bound:.1%}")
    for one in estimates:
        bound = too_many(one.claimed, one.trials, trials)
        if bound is not None:
            failures.append(
                f"{named(one)} in {one.cell}: p tells it from 0 in {one.claimed:.1%}, more than {bound:.1%}"
            )
        if one.disagree:
            failures.append(f"{named(one)} in {one.cell}: p and interval disagree in {one.disagree:,} trials")
    failures += [
        f"{named(one)} in {one.cell}: its mean over all trials is {one.mean:.4f}, and the truth is {one.truth:.4f}"
        for one in estimates
        if is_biased(one)
    ]
    if trials >= LONG.trials:
        failures += [
            f"{metric}: the mean coverage over all cells is {mean:.1%}, not {LEAST_MEAN:.0%} to {MOST_MEAN:.1%}"
            for metric, mean in mean_coverage(estimates).items()
            if not LEAST_MEAN <= mean <= MOST_MEAN
        ]
    return failures


def is_biased(one: MetricCoverage) -> bool:
    """Whether the mean of the trials is off the truth by more than chance, and by enough to matter."""
    if one.bias is None or one.error is None or one.width is None:
        return False
    return abs(one.bias) > max(STRAYS * one.error, OF_WIDTH * one.width)


def named(one: MetricCoverage | ComparisonCoverage) -> str:
    """The metric, and its group where it has one."""
    return f"{one.metric} ({one.group})" if one.group else one.metric
