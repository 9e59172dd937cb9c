"""What a second reading says: how far it agrees with the rules, and what the headline figures would be by it.

All figures here are over the replies that the second reader was given: of each model and variant, and over all of them
together where there are several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from counterfoil.running.records import TEXT_COLUMNS, frame_of
from counterfoil.running.rows import Reread
from counterfoil.stats.estimate import ALL, Estimate
from counterfoil.stats.metric import Metric
from counterfoil.stats.pairing import Arms, Case, Difference, differences_of
from counterfoil.stats.summary import summarize
from counterfoil.suite.form import NONE
from counterfoil.suite.second_reader import (
    DIFFERENCE,
    PART_AGREEMENT,
    READING,
    READING_AGREEMENT,
    REREAD,
    REREAD_PART,
    RULES,
    SECOND,
)
from counterfoil.suite.suite import AnySuite

Frames = dict[str, pl.DataFrame]
_WHO = ["model", "variant"]
_ABOUT = (*_WHO, "cluster")


def second_figures(suite: AnySuite, reread: Sequence[Reread]) -> list[Estimate]:
    """The agreement, then each headline figure by the rules, by the second reader, and how far it moves."""
    if not reread:
        return []
    # Replies come in any order, and sums of doubles differ with it in the last digits.
    columns = (*_WHO, *suite.identity, "repeat")
    reread = sorted(reread, key=lambda one: [str(one.first[name]) for name in columns])
    return [*_agreement(suite, reread), *_figures(suite, reread)]


def _agreement(suite: AnySuite, reread: Sequence[Reread]) -> list[Estimate]:
    # Where no reading says how it came about, the suite does not tell.
    nothing = NONE if any(one.first["read_by"] for one in reread) else None
    rows = [
        {**{name: one.first[name] for name in _ABOUT}, "read_by": one.first["read_by"] or nothing}
        | {"part": part, "same": same}
        for one in reread
        for part, same in [(None, all(one.same.values())), *one.same.items()]
        if one.same
    ]
    if not rows:
        return []
    frame = pl.DataFrame(rows, schema_overrides={"read_by": pl.String, "part": pl.String})
    frame = _with_all(frame.with_columns(pl.col("same").cast(pl.Float64)))
    is_whole = pl.col("part").is_null()
    parts = [PART_AGREEMENT] if len(suite.read_columns) > 1 else []
    return summarize(
        [READING_AGREEMENT, *parts], {REREAD: frame.filter(is_whole), REREAD_PART: frame.filter(~is_whole)}
    )


def _with_all(frame: pl.DataFrame, *, item: bool = False) -> pl.DataFrame:
    """The rows of each model and variant, and once more as those of all, where there are several."""
    if frame.select(_WHO).n_unique() < 2:
        return frame
    all_of_them: dict[str, Any] = {"model": pl.lit(ALL), "variant": pl.lit(ALL)}
    if item:
        all_of_them["item"] = pl.format("{} {} {}", *_WHO, "item")
    return pl.concat([frame, frame.with_columns(**all_of_them)])


def _figures(suite: AnySuite, reread: Sequence[Reread]) -> list[Estimate]:
    sides = {RULES: [one.first for one in reread], SECOND: [one.second for one in reread]}
    items: dict[str, Frames] = {}
    for reading, rows in sides.items():
        records = frame_of(rows, suite.columns).drop(TEXT_COLUMNS)
        items[reading] = {kind: _with_all(frame, item=True) for kind, frame in suite.items(records).items()}
    metrics = [
        metric.changed(groups=((),))
        for metric in suite.metrics
        if metric.headline
        and () in metric.groups
        and metric.each is None
        and {key for key, _ in metric.label} <= set(suite.beside_overall)
    ]
    metrics = [metric for metric in metrics if all(metric.is_there(frames) for frames in items.values())]
    by_rules, by_second = (summarize(metrics, frames) for frames in items.values())
    found = []
    for one in by_rules:
        other = next((other for other in by_second if _names(other) == _names(one)), None)
        metric = next(metric for metric in metrics if (metric.name, dict(metric.label)) == (one.metric, one.group))
        if other is not None:
            found += [_of(one, RULES), _of(other, SECOND), _moved(metric, items, one, other)]
    return found


def _names(one: Estimate) -> tuple[Any, ...]:
    return one.metric, one.model, one.variant, one.group


def _of(one: Estimate, reading: str) -> Estimate:
    one.group = {**one.group, READING: reading}
    return one


def _moved(metric: Metric, items: Mapping[str, Frames], one: Estimate, other: Estimate) -> Estimate:
    """The figure by the second reader minus that by the rules, paired item by item."""
    missing = next((side for side in (one, other) if side.value is None), None)
    if missing is not None:
        numbers: dict[str, Any] = dict.fromkeys(("value", "low", "high"))
        about: dict[str, Any] = {"n": 0, "clusters": 0, "method": missing.method, "note": missing.note}
    else:
        difference = _difference(metric, items, one)
        interval = difference.interval
        numbers = {name: getattr(interval, name) for name in ("value", "low", "high")}
        n = difference.pairs if len(metric.terms) == 1 else one.n
        about = {"n": n, "clusters": interval.clusters, "method": interval.method, "note": interval.note}
        about["p"] = difference.test.p
    group = {**{name: value for name, value in one.group.items() if name != READING}, READING: DIFFERENCE}
    return Estimate(metric=one.metric, model=one.model, variant=one.variant, group=group, **numbers, **about)


def _difference(metric: Metric, items: Mapping[str, Frames], one: Estimate) -> Difference:
    """Each side counts the items that are its own: what is right by one reading may be wrong by the other."""
    sides = [
        frames[metric.of].filter(pl.col("item").is_not_null(), model=one.model, variant=one.variant)
        for frames in items.values()
    ]
    if metric.where is not None:
        counts = pl.when(pl.col(metric.where))
        sides = [side.with_columns(counts.then(pl.col(name)) for name in _values(metric)) for side in sides]
    both = sides[0].join(sides[1], on="item", suffix=" b", maintain_order="left")

    def arms(factor: float, name: str, most: float | None = None) -> Arms:
        a, b = (both[column].cast(pl.Float64).fill_null(np.nan).to_numpy() for column in (name, f"{name} b"))
        end = 1.0 if most is None else float(np.nan_to_num([a, b]).max(initial=most))
        return Arms(factor * end, a / end, b / end)

    # In the order of their names: sums of doubles differ with it in the last digits.
    _, numbered = np.unique(both["cluster"].to_numpy(), return_inverse=True)
    over = None if metric.over is None else arms(1.0, metric.over)
    terms = [arms(factor, name, metric.most) for factor, name in metric.terms]
    [difference] = differences_of([Case(terms, numbered.astype(np.int64), metric.low, over)])
    return difference


def _values(metric: Metric) -> list[str]:
    return [name for name in metric.columns if name != metric.where]
