"""Do comparisons hold where both sides are right as often, and unlike in everything else?

    python -m benchmarks.unlike_sides [--sets N]

One side errs evenly, the other in whole clusters; gains are small and losses rare and large; or one side leaves four in
ten questions without an answer, in some clusters nearly all. Prints, for each cell, in which share of the data sets the
sides are told apart by p, and how often the interval holds 0. Exits with 1 if p is at most 0.05 in more than 7 % of a
cell, beyond what chance explains.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from counterfoil.stats.pairing import Arms, Case, differences_of
from counterfoil.stats.power import LEVEL

SETS, MOST = 400, 0.07
SIZES: dict[str, tuple[int, ...]] = {"12 each": (12,), "1 to 24": tuple(range(1, 25)), "giants": (6,) * 19 + (120,)}
Draw = Callable[[NDArray[np.int64], float, np.random.Generator], tuple[NDArray[np.float64], NDArray[np.float64]]]


def even_and_odd(clusters: NDArray[np.int64], p: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    """One side errs evenly, the other in whole clusters."""
    odd = (rng.random(clusters.max() + 1) < p)[clusters]
    return (rng.random(len(clusters)) < p).astype(float), odd.astype(float)


def small_and_rare(clusters: NDArray[np.int64], p: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    """The second side is better by a little in most clusters, and wrong throughout in few: equal on the whole."""
    broken = 0.05
    gain = min(broken * p / (1 - broken), 1 - p)
    lost = (rng.random(clusters.max() + 1) < broken)[clusters]
    other = np.where(lost, rng.random(len(clusters)) < 0, rng.random(len(clusters)) < p + gain)
    return (rng.random(len(clusters)) < p).astype(float), other.astype(float)


def unanswered(clusters: NDArray[np.int64], p: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    """Equally right where they answer; the second leaves four in ten without an answer, in some clusters nearly all."""
    chance = rng.beta(p / 0.4, (1 - p) / 0.4, clusters.max() + 1)[clusters]
    silent = rng.beta(0.4 / 0.8, 0.6 / 0.8, clusters.max() + 1)[clusters]
    one, other = ((rng.random(len(clusters)) < chance).astype(float) for _ in range(2))
    return one, np.where(rng.random(len(clusters)) < silent, np.nan, other)


KINDS = {"even and odd": even_and_odd, "small gains, rare losses": small_and_rare, "unanswered": unanswered}


def case_of(kind: str, count: int, sizes: str, p: float, rng: np.random.Generator) -> Case:
    numbers = rng.choice(SIZES[sizes], count)
    clusters = np.repeat(np.arange(count), numbers)
    one, other = KINDS[kind](clusters, p, rng)
    return Case([Arms(1.0, one, other)], clusters)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Do comparisons of unlike sides hold?")
    parser.add_argument("--sets", type=int, default=SETS)
    sets = parser.parse_args(arguments).sets
    most = max(MOST, LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / sets))
    failed = 0
    print("| sides | clusters | sizes | right | p ≤ 0.05 | interval holds 0 |\n|---|---|---|---|---|---|")
    for number, cell in enumerate(product(KINDS, (8, 15, 30, 100), SIZES, (0.8, 0.95))):
        rng = np.random.default_rng([20261118, number])
        found = [differences_of([case_of(*cell, rng)])[0] for _ in range(sets)]
        alarms = np.mean([one.test.p is not None and one.test.p <= LEVEL for one in found])
        held = np.mean([one.interval.low is None or one.interval.low <= 0 <= (one.interval.high or 0) for one in found])
        failed += bool(alarms > most)
        print(f"| {cell[0]} | {cell[1]} | {cell[2]} | {cell[3]} | {alarms:.1%} | {held:.1%} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
