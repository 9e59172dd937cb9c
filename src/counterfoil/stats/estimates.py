"""From records to estimates: what a suite calls.

Each kind of number comes in two forms. One takes plain values with their clusters and makes one estimate. The other,
named in the plural, takes a frame of records with the columns `model` and `variant` and makes one estimate for each
model, variant and group, sorted by these, in one pass. Values that are None (null) are left out; a group of which
nothing is left still gets its estimate, without a value. Records without a value in a column of `by` are in no group.
Weights of 0 leave a record out; the weights' scale does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterfoil.stats.estimate import Estimate
from counterfoil.stats.intervals import agresti_caffo, bonett_price, fieller, wilson
from counterfoil.stats.spread import CONFIDENCE
from counterfoil.stats.sums import Columns, arm_sums, mean_sums, ratio_sums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Interval
    from counterfoil.stats.sums import Layout, MeanSums

    Values = Sequence[float | None] | NDArray[np.generic] | pl.Series
    Clusters = Sequence[str] | Sequence[int] | NDArray[np.generic] | pl.Series
    Group = Mapping[str, str | int]


def proportion(
    values: Values,
    clusters: Clusters,
    *,
    metric: str,
    model: str,
    variant: str,
    group: Group | None = None,
    weights: Values | None = None,
) -> Estimate:
    """The mean of values in 0…1 (shares, scores, F1), with Wilson's interval."""
    frame, columns = _frame({"value": values}, clusters, weights)
    _, layout, sums = mean_sums(frame, columns, "value", low=0)
    return _estimate(wilson(layout, sums)[0], metric, model, variant, group or {})


def proportions(
    frame: pl.DataFrame,
    value: str,
    *,
    metric: str,
    by: Sequence[str] = (),
    cluster: str = "cluster",
    weight: str | None = None,
) -> list[Estimate]:
    """`proportion` of the column `value`, for each model, variant and group."""
    keys, layout, sums = mean_sums(frame, _columns(by, cluster, weight), value, low=0)
    return _estimates(keys, by, wilson(layout, sums), metric)


def signed_mean(
    values: Values,
    clusters: Clusters,
    *,
    metric: str,
    model: str,
    variant: str,
    group: Group | None = None,
    weights: Values | None = None,
    most_per_cluster: float | None = None,
) -> Estimate:
    """The mean of values in −1…1 (paired differences, gaps), with the interval of Bonett and Price.

    `most_per_cluster` limits the effective number of values to that many for each cluster (3 for `excess_gap`).
    """
    frame, columns = _frame({"value": values}, clusters, weights)
    _, layout, sums = mean_sums(frame, columns, "value", low=-1)
    [interval] = bonett_price(layout, sums, most_per_cluster=most_per_cluster)
    return _estimate(interval, metric, model, variant, group or {})


def signed_means(
    frame: pl.DataFrame,
    value: str,
    *,
    metric: str,
    by: Sequence[str] = (),
    cluster: str = "cluster",
    weight: str | None = None,
    most_per_cluster: float | None = None,
    balanced: bool = False,
    added: float = 1.0,
    tested: bool = False,
) -> list[Estimate]:
    """`signed_mean` of the column `value`, for each model, variant and group. `balanced`: by design, a cluster holds as
    many records that pull up as that pull down, so that the correlation within it may be negative. `added` is that of
    `bonett_price`. `tested`: with p of the test that flips the signs of clusters, after Holm over the groups of each
    model and variant.
    """
    keys, layout, sums = mean_sums(frame, _columns(by, cluster, weight), value, low=-1)
    least = -1.0 if balanced else 0.0
    intervals = bonett_price(layout, sums, most_per_cluster=most_per_cluster, least_correlation=least, added=added)
    estimates = _estimates(keys, by, intervals, metric)
    return _with_p(estimates, layout, sums) if tested else estimates


