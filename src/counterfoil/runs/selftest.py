"""The self-test: plant a truth, run the whole pipeline many times, see whether the estimates find it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from counterfoil.errors import UserError
from counterfoil.runs.compare import LEVEL, Compared, _compare
from counterfoil.runs.selftest_bounds import too_low, too_many
from counterfoil.runs.selftest_cells import Cell, Planting, planting_of
from counterfoil.runs.selftest_trials import Pool, batches
from counterfoil.runs.suites import load_suite
from counterfoil.stats.interval import FEW_CLUSTERS, FEWEST_CLUSTERS

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.runs.suite import Suite
    from counterfoil.stats.estimate import Estimate

FEWEST_TRIALS = 20
# From so many trials on, a metric's mean coverage is held to a range, too.
LONG = 2_000
LEAST_MEAN, MOST_MEAN = 0.94, 0.975
# Near 0 and 1 intervals may cover too often: where so many of them come from clusters that all agree.
MOST_AGREEING = 0.05
# Rounding must not decide where a bound is 0 or 1.
_ROUNDING = 1e-12

Progress = Callable[[str, int, int], None]
# A metric, and its group as text.
Key = tuple[str, str]


class Covered(msgspec.Struct, kw_only=True):
    """A metric in a cell. `coverage` and `width` are those of the `intervals` that there are."""

    metric: str
    group: str
    cell: str
    # The mean number of clusters that counted; an estimate over some questions only has fewer than the cell.
    clusters: float
    truth: float
    mean: float | None
    bias: float | None
    coverage: float | None
    width: float | None
    intervals: int
    few: bool
    degenerate: bool


class Compare(msgspec.Struct, kw_only=True):
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


class SelfTest(msgspec.Struct, kw_only=True):
    """All of it. `mean_coverage` is over a metric's cells that are not degenerate; `failures` name what does not hold."""

    suite: str
    trials: int
    seed: int
    cells: dict[str, str]
    estimates: list[Covered]
    comparisons: list[Compare]
    mean_coverage: dict[str, float]
    failures: list[str]


class _Seen(NamedTuple):
    """What one trial gave."""

    value: float | None
    low: float | None
    high: float | None
    clusters: int
    agree: bool = False
    p: float | None = None


def selftest(
    name: str, *, trials: int = 400, questions: int | None = None, seed: int = 0, progress: Progress | None = None
) -> SelfTest:
    """The self-test of a suite. `questions` replaces each cell's number of clusters."""
    if trials < FEWEST_TRIALS:
        raise UserError(f"A self-test takes at least {FEWEST_TRIALS} trials, not {trials}.")
    if questions is not None and questions < FEWEST_CLUSTERS:
        raise UserError(f"--questions {questions}: under {FEWEST_CLUSTERS} there are no intervals to test.")
    suite = load_suite(name)
    planting = planting_of(suite)
    cells = list(planting.cells)
    if questions is not None:
        cells = [msgspec.structs.replace(cell, clusters=questions) for cell in cells]
    return run_cells(suite.name, planting, cells, trials=trials, seed=seed, progress=progress)


def run_cells(
    name: str, planting: Planting, cells: Sequence[Cell], *, trials: int, seed: int, progress: Progress | None = None
) -> SelfTest:
    """The self-test on these cells."""
    estimates: list[Covered] = []
    comparisons: list[Compare] = []
    # Cells that draw from the same questions share what was said to them: it is read once.
    pools: dict[bytes, Pool] = {}
    for number, cell in enumerate(cells):

        def tell(done: int, cell: Cell = cell, number: int = number) -> None:
            if progress is not None:
                progress(cell.label, number * trials + done, len(cells) * trials)

        pool_key = msgspec.json.encode([cell.options, cell.uneven])
        if pool_key not in pools:
            pools[pool_key] = Pool(planting, cell)
        made = _test_cell(pools[pool_key], cell, trials, [seed, number], tell)
        estimates += made[0]
        comparisons += made[1]
    means = _mean_coverage(estimates)
    return SelfTest(
        suite=name,
        trials=trials,
        seed=seed,
        cells={cell.label: str(cell) for cell in cells},
        estimates=estimates,
        comparisons=comparisons,
        mean_coverage=means,
        failures=[*_failures(estimates, comparisons, trials), *_failing_means(means, trials)],
    )


def _test_cell(
    pool: Pool, cell: Cell, trials: int, seed: Sequence[int], tell: Callable[[int], None]
) -> tuple[list[Covered], list[Compare]]:
    planting, suite, facts = pool.planting, pool.suite, pool.facts
    truth = planting.truth(pool.clusters, facts, cell, cell.settings)
    others = planting.truth(pool.clusters, facts, cell, cell.settings | cell.other)
    estimated: dict[Key, list[_Seen]] = {key: [] for key in truth}
    alike: dict[Key, list[_Seen]] = {}
    unlike: dict[Key, list[_Seen]] = {}
    done = 0
    for batch in batches(pool, cell, trials, seed):
        for estimate in suite.summarize(batch.first, facts):
            key = estimate.metric, _text(estimate.group)
            if key in estimated:
                estimated[key].append(_seen(estimate))
        for seen, frame in ((alike, batch.alike), (unlike, batch.unlike)):
            if frame is not None:
                for key, it in _compared(suite, batch.first, frame, cell):
                    seen.setdefault(key, []).append(it)
        done += batch.trials
        tell(done)
    covered = [_covered(key, seen, truth[key], cell) for key, seen in estimated.items()]
    compared = [_comparison(key, seen, 0.0, cell, alike=True) for key, seen in alike.items() if key in truth]
    compared += [
        _comparison(key, seen, others[key] - truth[key], cell, alike=False)
        for key, seen in unlike.items()
        if key in truth
    ]
    return covered, compared


