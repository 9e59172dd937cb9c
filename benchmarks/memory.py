"""Is memory claimed where there is none, and do p and interval agree? On simulated originals, draws and lures.

    python -m benchmarks.memory [--sets N]

A question is answered right with a chance of its own. It is the same for the original and its draws, so without memory
nothing tells them apart; a remembered original is right. Of what it cannot do, a model guesses among three options, and
takes the old answer of a lure where it remembers. Prints, for each cell, the share of data sets in which memory is
claimed, in which p and interval disagree, and how often the intervals of the gap and of the memorized share hold the
truth. Exits with 1 if false alarms are above 7 %, p and interval ever disagree, or coverage is under 91 % (86 % with 15
questions).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from counterfoil.memorization import metrics
from counterfoil.memorization.items import items
from counterfoil.stats.estimate import FEW_CLUSTERS, Estimate
from counterfoil.stats.power import LEVEL
from counterfoil.stats.summary import summarize

SETS = 400
LURES = 5
GUESS = 1 / 3
MOST_ALARMS, LEAST_COVERAGE, LEAST_WITH_FEW = 0.07, 0.91, 0.86


class Cell(NamedTuple):
    """So many questions with so many draws, the accuracy without memory, its law, and what is remembered."""

    questions: int
    draws: int
    accuracy: float
    law: str
    memorized: float


def cells() -> list[Cell]:
    sizes = ((15, 0.9), (30, 0.5), (30, 0.95), (50, 0.97), (111, 0.97), (111, 0.7))
    without = product((0.0,), ("solved or not", "any chance"), (1, 5), sizes)
    found = product((0.3, 0.8), ("solved or not",), (5,), sizes)
    return [
        Cell(questions, draws, accuracy, law, memorized)
        for memorized, law, draws, (questions, accuracy) in (*without, *found)
    ]


def chances(cell: Cell, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How often each question is answered right without memory: at least by guessing."""
    share = (cell.accuracy - GUESS) / (1 - GUESS)
    if cell.law == "any chance":
        solved = rng.beta(share, 1 - share, cell.questions)
    else:
        solved = (rng.random(cell.questions) < share).astype(np.float64)
    return GUESS + (1 - GUESS) * solved


def records(cell: Cell, sets: int, rng: np.random.Generator) -> pl.DataFrame:
    """The rows of so many runs, each a model's."""
    made: list[pl.DataFrame] = []
    for number in range(sets):
        chance = chances(cell, rng)
        remembers = rng.random(cell.questions) < cell.memorized
        original = (rng.random(cell.questions) < chance) | remembers
        draws = rng.random((cell.questions, cell.draws)) < chance[:, None]
        # In a lure what a question's chance has beyond guessing is solved.
        solves = rng.random((cell.questions, LURES)) < ((chance - GUESS) / (1 - GUESS))[:, None]
        guess = rng.integers(3, size=solves.shape)
        taken = np.where(solves, 0, np.where(remembers[:, None], 1, guess))
        parents = np.arange(cell.questions).astype(str)
        made += [
            _rows(number, parents, 0, None, original[:, None]),
            _rows(number, parents, 1, None, draws),
            _rows(number, parents, 1, "lure", taken == 0, taken == 1, taken == 2),
        ]
    return pl.concat(made)


def _rows(number: int, parents: object, level: int, control: str | None, *taken: object) -> pl.DataFrame:
    right, old, sham = (*taken, None, None)[:3]
    shape = np.shape(right)
    names = np.repeat(np.asarray(parents), shape[1])
    draw = np.tile(np.arange(shape[1]), shape[0])
    columns = {"correct": right, "kept_old": old, "took_sham": sham}
    values = [
        pl.Series(name, [None] * len(names) if value is None else np.ravel(value), dtype=pl.Boolean)
        for name, value in columns.items()
    ]
    return pl.DataFrame({"parent": names, "draw": draw}).with_columns(
        *values,
        pl.lit(str(number)).alias("model"),
        pl.lit("mcq").alias("variant"),
        pl.col("parent").alias("cluster"),
        pl.lit("all").alias("topic"),
        pl.lit(level).alias("level"),
        pl.lit(control, dtype=pl.String).alias("control"),
        pl.lit("imported").alias("status"),
        pl.lit("A").alias("answer"),
        pl.lit(0).alias("repeat"),
        pl.lit("answered").alias("outcome"),
        pl.format("{} {} {}", "parent", pl.lit(f"{level}{control or ''}"), "draw").alias("question_id"),
    )


class Found(NamedTuple):
    """Shares of data sets."""

    claimed: float
    disagree: float
    gap_held: float
    share_claimed: float
    share_held: float
    share_given: float


def found(cell: Cell, sets: int, rng: np.random.Generator) -> Found:
    overall = [metric.changed(groups=((),)) for metric in (metrics.MEMORIZATION_GAP, metrics.MEMORIZED_SHARE)]
    estimates = summarize(overall, items(records(cell, sets, rng)))
    gaps = [one for one in estimates if one.metric == metrics.MEMORIZATION_GAP.name]
    shares = [one for one in estimates if one.metric == metrics.MEMORIZED_SHARE.name]
    gap = cell.memorized * (1 - cell.accuracy)
    unsolved = 1 - (cell.accuracy - GUESS) / (1 - GUESS)
    share = (gap + cell.memorized * unsolved) / ((1 - cell.accuracy) + unsolved)
    given = [one for one in shares if one.low is not None]
    return Found(
        np.mean([one.p is not None and one.p <= LEVEL for one in gaps]).item(),
        np.mean([(one.p is not None and one.p <= LEVEL) != _apart(one) for one in gaps]).item(),
        np.mean([_holds(one, gap) for one in gaps]).item(),
        np.mean([_apart(one) for one in shares]).item(),
        np.mean([_holds(one, share) for one in given]).item() if given else 1.0,
        len(given) / len(shares),
    )


def _apart(one: Estimate) -> bool:
    return one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)


def _holds(one: Estimate, truth: float) -> bool:
    return one.low is not None and one.high is not None and one.low - 1e-12 <= truth <= one.high + 1e-12


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Is memory claimed where there is none?")
    parser.add_argument("--sets", type=int, default=SETS)
    sets = parser.parse_args(arguments).sets
    failed = 0
    print(
        "| memorized | right without memory | questions | draws | gap: claimed | p and interval disagree | held | "
        "share: claimed | held | given |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for number, cell in enumerate(cells()):
        one = found(cell, sets, np.random.default_rng([20261118, number]))
        least = LEAST_WITH_FEW if cell.questions <= FEW_CLUSTERS else LEAST_COVERAGE
        alarms = max(one.claimed, one.share_claimed) if not cell.memorized else 0.0
        # What chance explains in so many data sets is no fault.
        slack = 3 * (0.05 * 0.95 / sets) ** 0.5
        wrong = alarms > max(MOST_ALARMS, 0.05 + slack) or one.disagree or one.gap_held < least - slack
        failed += wrong
        print(
            f"| {cell.memorized} | {cell.accuracy}, {cell.law} | {cell.questions} | {cell.draws} | {one.claimed:.1%} | "
            f"{one.disagree:.1%} | {one.gap_held:.1%} | {one.share_claimed:.1%} | {one.share_held:.1%} | "
            f"{one.share_given:.0%} |{' FAILED' if wrong else ''}",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
