"""How far two raters agree: on labels (Cohen's kappa), on scores (Spearman's rank correlation).

A pair is what both raters said about one record; pairs of which one is None (null) are left out. All intervals are
95 % intervals, symmetric on the scale of atanh, where they can't leave −1…1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from counterfoil.stats.estimate import FEWEST_CLUSTERS, Bounds, Interval, interval_from, intervals_from
from counterfoil.stats.spread import CONFIDENCE, spread_of
from counterfoil.stats.student import t_quantile
from counterfoil.stats.sums import Layout

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Estimate, Names
    from counterfoil.stats.estimates import Clusters, Values

    Labels = Sequence[Hashable] | NDArray[np.generic] | pl.Series

_KAPPA = "Cohen's kappa, atanh, cluster-robust"
_SPEARMAN = "Spearman, cluster jackknife, atanh"
_CONSTANT = "one side has one value only"
_NO_INTERVAL_OVER_REPLIES = "no interval: labels belong to questions, and replies to one question are not independent"
# Leave-one-out values that differ by less than this are rounding: the clusters agree.
_ROUNDING = 1e-10
# So many ranks are held at once while clusters are left out: 8 MB for each side.
_RANKS_AT_ONCE = 1_000_000


def cohen_kappa(first: Labels, second: Labels, clusters: Clusters | None = None, **names: Unpack[Names]) -> Estimate:
    """Cohen's kappa (1960) of two raters' labels (true and false, or any names), with the interval of `kappas`.

    Without `clusters` each pair is a cluster of its own, as it should be with one pair for each question. Not defined
    without pairs, or if both raters give one and the same label throughout.
    """
    one, other = list(first), list(second)
    cluster = _clusters(clusters, len(one), len(other))
    if any(label != label for label in (*one, *other)):
        raise ValueError("a label is nan; a missing label must be None")
    pairs = [k for k, labels in enumerate(zip(one, other, strict=True)) if None not in labels]
    codes, kinds = _codes([one[k] for k in pairs] + [other[k] for k in pairs])
    of_cluster, found = _codes([cluster[k] for k in pairs])
    tables = np.zeros((found, max(kinds, 1), max(kinds, 1)))
    np.add.at(tables, (of_cluster, codes[: len(pairs)], codes[len(pairs) :]), 1)
    [interval] = kappas(Layout(np.zeros(found, dtype=np.int64), 1), tables)
    return interval.estimate(**names)


def kappas(layout: Layout, tables: NDArray[np.float64]) -> list[Interval]:
    """Kappas from the table of each cluster: how many pairs got label i from the first and j from the second rater.

        κ = (p_o − p_e)/(1 − p_e),   p_o = Σ p_ii,   p_e = Σ r_i·c_i   (r and c: the sums of rows and columns)

    A pair of labels i, j has the influence (Fleiss, Cohen and Everitt 1969)

        e_ij = ([i = j] − p_o)/(1 − p_e) − (c_i + r_j − 2p_e)·(1 − p_o)/(1 − p_e)²

    and n_eff = Σ p_ij·e_ij²/V, with V and the t quantile c of `spread_of`, at most N/[1 + (Σn²/N − 1)·ρ], with the ρ
    of all cells of the table together. To n_eff pairs that are distributed as the observed ones one more is added,
    spread evenly over the table: a quarter for each cell where there are two labels, 1/L² with L labels. With κ' and
    e' from this table p',

        tanh(atanh κ' ± c·sqrt(Σ p'_ij·e'_ij²/(n_eff + 1)) / (1 − κ'²))
    """
    labels = tables.shape[-1]
    cells = tables.reshape(len(tables), labels**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        n = cells.sum(axis=-1)
        total = layout.total(n)
        counts = np.array([layout.total(cell) for cell in cells.T]).T.reshape(layout.estimates, labels, labels)
        shares = counts / total[:, None, None]
        value, influence = _kappa_and_influence(shares)

        per_cluster = influence[layout.estimate]
        u, square = (tables * per_cluster).sum(axis=(1, 2)), (tables * per_cluster**2).sum(axis=(1, 2))
        spread = spread_of(layout, n, n, u, square)
        n_eff = np.minimum(spread.n_eff((shares * influence**2).sum(axis=(1, 2))), _most_pairs(layout, cells, shares))

        smoothed = (n_eff[:, None, None] * shares + 1 / labels**2) / (n_eff + 1)[:, None, None]
        centre, influence = _kappa_and_influence(smoothed)
        error = np.sqrt((smoothed * influence**2).sum(axis=(1, 2)) / (n_eff + 1))
        half = spread.quantile * error / (1 - centre**2)
        low, high = np.tanh(np.arctanh(centre) - half), np.tanh(np.arctanh(centre) + half)
    clusters = layout.total(n > 0)
    bounds = Bounds(value, low, high, total, clusters, clusters, spread.agree)
    return intervals_from(bounds, _KAPPA, undefined="both raters give one and the same label throughout")


def spearman(first: Values, second: Values, clusters: Clusters, **names: Unpack[Names]) -> Estimate:
    """Spearman's rank correlation of two scores, with mean ranks for ties and the interval of `jackknifed_spearman`.

    Not defined without pairs, or if one of the scores is the same throughout. The scores' scales do not matter.
    """
    return jackknifed_spearman(*_pairs(first, second, clusters)).estimate(**names)


def jackknifed_spearman(x: NDArray[np.float64], y: NDArray[np.float64], cluster: NDArray[np.int64]) -> Interval:
    """The rank correlation r of N pairs, and its interval by leaving out each of the clusters 0, 1, … G−1 in turn.

    With r_g the correlation without cluster g, all ranks made anew, and r̄ the mean of the r_g:

        tanh(atanh r ± c·s),   s² = max( (G−1)/G · Σ(r_g − r̄)² / (1 − r²)² , 1/(N − 1) )

    The first is the jackknife of r, taken to the scale of atanh by the slope at r. (The jackknife of the values
    atanh r_g covers as often, but has no end where all disagreement lies in one cluster: without it r_g = 1.) The
    second is the variance of r for unrelated independent pairs, with or without ties (Kendall 1948); it takes over in
    small samples with many ties. c is the t quantile with G_eff − 1 degrees of freedom, G_eff = N²/Σn²: G − 1 where
    all clusters have the same size.

    Where all r_g are the same the jackknife says nothing, and each cluster counts as one record: G_eff for N. Where r
    is 1 or −1 nothing tells how far the truth may be from it, and no interval is given.
    """
    sizes = np.bincount(cluster)
    n, groups = len(x), len(sizes)

    def without_bounds(value: float | None, note: str) -> Interval:
        return Interval(value, None, None, n, groups, _SPEARMAN, note)

    if not n:
        return without_bounds(None, "no values")
    columns = [np.unique(column, return_inverse=True)[1] for column in (x, y)]
    a, b = (_centred_ranks(codes, cluster, range(groups, groups + 1)) for codes in columns)
    [value] = _correlations(a, b).tolist()
    if math.isnan(value):
        return without_bounds(None, _CONSTANT)
    if np.array_equal(a, b):
        return without_bounds(1.0, "no interval: both orders are exactly the same")
    if np.array_equal(a, -b):
        return without_bounds(-1.0, "no interval: one order is exactly the reverse of the other")
    if groups < FEWEST_CLUSTERS:
        return without_bounds(value, f"no interval: fewer than {FEWEST_CLUSTERS} clusters ({groups})")

    step = max(1, _RANKS_AT_ONCE // n)
    parts = [range(start, min(start + step, groups)) for start in range(0, groups, step)]
    rest = np.concatenate(
        [_correlations(*(_centred_ranks(codes, cluster, left_out) for codes in columns)) for left_out in parts]
    )
    if np.isnan(rest).any():
        return without_bounds(value, f"no interval: without one of the clusters, {_CONSTANT}")
    agree = float(np.ptp(rest)) < _ROUNDING
    g_eff = n**2 / float(np.sum(sizes**2))
    error = math.sqrt((groups - 1) * float(np.var(rest))) / (1 - value**2)
    error = max(error, 1 / math.sqrt((g_eff if agree else n) - 1))
    half = error * t_quantile((1 + CONFIDENCE) / 2, [max(g_eff - 1, 1)])
    centre = np.arctanh([value])
    low, high = (float(np.tanh(bound)[0]) for bound in (centre - half, centre + half))
    return interval_from(value, low, high, n, groups, groups, agree, method=_SPEARMAN)


def pearson(first: Values, second: Values, clusters: Clusters | None = None, **names: Unpack[Names]) -> Estimate:
    """Pearson's correlation over all pairs, as the CFE study gives it for labels over replies: without an interval.

    Labels belong to questions: the replies to a question repeat its labels and are not independent. `clusters` only
    says how many questions there are; without it each pair counts as one. Not defined without pairs, or if one side
    is the same throughout. For two labels of 0 and 1 this is the phi coefficient.
    """
    x, y, cluster = _pairs(first, second, clusters)
    value, note = None, "no values"
    if len(x):
        a, b = ((column - column.mean()) / (np.ptp(column) or math.nan) for column in (x, y))
        [value] = _correlations(a[None], b[None]).tolist()
        value, note = (None, _CONSTANT) if math.isnan(value) else (value, _NO_INTERVAL_OVER_REPLIES)
    questions = len(np.unique(cluster))
    return Interval(value, None, None, len(x), questions, "Pearson over all pairs", note).estimate(**names)


def _kappa_and_influence(shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Kappa of each table of shares, and the influence of a pair in each cell on it."""
    rows, columns = shares.sum(axis=2), shares.sum(axis=1)
    observed = np.trace(shares, axis1=1, axis2=2)[:, None, None]
    expected = (rows * columns).sum(axis=1)[:, None, None]
    same = (np.eye(shares.shape[-1]) - observed) / (1 - expected)
    by_chance = columns[:, :, None] + rows[:, None, :] - 2 * expected
    influence = same - by_chance * (1 - observed) / (1 - expected) ** 2
    return ((observed - expected) / (1 - expected))[:, 0, 0], influence