def _compared(suite: Suite, one: pl.DataFrame, other: pl.DataFrame, cell: Cell) -> Iterable[tuple[Key, _Seen]]:
    """What `compare` says of both respondents in each trial, for each metric without groups."""
    by_trial = one.partition_by("model", as_dict=True, maintain_order=True)
    for trial, records in other.partition_by("model", as_dict=True, maintain_order=True).items():
        items, measures = suite.measures(by_trial[trial], cell.options)
        others, _ = suite.measures(records, cell.options)
        joined = items.join(others, on="item", suffix=" b", maintain_order="left")
        for measure in measures:
            overall = msgspec.structs.replace(measure, groups=((),))
            [row] = _compare(joined, overall, "a", "b")
            yield (row.metric, _text(row.group)), _seen(row)


def _seen(it: Estimate | Compared) -> _Seen:
    agree = "all clusters agree" in (it.note or "")
    if isinstance(it, Compared):
        return _Seen(it.difference, it.low, it.high, it.clusters, agree, it.p)
    return _Seen(it.value, it.low, it.high, it.clusters, agree)


def _covered(key: Key, seen: Sequence[_Seen], truth: float, cell: Cell) -> Covered:
    values = [it.value for it in seen if it.value is not None]
    mean = float(np.mean(values)) if values else None
    coverage, width, intervals = _coverage(seen, truth)
    return Covered(
        metric=key[0],
        group=key[1],
        cell=cell.label,
        clusters=_mean_clusters(seen),
        truth=truth,
        mean=mean,
        bias=None if mean is None else mean - truth,
        coverage=coverage,
        width=width,
        intervals=intervals,
        few=_mean_clusters(seen) < FEW_CLUSTERS,
        degenerate=sum(it.agree for it in seen) > MOST_AGREEING * len(seen),
    )


def _comparison(key: Key, seen: Sequence[_Seen], difference: float, cell: Cell, *, alike: bool) -> Compare:
    tested = [it.p for it in seen if it.p is not None]
    coverage, width, intervals = _coverage(seen, difference)
    return Compare(
        metric=key[0],
        group=key[1],
        cell=cell.label,
        alike=alike,
        difference=difference,
        tests=len(tested),
        found=float(np.mean(np.array(tested) < LEVEL)) if tested else None,
        coverage=coverage,
        width=width,
        intervals=intervals,
        few=_mean_clusters(seen) < FEW_CLUSTERS,
    )


def _coverage(seen: Sequence[_Seen], truth: float) -> tuple[float | None, float | None, int]:
    bounds = np.array([(it.low, it.high) for it in seen if it.low is not None and it.high is not None])
    if not len(bounds):
        return None, None, 0
    covered = (bounds[:, 0] <= truth + _ROUNDING) & (truth <= bounds[:, 1] + _ROUNDING)
    return float(covered.mean()), float((bounds[:, 1] - bounds[:, 0]).mean()), len(bounds)


def _mean_clusters(seen: Sequence[_Seen]) -> float:
    return float(np.mean([it.clusters for it in seen])) if seen else 0.0


def _mean_coverage(estimates: Sequence[Covered]) -> dict[str, float]:
    by_metric: dict[str, list[float]] = {}
    for it in estimates:
        if not it.degenerate and it.coverage is not None:
            by_metric.setdefault(it.metric, []).append(it.coverage)
    return {metric: float(np.mean(coverages)) for metric, coverages in by_metric.items()}


def _failures(estimates: Sequence[Covered], comparisons: Sequence[Compare], trials: int) -> list[str]:
    failures = []
    for it in [*estimates, *comparisons]:
        what = _name(it.metric, it.group)
        if isinstance(it, Compare):
            what += ", the difference"
            if it.alike and (bound := too_many(it.found, it.tests, trials)) is not None:
                failures.append(f"{what}, in {it.cell}: {it.found:.1%} false alarms, more than {bound:.1%}")
        if (bound := too_low(it.coverage, it.intervals, trials, few=it.few)) is not None:
            failures.append(f"{what}, in {it.cell}: the intervals cover {it.coverage:.1%}, less than {bound:.1%}")
    return failures


def _failing_means(means: dict[str, float], trials: int) -> list[str]:
    if trials < LONG:
        return []
    return [
        f"{metric}: the mean coverage over all cells is {mean:.1%}, not {LEAST_MEAN:.0%} to {MOST_MEAN:.1%}"
        for metric, mean in means.items()
        if not LEAST_MEAN <= mean <= MOST_MEAN
    ]


def _name(metric: str, group: str) -> str:
    return f"{metric} ({group})" if group else metric


def _text(group: dict[str, str | int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in group.items())
