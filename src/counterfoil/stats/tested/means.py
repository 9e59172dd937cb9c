"""Tests of estimates against 0, with p and interval in agreement.

A p and an interval are made by different rules, and one may see a difference that the other does not. What is reported
agrees: the interval leaves 0 out only where p, after Holm over the groups of a model and variant, is at most 0.05; or
at most the level in force (`at_confidence`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from counterfoil.stats.intervals import bonett_price
from counterfoil.stats.multiplicity import holm
from counterfoil.stats.power import LEVEL
from counterfoil.stats.signflips import sign_flip_tests
from counterfoil.stats.spread import level_in_force
from counterfoil.stats.sums import Layout, MeanSums
from counterfoil.stats.tested.exchange import Exchange, Item, exchange_test

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate, Interval

# Quantiles are exact up to here.
_LEAST_LEVEL = 2e-5
_STEPS = 10


def no_surer_than(
    ps: Sequence[float | None], intervals_at: Callable[[list[int], list[float]], Sequence[Interval]]
) -> list[float | None]:
    """Each p, or if that is more, the least level at which its interval leaves 0 out. A p above 0.05 stays as it is.

    `intervals_at` gives the intervals of the tests at these places, with these confidences.
    """
    found = list(ps)
    levels = {place: max(p, _LEAST_LEVEL) for place, p in enumerate(ps) if p is not None and p <= LEVEL}
    unsure = [place for place, apart in _apart(levels, intervals_at).items() if not apart]
    low, high = {place: levels[place] for place in unsure}, dict.fromkeys(unsure, 1.0)
    for _ in range(_STEPS if unsure else 0):
        middle = {place: math.sqrt(low[place] * high[place]) for place in unsure}
        for place, apart in _apart(middle, intervals_at).items():
            (high if apart else low)[place] = middle[place]
    for place in unsure:
        found[place] = high[place]
    return found


def _apart(
    levels: dict[int, float], intervals_at: Callable[[list[int], list[float]], Sequence[Interval]]
) -> dict[int, bool]:
    """Whether the intervals at these levels leave 0 out."""
    if not levels:
        return {}
    intervals = intervals_at(list(levels), [1 - level for level in levels.values()])
    return {
        place: one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)
        for place, one in zip(levels, intervals, strict=True)
    }


def add_flips(
    estimates: Sequence[Estimate],
    layout: Layout,
    sums: MeanSums,
    *,
    most_per_cluster: float | None,
    least_correlation: float,
) -> None:
    """p of the test that flips the signs of whole clusters, for the means of these sums."""
    parts = [layout.estimate == number for number in range(len(estimates))]
    tests = [
        sign_flip_tests(sums.s[mine, None], sums.records[mine, None].astype(np.int64))[0]
        if estimate.value is not None
        else None
        for mine, estimate in zip(parts, estimates, strict=True)
    ]

    def intervals_at(places: list[int], confidences: list[float]) -> list[Interval]:
        found = []
        for place, confidence in zip(places, confidences, strict=True):
            mine = parts[place]
            [interval] = bonett_price(
                Layout(np.zeros(int(mine.sum()), dtype=np.int64), 1),
                MeanSums(*(part[mine] for part in sums)),
                most_per_cluster=most_per_cluster,
                least_correlation=least_correlation,
                confidence=confidence,
            )
            found.append(interval)
        return found

    ps = no_surer_than([None if test is None else test.p for test in tests], intervals_at)
    for estimate, test, p in zip(estimates, tests, ps, strict=True):
        if test is not None:
            estimate.p, estimate.method = p, f"{estimate.method}; {test.method}"
    _agree(estimates)


def add_exchanges(
    estimates: Sequence[Estimate], answers: pl.DataFrame, keys: Sequence[str], *, is_mean: bool = True
) -> None:
    """p of the test that exchanges answers within items, and bounds that agree with it.

    `answers` has the columns `keys` (model, variant and those of the group), `cluster`, `item`, `value`, `first`. Where
    the test tells the mean from 0 and the estimate's own interval does not, its bound is that of the test's interval.
    With `is_mean` false, estimates are no means of differences: their p is not told, since their own intervals may hold
    0 where the test does not.
    """
    items = _items(answers, keys)
    for estimate in estimates:
        mine = items.get((estimate.model, estimate.variant, *estimate.group.values()), [])
        if estimate.value is None or not mine:
            continue
        test = exchange_test(mine)
        estimate.p = test.p
        estimate.method = f"{estimate.method}; {test.method}"
        if is_mean and test.p <= level_in_force():
            _pull_off_0(estimate, test)
    _agree(estimates)
    if not is_mean:
        for estimate in estimates:
            estimate.p = None


def _items(answers: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[object, ...], list[Item]]:
    """The items of each estimate that have answers in both arms."""
    first, value = pl.col("first"), pl.col("value")
    by_item = (
        answers.drop_nulls([*keys, "value"])
        .with_columns(pl.col("cluster").rank("dense"))
        .group_by([*keys, "cluster", "item"], maintain_order=True)
        .agg(one=value.filter(first), other=value.filter(~first))
        .filter(pl.col("one").list.len() > 0, pl.col("other").list.len() > 0)
    )
    found: dict[tuple[object, ...], list[Item]] = {}
    for *key, cluster, _, one, other in by_item.iter_rows():
        found.setdefault(tuple(key), []).append(Item(tuple(one), tuple(other), cluster))
    return found


def _pull_off_0(estimate: Estimate, test: Exchange) -> None:
    if estimate.low is not None and estimate.low <= 0 < test.low:
        estimate.low = test.low
    if estimate.high is not None and test.high < 0 <= estimate.high:
        estimate.high = test.high


def _agree(estimates: Iterable[Estimate]) -> None:
    """p after Holm over the estimates of a model and variant; intervals drawn up to 0 where it is above 0.05."""
    families: dict[tuple[str, str], list[Estimate]] = {}
    for estimate in estimates:
        families.setdefault((estimate.model, estimate.variant), []).append(estimate)
    for family in families.values():
        for estimate, p in zip(family, holm([estimate.p for estimate in family]), strict=True):
            estimate.p = p
            if p is not None and p > level_in_force() and estimate.low is not None and estimate.high is not None:
                estimate.low, estimate.high = min(estimate.low, 0.0), max(estimate.high, 0.0)
