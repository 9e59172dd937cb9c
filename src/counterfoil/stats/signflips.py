"""Is there a difference between two arms? Tests that flip clusters, not records.

Where nothing differs, the two arms of a cluster could as well have had each other's names. So the arms of whole
clusters are exchanged, and p is the share of all such exchanges that give a difference at least as far from 0 as the
observed one (two-sided). All exchanges are counted for up to 14 clusters that differ; for more, 9,999 are drawn, the
same for all tests that are made together, and p = (1 + b)/(9,999 + 1), where b of them reach the observed difference.

Each difference is taken as a multiple of its own standard error. Then the test also holds, nearly, where the arms
differ in more than their names: clusters are of very different sizes, or one arm has far fewer records than the other.

An exchange of all clusters turns a difference round, so the observed one is always reached twice: with k clusters
that differ no p below 2/2^k can come out, whatever was observed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

MOST_COMPLETE = 14
DRAWN = 9_999

_SEED = 20240229
_ROUNDING = 1e-12  # what a cluster's records add up to, where they cancel out
_TIE = 1e-9  # relative to the numbers that a difference is made of: closer ones are equal
_NUMBERS_AT_ONCE = 1_000_000
_NONE_DIFFERS = "no cluster differs"
UNDEFINED = "not defined: one side has no values"


class Test(NamedTuple):
    """A two-sided test. `p` is None where the difference is not defined; `note` says so, or that no cluster differs.

    `differing` is the number of clusters whose exchange changes anything. No p below `smallest_p` can come out.
    """

    p: float | None
    smallest_p: float
    differing: int
    method: str
    note: str | None


class Term(NamedTuple):
    """Coefficient · Σ numerators / Σ denominators, for both arms. A metric is a sum of terms, and whatever is constant.

    The arrays have one entry for each cluster, 0 where an arm has nothing in it.
    """

    coefficient: float
    numerators_a: NDArray[np.float64]
    denominators_a: NDArray[np.float64]
    numerators_b: NDArray[np.float64]
    denominators_b: NDArray[np.float64]


class _Statistic(NamedTuple):
    """`parts` (parts × clusters) change sign with their cluster; `reaches` takes their sums (parts × flips)."""

    parts: NDArray[np.float64]
    reaches: Callable[[NDArray[np.float64]], NDArray[np.bool_]]

    @property
    def differing(self) -> int:
        return int(np.count_nonzero(self.parts.any(axis=0)))


def sign_flip_tests(sums: NDArray[np.float64], pairs: NDArray[np.int64] | None = None) -> list[Test]:
    """One test for each column of `sums` (clusters × columns): paired differences, added up by cluster.

    The differences have the order of 1; a sum that is 0 but for rounding counts as 0, and a cluster with the sum 0
    counts for nothing. `pairs` (of the same shape) says how many differences each sum is made of. Where that is never
    more than one, and each difference is −1, 0 or 1, the test is McNemar's exact one: then all flips are counted by
    the binomial distribution, however many clusters there are.
    """
    if not np.isfinite(sums).all():
        raise ValueError("a cluster's sum is not a finite number; a cluster without pairs has the sum 0")
    columns = _without_rounding(np.ascontiguousarray(sums.T))
    is_mcnemar = [False] * len(columns)
    sizes: Sequence[NDArray[np.float64] | None] = [None] * len(columns)
    if pairs is not None:
        is_mcnemar = np.all((pairs.T <= 1) & np.isin(columns, (-1.0, 0.0, 1.0)), axis=1).tolist()
        sizes = list(pairs.T.astype(np.float64))
    flipped = [_sum_statistic(*each) for *each, exact in zip(columns, sizes, is_mcnemar, strict=True) if not exact]
    tests = iter(_tests(flipped, "sign flips"))
    return [_mcnemar(column) if exact else next(tests) for column, exact in zip(columns, is_mcnemar, strict=True)]


def swap_tests(metrics: Sequence[Sequence[Term]]) -> list[Test]:
    """One test for each metric: the difference between arm a and arm b of a sum of terms, over the same clusters.

    For where the arms have different denominators: the labels of the arms are swapped in whole clusters, and each
    metric is computed anew. A mean is one term; a difference of two accuracies two, with the coefficients 1 and −1;
    a mean over K groups has K with 1/K each. Where a swap leaves a ratio without a denominator, the metric is not
    defined, and the swap counts as one that reaches the observed difference: p is too large then, never too small.
    """
    statistics = [_swap_statistic(terms) for terms in metrics]
    tests = iter(_tests([statistic for statistic in statistics if statistic is not None], "label swaps"))
    undefined = Test(None, 1.0, 0, "label swaps", UNDEFINED)
    return [undefined if statistic is None else next(tests) for statistic in statistics]


def out_of_reach(smallest_p: float, differing: int, level: float) -> str | None:
    """In words: this test can't reach this level, whatever is observed. None where it can."""
    if smallest_p <= level:
        return None
    are = "cluster differs" if differing == 1 else "clusters differ"
    return f"only {differing} {are}: no p below {smallest_p:.2g} can come out, the level {level:.2g} is out of reach"


