"""The items of both sides: which there are, which metrics they tell, and the differences between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from counterfoil.comparing.compared import FigureDifference
from counterfoil.comparing.groups import records_of_group
from counterfoil.comparing.sides import Side
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import RECORDS, Run, readable
from counterfoil.running.records import read_scores
from counterfoil.stats.metric import QUESTION, Metric
from counterfoil.stats.pairing import Arms, Case, differences_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Frames = Mapping[str, pl.DataFrame]
Group = dict[str, str | int]


class SideItems(NamedTuple):
    """The items of a side by kind, made from so many records with these outcomes, and the metrics that they tell."""

    side: Side
    records: int
    outcomes: Mapping[str, int]
    frames: Frames
    metrics: Sequence[Metric]


def records_of(run: Run) -> pl.DataFrame:
    """All records of a run, without their texts: for several sides of it they are read once."""
    with readable(run.folder / RECORDS):
        return read_scores(run.folder / RECORDS)


def items_of(side: Side, records: pl.DataFrame | None = None) -> SideItems:
    """What the run's records say of a side, under the run's options. Its dataset is not needed."""
    records = records_of(side.run) if records is None else records
    records = records.filter(pl.col("model") == side.model, pl.col("variant").is_in(side.variants))
    records = records_of_group(side, records)
    suite = suite_of(side.run)
    frames = with_partners(suite.items(records), suite.metrics)
    outcomes = dict(records["outcome"].cast(pl.String).value_counts(sort=True).iter_rows())
    return SideItems(side, records.height, outcomes, frames, list(told_by(frames, suite.metrics)))


def paired_with(side: SideItems, others: tuple[str, ...]) -> SideItems:
    """A side of several variants, where the other one is in these. In the same ones, what is paired is an item in a
    variant, and each variant is a group; else an item's values are their means over the variants of its side.
    """
    own = side.side.variants
    if len(own) == len(others) == 1:
        return side
    return _in_each(side) if own == others else _mean_over(side)


def named_by_variant(frames: Frames) -> dict[str, pl.DataFrame]:
    """The same items, with the variant as a part of their names."""
    item = pl.format("{} {}", "variant", "item")
    return {kind: frame.with_columns(item=item) for kind, frame in frames.items()}


def _in_each(side: SideItems) -> SideItems:
    frames = named_by_variant(side.frames)
    metrics = [
        metric.changed(groups=(*metric.groups, ("variant",))) if () in metric.groups else metric
        for metric in side.metrics
    ]
    return side._replace(frames=frames, metrics=metrics)


def _mean_over(side: SideItems) -> SideItems:
    if len(side.side.variants) == 1:
        return side
    frames = {}
    for kind, frame in side.frames.items():
        mine = [metric for metric in side.metrics if metric.of == kind]
        values = {name for metric in mine for name in metric.columns}
        values |= {str(metric.limit.metric.mean) for metric in mine if metric.limit is not None}
        keys = list(dict.fromkeys(["item", *(metric.each for metric in mine if metric.each is not None)]))
        mean = [pl.col(name).cast(pl.Float64).mean() for name in frame.columns if name in values]
        first = [pl.col(name).first() for name in frame.columns if name not in (*values, *keys, "left_out")]
        frames[kind] = frame.group_by(keys, maintain_order=True).agg(pl.col("left_out").any(), *mean, *first)
    return side._replace(frames=frames)


def with_partners(frames: Frames, metrics: Iterable[Metric]) -> dict[str, pl.DataFrame]:
    """The items that can have a partner on the other side; the draws behind them have none."""
    kinds = {metric.of for metric in metrics}
    return {kind: frame.filter(frame["item"].is_not_null()) for kind, frame in frames.items() if kind in kinds}


def joined_items(one: Frames, other: Frames, metrics: Iterable[Metric]) -> dict[str, pl.DataFrame]:
    """The items that both sides have, with the columns of the second side under names that end in ` b`."""
    keys = {metric.of: ["item", metric.each] for metric in metrics if metric.each is not None}
    return {
        kind: frame.join(other[kind], on=keys.get(kind, ["item"]), suffix=" b", nulls_equal=True, maintain_order="left")
        for kind, frame in one.items()
        if kind in other
    }


def told_by(frames: Frames, metrics: Iterable[Metric]) -> Iterator[Metric]:
    """The metrics of which these items have values; those over questions in any case."""
    there = (metric for metric in metrics if metric.is_there(frames))
    for each, neighbours in groupby(there, key=lambda metric: metric.each):
        some = list(neighbours)
        values = [] if each is None else frames[some[0].of][each].drop_nulls().unique(maintain_order=True).to_list()
        for value in values or [None]:
            own = () if value is None else ((each, value),)
            for metric in (metric.changed(label=(*metric.label, *own)) for metric in some):
                frame = frames[metric.of]
                values_of = frame[metric.given_with or str(metric.mean)].is_not_null().to_numpy()
                if metric.of == QUESTION or (values_of & is_item_of(frame, metric)).any():
                    yield metric


def is_item_of(frame: pl.DataFrame, metric: Metric) -> NDArray[np.bool_]:
    """Which items are the metric's: all, unless it is the figure of one value of a column."""
    own = dict(metric.label)
    if metric.each is None or metric.each not in own:
        return np.ones(frame.height, dtype=bool)
    mine: NDArray[np.bool_] = (frame[metric.each] == own[metric.each]).fill_null(False).to_numpy()
    return mine


