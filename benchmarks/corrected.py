"""How often figures that labels correct cover the truth, and how wide they are beside those of people alone.

    python -m benchmarks.corrected [--cells 240] [--trials 1000]
    python -m benchmarks.corrected --speed KoBBQ_test_samples.tsv

Replies in clusters, right or wrong to people; a machine that is wrong with chances of its own, which may depend on the
category (clusters), on a reply's length, or on nothing; labels of a part of the replies, drawn with the same chance or
by strata (four of ten labels where the machine is in doubt, as it is in half of its errors and a tenth of the rest), by
one person or by two who differ. All is drawn anew in each data set. Cells are a seeded sample of the whole grid.

With --speed: how long it takes to correct the figures of KoBBQ's test set in five prompts, 34,200 records, by 600
replies that two people rated. Exits with 1 if what is promised does not hold.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import counterfoil as cf
from counterfoil.comparing.corrected import CorrectedFigure, corrected_case
from counterfoil.rating.correcting import Corrected, Sample, Term, corrected
from counterfoil.rating.correction import corrected_figures
from counterfoil.rating.study import new_study
from counterfoil.stats.metric import Metric
from counterfoil.stats.pairing import differences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CELLS, TRIALS = 240, 1000
LEAST_MEAN, MOST_MEAN, LEAST_CELL = 0.94, 0.975, 0.91
# Wider than people alone by no more than this; with a machine that is right in 95 %, and labels of at most a tenth of
# the replies, no wider than this part of it.
MOST_WIDER, MOST_OF_PEOPLE, FEW_LABELS = 1.03, 0.75, 0.1
# The labels of a cell are all alike in as many of its data sets: it does not count for the mean.
DEGENERATE = 0.05
MOST_ALARMS = 0.07
MOST_SECONDS = 1.0
SHARE = Metric(name="share", formula="", says="", mean="share")
# What one of two people says otherwise than most would.
SLIP = 0.05


class Cell(NamedTuple):
    """Clusters and their mean size, the correlation within them, the share that is right, the machine's sensitivity and
    specificity, the labels, what errors depend on, whether the labels are drawn by strata, and how many people rate.
    """

    clusters: tuple[int, int]
    correlation: float
    truth: float
    machine: tuple[float, float]
    labels: int
    errors: str
    strata: bool
    people: int


class Replies(NamedTuple):
    cluster: NDArray[np.int64]
    truth: Numbers
    machine: Numbers
    sample: Sample
    said: Numbers


class Result(NamedTuple):
    coverage: float
    people: float
    ratio: float
    share: float
    degenerate: bool


def draw(cell: Cell, luck: np.random.Generator) -> Replies:
    count, size = cell.clusters
    cluster = np.repeat(np.arange(count), luck.integers(1, 2 * size, count))
    n = len(cluster)
    concentration = (1 - cell.correlation) / cell.correlation
    chance = luck.beta(cell.truth * concentration, (1 - cell.truth) * concentration, count)
    truth = (luck.random(n) < chance[cluster]).astype(float)
    machine = np.where(luck.random(n) < error_chances(cell, cluster, truth, luck), 1 - truth, truth)
    doubt = luck.random(n) < np.where(machine == truth, 0.1, 0.5)
    sample = drawn(cell, cluster, doubt, luck)
    slips = luck.random((len(sample.rated), 2)) < SLIP
    right = truth[sample.rated]
    said = np.abs(right[:, None] - slips).mean(axis=1) if cell.people == 2 else right
    return Replies(cluster, truth, machine, sample, said)


def error_chances(cell: Cell, cluster: NDArray[np.int64], truth: Numbers, luck: np.random.Generator) -> Numbers:
    """The chance of each reply that the machine is wrong about it: for right ones and for wrong ones."""
    sensitivity, specificity = cell.machine
    misses, alarms = 1 - sensitivity, 1 - specificity
    if cell.errors == "category":
        hard = (luck.random(cluster.max() + 1) < 0.3)[cluster]
        factor = np.where(hard, 2.4, 0.4)
        return np.minimum(np.where(truth == 1, misses, alarms) * factor, 0.9)
    if cell.errors == "length":
        # It likes long replies: it misses few of the right ones, and lets many wrong ones pass.
        long = luck.random(len(cluster)) < 0.5
        factor = np.where(long == (truth == 1), 0.2, 1.8)
        return np.minimum(np.where(truth == 1, misses, alarms) * factor, 0.9)
    return np.where(truth == 1, misses, alarms)


def drawn(cell: Cell, cluster: NDArray[np.int64], doubt: NDArray[np.bool_], luck: np.random.Generator) -> Sample:
    n = len(cluster)
    stratum = np.zeros(n, dtype=np.int64)
    wanted = [min(cell.labels, n)]
    if cell.strata:
        stratum = doubt.astype(np.int64)
        there = np.bincount(stratum, minlength=2)
        second = min(max(int(0.4 * wanted[0]), 2), int(there[1]))
        wanted = [min(wanted[0] - second, int(there[0])), second]
    parts = [luck.choice(np.flatnonzero(stratum == h), k, replace=False) for h, k in enumerate(wanted)]
    rated = np.concatenate(parts)
    weight = np.concatenate([np.full(k, np.sum(stratum == h) / max(k, 1)) for h, k in enumerate(wanted)])
    return Sample(cluster, stratum, rated, weight)


def share(cell: Cell, replies: Replies, luck: np.random.Generator) -> tuple[Corrected, float]:
    one = np.ones(len(replies.machine))
    term = Term(1.0, replies.machine, one, replies.said, one[replies.sample.rated])
    return corrected([term], replies.sample, (0.0, 1.0)), _to_people(cell)


def dropped(cell: Cell, replies: Replies, luck: np.random.Generator) -> tuple[Corrected, float]:
    """The machine reads nothing in 5 % of the right replies, and in 20 % of the wrong ones; people read all."""
    one = np.ones(len(replies.machine))
    read = (luck.random(len(one)) > np.where(replies.truth == 1, 0.05, 0.2)).astype(float)
    term = Term(1.0, replies.machine * read, read, replies.said, one[replies.sample.rated])
    return corrected([term], replies.sample, (0.0, 1.0)), _to_people(cell)


def lean(cell: Cell, replies: Replies, luck: np.random.Generator) -> tuple[Corrected, float]:
    """Values of 1 and −1 for half of the replies, and 0 for the others."""
    n = len(replies.machine)
    counts = (np.arange(n) % 2 == 0).astype(float)
    rated = replies.sample.rated
    term = Term(
        1.0, (2 * replies.machine - 1) * counts, np.ones(n), (2 * replies.said - 1) * counts[rated], np.ones(len(rated))
    )
    return corrected([term], replies.sample, (-1.0, 1.0)), (2 * _to_people(cell) - 1) / 2


def difference(cell: Cell, replies: Replies, luck: np.random.Generator) -> tuple[Corrected, float]:
    """Two kinds of replies, drawn by coin, between which there is no difference."""
    first = (luck.random(len(replies.machine)) < 0.5).astype(float)
    rated = replies.sample.rated
    terms = [
        Term(sign, replies.machine * kind, kind, replies.said * kind[rated], kind[rated])
        for sign, kind in ((1.0, first), (-1.0, 1 - first))
    ]
    return corrected(terms, replies.sample, (-1.0, 1.0)), 0.0


def _to_people(cell: Cell) -> float:
    """What is right to people, who may slip."""
    return cell.truth if cell.people == 1 else cell.truth * (1 - SLIP) + (1 - cell.truth) * SLIP


KINDS: dict[str, tuple[Callable[[Cell, Replies, np.random.Generator], tuple[Corrected, float]], float]] = {
    "share": (share, 1.0),
    "share of what is read": (dropped, 0.25),
    "value in −1…1": (lean, 0.25),
    "difference": (difference, 0.25),
}


def grid() -> list[Cell]:
    machines = [(0.55, 0.55), (0.55, 0.99), (0.8, 0.9), (0.95, 0.95), (0.99, 0.99)]
    clusters = [(15, 40), (60, 10), (269, 10)]
    parts = (clusters, (0.05, 0.3), (0.05, 0.3, 0.7, 0.95), machines, (50, 200, 600))
    return [Cell(*cell) for cell in itertools.product(*parts, ("none", "category", "length"), (False, True), (1, 2))]


def measure(kind: str, cell: Cell, trials: int, seed: int) -> Result:
    luck = np.random.default_rng(seed)
    rows = []
    for _ in range(trials):
        replies = draw(cell, luck)
        found, truth = KINDS[kind][0](cell, replies, luck)
        (_, low, high, *_), (_, lowest, highest, *_) = found.corrected, found.people
        assert low is not None and high is not None and lowest is not None and highest is not None  # noqa: PT018
        covered, by_people = low <= truth <= high, lowest <= truth <= highest
        alike = len(set(replies.said[replies.sample.stratum[replies.sample.rated] == 0].tolist())) == 1
        part = len(replies.said) / len(replies.machine)
        rows.append((covered, by_people, high - low, highest - lowest, part, alike))
    covered, by_people, width, of_people, part, alike = np.array(rows, dtype=float).mean(axis=0)
    return Result(covered, by_people, width / of_people, part, bool(alike >= DEGENERATE))


class Alarms(NamedTuple):
    """How often two equal models are told apart: by the machine alone, by corrected figures; and how often the second
    is, if it is better by 0.15.
    """

    machine: float
    corrected: float
    power: float


def alarms(count: int, size: int, labels: int, trials: int, seed: int) -> Alarms:
    """Two models of equal quality; the second writes long replies, and the judge likes these."""
    luck = np.random.default_rng(seed)
    rows = []
    for _ in range(trials):
        cluster = np.repeat(np.arange(count), luck.integers(1, 2 * size, count))
        chance = luck.beta(3, 2, count)[cluster]
        equal, better = (
            [_judged(cluster, chance + more, long, labels, luck) for more, long in ((0.0, False), (gain, True))]
            for gain in (0.0, 0.15)
        )
        machine = [
            [CorrectedFigure(metric="", model="", variant="", value=value, influence=influence)]
            for value, influence in (one[1] for one in equal)
        ]
        rows.append(
            [_is_apart(*machine), _is_apart(*(one[:1] for one in equal)), _is_apart(*(one[:1] for one in better))]
        )
    return Alarms(*np.array(rows, dtype=float).mean(axis=0))


def _judged(
    cluster: NDArray[np.int64], chance: Numbers, long: bool, labels: int, luck: np.random.Generator
) -> tuple[CorrectedFigure, tuple[float, dict[str, float]]]:
    """One model: the figure that labels correct, and what the judge says alone."""
    n = len(cluster)
    truth = (luck.random(n) < chance).astype(float)
    error = np.where(truth == 1, 0.02, 0.4) if long else np.where(truth == 1, 0.2, 0.05)
    machine = np.where(luck.random(n) < error, 1 - truth, truth)
    rated = luck.choice(n, min(labels, n), replace=False)
    one = np.ones(n)
    sample = Sample(cluster, np.zeros(n, dtype=np.int64), rated, np.full(len(rated), n / len(rated)))
    found = corrected([Term(1.0, machine, one, truth[rated], one[rated])], sample, (0.0, 1.0))
    assert found.corrected.value is not None
    figure = CorrectedFigure(
        metric="", model="", variant="", value=found.corrected.value, influence=_named(found.influence)
    )
    return figure, (machine.mean(), _named(np.bincount(cluster, weights=machine - machine.mean()) / n))


def _named(influence: Numbers) -> dict[str, float]:
    return {str(number): value for number, value in enumerate(influence.tolist())}


def _is_apart(a: Sequence[CorrectedFigure], b: Sequence[CorrectedFigure]) -> bool:
    """As `compare` decides: by the test and by the interval."""
    [difference] = differences_of([corrected_case(SHARE, a, b)])
    _, low, high, *_ = difference.interval
    assert low is not None and high is not None  # noqa: PT018
    return (difference.test.p or 1.0) <= 0.05 and (low > 0 or high < 0)


def measured(kind: str, cell: Cell, trials: int, seed: int) -> Result:
    """A cell that falls short is drawn anew, with five times as many data sets: of many cells, some do by chance."""
    result = measure(kind, cell, trials, seed)
    return result if result.coverage >= LEAST_CELL else measure(kind, cell, 5 * trials, seed + 1)


def rows_of(found: Sequence[tuple[Cell, Result]], name: str) -> list[str]:
    lines = []
    for value in sorted({getattr(cell, name) for cell, _ in found}, key=str):
        some = [result for cell, result in found if getattr(cell, name) == value]
        lines.append(_line(f"{name}: {value}", some))
    return lines


def _line(title: str, some: Sequence[Result]) -> str:
    coverage, people, ratio, *_ = (np.array(column) for column in zip(*some, strict=True))
    parts = f"{coverage.mean():.1%} | {coverage.min():.1%} | {people.mean():.1%} | {people.min():.1%}"
    return f"| {title} | {len(some)} | {parts} | {ratio.mean():.2f} | {ratio.max():.2f} |"


def seconds_of(questions: Path) -> float:
    """From the study's file and the run's folder to all corrected figures; the best of three."""
    luck = random.Random(17)
    with TemporaryDirectory() as folder:
        run = cf.run(
            "bias",
            model="planted/bias",
            data=str(questions),
            variant=["1", "2", "3", "4", "5"],
            out=f"{folder}/run",
            ledger=f"{folder}/ledger.sqlite",
        )
        with new_study(run, "speed", raters=2, per_question=2, sample=600) as study:
            for task in study.tasks():
                for rater in study.raters()[:2]:
                    read = task.source.algorithm["reading"]
                    study.rate(rater, task.task.id, "answer", read if luck.random() < 0.95 else luck.choice("ABC"))
            times = []
            for _ in range(3):
                # The processor's time: what else the machine does must not decide.
                start = time.process_time()
                figures = corrected_figures(study, run)
                times.append(time.process_time() - start)
        print(f"{len(run.records):,} records, 600 rated replies, {len(figures)} figures: {min(times):.2f} s")
        return min(times)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=CELLS)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--speed", type=Path, metavar="FILE")
    asked = parser.parse_args(arguments)
    if asked.speed:
        return 0 if seconds_of(asked.speed) < MOST_SECONDS else 1
    every = grid()
    failures = []
    print(f"{asked.trials} data sets in each cell, nominal coverage 95 %\n")
    print("| cells | number | mean coverage | worst | people alone | worst | width ÷ people's | largest |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, (_, part) in KINDS.items():
        chosen = np.random.default_rng(17).choice(len(every), max(1, int(asked.cells * part)), replace=False)
        found = [(every[place], measured(kind, every[place], asked.trials, int(place))) for place in sorted(chosen)]
        results = [result for _, result in found]
        print(_line(f"**{kind}**", results), flush=True)
        coverage = np.array([result.coverage for result in results if not result.degenerate])
        # What so many data sets leave to chance: a cell whose coverage is 91 % falls short of it in half of all runs.
        least = LEAST_CELL - 2 * np.sqrt(LEAST_CELL * (1 - LEAST_CELL) / (5 * asked.trials))
        if not LEAST_MEAN <= coverage.mean() <= MOST_MEAN:
            failures.append(f"{kind}: mean coverage {coverage.mean():.1%}")
        failures += [f"{kind}: {result.coverage:.1%} in {cell}" for cell, result in found if result.coverage < least]
        failures += [
            f"{kind}: {result.ratio:.3f} as wide in {cell}" for cell, result in found if result.ratio > MOST_WIDER
        ]
        if kind == "share":
            for name in Cell._fields:
                print("\n".join(rows_of(found, name)), flush=True)
            good = [r for cell, r in found if cell.machine == (0.95, 0.95) and r.share <= FEW_LABELS]
            if good:  # of a few cells, none may be so
                print(_line("right in 95 %, labels of at most a tenth", good))
            if good and np.mean([result.ratio for result in good]) > MOST_OF_PEOPLE:
                failures.append(f"{kind}: too wide with a machine that is right in 95 %")
    print("\n| two equal models, a judge that likes length | the judge alone | corrected | found, if better by 0.15 |")
    print("|---|---|---|---|")
    for number, (count, size, labels) in enumerate([(15, 40, 100), (60, 10, 100), (60, 10, 300), (269, 10, 300)]):
        told = alarms(count, size, labels, max(asked.trials, 1), number)
        print(
            f"| {count} clusters, {labels} labels each | " + " | ".join(f"{share:.1%}" for share in told) + " |",
            flush=True,
        )
        if told.corrected > MOST_ALARMS + 2.5 * np.sqrt(MOST_ALARMS * (1 - MOST_ALARMS) / asked.trials):
            failures.append(f"{told.corrected:.1%} false alarms with {count} clusters and {labels} labels")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
