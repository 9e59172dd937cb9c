"""What a comparison can show: the smallest difference with these questions, and the questions for that difference."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.errors import UserError
from counterfoil.stats.estimate import FEWEST_CLUSTERS
from counterfoil.stats.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEVEL = 0.05
POWER = 0.8

_MOST_CLUSTERS = 10**12


class Components(NamedTuple):
    """The variance of a record's value: between clusters, and between the records of one cluster."""

    between: float
    within: float


def smallest_difference(standard_error: ArrayLike, df: ArrayLike, *, level: float = LEVEL) -> NDArray[np.float64]:
    """The true difference that a two-sided test at `level` finds in 80 % of samples: (t(1 − level/2) + t(0.8))·SE.

    One entry for each standard error and its degrees of freedom. With m tests in a family after Holm, `level` is
    0.05/m: what the family's smallest p has to reach.
    """
    quantiles = t_quantile(1 - level / 2, df) + t_quantile(POWER, df)
    return np.asarray(quantiles * np.asarray(standard_error, dtype=np.float64))


def variance_components(n: NDArray[np.float64], s: NDArray[np.float64], q: NDArray[np.float64]) -> Components:
    """From an earlier run's clusters, each with n records whose values add up to s and their squares to q.

    One-way analysis of variance, clusters of any sizes; with N = Σn, G clusters and m = Σs/N:

        within  = Σ(q − s²/n) / (N − G)
        between = (Σ n(s/n − m)²/(G − 1) − within) / n₀,   n₀ = (N − Σn²/N)/(G − 1)

    `between` is at least 0. With one record in every cluster the two can't be told apart, and all variance is taken
    to lie between clusters: a plan then expects nothing from more members or repeats.
    """
    n, s, q = (np.asarray(part, dtype=np.float64)[np.asarray(n) > 0] for part in (n, s, q))
    clusters, total = len(n), float(n.sum())
    if clusters < FEWEST_CLUSTERS:
        raise UserError(
            f"The earlier run has {clusters} clusters, too few to plan from: take a run with {FEWEST_CLUSTERS} or more."
        )
    free = total - clusters
    within = max(0.0, float((q - s**2 / n).sum())) / free if free > 0 else 0.0
    mean_square_between = float((n * (s / n - s.sum() / total) ** 2).sum()) / (clusters - 1)
    typical_size = (total - float((n**2).sum()) / total) / (clusters - 1)
    return Components(max(0.0, (mean_square_between - within) / typical_size), within)


def planned_error(components: Components, clusters: int, *, members: int = 1, repeats: int = 1) -> float:
    """The standard error of a mean: SE² = between/G + within/(G·members·repeats), for G clusters."""
    return math.sqrt((components.between + components.within / (members * repeats)) / clusters)


def fewest_for(level: float) -> int:
    """The fewest clusters with which a test by sign flips can reach this level: 2/2^k ≤ level."""
    return math.ceil(1 + math.log2(1 / level))


def clusters_needed(
    difference: float, components: Components, *, members: int = 1, repeats: int = 1, level: float = LEVEL
) -> int:
    """The fewest clusters whose `smallest_difference`, with G − 1 degrees of freedom, is at most `difference`.

    Each cluster has so many members, and each of them is asked so often. `components` are those of the paired
    differences. Never fewer than the clusters that an interval needs, or a test to reach the level.
    """
    if not difference > 0:
        raise UserError(
            f"The difference to detect must be above 0, not {difference:g}: give it as a share, as in 0.03."
        )

    def detectable(clusters: int) -> float:
        error = planned_error(components, clusters, members=members, repeats=repeats)
        return float(smallest_difference(error, clusters - 1, level=level))

    fewest = enough = max(FEWEST_CLUSTERS, fewest_for(level))
    while detectable(enough) > difference:
        if enough > _MOST_CLUSTERS:
            raise UserError(f"A difference of {difference:g} is too small to plan for: give a larger one.")
        fewest, enough = enough, 2 * enough
    return bisect_left(range(enough), True, lo=fewest, key=lambda clusters: detectable(clusters) <= difference)
