"""From items to the estimates of the metrics that are declared over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from counterfoil.stats.estimates import differences, proportions, ratios, signed_means
from counterfoil.stats.tested.means import add_exchanges

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate
    from counterfoil.stats.metric import Items, Label, Metric

    Key = tuple[tuple[str, Label], str, str, frozenset[tuple[str, str | int]]]


# Where there are more items, those of one model and variant are summed after those of another: clusters may be as many
# as items, and what is summed takes more memory than the items do.
TOGETHER = 65_536


def summarize(metrics: Iterable[Metric], items: Items) -> list[Estimate]:
    """An estimate of each metric that the items can tell, for each model, variant and group.

    Neighbours with the same groups are given group by group: all of them overall, then all of them by category.
    """
    wanted = [
        _Wanted(metric, items[metric.draws or metric.of], by)
        for groups, neighbours in groupby(metrics, key=lambda metric: metric.groups)
        for there in [[metric for metric in neighbours if metric.is_there(items)]]
        for by in groups
        for metric in there
    ]
    for part in _parts(items):
        for one in wanted:
            one.add(part)
    made: list[Estimate] = []
    values: dict[Key, float | None] = {}
    for one in wanted:
        values |= {_key(one.metric, figure): figure.value for figure in one.figures}
        made += [_told(one.metric, figure, values) for figure in one.figures]
    return made


def _parts(items: Items) -> Iterator[Items]:
    """The items, those of each model and variant apart where there are many; sorted by these."""
    if max((frame.height for frame in items.values()), default=0) <= TOGETHER:
        yield items
        return
    pairs = {pair for frame in items.values() for pair in frame.select("model", "variant").unique().rows()}
    for model, variant in sorted(pairs):
        yield {kind: frame.filter(model=model, variant=variant) for kind, frame in items.items()}


OPEN = "{least:.3f} to {most:.3f} if what was not read, refused or failed had said anything"
ROUNDING = 1e-9


class _Wanted:
    """The figures of a metric in the groups of these columns. What must be known of all items comes first."""

    def __init__(self, metric: Metric, frame: pl.DataFrame, by: Sequence[str]) -> None:
        self.metric = metric
        self.figures: list[Estimate] = []
        self._each = [metric.each] if metric.each is not None and frame[metric.each].count() else []
        self._by = [*by, *self._each]
        second = metric.minus or metric.over
        counts = pl.lit(True) if metric.where is None else pl.col(metric.where)
        columns = {"x": str(metric.mean), **({"y": second} if second else {})}
        self._values = {name: pl.when(counts).then(column) for name, column in columns.items()}
        # Where the scale of numbers ends.
        self._end = 1.0
        if metric.most is not None:
            self._end = frame.select(pl.max_horizontal(self._values["x"].max(), metric.most).cast(pl.Float64)).item()

    def add(self, items: Items) -> None:
        """The figures of these items, which are all that their models and variants have."""
        metric, keys = self.metric, ["model", "variant", *self._by]
        frame = items[metric.draws or metric.of]
        weight = ["weight"] if "weight" in frame.columns else []
        about = dict.fromkeys([*keys, "cluster", *(["item"] if metric.draws else []), *weight])
        frame = frame.select(*about, **self._values)
        made = self._estimates(frame)
        if metric.draws is not None:
            distinct = frame.filter(pl.col("x").is_not_null()).unique([*keys, "item"])
            sizes = {key: len(rows) for key, rows in distinct.group_by(keys)}
            for figure in made:
                figure.n = sizes.get((figure.model, figure.variant, *figure.group.values()), 0)
        if metric.answers is not None:
            answers = items[metric.answers].select(*keys, "cluster", "item", "value", "first")
            add_exchanges(made, answers, keys, is_mean=metric.over is None)
        self._leave_open(made, items[metric.of], keys)
        for figure in made:
            own = {name: figure.group.pop(name) for name in self._each}
            figure.group |= dict(metric.label) | own
        self.figures += made

    def _leave_open(self, made: Sequence[Estimate], frame: pl.DataFrame, keys: Sequence[str]) -> None:
        """What each figure could be, had every reply said something. A note says so where that leaves its interval."""
        metric = self.metric
        if metric.open is None or f"{metric.open} least" not in frame.columns:
            return

        def mean(name: str | None, end: str) -> pl.Expr:
            return pl.lit(0.0) if name is None else pl.col(f"{name} {end}").cast(pl.Float64).mean()

        bounds = frame.group_by(keys).agg(
            least=mean(metric.open, "least") - mean(metric.open_minus, "most"),
            most=mean(metric.open, "most") - mean(metric.open_minus, "least"),
        )
        found = {tuple(key): (least, most) for *key, least, most in bounds.iter_rows()}
        for one in made:
            least, most = found.get((one.model, one.variant, *one.group.values()), (None, None))
            if least is None or most is None or one.value is None or most - least < ROUNDING:
                continue
            one.least, one.most = least, most
            if one.low is None or one.high is None or least < one.low or most > one.high:
                one.note = "; ".join(filter(None, [one.note, OPEN.format(least=least, most=most)]))

    def _estimates(self, frame: pl.DataFrame) -> list[Estimate]:
        """Of `x`, and of `y` where there is one."""
        metric = self.metric
        names: dict[str, Any] = {"metric": metric.name, "by": self._by}
        if metric.over is not None:
            return ratios(frame, "x", "y", low=max(metric.low, -1.0), **names)
        if metric.minus is not None:
            arms = frame.with_columns(x=pl.coalesce("x", "y"), first=pl.col("x").is_not_null())
            return differences(arms, "x", first="first", **names)
        if metric.low < 0:
            refined = {name: getattr(metric, name) for name in ("balanced", "most_per_cluster")}
            refined["tested"] = metric.tested and metric.answers is None
            return signed_means(frame, "x", weight="weight" if metric.draws else None, **refined, **names)
        if metric.most is None:
            weight = "weight" if "weight" in frame.columns else None
            made = proportions(frame, "x", weight=weight, **names)
            return made if metric.scale == 1 else [_scaled(figure, metric.scale) for figure in made]
        shares = frame.with_columns(pl.col("x") / self._end)
        return [_scaled(figure, self._end) for figure in proportions(shares, "x", **names)]


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate of a share as one of the number that it is a share of."""
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    changed = {name: number * factor for name, number in numbers.items() if number is not None}
    return msgspec.structs.replace(estimate, **changed)


def _key(metric: Metric, figure: Estimate) -> Key:
    own = dict(metric.label)
    return (
        (metric.name, metric.label),
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
    share = values.get(((limit.metric.name, limit.metric.label), *_key(metric, figure)[1:]))
    if share is None or share <= limit.most:
        return figure
    return msgspec.structs.replace(figure, value=None, low=None, high=None, note=limit.note.format(share=share))
