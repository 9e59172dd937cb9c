"""How often the 95 % intervals of kappa and of Spearman's rank correlation cover the truth, on simulated data.

    python -m benchmarks.agreement [KIND…]

Prints one line for each kind: the number of cells, the mean coverage over them, the worst cell, the mean width, and
the share of data sets for which no interval could be given. Exits with 1 if what is promised does not hold. All data
sets are drawn anew: clusters, their sizes, and the pairs in them.
"""

from __future__ import annotations

import itertools
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from counterfoil.stats.agreement import jackknifed_spearman, kappas
from counterfoil.stats.sums import Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Interval

    Simulate = Callable[["Cell", int, np.random.Generator], tuple[list[Interval], float]]

LEAST_MEAN, MOST_MEAN, LEAST_CELL, LEAST_CELL_FEW_CLUSTERS = 0.94, 0.975, 0.91, 0.86
KAPPAS = (-0.2, 0, 0.2, 0.4, 0.6, 0.8, 0.95)
PREVALENCES = ((0.5, 0.5), (0.3, 0.3), (0.1, 0.1), (0.05, 0.05), (0.5, 0.3), (0.8, 0.6), (0.2, 0.1))
NOMINAL = ((1 / 3,) * 3, (0.6, 0.3, 0.1), (0.2,) * 5, (0.5, 0.3, 0.1, 0.05, 0.05), (0.1,) * 10)
# The shares below each cut of a score: none; five equal parts; seven in ten at the lowest of three; half at the lowest.
CUTS = {"fine": (), "five": (0.2, 0.4, 0.6, 0.8), "three": (0.7, 0.9), "half at 0": (0.5, 0.6, 0.7, 0.8, 0.9)}


class Cell(NamedTuple):
    """`truth` is the table of shares for kappa, and for Spearman the normal correlation, the cuts and the design."""

    clusters: int
    sizes: str
    correlation: float
    truth: tuple[object, ...]


class Kind(NamedTuple):
    name: str
    simulate: Simulate
    cells: list[Cell]
    trials: int
    least_cell: float


class Result(NamedTuple):
    coverage: float
    width: float
    missing: float


