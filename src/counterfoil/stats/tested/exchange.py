"""Is one arm of answers better than another to the same item? A test that exchanges answers within items.

An original and the draws that were made of it are answers to questions of one kind. Where nothing is remembered, any of
these answers could as well have been the original's. So for each item the names of the arms are dealt anew among its
answers, 9,999 times, and what is observed is held against that: exact, however skewed the differences of an item are.
(Sign flips take them for symmetric. An able model has many small differences on one side, few large ones on the other.)

The statistic is studentised over clusters, so that the test also holds where an item's arms do differ, for better in
some items and for worse in others, and where items of a cluster go together:

    ḡ = Σs/N,   w = ḡ/√(ḡ² + e²),   e² = G/(G − 1)·Σ(s − ḡ·n)²/N²

s is the sum of a cluster's n differences of means, over G clusters and N items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.spread import level_in_force

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWN = 9_999

_SEED = 20240229
_TIE = 1e-9
_ROUNDING = 1e-10
_NUMBERS_AT_ONCE = 2_000_000


class Item(NamedTuple):
    """The values of both arms' answers to one item, and its cluster, numbered from 0."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    cluster: int


class Exchange(NamedTuple):
    """The two-sided p, and the interval that goes with it: of 95 % it holds 0 exactly where p is above 0.05."""

    p: float
    low: float
    high: float
    method: str = f"answers exchanged within items, {DRAWN:,} drawn"


# How many answers of an item are the first arm's, and all its answers; a cluster's items, sorted.
_Kind = tuple[int, tuple[float, ...]]
_Cluster = tuple[_Kind, ...]


class _Outcomes(NamedTuple):
    """The sums of differences of means that a cluster can have, with the chance that one is at most this one."""

    values: NDArray[np.float64]
    up_to: NDArray[np.float64]


def exchange_test(items: Sequence[Item]) -> Exchange:
    """The test of the mean difference of items. Each has an answer in both arms.

    With w* of the drawn exchanges, p is twice the smaller of the shares of draws with w* ≥ w and with w* ≤ w, the
    observed one counted in. The interval is ḡ − t·e, where t are the quotients ḡ*/e* at which p reaches its level.
    """
    clusters: dict[int, list[Item]] = {}
    for item in items:
        clusters.setdefault(item.cluster, []).append(item)
    sums = [sum(float(np.mean(one.first) - np.mean(one.second)) for one in some) for some in clusters.values()]
    n = np.array([len(some) for some in clusters.values()], dtype=np.float64)
    mean, error = _mean_and_error(np.array([sums]), n)
    w = _bounded(mean, error)[0]
    kinds = [tuple(sorted(map(_kind, some))) for some in clusters.values()]
    drawn = np.sort(_drawn(kinds))
    drawn[np.abs(drawn) < _TIE] = 0.0
    above, below = (drawn >= w - _TIE).sum(), (drawn <= w + _TIE).sum()
    p = min(1.0, 2 * (1 + int(min(above, below))) / (DRAWN + 1))
    allowed = max(1, round(level_in_force() / 2 * (DRAWN + 1)))
    least, most = (_quotient(drawn[place]) for place in (allowed - 1, -allowed))
    low, high = (_bound(float(mean[0]), float(error[0]), t) for t in (most, least))
    return Exchange(p, max(low, -1.0), min(high, 1.0))


def _kind(item: Item) -> _Kind:
    return len(item.first), tuple(sorted(item.first + item.second))


def _bound(mean: float, error: float, t: float) -> float:
    if np.isinf(t):
        return -t
    bound = mean - t * error
    return 0.0 if abs(bound) < _TIE else bound


def _quotient(w: float) -> float:
    return float(np.copysign(np.inf, w)) if abs(w) >= 1 - _TIE else float(w / np.sqrt(1 - w * w))


