"""How often the 95 % intervals of differences between two sides cover the truth, on simulated data.

    python -m benchmarks.pairing [--quick]

Prints, for each number of clusters, the mean coverage and the worst cell of paired differences with ±1 and with ±0.75
added, as `compare` adds it, and how much narrower that is; the same of two rules that were not chosen (±1 is added by
all of them where no pair differs); and in which cell each is at its worst; the least coverage at any difference in the
simplest case; and what `pairing_ratios` finds.
Exits with 1 if what is promised does not hold. --quick has fewer data sets and fewer numbers of clusters.

A cell is a number of clusters, their sizes, and how both sides are drawn; all data sets are drawn anew.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from benchmarks.pairing_ratios import ratios
from scipy import stats

from counterfoil.stats.intervals import bonett_price
from counterfoil.stats.pairing import Arms, Case, differences_of
from counterfoil.stats.sums import Layout, MeanSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20121115
CORRELATION = 0.3
RIGHT, SCORE, SIGNED = KINDS = ("right or wrong", "scores", "values in −1…1")
BEFORE, SHIPPED, LESS, SEEN = ADDED = ("±1", "±0.75", "±0.5", "¾ of the range")
MANY, FEW_CLUSTERS = 269, 15
LEAST_MEAN = 0.94


class Size(NamedTuple):
    """Data sets in each cell, `trials_many` with 269 clusters; a cell's least coverage, `least_few` under 15."""

    clusters: tuple[int, ...]
    trials: int
    trials_many: int
    least: float
    least_few: float

    def least_of(self, clusters: int) -> float:
        return self.least_few if clusters < FEW_CLUSTERS else self.least


FULL = Size((8, 12, 30, 100, MANY), 3000, 1500, 0.91, 0.86)
QUICK = Size((8, 30, 100), 400, 400, 0.90, 0.85)


class Items(NamedTuple):
    """The items of so many data sets, in clusters of these sizes, and what their values are drawn by."""

    rng: np.random.Generator
    trials: int
    sizes: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        return self.trials, int(self.sizes.sum())

    def chances(self, mean: float) -> NDArray[np.float64]:
        """For each item that of its cluster: with this mean, such that two answers of a cluster correlate."""
        if mean in (0, 1):
            return np.full(self.shape, float(mean))
        concentration = (1 - CORRELATION) / CORRELATION
        shape = self.trials, len(self.sizes)
        return np.repeat(self.rng.beta(mean * concentration, (1 - mean) * concentration, shape), self.sizes, axis=1)

    def hits(self, mean: float) -> NDArray[np.float64]:
        return (self.rng.random(self.shape) < self.chances(mean)).astype(np.float64)


class Sides(NamedTuple):
    """The values of both sides, one row for each data set, and the true difference b − a."""

    a: NDArray[np.float64]
    b: NDArray[np.float64]
    truth: float


class Cell(NamedTuple):
    clusters: int
    sizes: str
    kind: str
    draw: Callable[..., Sides]
    settings: tuple[float, ...]

    def __str__(self) -> str:
        what = f"{self.draw.__name__}({', '.join(f'{it:g}' for it in self.settings)})"
        return f"{self.clusters} clusters, {self.sizes}, {what}"


class Result(NamedTuple):
    coverage: float
    width: float


def answers(items: Items, a: float, b: float) -> Sides:
    return Sides(items.hits(a), items.hits(b), b - a)


def quarters(items: Items, a: float, b: float) -> Sides:
    """Means of four answers."""
    one, other = (items.rng.binomial(4, items.chances(mean)) / 4 for mean in (a, b))
    return Sides(one, other, b - a)


def rare(items: Items, a: float, b: float, alpha: float, beta: float) -> Sides:
    """0, but for a share of the items, whose scores have a beta distribution."""
    one, other = (items.hits(share) * items.rng.beta(alpha, beta, items.shape) for share in (a, b))
    return Sides(one, other, (b - a) * alpha / (alpha + beta))


def leaps(items: Items, size: float, share: float, noise: float, spread: float, one_way: bool) -> Sides:
    """Nearly the same on both sides, but for a share of items where one side, or always b, is higher by `size`."""
    rng, shape = items.rng, items.shape
    base = 0.15 + spread * rng.random(shape)
    a, b = (base + noise * rng.uniform(-1, 1, shape) for _ in "ab")
    leap = size * (rng.random(shape) < share)
    up = np.ones(shape) if one_way else rng.integers(0, 2, shape)
    return Sides(a + leap * (1 - up), b + leap * up, size * share if one_way else 0.0)