def cluster_sizes(cell: Cell, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One row for each data set. Skewed: the median is 3, one in forty has more than 50, the largest 300."""
    shape = (trials, cell.clusters)
    if cell.sizes == "1":
        return np.ones(shape, dtype=np.int64)
    if cell.sizes == "1 to 24":
        return rng.integers(1, 25, shape)
    return np.minimum(np.ceil(rng.lognormal(1, 1.5, shape)), 300).astype(np.int64)


def kappa(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Dirichlet-multinomial tables: two pairs of a cluster lie in the same cell as often as the correlation says."""
    table = np.array(cell.truth, dtype=np.float64)
    flat = np.maximum(table.ravel(), 0)
    n = cluster_sizes(cell, trials, rng)
    shares = flat
    if cell.correlation:
        concentration = (1 - cell.correlation) / cell.correlation
        shares = rng.dirichlet(np.maximum(flat, 1e-9) * concentration, n.shape)
    tables = rng.multinomial(n, shares).reshape(-1, *table.shape).astype(np.float64)
    by_chance = table.sum(axis=0) @ table.sum(axis=1)
    layout = Layout(np.repeat(np.arange(trials), cell.clusters), trials)
    return kappas(layout, tables), (np.trace(table) - by_chance) / (1 - by_chance)


def spearman(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Two normal scores, each with the cell's correlation within clusters, and cut to make ties.

    Designs: "replies", where both scores differ within clusters and correlate there as they do between clusters;
    "questions", where the first is the same for all records of a cluster.
    """
    r, cuts, design = cell.truth
    assert isinstance(r, float)
    edges = stats.norm.ppf(CUTS[str(cuts)])
    intervals = []
    for sizes in cluster_sizes(cell, trials, rng):
        cluster = np.repeat(np.arange(cell.clusters), sizes)
        first, between, within = cell.correlation, r, r
        if design == "questions":
            first, between, within = 1.0, r / np.sqrt(cell.correlation), 0.0
        (x, y), (e, f) = _normal(cell.clusters, between, rng), _normal(len(cluster), within, rng)
        x = np.sqrt(first) * x[cluster] + np.sqrt(1 - first) * e
        y = np.sqrt(cell.correlation) * y[cluster] + np.sqrt(1 - cell.correlation) * f
        if len(edges):
            x, y = np.digitize(x, edges).astype(float), np.digitize(y, edges).astype(float)
        intervals.append(jackknifed_spearman(x, y, cluster))
    return intervals, rank_correlation(r, str(cuts))


def _normal(n: int, r: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, e = rng.standard_normal((2, n))
    return x, r * x + np.sqrt(1 - r**2) * e


@cache
def rank_correlation(r: float, cuts: str) -> float:
    """The truth: the correlation of the mean ranks in the population."""
    if not CUTS[cuts]:
        return float(6 / np.pi * np.arcsin(r / 2))
    edges = [-8, *stats.norm.ppf(CUTS[cuts]), 8]
    normal = stats.multivariate_normal([0, 0], [[1, r], [r, 1]])
    below = np.array([[normal.cdf([a, b]) for b in edges] for a in edges])
    shares = np.diff(np.diff(below, axis=0), axis=1)
    margin = shares.sum(axis=1)
    ranks = np.cumsum(margin) - margin / 2 - 0.5
    return float(ranks @ shares @ ranks / (margin @ ranks**2))


def binary_tables(prevalences: Sequence[tuple[float, float]] = PREVALENCES) -> list[tuple[object, ...]]:
    """Every table of two labels with these margins and kappas that exists."""
    tables: list[tuple[object, ...]] = []
    for (p, q), k in itertools.product(prevalences, KAPPAS):
        by_chance = p * q + (1 - p) * (1 - q)
        both = (by_chance + k * (1 - by_chance) - 1 + p + q) / 2
        table = ((both, p - both), (q - both, 1 - p - q + both))
        if min(*table[0], *table[1]) > -1e-12:
            tables.append(table)
    return tables


def nominal_tables() -> list[tuple[object, ...]]:
    return [
        tuple(map(tuple, (1 - k) * np.outer(margin, margin) + k * np.diag(margin)))
        for margin, k in itertools.product(NOMINAL, (0, 0.2, 0.4, 0.6, 0.8, 0.95))
    ]


def grid(
    clusters: Sequence[int], sizes: Sequence[str], correlations: Sequence[float], truths: Sequence[tuple[object, ...]]
) -> list[Cell]:
    return [Cell(*parts) for parts in itertools.product(clusters, sizes, correlations, truths)]


def score_cells(
    clusters: Sequence[int],
    sizes: Sequence[str],
    correlations: Sequence[float] = (0, 0.1, 0.3, 0.6),
    normal: Sequence[float] = (-0.3, 0.0, 0.3, 0.6, 0.9),
    cuts: Sequence[str] = tuple(CUTS),
) -> list[Cell]:
    """For the design "questions" only what can be: the scores correlate between clusters alone."""
    cells = grid(clusters, sizes, correlations, list(itertools.product(normal, cuts, ("replies", "questions"))))
    return [c for c in cells if c.truth[2] == "replies" or float(str(c.truth[0])) ** 2 < 0.9 * c.correlation]


def kinds() -> list[Kind]:
    many, few = (30, 88, 269), LEAST_CELL_FEW_CLUSTERS
    inside = (0.02, 0.1, 0.3, 0.6)
    large = score_cells((88,), ("1 to 24",), (0.1, 0.6))
    largest = score_cells((269,), ("1 to 24",), (0.3,), (-0.3, 0.3, 0.9))
    return [
        Kind("kappa", kappa, grid(many, ("1",), (0,), binary_tables()), 2000, LEAST_CELL),
        Kind("kappa, 3 to 10 labels", kappa, grid(many, ("1",), (0,), nominal_tables()), 2000, LEAST_CELL),
        Kind("kappa in clusters", kappa, grid(many, ("1 to 24",), inside, binary_tables()), 1000, LEAST_CELL),
        Kind("kappa, 8 clusters", kappa, grid((8,), ("1 to 24",), inside, binary_tables()), 2000, few),
        Kind("spearman, 8 clusters", spearman, score_cells((8,), ("1 to 24",)), 1000, few),
        Kind("spearman, 30 clusters", spearman, score_cells((30,), ("1 to 24",)), 2000, LEAST_CELL),
        Kind("spearman, 30 skewed", spearman, score_cells((30,), ("skewed",)), 500, 0.90),
        Kind("spearman, 30 pairs", spearman, score_cells((30,), ("1",), (0,)), 2000, LEAST_CELL),
        Kind("spearman, 88 clusters", spearman, large, 400, 0.90),
        Kind("spearman, 269 clusters", spearman, largest, 200, 0.88),
    ]


def measure(kind: Kind, cell: Cell, trials: int, rng: np.random.Generator) -> Result:
    """Coverage and width over the data sets that have an interval. Rounding must not decide at a bound of 1."""
    intervals, truth = kind.simulate(cell, trials, rng)
    bounds = np.array([(i.low, i.high) for i in intervals if i.low is not None])
    covered = (bounds[:, 0] <= truth + 1e-12) & (truth <= bounds[:, 1] + 1e-12)
    return Result(covered.mean(), (bounds[:, 1] - bounds[:, 0]).mean(), 1 - len(bounds) / trials)


def main(names: Sequence[str] = ()) -> int:
    failures = []
    print("| kind | cells | data sets in each | mean coverage | worst cell | mean width | no interval |")
    print("|---|---|---|---|---|---|---|")
    for number, kind in enumerate(kinds()):
        if names and kind.name not in names:
            continue
        rng = np.random.default_rng((19600415, number))
        results = [measure(kind, cell, kind.trials, rng) for cell in kind.cells]
        coverage = np.array([result.coverage for result in results])
        mean, worst = coverage.mean(), coverage.min()
        width, missing = (np.mean([getattr(r, name) for r in results]) for name in ("width", "missing"))
        size = f"{len(results)} | {kind.trials}"
        print(f"| {kind.name} | {size} | {mean:.1%} | {worst:.1%} | {width:.3f} | {missing:.1%} |", flush=True)
        # With few clusters intervals may be too wide, but not too narrow.
        if mean < LEAST_MEAN or (mean > MOST_MEAN and kind.least_cell > LEAST_CELL_FEW_CLUSTERS):
            failures.append(f"{kind.name}: mean coverage {mean:.1%}, not in {LEAST_MEAN:.1%} to {MOST_MEAN:.1%}")
        failures += [
            f"{kind.name}: {result.coverage:.1%} is below {kind.least_cell:.0%} in {cell}"
            for cell, result in zip(kind.cells, results, strict=True)
            if result.coverage < kind.least_cell
        ]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
