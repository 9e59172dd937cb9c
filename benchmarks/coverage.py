"""How often the 95 % intervals cover the truth, on simulated data whose truth is known.

    python -m benchmarks.coverage

Prints one line for each kind of interval: the number of cells, the mean coverage over them, the worst cell, the mean
width, the share of data sets for which no interval could be given, and the time of 3,000 estimates over 269 clusters.
Exits with 1 if what is promised does not hold.

A cell is a number of clusters, a distribution of their sizes, a correlation within clusters and a truth; in each, all
data sets are drawn anew: the clusters' sizes, their latent probabilities, and the records.
"""

from __future__ import annotations

import itertools
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.intervals import agresti_caffo, bonett_price, fieller, wilson
from counterfoil.stats.sums import Layout, MeanSums, RatioSums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Interval

    Simulate = Callable[["Cell", int, np.random.Generator], tuple[list[Interval], float]]

TRIALS = 1000
CORRELATIONS = (0.02, 0.1, 0.3, 0.6, 0.9)
LEAST_MEAN, MOST_MEAN, LEAST_CELL = 0.94, 0.98, 0.90
LEAST_CELL_FEW_CLUSTERS = 0.86
# Where few clusters, or few that are unlike the rest, leave much unseen, intervals may cover more.
MOST_MEAN_MUCH_UNSEEN = 0.99
ESTIMATES, CLUSTERS = 3000, 269


class Cell(NamedTuple):
    """`truth` holds the mean probabilities of each outcome of a record; what they mean depends on the kind."""

    clusters: int
    sizes: str
    correlation: float
    truth: tuple[float, ...]


class Kind(NamedTuple):
    name: str
    simulate: Simulate
    cells: list[Cell]
    least_cell: float
    most_mean: float = MOST_MEAN


class Result(NamedTuple):
    coverage: float
    width: float
    missing: float


