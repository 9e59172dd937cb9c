"""The self-test: plant a truth, run the whole pipeline many times, see whether the estimates find it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from counterfoil.comparing.compared import group_text
from counterfoil.comparing.items import Frames, differences_between, joined_items, told_by, with_partners
from counterfoil.errors import UserError
from counterfoil.selftest.results import (
    ComparisonCoverage,
    Key,
    MetricCoverage,
    comparison_coverage,
    failures_of,
    mean_coverage,
    metric_coverage,
)
from counterfoil.selftest.trials import Pool, batches
from counterfoil.stats.estimate import FEWEST_CLUSTERS
from counterfoil.suite.finding import load_suite
from counterfoil.suite.planting import Cell, Planting

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.stats.estimate import Estimate
    from counterfoil.stats.pairing import Difference
    from counterfoil.suite.suite import AnySuite

FEWEST_TRIALS = 20

# Is called with the cell, the trials that are done, and those that there are.
Tell = Callable[[str, int, int], None]


class SelfTest(msgspec.Struct, kw_only=True):
    """What a self-test found. `failures` say what does not hold.

    `mean_coverage` is over a metric's cells that are not degenerate.
    A cell is degenerate for a metric where in one of 20 trials or more all clusters agree, as they do near 0 and 1, or
    where most trials have no interval: there it may cover more.
    """

    suite: str
    trials: int
    seed: int
    cells: dict[str, str]
    estimates: list[MetricCoverage]
    comparisons: list[ComparisonCoverage]
    mean_coverage: dict[str, float]
    failures: list[str]


def selftest(
    name: str, *, trials: int = 400, questions: int | None = None, seed: int = 0, progress: Tell | None = None
) -> SelfTest:
    """The self-test of a suite. `questions` replaces each cell's number of clusters."""
    if trials < FEWEST_TRIALS:
        raise UserError(f"A self-test takes at least {FEWEST_TRIALS} trials, not {trials}.")
    if questions is not None and questions < FEWEST_CLUSTERS:
        raise UserError(f"--questions {questions}: under {FEWEST_CLUSTERS} there are no intervals to test.")
    if seed < 0:
        raise UserError(f"--seed {seed}: a seed is 0 or more.")
    suite = load_suite(name)
    planting = planting_of(suite)
    cells: Sequence[Cell] = [*planting.cells, *planting.witnesses]
    if questions is not None:
        cells = with_questions(cells, questions)
    return run_cells(suite.name, planting, cells, trials=trials, seed=seed, progress=progress)


def planting_of(suite: AnySuite) -> Planting:
    planting = suite.planting()
    if planting is None:
        raise UserError(f"The suite {suite.name} has no self-test: its method `planting` gives none.")
    return planting


def with_questions(cells: Sequence[Cell], questions: int) -> list[Cell]:
    """The cells with so many clusters. Of those with the same name the one with the most comparisons stays."""
    made: dict[str, Cell] = {}
    for cell in cells:
        kept = made.get(cell.name, cell)
        made[cell.name] = max(kept, cell, key=lambda one: (bool(one.other), one.compared))
    return [msgspec.structs.replace(cell, clusters=questions) for cell in made.values()]


def run_cells(
    name: str, planting: Planting, cells: Sequence[Cell], *, trials: int, seed: int, progress: Tell | None = None
) -> SelfTest:
    """The self-test on these cells."""
    estimates: list[MetricCoverage] = []
    comparisons: list[ComparisonCoverage] = []
    # Cells that draw from the same questions share what was said to them: it is read once.
    pools: dict[bytes, Pool] = {}
    for number, cell in enumerate(cells):

        def tell(done: int, cell: Cell = cell, number: int = number) -> None:
            if progress is not None:
                progress(cell.label, number * trials + done, len(cells) * trials)

        pool_key = msgspec.json.encode([cell.options, cell.uneven])
        if pool_key not in pools:
            pools[pool_key] = Pool(planting, cell)
        of_metrics, of_comparisons = _test_cell(pools[pool_key], cell, trials, [seed, number], tell)
        estimates += of_metrics
        comparisons += of_comparisons
    return SelfTest(
        suite=name,
        trials=trials,
        seed=seed,
        cells={cell.label: str(cell) for cell in cells},
        estimates=estimates,
        comparisons=comparisons,
        mean_coverage=mean_coverage(estimates),
        failures=failures_of(estimates, comparisons, trials),
    )


def _test_cell(
    pool: Pool, cell: Cell, trials: int, seed: Sequence[int], tell: Callable[[int], None]
) -> tuple[list[MetricCoverage], list[ComparisonCoverage]]:
    planting, suite, facts = pool.planting, pool.suite, pool.facts
    truth = planting.truth(pool.clusters, facts, cell, cell.settings)
    others = planting.truth(pool.clusters, facts, cell, cell.settings | cell.other)
    estimated: dict[Key, list[Estimate]] = {key: [] for key in truth}
    alike: dict[Key, list[Difference]] = {}
    unlike: dict[Key, list[Difference]] = {}
    done = 0
    for batch in batches(pool, cell, trials, seed):
        for estimate in suite.summarize(batch.first, facts):
            key = estimate.metric, group_text(estimate.group)
            if key in estimated:
                estimated[key].append(estimate)
        for compared, frame in ((alike, batch.alike), (unlike, batch.unlike)):
            if frame is not None:
                for key, difference in _differences(suite, batch.first, frame):
                    compared.setdefault(key, []).append(difference)
        done += batch.trials
        tell(done)
    comparisons = [
        comparison_coverage(key, differences, other_truth[key] - truth[key], cell.label, alike=compared is alike)
        for compared, other_truth in ((alike, truth), (unlike, others))
        for key, differences in compared.items()
        if key in truth
    ]
    return [metric_coverage(key, of_key, truth[key], cell.label) for key, of_key in estimated.items()], comparisons


def _differences(suite: AnySuite, one: pl.DataFrame, other: pl.DataFrame) -> Iterable[tuple[Key, Difference]]:
    """What `compare` says of both respondents in each trial, for each metric without groups."""
    overall = [metric.changed(groups=((),)) for metric in suite.metrics if () in metric.groups]
    firsts, others = (by_trial(with_partners(suite.items(records), overall)) for records in (one, other))
    for trial, items in others.items():
        joined = joined_items(firsts[trial], items, overall)
        for figure in differences_between(joined, list(told_by(firsts[trial], overall)), "a", "b"):
            yield (figure.metric.name, group_text(figure.group)), figure.difference


def by_trial(frames: Frames) -> dict[str, dict[str, pl.DataFrame]]:
    """Each trial is a model of its own."""
    made: dict[str, dict[str, pl.DataFrame]] = {}
    for kind, frame in frames.items():
        for (trial,), part in frame.partition_by("model", as_dict=True, maintain_order=True).items():
            made.setdefault(str(trial), {})[kind] = part
    return made
