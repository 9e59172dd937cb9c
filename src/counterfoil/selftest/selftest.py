"""The self-test: plant a truth, run the whole pipeline many times, see whether the estimates find it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from counterfoil.comparing.compared import group_text
from counterfoil.comparing.items import Frames, differences_between, joined_items, told_by, with_partners
from counterfoil.errors import UserError
from counterfoil.selftest.cells import planting_of
from counterfoil.selftest.results import (
    Covered,
    Key,
    Seen,
    Tested,
    covered_by,
    difference_seen,
    estimate_seen,
    failing_means,
    failures_of,
    mean_coverage,
    tested_by,
)
from counterfoil.selftest.trials import Pool, batches
from counterfoil.stats.estimate import FEWEST_CLUSTERS
from counterfoil.suite.finding import load_suite
from counterfoil.suite.planting import Cell, Planting

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.suite.suite import AnySuite

FEWEST_TRIALS = 20

# Told of the cell, the trials that are done, and those that there are.
Told = Callable[[str, int, int], None]


class SelfTest(msgspec.Struct, kw_only=True):
    """All of it. `mean_coverage` is over a metric's cells that are not degenerate; `failures` say what does not hold.

    A cell is degenerate for a metric where in one of 20 trials or more all clusters agree, as they do near 0 and 1, or
    where most trials have no interval: there it may cover more.
    """

    suite: str
    trials: int
    seed: int
    cells: dict[str, str]
    estimates: list[Covered]
    comparisons: list[Tested]
    mean_coverage: dict[str, float]
    failures: list[str]


def selftest(
    name: str, *, trials: int = 400, questions: int | None = None, seed: int = 0, progress: Told | None = None
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
    cells = planting.cells if questions is None else with_questions(planting.cells, questions)
    return run_cells(suite.name, planting, cells, trials=trials, seed=seed, progress=progress)


def with_questions(cells: Sequence[Cell], questions: int) -> list[Cell]:
    """The cells with so many clusters. Of those with the same name the one with the most comparisons stays."""
    made: dict[str, Cell] = {}
    for cell in cells:
        kept = made.get(cell.name, cell)
        made[cell.name] = max(kept, cell, key=lambda it: (bool(it.other), it.compared))
    return [msgspec.structs.replace(cell, clusters=questions) for cell in made.values()]


def run_cells(
    name: str, planting: Planting, cells: Sequence[Cell], *, trials: int, seed: int, progress: Told | None = None
) -> SelfTest:
    """The self-test on these cells."""
    estimates: list[Covered] = []
    comparisons: list[Tested] = []
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
    means = mean_coverage(estimates)
    return SelfTest(
        suite=name,
        trials=trials,
        seed=seed,
        cells={cell.label: str(cell) for cell in cells},
        estimates=estimates,
        comparisons=comparisons,
        mean_coverage=means,
        failures=[*failures_of(estimates, comparisons, trials), *failing_means(means, trials)],
    )


def _test_cell(
    pool: Pool, cell: Cell, trials: int, seed: Sequence[int], tell: Callable[[int], None]
) -> tuple[list[Covered], list[Tested]]:
    planting, suite, facts = pool.planting, pool.suite, pool.facts
    truth = planting.truth(pool.clusters, facts, cell, cell.settings)
    others = planting.truth(pool.clusters, facts, cell, cell.settings | cell.other)
    estimated: dict[Key, list[Seen]] = {key: [] for key in truth}
    alike: dict[Key, list[Seen]] = {}
    unlike: dict[Key, list[Seen]] = {}
    done = 0
    for batch in batches(pool, cell, trials, seed):
        for estimate in suite.summarize(batch.first, facts):
            key = estimate.metric, group_text(estimate.group)
            if key in estimated:
                estimated[key].append(estimate_seen(estimate))
        for seen, frame in ((alike, batch.alike), (unlike, batch.unlike)):
            if frame is not None:
                for key, it in _compared(suite, batch.first, frame, cell):
                    seen.setdefault(key, []).append(it)
        done += batch.trials
        tell(done)
    covered = [covered_by(key, seen, truth[key], cell.label) for key, seen in estimated.items()]
    compared = [tested_by(key, seen, 0.0, cell.label, alike=True) for key, seen in alike.items() if key in truth]
    compared += [
        tested_by(key, seen, others[key] - truth[key], cell.label, alike=False)
        for key, seen in unlike.items()
        if key in truth
    ]
    return covered, compared


def _compared(suite: AnySuite, one: pl.DataFrame, other: pl.DataFrame, cell: Cell) -> Iterable[tuple[Key, Seen]]:
    """What `compare` says of both respondents in each trial, for each metric without groups."""
    overall = [metric.changed(groups=((),)) for metric in suite.metrics if () in metric.groups]
    by_trial, others = (_by_trial(with_partners(suite.items(records), overall)) for records in (one, other))
    for trial, items in others.items():
        joined = joined_items(by_trial[trial], items, overall)
        for found in differences_between(joined, list(told_by(by_trial[trial], overall)), "a", "b"):
            yield (found.metric.name, group_text(found.group)), difference_seen(found.difference)


def _by_trial(frames: Frames) -> dict[str, dict[str, pl.DataFrame]]:
    """Each trial is a model of its own."""
    made: dict[str, dict[str, pl.DataFrame]] = {}
    for kind, frame in frames.items():
        for (trial,), part in frame.partition_by("model", as_dict=True, maintain_order=True).items():
            made.setdefault(str(trial), {})[kind] = part
    return made