def _most_pairs(layout: Layout, cells: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """N over Kish's design effect, with the correlation within clusters of all cells' indicators taken together.

    Where both labels are rare few clusters show how kappa's own influences correlate; all cells together show more.
    """
    n = cells.sum(axis=1)
    total = layout.total(n)
    within = layout.total(n - np.divide((cells**2).sum(axis=1), n, out=np.zeros_like(n), where=n > 0))
    free = total - layout.total(n > 0)
    rho = np.nan_to_num(np.clip(1 - within / (free * (1 - (shares**2).sum(axis=(1, 2)))), 0, 1))
    return np.asarray(total / (1 + (layout.total(n * n) / total - 1) * rho), dtype=np.float64)


def _centred_ranks(codes: NDArray[np.int64], cluster: NDArray[np.int64], left_out: range) -> NDArray[np.float64]:
    """One row for each cluster of `left_out`: the mean ranks among all other records, less their mean.

    `codes` number the values 0, 1, … in their order. The left out records themselves have 0. Multiples of a half all,
    so they are exact.
    """
    values = int(codes.max()) + 1
    inside = (cluster >= left_out.start) & (cluster < left_out.stop)
    cells = (cluster[inside] - left_out.start) * values + codes[inside]
    gone = np.bincount(cells, minlength=len(left_out) * values).reshape(len(left_out), values)
    counts = np.bincount(codes) - gone
    ranks = np.cumsum(counts, axis=1) - counts / 2 - counts.sum(axis=1, keepdims=True) / 2
    return np.where(cluster == np.array(left_out)[:, None], 0.0, ranks[:, codes])


def _correlations(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The correlation of each row of `a` with that of `b`, both with mean 0; nan where one is constant."""
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = (a * b).sum(axis=1) / (np.sqrt((a * a).sum(axis=1)) * np.sqrt((b * b).sum(axis=1)))
    return np.asarray(np.clip(correlation, -1, 1), dtype=np.float64)


def _pairs(
    first: Values, second: Values, clusters: Clusters | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The values of all complete pairs, and the number of each pair's cluster."""
    x, y = (pl.Series(values, dtype=pl.Float64) for values in (first, second))
    cluster = _clusters(clusters, len(x), len(y))
    both = x.is_not_null() & y.is_not_null()
    x, y = x.filter(both), y.filter(both)
    if not (x.is_finite().all() and y.is_finite().all()):
        raise ValueError("a value is not a finite number; a missing value must be None")
    codes, _ = _codes([name for name, given in zip(cluster, both, strict=True) if given])
    return x.to_numpy(), y.to_numpy(), codes


def _clusters(clusters: Clusters | None, first: int, second: int) -> list[Any]:
    """The cluster of each pair, where there are so many values on each side."""
    names = list(range(first)) if clusters is None else list(clusters)
    if None in names:
        raise ValueError("a cluster is missing; every record belongs to a cluster")
    if not first == second == len(names):
        raise ValueError(f"first, second and clusters differ in length: {first}, {second} and {len(names)}")
    return names


def _codes(names: list[Any]) -> tuple[NDArray[np.int64], int]:
    """A number 0, 1, … for each name, and how many names there are. The order of the records does not matter."""
    numbers = {name: number for number, name in enumerate(sorted(set(names), key=str))}
    return np.array([numbers[name] for name in names], dtype=np.int64), len(numbers)