def difference(
    values: Values,
    first: Sequence[bool] | NDArray[np.generic] | pl.Series,
    clusters: Clusters,
    *,
    metric: str,
    model: str,
    variant: str,
    group: Group | None = None,
    weights: Values | None = None,
) -> Estimate:
    """The mean of values in 0…1 where `first` is true minus the mean where it is false, after Agresti and Caffo.

    For two kinds of records that share clusters; where each record of one kind has its partner in the other, take
    the `signed_mean` of the pairs' differences instead.
    """
    frame, columns = _frame({"value": values, "first": first}, clusters, weights)
    _, layout, one, other = arm_sums(frame, columns, "value", "first")
    return _estimate(agresti_caffo(layout, one, other)[0], metric, model, variant, group or {})


def differences(
    frame: pl.DataFrame,
    value: str,
    *,
    first: str,
    metric: str,
    by: Sequence[str] = (),
    cluster: str = "cluster",
    weight: str | None = None,
) -> list[Estimate]:
    """`difference` of the column `value`, by the boolean column `first`, for each model, variant and group."""
    keys, layout, one, other = arm_sums(frame, _columns(by, cluster, weight), value, first)
    return _estimates(keys, by, agresti_caffo(layout, one, other), metric)


def ratio(
    numerators: Values,
    denominators: Values,
    clusters: Clusters,
    *,
    metric: str,
    model: str,
    variant: str,
    group: Group | None = None,
    weights: Values | None = None,
) -> Estimate:
    """The sum of the numerators over the sum of the denominators, each in 0…1, with Fieller's interval."""
    frame, columns = _frame({"numerator": numerators, "denominator": denominators}, clusters, weights)
    _, layout, sums = ratio_sums(frame, columns, "numerator", "denominator")
    return _estimate(fieller(layout, sums)[0], metric, model, variant, group or {})


def ratios(
    frame: pl.DataFrame,
    numerator: str,
    denominator: str,
    *,
    metric: str,
    by: Sequence[str] = (),
    cluster: str = "cluster",
    weight: str | None = None,
) -> list[Estimate]:
    """`ratio` of two columns, for each model, variant and group."""
    keys, layout, sums = ratio_sums(frame, _columns(by, cluster, weight), numerator, denominator)
    return _estimates(keys, by, fieller(layout, sums), metric)


def _with_p(estimates: list[Estimate], layout: Layout, sums: MeanSums) -> list[Estimate]:
    import numpy as np

    from counterfoil.stats.multiplicity import holm
    from counterfoil.stats.signflips import sign_flip_test

    families: dict[tuple[str, str], list[Estimate]] = {}
    for number, estimate in enumerate(estimates):
        mine = layout.estimate == number
        test = sign_flip_test(sums.s[mine], sums.records[mine].astype(np.int64))
        estimate.p = test.p if estimate.value is not None else None
        estimate.method = f"{estimate.method}; {test.method}"
        families.setdefault((estimate.model, estimate.variant), []).append(estimate)
    for family in families.values():
        for estimate, adjusted in zip(family, holm([it.p for it in family]), strict=True):
            estimate.p = adjusted
    return estimates


def _frame(values: Mapping[str, Any], clusters: Clusters, weights: Values | None) -> tuple[pl.DataFrame, Columns]:
    import polars as pl

    columns = [pl.Series(name, column, dtype=pl.Float64) for name, column in values.items()]
    columns.append(pl.Series("cluster", clusters))
    if weights is not None:
        columns.append(pl.Series("weight", weights, dtype=pl.Float64))
    return pl.DataFrame(columns), Columns((), "cluster", None if weights is None else "weight")


def _columns(by: Sequence[str], cluster: str, weight: str | None) -> Columns:
    return Columns(("model", "variant", *by), cluster, weight)


def _estimates(
    keys: list[tuple[Any, ...]], by: Sequence[str], intervals: list[Interval], metric: str
) -> list[Estimate]:
    return [
        _estimate(interval, metric, model, variant, dict(zip(by, group, strict=True)))
        for (model, variant, *group), interval in zip(keys, intervals, strict=True)
    ]


def _estimate(interval: Interval, metric: str, model: str, variant: str, group: Group) -> Estimate:
    return Estimate(
        metric=metric,
        model=model,
        variant=variant,
        group=dict(group),
        value=interval.value,
        low=interval.low,
        high=interval.high,
        confidence=CONFIDENCE,
        n=interval.n,
        clusters=interval.clusters,
        method=interval.method,
        note=interval.note,
    )