def signed(items: Items, a: float, b: float) -> Sides:
    """0, but for a share of the items: four of five are 1, the others −1."""
    one, other = (items.hits(share) * np.where(items.rng.random(items.shape) < 0.8, 1, -1) for share in (a, b))
    return Sides(one, other, 0.6 * (b - a))


def cluster_sizes(clusters: int, sizes: str) -> NDArray[np.int64]:
    """Skewed: a tenth of the clusters has 8 items, as many as make it a third have 3, the others 1."""
    found = np.full(clusters, 4 if sizes == "four in each" else 1)
    if sizes == "skewed":
        found[: clusters // 3] = 3
        found[: max(1, clusters // 10)] = 8
    return found


def cells(clusters: Iterable[int]) -> list[Cell]:
    pairs = ((0.5, 0.5), (0.9, 0.9), (0.97, 0.97), (0.98, 0.98), (0.9, 0.99), (0.95, 1), (0.7, 1), (0.5, 0.8))
    drawn: list[tuple[str, Callable[..., Sides], tuple[float, ...]]] = [(RIGHT, answers, pair) for pair in pairs]
    drawn += [(SCORE, quarters, pair) for pair in ((0.5, 0.5), (0.8, 0.8), (0.95, 0.95), (0.5, 0.7), (0.95, 1))]
    shapes = ((2, 8), (1, 30), (0.5, 2))
    for share, part, shape in itertools.product((0.05, 0.1, 0.3), (0, 1 / 3, 1), shapes):
        drawn.append((SCORE, rare, (share, share * part, *shape)))
    # Size, share of the items, noise, spread of the base.
    leaping = [
        (0.3, share, noise, 0.3) for share, noise in ((0.03, 0.02), (0.03, 0.1), (0.1, 0.02), (0.03, 0), (0.1, 0.1))
    ]
    noises = ((0.03, 0.02), (0.1, 0.02), (0.2, 0.02), (0.05, 0.005))
    leaping += [(size, *noise, 0.05) for size in (0.5, 0.75) for noise in noises]
    drawn += [(SCORE, leaps, (*leap, one_way)) for leap in leaping for one_way in (False, True)]
    drawn += [(SIGNED, signed, pair) for pair in ((0.1, 0), (0.3, 0.1), (0.3, 0.3), (0.6, 0.3))]
    sizes = ("one in each", "four in each", "skewed")
    return [Cell(count, size, *what) for count, size, what in itertools.product(clusters, sizes, drawn)]


def measure(cell: Cell, trials: int, rng: np.random.Generator) -> dict[str, Result]:
    """Coverage and mean width by what is added. The first data set goes through `compare`'s own function as well."""
    sizes = cluster_sizes(cell.clusters, cell.sizes)
    sides = cell.draw(Items(rng, trials, sizes), *cell.settings)
    low = -1.0 if cell.kind == SIGNED else 0.0
    width = 1 - low
    starts = np.cumsum(sizes) - sizes
    difference = (sides.b - sides.a) / width
    s, q = (np.add.reduceat(values, starts, axis=1).ravel() for values in (difference, difference**2))
    n = np.tile(sizes, trials).astype(np.float64)
    layout = Layout(np.repeat(np.arange(trials), cell.clusters), trials)
    values = np.concatenate([sides.a, sides.b], axis=1)
    span = (values.max(axis=1) - values.min(axis=1)) / width
    differs = difference.any(axis=1)
    numbers = (1.0, *(np.where(differs, it, 1.0) for it in (0.75, 0.5, np.maximum(0.75 * span, 0.25))))
    results = {}
    for added, number in zip(ADDED, numbers, strict=True):
        # The formula is the same for one number for each data set.
        intervals = bonett_price(layout, MeanSums(n, n, n, s, q), added=cast(float, number))
        bounds = np.array([(it.low, it.high) for it in intervals], dtype=np.float64) * width
        covered = (bounds[:, 0] <= sides.truth + 1e-12) & (sides.truth <= bounds[:, 1] + 1e-12)
        results[added] = Result(covered.mean(), (bounds[:, 1] - bounds[:, 0]).mean())
        if added == SHIPPED:
            arms = Arms(1.0, sides.a[0], sides.b[0])
            [found] = differences_of([Case([arms], np.repeat(np.arange(cell.clusters), sizes), low)])
            own = found.interval
            assert np.allclose(bounds[0], [own.low or 0, own.high or 0], atol=1e-9), f"compare says {own} in {cell}"
    return results


def mean_and_worst(results: Sequence[dict[str, Result]], added: str) -> str:
    coverage = [it[added].coverage for it in results]
    return f"{100 * np.mean(coverage):.1f} / {100 * min(coverage):.1f}"


def paired(size: Size) -> list[str]:
    """Prints what is found about paired differences; says what does not hold."""
    all_cells = cells(size.clusters)
    but = f" ({size.trials_many:,} with {MANY} clusters)" if MANY in size.clusters else ""
    print(f"{len(all_cells):,} cells of {size.trials:,} data sets{but}.")
    print("Coverage in %, mean / worst cell:\n")
    heads = " | ".join(f"{kind}: {BEFORE} | {SHIPPED}" for kind in KINDS)
    print(f"| clusters | {heads} | width, {SHIPPED} to {BEFORE} | all: {LESS} | {SEEN} |")
    print("|---" * 10 + "|")
    found: dict[Cell, dict[str, Result]] = {}
    for count, its_cells in itertools.groupby(enumerate(all_cells), lambda it: it[1].clusters):
        trials = size.trials_many if count == MANY else size.trials
        here = {cell: measure(cell, trials, np.random.default_rng((SEED, number))) for number, cell in its_cells}
        found |= here
        of_kinds = [[results for cell, results in here.items() if cell.kind == kind] for kind in KINDS]
        texts = [mean_and_worst(results, added) for results in of_kinds for added in (BEFORE, SHIPPED)]
        widths = [sum(it[SHIPPED].width for it in of) / sum(it[BEFORE].width for it in of) for of in of_kinds]
        texts.append(f"{min(widths):.2f} to {max(widths):.2f}")
        texts += [mean_and_worst(list(here.values()), added) for added in (LESS, SEEN)]
        print(f"| {count} | {' | '.join(texts)} |", flush=True)
    print()
    failures = []
    for added in ADDED:
        coverage = {cell: results[added].coverage for cell, results in found.items()}
        worst = min(found, key=coverage.__getitem__)
        broken = [
            f"{added}: {coverage[cell]:.1%} in {cell}"
            for cell in found
            if coverage[cell] < size.least_of(cell.clusters)
        ]
        print(f"{added}: at worst {coverage[worst]:.1%}, in {worst}; {len(broken)} cells are below their bound")
        if added == SHIPPED:
            mean = np.mean(list(coverage.values()))
            failures += broken + ([f"mean coverage {mean:.1%}"] if mean < LEAST_MEAN else [])
    return failures


def at_any_difference(size: Size) -> list[str]:
    """Prints the least coverage over all true differences, where b is always right and each cluster has one record.

    Only the number of a's wrong answers counts then, and it is binomial: nothing is drawn, and no truth is left out, as
    the cells leave out most. Between two bounds coverage has no minimum, so it is looked at beside each of them.
    """
    print("\n| clusters | least coverage at any difference | difference |")
    print("|---|---|---|")
    failures = []
    for count in size.clusters:
        numbers = np.arange(count)
        sides = [Arms(1.0, (numbers >= wrong).astype(np.float64), np.ones(count)) for wrong in range(count + 1)]
        found = [it.interval for it in differences_of([Case([side], numbers) for side in sides])]
        low, high = np.array([(it.low, it.high) for it in found], dtype=np.float64).T
        truths = np.concatenate([low - 1e-9, high + 1e-9])
        truths = truths[(truths > 0) & (truths < 1)][:, None]
        chances = stats.binom.pmf(np.arange(count + 1), count, truths)
        coverage = np.sum(chances * ((low <= truths) & (truths <= high)), axis=1)
        where = int(coverage.argmin())
        print(f"| {count} | {coverage[where]:.1%} | {truths[where, 0]:.3f} |")
        if coverage[where] < size.least_of(count):
            failures.append(f"{SHIPPED}: {coverage[where]:.1%} with {count} clusters at {truths[where, 0]:.3f}")
    return failures


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairing")
    parser.add_argument("--quick", action="store_true", help="fewer data sets and fewer numbers of clusters")
    size = QUICK if parser.parse_args(arguments).quick else FULL
    failures = [*paired(size), *at_any_difference(size), *ratios(size.clusters, size.least_of)]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
