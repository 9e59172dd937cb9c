"""From records to estimates: what a suite calls.

Each kind of number comes in two forms. One takes plain values with their clusters and makes one estimate. The other,
named in the plural, takes a frame of records with the columns `model` and `variant` and makes one estimate for each
model, variant and group, sorted by these, in one pass. Values that are None (null) are left out; a group of which
nothing is left still gets its estimate, without a value. Records without a value in a column of `by` are in no group.
Weights of 0 leave a record out; the weights' scale does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import polars as pl

from counterfoil.stats.intervals import agresti_caffo, bonett_price, fieller, wilson
from counterfoil.stats.sums import Columns, arm_sums, mean_sums, ratio_sums
from counterfoil.stats.tested.means import add_flips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Estimate, Interval, Names
    from counterfoil.stats.sums import Keys

    Values = Sequence[float | None] | NDArray[np.generic] | pl.Series
    Clusters = Sequence[str] | Sequence[int] | NDArray[np.generic] | pl.Series


class Grouping(TypedDict, total=False):
    """The columns whose values make the groups, that of the clusters (else `cluster`), and that of weights if any."""

    by: Sequence[str]
    cluster: str
    weight: str | None


def proportion(
    values: Values, clusters: Clusters, *, weights: Values | None = None, **names: Unpack[Names]
) -> Estimate:
    """The mean of values in 0…1 (shares, scores, F1), with Wilson's interval.

    The names are `metric`, `model`, `variant`, and a `group` if it is one of several.
    """
    _, layout, sums = mean_sums(*_frame(clusters, weights, value=values), "value", low=0)
    return wilson(layout, sums)[0].estimate(**names)


def proportions(frame: pl.DataFrame, value: str, *, metric: str, **grouping: Unpack[Grouping]) -> list[Estimate]:
    """`proportion` of the column `value`, for each model, variant and group.

    Of the grouping, `by` names the columns whose values make the groups, `cluster` the column of the clusters if it
    has another name, and `weight` the column of the weights if there are any.
    """
    keys, layout, sums = mean_sums(frame, _columns(**grouping), value, low=0)
    return _estimates(keys, grouping, wilson(layout, sums), metric)


def signed_mean(
    values: Values,
    clusters: Clusters,
    *,
    weights: Values | None = None,
    most_per_cluster: float | None = None,
    **names: Unpack[Names],
) -> Estimate:
    """The mean of values in −1…1 (paired differences, gaps), with the interval of Bonett and Price.

    `most_per_cluster` limits the effective number of values to that many for each cluster (3 for `excess_gap`).
    """
    _, layout, sums = mean_sums(*_frame(clusters, weights, value=values), "value", low=-1)
    return bonett_price(layout, sums, most_per_cluster=most_per_cluster)[0].estimate(**names)


def signed_means(
    frame: pl.DataFrame,
    value: str,
    *,
    metric: str,
    most_per_cluster: float | None = None,
    balanced: bool = False,
    tested: bool = False,
    **grouping: Unpack[Grouping],
) -> list[Estimate]:
    """`signed_mean` of the column `value`, for each model, variant and group. `balanced`: by design, a cluster holds as
    many records that pull up as that pull down, so that the correlation within it may be negative. `tested`: with p
    of the test that flips the signs of clusters, after Holm over the groups of each model and variant; the interval
    leaves 0 out only where p is at most 0.05.
    """
    keys, layout, sums = mean_sums(frame, _columns(**grouping), value, low=-1)
    least = -1.0 if balanced else 0.0
    intervals = bonett_price(layout, sums, most_per_cluster=most_per_cluster, least_correlation=least)
    estimates = _estimates(keys, grouping, intervals, metric)
    if tested:
        add_flips(estimates, layout, sums, most_per_cluster=most_per_cluster, least_correlation=least)
    return estimates


def difference(
    values: Values,
    first: Sequence[bool] | NDArray[np.generic] | pl.Series,
    clusters: Clusters,
    *,
    weights: Values | None = None,
    **names: Unpack[Names],
) -> Estimate:
    """The mean of values in 0…1 where `first` is true minus the mean where it is false, after Agresti and Caffo.

    For two kinds of records that share clusters; where each record of one kind has its partner in the other, take
    the `signed_mean` of the pairs' differences instead.
    """
    _, layout, one, other = arm_sums(*_frame(clusters, weights, value=values, first=first), "value", "first")
    return agresti_caffo(layout, one, other)[0].estimate(**names)


def differences(
    frame: pl.DataFrame, value: str, *, first: str, metric: str, **grouping: Unpack[Grouping]
) -> list[Estimate]:
    """`difference` of the column `value`, by the boolean column `first`, for each model, variant and group."""
    keys, layout, one, other = arm_sums(frame, _columns(**grouping), value, first)
    return _estimates(keys, grouping, agresti_caffo(layout, one, other), metric)


def ratio(
    numerators: Values,
    denominators: Values,
    clusters: Clusters,
    *,
    weights: Values | None = None,
    **names: Unpack[Names],
) -> Estimate:
    """The sum of the numerators over the sum of the denominators, each in 0…1, with Fieller's interval."""
    frame, columns = _frame(clusters, weights, numerator=numerators, denominator=denominators)
    _, layout, sums = ratio_sums(frame, columns, "numerator", "denominator")
    return fieller(layout, sums)[0].estimate(**names)


def ratios(
    frame: pl.DataFrame,
    numerator: str,
    denominator: str,
    *,
    metric: str,
    low: float = 0.0,
    **grouping: Unpack[Grouping],
) -> list[Estimate]:
    """`ratio` of two columns, for each model, variant and group. With a `low` of −1 numerators are what denominators
    have more than a third number in 0…1, and a ratio is at most 1.
    """
    keys, layout, sums = ratio_sums(frame, _columns(**grouping), numerator, denominator, low)
    return _estimates(keys, grouping, fieller(layout, sums, low=low), metric)


def _frame(clusters: Clusters, weights: Values | None, **values: Any) -> tuple[pl.DataFrame, Columns]:
    numbers = values if weights is None else {**values, "weight": weights}
    columns = [pl.Series(name, column, dtype=pl.Float64) for name, column in numbers.items()]
    frame = pl.DataFrame([*columns, pl.Series("cluster", clusters)])
    return frame, Columns((), "cluster", None if weights is None else "weight")


def _columns(by: Sequence[str] = (), cluster: str = "cluster", weight: str | None = None) -> Columns:
    return Columns(("model", "variant", *by), cluster, weight)


def _estimates(keys: Keys, grouping: Grouping, intervals: list[Interval], metric: str) -> list[Estimate]:
    by = grouping.get("by", ())
    return [
        interval.estimate(metric=metric, model=model, variant=variant, group=dict(zip(by, group, strict=True)))
        for (model, variant, *group), interval in zip(keys, intervals, strict=True)
    ]