def _mcnemar(differences: NDArray[np.float64]) -> Test:
    """With b of one sign, c of the other, k = b + c: the share of |B − k/2| ≥ |b − k/2| for B from Bin(k, ½)."""
    one, other = int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0))
    k, fewer = one + other, min(one, other)
    tail = ways = 1
    for chosen in range(fewer):
        ways = ways * (k - chosen) // (chosen + 1)
        tail += ways
    p = min(1.0, 2 * tail / 2**k)
    return Test(p, _smallest_p(k), k, "McNemar, exact", None if k else _NONE_DIFFERS)


def _smallest_p(differing: int) -> float:
    return min(1.0, 2.0 ** (1 - differing))


def _without_rounding(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=1)
    return np.where(np.abs(rows) > _ROUNDING * largest, rows, 0.0)


def _sum_statistic(column: NDArray[np.float64], sizes: NDArray[np.float64] | None) -> _Statistic:
    """The sum S of a cluster's s, over √Σ(s − n·S/N)². Where all clusters have the same size n, that is as far from 0
    as S alone.
    """
    if sizes is None or len(np.unique(sizes[sizes > 0])) < 2:
        least = abs(float(column.sum())) - _TIE * float(np.abs(column).sum())
        return _Statistic(column[None], lambda sums: np.abs(sums[0]) >= least)
    total, squares, of_sizes = sizes.sum(), (column**2).sum(), (sizes**2).sum()

    def quotient(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        mean = sums[0] / total
        spread = squares - 2 * mean * sums[1] + mean**2 * of_sizes
        return _quotient(sums[0] ** 2, spread, squares)

    parts = np.stack([column, column * sizes])
    least = float(quotient(parts.sum(axis=1, keepdims=True))[0]) * (1 - _TIE)
    return _Statistic(parts, lambda sums: quotient(sums) >= least)


def _quotient(
    square: NDArray[np.float64], spread: NDArray[np.float64], size: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """The square of a difference over that and its spread, which has the order of `size`: from 0 to 1."""
    together = square + np.maximum(spread, 0)
    found: NDArray[np.float64] = np.divide(
        square, together, out=np.zeros_like(square), where=together > _ROUNDING * size
    )
    return found


def _swap_statistic(terms: Sequence[Term]) -> _Statistic | None:
    """None where the difference is not defined.

    An arm's sum is (Σa + Σb)/2 + Σ(a − b)/2 for arm a, with − for arm b; the second sum changes its signs.
    """
    first = np.array([entries for term in terms for entries in term[1:3]], dtype=np.float64)
    second = np.array([entries for term in terms for entries in term[3:]], dtype=np.float64)
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a cluster's numerator or denominator is not a finite number; without records both are 0")
    if (first[1::2] < 0).any() or (second[1::2] < 0).any():
        raise ValueError("a cluster's denominator is below 0")
    middle = (first + second).sum(axis=1, keepdims=True) / 2
    parts = _without_rounding((first - second) / 2)
    coefficients = np.array([term.coefficient for term in terms])

    def arms(sums: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return [_terms(coefficients, arm, middle) for arm in (middle + sums, middle - sums)]

    if not parts[1::2].any():
        # Both arms have the same records: the sum of differences has one standard error, whatever is exchanged.
        def difference(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            """The difference for each flip, nan where it is not defined, and the sum of all terms' sizes."""
            one, other = arms(sums)
            return one.sum(axis=0) - other.sum(axis=0), np.abs([one, other]).sum(axis=(0, 1))

        observed = abs(float(difference(parts.sum(axis=1, keepdims=True))[0][0]))

        def reaches(sums: NDArray[np.float64]) -> NDArray[np.bool_]:
            value, size = difference(sums)
            falls_short: NDArray[np.bool_] = np.abs(value) < observed - _TIE * size
            return ~falls_short

        return None if np.isnan(observed) else _Statistic(parts, reaches)

    products = _Products(np.concatenate([first, second]))
    linear = len(parts)

    def studentised(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each flip, nan where the difference is not defined."""
        one, other = arms(sums[:linear])
        weights = []
        for sign, ratios, below in (
            (1.0, one, (middle + sums[:linear])[1::2]),
            (-1.0, other, (middle - sums[:linear])[1::2]),
        ):
            of_numerators = sign * coefficients[:, None] / below
            weights += [np.stack([of_numerators, -sign * ratios / below], axis=1).reshape(linear, -1)]
        value = one.sum(axis=0) - other.sum(axis=0)
        spread, size = products.spread(np.concatenate(weights), sums[linear:])
        return np.where(np.isnan(value), np.nan, _quotient(np.nan_to_num(value) ** 2, spread, size))

    parts = np.concatenate([parts, products.parts])
    with np.errstate(divide="ignore", invalid="ignore"):
        least = float(studentised(parts.sum(axis=1, keepdims=True))[0])

    def reaches_studentised(sums: NDArray[np.float64]) -> NDArray[np.bool_]:
        with np.errstate(divide="ignore", invalid="ignore"):
            falls_short: NDArray[np.bool_] = studentised(sums) < least * (1 - _TIE)
        return ~falls_short

    return None if np.isnan(least) else _Statistic(parts, reaches_studentised)


class _Products:
    """Sums over clusters of the products of what both arms have there: from these comes the spread of a difference.

    An exchange of a cluster's arms exchanges product ij with the product of their counterparts. So of each such pair
    half the sum stays, and half the difference changes its sign.
    """

    def __init__(self, rows: NDArray[np.float64]) -> None:
        half = len(rows) // 2
        pairs = [(i, j) for i in range(len(rows)) for j in range(i, len(rows))]
        kept: dict[tuple[int, int], tuple[int, float]] = {}
        parts: list[NDArray[np.float64]] = []
        self._constant: list[float] = []
        for i, j in pairs:
            low, high = sorted(((i + half) % len(rows), (j + half) % len(rows)))
            mirrored = low, high
            if mirrored in kept:
                place, _ = kept[mirrored]
                kept[i, j] = (place, -1.0)
                continue
            one, other = rows[i] * rows[j], rows[low] * rows[high]
            kept[i, j] = (len(parts), 1.0)
            parts.append((one - other) / 2)
            self._constant.append(float((one + other).sum()) / 2)
        self.parts = np.stack(parts)
        self._kept = kept

    def spread(
        self, weights: NDArray[np.float64], sums: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Σ(Σ weight · row)² over clusters for each flip, and the size of what it is made of."""
        total, size = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
        for (i, j), (place, sign) in self._kept.items():
            term = (1 if i == j else 2) * weights[i] * weights[j] * (self._constant[place] + sign * sums[place])
            total += term
            size += np.abs(term)
        return total, size


def _terms(
    coefficients: NDArray[np.float64], sums: NDArray[np.float64], middle: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Terms × flips, from numerators and denominators by turns; nan where a denominator is 0 but for rounding."""
    above, below = sums[::2], sums[1::2]
    ratios = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > _TIE * middle[1::2])
    terms: NDArray[np.float64] = coefficients[:, None] * ratios
    return terms


def _tests(statistics: Sequence[_Statistic], method: str) -> list[Test]:
    """p is the share of flips that reach what was observed."""
    drawn = iter(_reached_when_drawn([statistic for statistic in statistics if statistic.differing > MOST_COMPLETE]))
    tests = []
    for parts, reaches in statistics:
        flipping = parts[:, parts.any(axis=0)]
        differing = flipping.shape[1]
        if differing <= MOST_COMPLETE:
            p, smallest = float(np.mean(reaches(flipping @ _all_signs(differing).T))), _smallest_p(differing)
            how = f"{method}, complete"
        else:
            p, smallest = (1 + next(drawn)) / (DRAWN + 1), 1 / (DRAWN + 1)
            how = f"{method}, {DRAWN:,} drawn"
        tests.append(Test(p, smallest, differing, how, None if differing else _NONE_DIFFERS))
    return tests


def _reached_when_drawn(statistics: list[_Statistic]) -> list[int]:
    """How many of the drawn flips reach what was observed, for each statistic."""
    if not statistics:
        return []
    parts = np.concatenate([statistic.parts for statistic in statistics])
    # Clusters in which nothing differs take no part in the draw: they change no p.
    parts = parts[:, parts.any(axis=0)]
    ends = np.cumsum([len(statistic.parts) for statistic in statistics]).tolist()
    reached = [0] * len(statistics)
    for signs in _drawn_signs(parts.shape[1], max(1, _NUMBERS_AT_ONCE // max(parts.shape))):
        sums = parts @ signs.T
        for number, (statistic, end) in enumerate(zip(statistics, ends, strict=True)):
            reached[number] += int(np.count_nonzero(statistic.reaches(sums[end - len(statistic.parts) : end])))
    return reached


@cache
def _all_signs(clusters: int) -> NDArray[np.float64]:
    """Flips × clusters. The first is never flipped: a flip and its reverse give differences of the same size."""
    numbers = np.arange(2 ** max(clusters - 1, 0))[:, None]
    return 1 - 2 * ((numbers >> np.arange(clusters)[::-1]) & 1).astype(np.float64)


def _drawn_signs(clusters: int, at_once: int) -> Iterator[NDArray[np.float64]]:
    """The 9,999 flips (flips × clusters) in portions, from raw bits: the same on every machine, with every numpy."""
    bits = np.random.PCG64(_SEED)
    words = -(-clusters // 64)
    for start in range(0, DRAWN, at_once):
        flips = min(at_once, DRAWN - start)
        raw = bits.random_raw(flips * words).astype("<u8").view(np.uint8).reshape(flips, words * 8)
        yield 1 - 2 * np.unpackbits(raw, axis=1, count=clusters).astype(np.float64)