def differences_between(joined: Frames, metrics: Sequence[Metric], a: str, b: str) -> list[FigureDifference]:
    """Each metric in each group, over items that are joined."""
    columns = {kind: _Columns(frame) for kind, frame in joined.items()}
    # The tests draw one set of flips for all of them: clusters have the same numbers in all frames.
    # They are in the order in which clusters come, whatever else this process has read.
    names = pl.concat([frame["cluster"] for frame in joined.values()])
    every = names.cast(pl.Enum(names.unique(maintain_order=True))).to_physical()
    ends = np.cumsum([frame.height for frame in joined.values()])
    clusters = dict(zip(joined, np.split(every.to_numpy().astype(np.int64), ends[:-1]), strict=True))
    about: list[tuple[Metric, Group, bool, str | None]] = []
    cases: list[Case] = []
    for metric in metrics:
        of = columns[metric.of]
        counts = is_item_of(of.frame, metric)
        if metric.where is not None:
            counts = counts & np.logical_and(*(side == 1 for side in of.both(metric.where)))
        if metric.on_both:
            missing = [np.isnan(side) for name in metric.columns for side in of.both(name)]
            whole = counts & ~np.logical_or.reduce(missing)
            alone = int(np.count_nonzero(counts & ~np.logical_and.reduce(missing))) - int(np.count_nonzero(whole))
            counts = whole
            if alone:
                metric = metric.changed(note=f"over the items of both sides; {alone:,} are on one side alone")
        for by in metric.groups:
            for group, within in of.groups(by):
                where = within & counts
                withheld = _withheld(metric, of, where)
                if withheld is not None:
                    where = np.zeros_like(where)
                over = None if metric.over is None else of.arms(1.0, metric.over, where)
                terms = [of.arms(factor, column, where, metric.most) for factor, column in metric.terms]
                cases.append(Case(terms, clusters[metric.of][where], metric.low, over))
                about.append((metric, {**group, **dict(metric.label)}, not by, withheld))
    return [
        FigureDifference(metric, a, b, group, overall, withheld, case, difference)
        for (metric, group, overall, withheld), case, difference in zip(
            about, cases, differences_of(cases), strict=True
        )
    ]


def _withheld(metric: Metric, of: _Columns, where: NDArray[np.bool_]) -> str | None:
    """Why no figure is given; None where it is."""
    limit = metric.limit
    if limit is None or not where.any():
        return None
    values = [side[where & ~np.isnan(side)] for side in of.both(str(limit.metric.mean))]
    return limit.why if any(side.size and side.mean() > limit.most for side in values) else None


class _Columns:
    """The columns and groups of one kind of joined items, each made once."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame
        self.both = cache(self._both)
        self.groups = cache(self._groups)

    def _both(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The values of both sides, nan where there is none."""
        columns = (self.frame[column].cast(pl.Float64).fill_null(np.nan) for column in (name, f"{name} b"))
        one, other = (column.to_numpy() for column in columns)
        return one, other

    def arms(self, factor: float, name: str, where: NDArray[np.bool_], most: float | None = None) -> Arms:
        """The values of both sides from 0 to 1; of numbers, both on a scale that ends at `most` or at the largest."""
        one, other = self.both(name)
        end = 1.0 if most is None else float(np.nan_to_num([one, other]).max(initial=most))
        return Arms(factor * end, one[where] / end, other[where] / end)

    def _groups(self, by: tuple[str, ...]) -> list[tuple[Group, NDArray[np.bool_]]]:
        """Which items are in each group that there is."""
        if not by:
            return [({}, np.ones(self.frame.height, dtype=bool))]
        found = []
        for key in self.frame.select(by).drop_nulls().unique().sort(by).iter_rows():
            conditions = [pl.col(name) == value for name, value in zip(by, key, strict=True)]
            where = self.frame.select(pl.all_horizontal(conditions).fill_null(False)).to_series().to_numpy()
            found.append((dict(zip(by, key, strict=True)), where))
        return found