def _bounded(mean: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
    # What equal numbers leave of each other by rounding is nothing.
    mean, error = (np.where(np.abs(part) > _ROUNDING, part, 0.0) for part in (mean, error))
    size = np.sqrt(mean**2 + error**2)
    return np.divide(mean, size, out=np.zeros_like(mean), where=size > 0)


def _mean_and_error(
    sums: NDArray[np.float64], n: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ḡ and e of each row of sums (exchanges × clusters)."""
    mean = sums.sum(axis=1) / n.sum()
    residuals = sums - mean[:, None] * n
    return mean, np.sqrt((residuals**2).sum(axis=1) * _correction(len(n))) / n.sum()


def _correction(clusters: int) -> float:
    return clusters / max(clusters - 1, 1)


def _drawn(kinds: Sequence[_Cluster]) -> NDArray[np.float64]:
    """w of the drawn exchanges."""
    counts = Counter(kinds)
    outcomes = {kind: _outcomes(kind) for kind in sorted(counts)}
    if all(len(kind) == 1 and len(found.values) <= 2 for kind, found in outcomes.items()):
        return _drawn_by_kind(counts, outcomes)
    ends = np.cumsum([counts[kind] for kind in outcomes]).tolist()
    n = np.repeat([float(len(kind)) for kind in outcomes], [counts[kind] for kind in outcomes])
    drawn = []
    bits = np.random.PCG64(_SEED)
    at_once = max(1, _NUMBERS_AT_ONCE // len(kinds))
    for start in range(0, DRAWN, at_once):
        rows = min(at_once, DRAWN - start)
        sums = _uniform(bits, rows * len(kinds)).reshape(rows, len(kinds))
        for (kind, found), end in zip(outcomes.items(), ends, strict=True):
            mine = slice(end - counts[kind], end)
            sums[:, mine] = found.values[np.searchsorted(found.up_to, sums[:, mine], side="right")]
        drawn.append(_bounded(*_mean_and_error(sums, n)))
    return np.concatenate(drawn)


def _drawn_by_kind(counts: Counter[_Cluster], outcomes: dict[_Cluster, _Outcomes]) -> NDArray[np.float64]:
    """The same where each item is a cluster and has one of two differences: how many have the second is binomial."""
    sums, squares = np.zeros(DRAWN), np.zeros(DRAWN)
    for chances, (kind, found) in zip(_columns(len(outcomes)), outcomes.items(), strict=True):
        count, one, other = counts[kind], found.values[0], found.values[-1]
        chance = 1 - found.up_to[0] if len(found.values) > 1 else 0.0
        second = np.searchsorted(_binomial(count, chance), chances, side="right")
        sums += one * (count - second) + other * second
        squares += one**2 * (count - second) + other**2 * second
    total = counts.total()
    mean = sums / total
    spread = np.maximum(squares - total * mean**2, 0)
    # What is left of equal numbers but for rounding is nothing.
    spread[spread < _TIE * squares] = 0.0
    return _bounded(mean, np.sqrt(spread * _correction(total)) / total)


def _binomial(count: int, chance: float) -> NDArray[np.float64]:
    """The chances of at most 0, 1, … `count` − 1."""
    if chance <= 0:
        return np.ones(count)
    odds = np.log(chance / (1 - chance))
    logs = np.cumsum([0.0, *(np.log((count - k) / (k + 1)) + odds for k in range(count))])
    shares = np.exp(logs - logs.max())
    below: NDArray[np.float64] = np.cumsum(shares / shares.sum())[:-1]
    return below


@cache
def _outcomes(cluster: _Cluster) -> _Outcomes:
    """The sums that a cluster of these items can have: those of its items, added in every way."""
    sums = {0.0: 1.0}
    for item in cluster:
        added: dict[float, float] = {}
        for (one, chance), (other, by) in product(sums.items(), _differences(*item).items()):
            total = round(one + other, 9)
            added[total] = added.get(total, 0.0) + chance * by
        sums = added
    values = np.array(sorted(sums))
    return _Outcomes(values, np.cumsum([sums[each] for each in values.tolist()])[:-1])


@cache
def _differences(first: int, values: tuple[float, ...]) -> dict[float, float]:
    """The differences of means of an item with these answers, `first` of which are of the first arm."""
    total, count = sum(values), len(values)
    if set(values) <= {0.0, 1.0}:
        right = round(total)
        fewest, most = max(0, first - (count - right)), min(first, right)
        ways = {float(k): comb(right, k) * comb(count - right, first - k) for k in range(fewest, most + 1)}
    else:
        ways = dict(Counter(round(sum(some), 9) for some in combinations(values, first)))
    every = comb(count, first)
    return {of_first / first - (total - of_first) / (count - first): n / every for of_first, n in ways.items()}


def _uniform(bits: np.random.PCG64, number: int) -> NDArray[np.float64]:
    """Numbers in 0…1 from raw bits: the same on every machine, with every numpy."""
    return np.asarray((bits.random_raw(number) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


@cache
def _columns(number: int) -> NDArray[np.float64]:
    """For each of so many kinds a number in 0…1 for each exchange."""
    return _uniform(np.random.PCG64(_SEED), number * DRAWN).reshape(number, DRAWN)
