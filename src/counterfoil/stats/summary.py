"""From items to the estimates of the metrics that are declared over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from counterfoil.stats.estimates import differences, proportions, ratios, signed_means

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate
    from counterfoil.stats.metric import Items, Metric

    Key = tuple[str, str, str, frozenset[tuple[str, str | int]]]


def summarize(metrics: Iterable[Metric], items: Items) -> list[Estimate]:
    """An estimate of each metric that the items can tell, for each model, variant and group.

    Neighbours with the same groups are given group by group: all of them overall, then all of them by category.
    """
    made: list[Estimate] = []
    values: dict[Key, float | None] = {}
    for groups, neighbours in groupby(metrics, key=lambda metric: metric.groups):
        there = [metric for metric in neighbours if metric.is_there(items)]
        for by in groups:
            for metric in there:
                figures = _figures(metric, items[metric.draws or metric.of], by)
                if not metric.label:
                    values |= {_key(metric, figure): figure.value for figure in figures}
                made += [_told(metric, figure, values) for figure in figures]
    return made


def _figures(metric: Metric, frame: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    each = [metric.each] if metric.each is not None and frame[metric.each].count() else []
    counts = pl.lit(True) if metric.where is None else pl.col(metric.where)
    second = metric.minus or metric.over
    values = {"x": metric.mean, **({"y": second} if second else {})}
    frame = frame.with_columns(**{name: pl.when(counts).then(pl.col(str(column))) for name, column in values.items()})
    made = _estimates(metric, frame, [*by, *each])
    if metric.draws is not None:
        keys = ["model", "variant", *by, *each]
        items = frame.filter(pl.col("x").is_not_null()).unique([*keys, "item"])
        sizes = {key: len(rows) for key, rows in items.group_by(keys)}
        for figure in made:
            figure.n = sizes.get((figure.model, figure.variant, *figure.group.values()), 0)
    for figure in made:
        own = {name: figure.group.pop(name) for name in each}
        figure.group |= dict(metric.label) | own
    return made


def _estimates(metric: Metric, frame: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    """Of `x`, and of `y` where there is one."""
    names: dict[str, Any] = {"metric": metric.name, "by": by}
    if metric.over is not None:
        return ratios(frame, "x", "y", **names)
    if metric.minus is not None:
        arms = frame.with_columns(x=pl.coalesce("x", "y"), first=pl.col("x").is_not_null())
        return differences(arms, "x", first="first", **names)
    if metric.low < 0:
        refined = {name: getattr(metric, name) for name in ("balanced", "most_per_cluster", "added", "tested")}
        return signed_means(frame, "x", weight="weight" if metric.draws else None, **refined, **names)
    if metric.most is None:
        made = proportions(frame, "x", **names)
        return made if metric.scale == 1 else [_scaled(figure, metric.scale) for figure in made]
    end = frame.select(pl.max_horizontal(pl.col("x").max(), metric.most).cast(pl.Float64)).item()
    return [_scaled(figure, end) for figure in proportions(frame.with_columns(pl.col("x") / end), "x", **names)]


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate of a share as one of the number that it is a share of."""
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    changed = {name: number * factor for name, number in numbers.items() if number is not None}
    return msgspec.structs.replace(estimate, **changed)


def _key(metric: Metric, figure: Estimate) -> Key:
    own = dict(metric.label)
    return (
        metric.name,
        figure.model,
        figure.variant,
        frozenset(part for part in figure.group.items() if part[0] not in own),
    )


def _told(metric: Metric, figure: Estimate, values: dict[Key, float | None]) -> Estimate:
    """With the metric's note; without a value where that is above the limit."""
    if metric.note is not None:
        figure.note = "; ".join(filter(None, [metric.note, figure.note]))
    limit = metric.limit
    if limit is None or figure.value is None:
        return figure
    share = values.get((limit.metric.name, *_key(metric, figure)[1:]))
    if share is None or share <= limit.most:
        return figure
    return msgspec.structs.replace(figure, value=None, low=None, high=None, note=limit.note.format(share=share))
