"""Item by item: which items of two sides differ in a metric, and which records stand behind each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from counterfoil.comparing.items import is_item_of, records_of
from counterfoil.running.asked import suite_of

if TYPE_CHECKING:
    from counterfoil.comparing.compare import JoinedSides
    from counterfoil.comparing.sides import Side
    from counterfoil.stats.metric import Metric


class Change(NamedTuple):
    """An item with its value on both sides, and the rows of the records that it is made of."""

    item: str
    a: float
    b: float
    rows_a: list[int]
    rows_b: list[int]


def changed_items(joined: JoinedSides, metric: Metric) -> tuple[pl.DataFrame, int]:
    """The items whose value differs, the largest difference first; and how many have the same.

    An item's value is Σ factor · column, over the columns that it has.
    """

    def value(suffix: str) -> pl.Expr:
        return pl.sum_horizontal(c * pl.col(f"{name}{suffix}").cast(pl.Float64) for c, name in metric.terms)

    frame = joined.frames[metric.of]
    both = pl.any_horizontal(pl.col(name).is_not_null() & pl.col(f"{name} b").is_not_null() for _, name in metric.terms)
    counts = [pl.lit(True)]
    if metric.where is not None:
        counts = [pl.col(f"{metric.where}{suffix}") == True for suffix in ("", " b")]  # noqa: E712
    frame = frame.filter(is_item_of(frame, metric)).filter(both, *counts)
    frame = frame.select("item", "cluster", a=value(""), b=value(" b"))
    moved = frame.filter(pl.col("a") != pl.col("b"))
    moved = moved.sort((pl.col("b") - pl.col("a")).abs(), descending=True, maintain_order=True)
    return moved, frame.height - moved.height


def with_records(joined: JoinedSides, metric: Metric, moved: pl.DataFrame) -> list[Change]:
    """The items with the rows of their records, in the order of the run's records."""
    items, clusters = moved["item"].to_list(), moved["cluster"].to_list()
    in_variant = len(joined.one.variants) > 1 and joined.one.variants == joined.other.variants
    one, other = (_rows(side, metric.of, items, clusters, in_variant=in_variant) for side in (joined.one, joined.other))
    return [
        Change(item, a, b, one.get(item, []), other.get(item, []))
        for item, a, b in moved.select("item", "a", "b").iter_rows()
    ]


def _rows(
    side: Side, kind: str, items: Sequence[str], clusters: Sequence[str], *, in_variant: bool
) -> dict[str, list[int]]:
    """The rows of each item. Each record is taken for another model's, so that its items tell whose they are."""
    records = records_of(side.run).with_row_index("row")
    mine = records.filter(
        pl.col("model") == side.model, pl.col("variant").is_in(side.variants), pl.col("cluster").is_in(set(clusters))
    )
    alone = mine.with_columns(model=pl.col("row").cast(pl.String)).drop("row").rechunk()
    frame = suite_of(side.run).items(alone).get(kind)
    if frame is None:
        return {}
    if in_variant:
        frame = frame.with_columns(item=pl.format("{} {}", "variant", "item"))
    found: dict[str, list[int]] = {item: [] for item in items}
    for item, row in frame.filter(pl.col("item").is_in(items)).select("item", "model").unique().sort("model").rows():
        found[item].append(int(row))
    return {item: sorted(rows) for item, rows in found.items()}
