"""Krippendorff's alpha: how far any number of raters agree, where not everybody rates everything.

A unit is one thing that was rated: the values that it got, in any order, None (missing) left out. Units with fewer
than two values say nothing about agreement and are left out, too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np

from counterfoil.stats.estimate import FEWEST_CLUSTERS, Interval, interval_from
from counterfoil.stats.spread import CONFIDENCE
from counterfoil.stats.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Estimate, Names
    from counterfoil.stats.estimates import Clusters

Level = Literal["nominal", "ordinal", "interval"]
Units = Sequence[Sequence[Any]]

_ALPHA = "Krippendorff's alpha, cluster jackknife, atanh"
_DIFFERENCE = "difference of Krippendorff's alphas, cluster jackknife"
_CONSTANT = "one and the same value throughout"
_UNCHANGED = "no interval: leaving out any one cluster changes nothing"
_ROUNDING = 1e-10


class _Coincidences(NamedTuple):
    """`whole[c, k]`: how often values c and k came together in a unit, each unit with the weight of its values; for
    each cluster the same of its units alone, as (rows, columns, amounts). `values`: what c and k stand for.
    """

    whole: NDArray[np.float64]
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]
    sizes: NDArray[np.float64]
    values: NDArray[np.float64]


def krippendorff_alpha(
    units: Units, clusters: Clusters | None = None, *, level: Level, **names: Unpack[Names]
) -> Estimate:
    """Alpha of the units' values, with an interval by leaving out each cluster in turn.

        α = 1 − D_o/D_e,   D_o = Σ o_ck·δ²_ck / n,   D_e = Σ n_c·n_k·δ²_ck / (n(n − 1))

    o_ck: ordered pairs of values c, k within a unit of m values, each 1/(m − 1), summed over units; n_c the sum of its
    row, n of all. δ² is 1 for different values (`nominal`), (c − k)² (`interval`), or, with the values in their order,
    (n_c/2 + all n between + n_k/2)² (`ordinal`), as in Krippendorff's "Computing Krippendorff's alpha-reliability"
    (2011).

    With α_g the value without cluster g, s² = (G − 1)/G · Σ(α_g − ᾱ)², and c the t quantile with G_eff − 1 degrees of
    freedom, G_eff = N²/Σn²:  tanh(atanh α ± c·s/(1 − α²)). Alpha lies above −1 whatever the values are. Clusters in
    which nothing but the commonest value occurs tell little: with fewer than 5 others there is no interval. For nominal
    values the interval is made with two pairs more, of which one agrees (`_with_two`). `n` counts the units. Without
    `clusters` each unit is a cluster. Not defined without units, or if all values are the same.
    """
    return _jackknifed(_coincidences(units, clusters, level), level).estimate(**names)


def alpha_difference(
    first: Units,
    second: Units,
    first_clusters: Clusters,
    second_clusters: Clusters,
    *,
    level: Level,
    **names: Unpack[Names],
) -> Estimate:
    """Alpha of the first units less alpha of the second, where both come from the same clusters.

    The interval is value ± c·s with the jackknife's s: a cluster is left out of both at once. Clusters without any
    disagreement tell little of the difference: c is the t quantile with one degree of freedom less than there are
    others, and with fewer than 5 of them there is no interval.
    """
    clusters: list[Hashable] = list(dict.fromkeys((*first_clusters, *second_clusters)))
    one = _coincidences(first, first_clusters, level, clusters)
    other = _coincidences(second, second_clusters, level, clusters)
    return _jackknifed_difference(one, other, level).estimate(**names)


def _jackknifed_difference(one: _Coincidences, other: _Coincidences, level: Level) -> Interval:
    there = (one.sizes + other.sizes) > 0
    n, groups = int(one.sizes.sum() + other.sizes.sum()), int(np.count_nonzero(there))

    def without_bounds(value: float | None, note: str) -> Interval:
        return Interval(value, None, None, n, groups, _DIFFERENCE, note)

    value = _alpha(one.whole, one.values, level) - _alpha(other.whole, other.values, level)
    if math.isnan(value):
        return without_bounds(None, _CONSTANT if one.sizes.any() and other.sizes.any() else "no values")
    clusters = zip(one.parts, other.parts, strict=True)
    disputed = sum(any(np.any(rows != columns) for rows, columns, _ in parts) for parts in clusters)
    if disputed < FEWEST_CLUSTERS:
        return without_bounds(value, _too_few("a disagreement", disputed))
    rest = (_left_out(one, level) - _left_out(other, level))[there]
    if np.isnan(rest).any():
        return without_bounds(value, f"no interval: without one of the clusters, {_CONSTANT}")
    error = math.sqrt((groups - 1) * float(np.var(rest)))
    if error < _ROUNDING:
        return without_bounds(value, _UNCHANGED)
    half = error * float(t_quantile((1 + CONFIDENCE) / 2, [disputed - 1])[0])
    # Each of the two lies in −1…1.
    low, high = max(-2.0, value - half), min(2.0, value + half)
    return interval_from(value, low, high, n, groups, disputed, agree=False, method=_DIFFERENCE)


def _jackknifed(found: _Coincidences, level: Level) -> Interval:
    n, groups = int(found.sizes.sum()), len(found.sizes)

    def without_bounds(value: float | None, note: str) -> Interval:
        return Interval(value, None, None, n, groups, _ALPHA, note)

    if not n:
        return without_bounds(None, "no values")
    value = _alpha(found.whole, found.values, level)
    if math.isnan(value):
        return without_bounds(None, _CONSTANT)
    if value > 1 - _ROUNDING:
        return without_bounds(1.0, "no interval: all raters agree throughout")
    commonest = int(np.argmax(found.whole.sum(axis=1)))
    telling = sum(bool(np.any(rows != commonest)) for rows, *_ in found.parts)
    if telling < FEWEST_CLUSTERS:
        return without_bounds(value, _too_few("other than the commonest value", telling))
    if float(np.var(_left_out(found, level))) < _ROUNDING**2:
        return without_bounds(value, _UNCHANGED)
    counted = _with_two(found, commonest) if level == "nominal" else found
    centre, parts = _alpha(counted.whole, counted.values, level), len(counted.parts)
    error = math.sqrt((parts - 1) * float(np.var(_left_out(counted, level)))) / (1 - centre**2)
    g_eff = n**2 / float(np.sum(found.sizes**2))
    half = error * float(t_quantile((1 + CONFIDENCE) / 2, [max(g_eff - 1, 1)])[0])
    low, high = math.tanh(math.atanh(centre) - half), math.tanh(math.atanh(centre) + half)
    return interval_from(value, low, high, n, groups, telling, agree=False, method=_ALPHA)


def _with_two(found: _Coincidences, commonest: int) -> _Coincidences:
    """With two pairs more, each a cluster: one agrees on the second commonest value, the other has that and the
    commonest. Where a value is rare, few clusters tell of it, and their spread says too little.
    """
    counts = found.whole.sum(axis=1)
    counts[commonest] = -1.0
    second = int(np.argmax(counts))
    agreeing = np.array([second]), np.array([second]), np.array([2.0])
    differing = np.array([commonest, second]), np.array([second, commonest]), np.ones(2)
    whole = found.whole.copy()
    for rows, columns, amounts in (agreeing, differing):
        np.add.at(whole, (rows, columns), amounts)
    return found._replace(whole=whole, parts=[*found.parts, agreeing, differing])


def _too_few(what: str, clusters: int) -> str:
    return f"no interval: fewer than {FEWEST_CLUSTERS} clusters with {what} ({clusters})"


def _coincidences(
    units: Units, clusters: Clusters | None, level: Level, names: Sequence[Hashable] | None = None
) -> _Coincidences:
    """Which values came together. `names`: the clusters in their order, some perhaps without a unit."""
    of_unit = list(range(len(units))) if clusters is None else list(clusters)
    if len(of_unit) != len(units):
        raise ValueError(f"units and clusters differ in length: {len(units)} and {len(of_unit)}")
    if None in of_unit:
        raise ValueError("a cluster is missing; every unit belongs to a cluster")
    given = ([value for value in unit if value is not None] for unit in units)
    paired = [(cluster, values) for cluster, values in zip(of_unit, given, strict=True) if len(values) > 1]
    kinds = {value for _, values in paired for value in values}
    if any(value != value for value in kinds):
        raise ValueError("a value is nan; a missing value must be None")
    if level == "nominal":
        ordered: list[Any] = sorted(kinds, key=str)
        numbers = np.arange(len(ordered), dtype=np.float64)
    else:
        ordered = sorted(kinds)
        numbers = np.array(ordered, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("a value is not a finite number; a missing value must be None")
    codes = {value: code for code, value in enumerate(ordered)}
    whole = np.zeros((len(ordered), len(ordered)))
    order = dict.fromkeys(names if names is not None else (cluster for cluster, _ in paired))
    cells: dict[Any, Counter[tuple[int, int]]] = {name: Counter() for name in order}
    sizes: Counter[Any] = Counter(cluster for cluster, _ in paired)
    for cluster, values in paired:
        counts = Counter(codes[value] for value in values)
        for c, times in counts.items():
            for k, others in counts.items():
                cells[cluster][c, k] += times * (others - (c == k)) / (len(values) - 1)  # type: ignore[assignment]
    parts = []
    for found in cells.values():
        rows, columns = (np.array([pair[side] for pair in found], dtype=np.int64) for side in (0, 1))
        amounts = np.array(list(found.values()), dtype=np.float64)
        np.add.at(whole, (rows, columns), amounts)
        parts.append((rows, columns, amounts))
    return _Coincidences(whole, parts, np.array([float(sizes[name]) for name in order]), numbers)


def _alpha(together: NDArray[np.float64], values: NDArray[np.float64], level: Level) -> float:
    """Alpha of a table of coincidences; nan where there are none, or only one value is left."""
    n_c = together.sum(axis=1)
    n = float(n_c.sum())
    if level == "nominal":
        observed = n - float(np.trace(together))
        expected = n**2 - float(np.sum(n_c**2))
    else:
        # Ordinal: half of its own, and all that are below. The difference of two is what lies between, with a half of
        # each.
        scale = values if level == "interval" else np.cumsum(n_c) - n_c / 2
        apart = (scale[:, None] - scale[None, :]) ** 2
        observed = float(np.sum(together * apart))
        expected = float(n_c @ apart @ n_c)
    # What leaving out a cluster leaves of an amount may be rounding.
    if n < 1 or np.count_nonzero(n_c > _ROUNDING) < 2:
        return math.nan
    return 1 - (n - 1) * observed / expected


def _left_out(found: _Coincidences, level: Level) -> NDArray[np.float64]:
    """Alpha without each of the clusters."""
    rest = np.empty(len(found.parts))
    for g, (rows, columns, amounts) in enumerate(found.parts):
        without = found.whole.copy()
        without[rows, columns] -= amounts
        rest[g] = _alpha(without, found.values, level)
    return rest