def cluster_sizes(cell: Cell, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One row for each data set. Skewed: the median is 3, one in forty has more than 50, the largest 300."""
    shape = (trials, cell.clusters)
    if cell.sizes == "1 to 24":
        return rng.integers(1, 25, shape)
    if cell.sizes == "4 to 96":
        return rng.integers(4, 97, shape)
    return np.minimum(np.ceil(rng.lognormal(1, 1.5, shape)), 300).astype(np.int64)


def latent(cell: Cell, trials: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The probabilities of each outcome in each cluster; two records of a cluster correlate as the cell says."""
    concentration = (1 - cell.correlation) / cell.correlation
    return rng.dirichlet(np.array(cell.truth) * concentration, (trials, cell.clusters))


def flat(entries: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    return entries.ravel().astype(np.float64)


def layout_of(cell: Cell, trials: int) -> Layout:
    return Layout(np.repeat(np.arange(trials), cell.clusters), trials)


def binary_sums(n: NDArray[np.int64], right: NDArray[np.int64]) -> MeanSums:
    return MeanSums(flat(n), flat(n), flat(n), flat(right), flat(right))


def proportion(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Beta-binomial: outcomes are right and wrong."""
    n = cluster_sizes(cell, trials, rng)
    right = rng.binomial(n, latent(cell, trials, rng)[..., 0])
    return wilson(layout_of(cell, trials), binary_sums(n, right)), cell.truth[0]


def score(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Scores of 0, 1/4, … 1: each is the mean of four draws with the cluster's probability."""
    n = cluster_sizes(cell, trials, rng)
    p = latent(cell, trials, rng)[..., :1]
    quarters = np.arange(5)
    chances = np.array([1, 4, 6, 4, 1]) * p**quarters * (1 - p) ** (4 - quarters)
    counts = rng.multinomial(n, chances)
    s, q = counts @ (quarters / 4), counts @ (quarters / 4) ** 2
    sums = MeanSums(flat(n), flat(n), flat(n), flat(s), flat(q))
    return wilson(layout_of(cell, trials), sums), cell.truth[0]


def signed(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Dirichlet-multinomial: outcomes are +1, 0 and −1."""
    n = cluster_sizes(cell, trials, rng)
    counts = rng.multinomial(n, latent(cell, trials, rng))
    up, down = counts[..., 0], counts[..., 2]
    sums = MeanSums(flat(n), flat(n), flat(n), flat(up - down), flat(up + down))
    return bonett_price(layout_of(cell, trials), sums), cell.truth[0] - cell.truth[2]


def odd_clusters(cell: Cell, share: float, trials: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which clusters are quite unlike the rest. The cell's correlation is the part of all errors that they make."""
    return rng.random((trials, cell.clusters)) < share


def proportion_with_odd_clusters(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Nine of ten answers are wrong in few clusters, and hardly any in the others."""
    n, errors = cluster_sizes(cell, trials, rng), cell.truth[1]
    share = errors * cell.correlation / 0.9
    rest = errors * (1 - cell.correlation) / (1 - share)
    odd = odd_clusters(cell, share, trials, rng)
    right = rng.binomial(n, 1 - np.where(odd, 0.9, rest))
    return wilson(layout_of(cell, trials), binary_sums(n, right)), cell.truth[0]


def signed_with_odd_clusters(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Two sides that are right as often: one errs evenly, the other in whole clusters."""
    n, errors = cluster_sizes(cell, trials, rng), cell.truth[1]
    odd = odd_clusters(cell, errors, trials, rng)
    wrong = rng.binomial(n, errors)
    up, down = np.where(odd, 0, wrong), np.where(odd, n - wrong, 0)
    sums = MeanSums(flat(n), flat(n), flat(n), flat(up - down), flat(up + down))
    return bonett_price(layout_of(cell, trials), sums), 0.0


def difference(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Outcomes: right on both kinds, on the first only, on the second only, on none. Kinds are drawn by coin."""
    n = cluster_sizes(cell, trials, rng)
    first = rng.binomial(n, 0.5)
    second = n - first
    both, one, other, _ = np.moveaxis(latent(cell, trials, rng), -1, 0)
    right_first = rng.binomial(first, np.minimum(both + one, 1))
    right_second = rng.binomial(second, np.minimum(both + other, 1))
    intervals = agresti_caffo(
        layout_of(cell, trials), binary_sums(first, right_first), binary_sums(second, right_second)
    )
    return intervals, cell.truth[1] - cell.truth[2]


def ratio(cell: Cell, trials: int, rng: np.random.Generator) -> tuple[list[Interval], float]:
    """Pairs (y, x); outcomes are (1, 1), (1, 0), (0, 1) and (0, 0)."""
    n = cluster_sizes(cell, trials, rng)
    both, above, below, _ = np.moveaxis(rng.multinomial(n, latent(cell, trials, rng)), -1, 0)
    y, x = flat(both + above), flat(both + below)
    sums = RatioSums(flat(n), flat(n), flat(n), y, x, y, x, flat(both))
    truth = (cell.truth[0] + cell.truth[1]) / (cell.truth[0] + cell.truth[2])
    return fieller(layout_of(cell, trials), sums), truth


def grid(clusters: Sequence[int], sizes: Sequence[str], truths: Sequence[tuple[float, ...]]) -> list[Cell]:
    return [Cell(*parts) for parts in itertools.product(clusters, sizes, CORRELATIONS, truths)]


def kinds() -> list[Kind]:
    many, all_sizes = (30, 88, 269), ("1 to 24", "skewed", "4 to 96")
    shares = [(p, 1 - p) for p in (0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)]
    signs = [(0.02, 0.96, 0.02), (0.1, 0.85, 0.05), (0.1, 0.89, 0.01), (0.3, 0.4, 0.3), (0.5, 0.4, 0.1)]
    signs += [(0.8, 0.15, 0.05), (0.95, 0.03, 0.02)]
    # From unrelated to nearly the same for both; from easy to hard; from no difference to a large one.
    pairs = [(0.25, 0.25, 0.25, 0.25), (0.45, 0.05, 0.05, 0.45), (0.49, 0.01, 0.01, 0.49)]
    pairs += [(0.85, 0.05, 0.04, 0.06), (0.1, 0.7, 0.05, 0.15), (0.5, 0.45, 0.01, 0.04)]
    pairs += [(0.05, 0.1, 0.02, 0.83)]
    # From a denominator near 1 to one of 0.2, from a ratio near 1 to one of 0.08.
    ratios = [(0.25, 0.25, 0.25, 0.25), (0.45, 0.05, 0.05, 0.45), (0.5, 0.05, 0.35, 0.1)]
    ratios += [(0.85, 0.05, 0.06, 0.04), (0.95, 0.01, 0.03, 0.01), (0.03, 0.01, 0.5, 0.46), (0.1, 0.05, 0.1, 0.75)]
    eight = grid((8,), ("1 to 24",), shares)
    rare = [(p, 1 - p) for p in (0.8, 0.9, 0.95, 0.98, 0.99)]
    odd = [cell for cell in grid((15, *many), all_sizes[:2], rare) if cell.correlation >= 0.6]
    return [
        Kind("proportion", proportion, grid(many, all_sizes, shares), LEAST_CELL),
        Kind("proportion, 8 clusters", proportion, eight, LEAST_CELL_FEW_CLUSTERS, MOST_MEAN_MUCH_UNSEEN),
        Kind("proportion, odd clusters", proportion_with_odd_clusters, odd, LEAST_CELL, MOST_MEAN_MUCH_UNSEEN),
        Kind("value in −1…1, odd clusters", signed_with_odd_clusters, odd, LEAST_CELL, MOST_MEAN_MUCH_UNSEEN),
        Kind("score", score, grid(many, ("1 to 24",), shares), LEAST_CELL),
        Kind("value in −1…1", signed, grid(many, all_sizes, signs), LEAST_CELL),
        Kind("difference", difference, grid(many, all_sizes, pairs), LEAST_CELL),
        Kind("ratio", ratio, grid(many, all_sizes, ratios), LEAST_CELL),
    ]


def measure(kind: Kind, cell: Cell, trials: int, rng: np.random.Generator) -> Result:
    """Coverage and width over the data sets that have an interval. Rounding must not decide at a bound of 0 or 1."""
    intervals, truth = kind.simulate(cell, trials, rng)
    bounds = np.array([(i.low, i.high) for i in intervals if i.low is not None])
    covered = (bounds[:, 0] <= truth + 1e-12) & (truth <= bounds[:, 1] + 1e-12)
    return Result(covered.mean(), (bounds[:, 1] - bounds[:, 0]).mean(), 1 - len(bounds) / trials)


def seconds_for_3000() -> float:
    """The time from cluster sums to intervals for 3,000 proportions over 269 clusters: the best of five."""
    rng = np.random.default_rng(1)
    n = rng.integers(1, 25, (ESTIMATES, CLUSTERS))
    sums = binary_sums(n, rng.binomial(n, 0.7))
    layout = Layout(np.repeat(np.arange(ESTIMATES), CLUSTERS), ESTIMATES)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        wilson(layout, sums)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    rng = np.random.default_rng(20120425)
    failures = []
    print(f"{TRIALS} data sets in each cell, nominal coverage 95 %\n")
    print("| kind | cells | mean coverage | worst cell | mean width | no interval |")
    print("|---|---|---|---|---|---|")
    for kind in kinds():
        results = [measure(kind, cell, TRIALS, rng) for cell in kind.cells]
        coverage = np.array([result.coverage for result in results])
        mean, worst = coverage.mean(), coverage.min()
        width, missing = (np.mean([getattr(r, name) for r in results]) for name in ("width", "missing"))
        print(f"| {kind.name} | {len(results)} | {mean:.1%} | {worst:.1%} | {width:.3f} | {missing:.1%} |", flush=True)
        if not LEAST_MEAN <= mean <= kind.most_mean:
            failures.append(f"{kind.name}: mean coverage {mean:.1%} is not in {LEAST_MEAN:.0%} to {kind.most_mean:.0%}")
        failures += [
            f"{kind.name}: {result.coverage:.1%} is below {kind.least_cell:.0%} in {cell}"
            for cell, result in zip(kind.cells, results, strict=True)
            if result.coverage < kind.least_cell
        ]
    print(f"\n{ESTIMATES} estimates over {CLUSTERS} clusters: {seconds_for_3000():.3f} s")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
