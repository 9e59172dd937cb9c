"""Cluster sums: all that an interval needs to know about the records, for many estimates at once.

Every array has one entry for each cluster of each estimate. A cluster in which nothing is left (no record, or no
weight) may be there: its sums are 0 and it counts for nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# A sum of whole numbers has so many bits at the most, of the 63 that there are.
SUM_BITS = 62
# The values of the key columns, for each estimate.
Keys = list[tuple[Any, ...]]


class Layout(NamedTuple):
    """Which estimate each cluster belongs to (0, 1, …), and how many estimates there are."""

    estimate: NDArray[np.int64]
    estimates: int

    def total(self, entries: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """The sum over the clusters of each estimate."""
        sums = np.bincount(self.estimate, weights=entries, minlength=self.estimates)
        return sums.astype(np.float64, copy=False)

    def repeat(self, per_estimate: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number of each estimate, repeated for each of its clusters."""
        return per_estimate[self.estimate]


class MeanSums(NamedTuple):
    """Per cluster, for values x with weights w: number of records, Σw, Σw², Σwx, Σwx²."""

    records: NDArray[np.float64]
    n: NDArray[np.float64]
    n2: NDArray[np.float64]
    s: NDArray[np.float64]
    q: NDArray[np.float64]


class RatioSums(NamedTuple):
    """Per cluster, for pairs (y, x) with weights w: number of records, Σw, Σw², Σwy, Σwx, Σwy², Σwx², Σwxy."""

    records: NDArray[np.float64]
    n: NDArray[np.float64]
    n2: NDArray[np.float64]
    y: NDArray[np.float64]
    x: NDArray[np.float64]
    yy: NDArray[np.float64]
    xx: NDArray[np.float64]
    xy: NDArray[np.float64]


class Columns(NamedTuple):
    """Which columns of a frame say what: the estimate a record belongs to, its cluster, and its weight."""

    keys: Sequence[str]
    cluster: str
    weight: str | None


def mean_sums(frame: pl.DataFrame, columns: Columns, value: str, low: float) -> tuple[Keys, Layout, MeanSums]:
    """The keys of each estimate, and the sums of `value`, which must lie in `low`…1."""
    rows = _rows(frame, columns, {"x": (value, low)})
    x = pl.col("x")
    keys, layout, sums = _cells(rows, columns, _sums_where(rows, x.is_not_null(), x, x * x))
    return keys, layout, MeanSums(*sums)


def arm_sums(frame: pl.DataFrame, columns: Columns, value: str, first: str) -> tuple[Keys, Layout, MeanSums, MeanSums]:
    """As `mean_sums`, for records where `first` is true and for those where it is false apart."""
    rows = _rows(frame, columns, {"x": (value, 0.0), "first": (first, 0.0)})
    x = pl.col("x")
    one, other = (_sums_where(rows, x.is_not_null() & (pl.col("first") == arm), x, x * x) for arm in (1, 0))
    keys, layout, sums = _cells(rows, columns, [*one, *other])
    return keys, layout, MeanSums(*sums[: len(one)]), MeanSums(*sums[len(one) :])


def ratio_sums(
    frame: pl.DataFrame, columns: Columns, numerator: str, denominator: str, low: float = 0.0
) -> tuple[Keys, Layout, RatioSums]:
    """As `mean_sums`, for pairs; a pair of which one is null is left out. Numerators lie in `low`…1."""
    rows = _rows(frame, columns, {"y": (numerator, low), "x": (denominator, 0.0)})
    y, x = pl.col("y"), pl.col("x")
    both = y.is_not_null() & x.is_not_null()
    keys, layout, sums = _cells(rows, columns, _sums_where(rows, both, y, x, y * y, x * x, x * y))
    return keys, layout, RatioSums(*sums)


class Rows(NamedTuple):
    """Records of an estimate: how many there are, the largest weight (1 where there is none), whether all are 1."""

    frame: pl.LazyFrame
    height: int
    largest: float
    is_unweighted: bool


def _rows(frame: pl.DataFrame, columns: Columns, values: dict[str, tuple[str, float]]) -> Rows:
    """The columns that matter, under names that can't clash, checked. Records of no group are left out.

    They are made when they are summed, some at a time: all of them together would take more memory than the records.
    """
    keys = [pl.col(key).alias(f"key {number}") for number, key in enumerate(columns.keys)]
    rows = frame.lazy().select(
        *keys,
        pl.col(columns.cluster).alias("cluster"),
        (pl.col(columns.weight) if columns.weight else pl.lit(1.0)).cast(pl.Float64).alias("w"),
        *(pl.col(column).cast(pl.Float64).alias(name) for name, (column, _) in values.items()),
    )
    w = pl.col("w")
    checked = {name: pl.col(name).is_between(low, 1).all() for name, (_, low) in values.items()}
    found = rows.select(
        pl.col("cluster").has_nulls().alias("no cluster"),
        ((w >= 0).fill_null(False) & w.is_finite()).all().alias("weighted"),
        w.max().alias("largest"),
        (w == 1).all().alias("unweighted"),
        **checked,
    ).collect(engine="streaming")
    told = found.row(0, named=True)
    if told["no cluster"]:
        raise ValueError(f"{columns.cluster!r} is missing in some records; every record belongs to a cluster")
    if not told["weighted"]:
        raise ValueError(f"{columns.weight!r} must be 0 or more in every record")
    for name, (column, low) in values.items():
        if not told[name]:
            raise ValueError(f"{column!r} must lie in {low:g}…1 where it is not null")
    rows = rows.drop_nulls([f"key {number}" for number in range(len(keys))]) if keys else rows
    return Rows(rows, frame.height, told["largest"] or 1.0, told["unweighted"])


def _sums_where(rows: Rows, given: pl.Expr, *values: pl.Expr) -> list[pl.Expr]:
    """Number of records, Σw, Σw², and of each of the values Σw·value, over the records that are given."""
    w = pl.col("w")
    largest = rows.largest
    weighted = [(pl.lit(1.0), largest), (w, largest * largest), *((value, largest) for value in values)]
    terms = [pl.when(given).then(w * value).otherwise(0.0) for value, _ in weighted]
    sums = [_exact_sum(term, rows.height * most) for term, (_, most) in zip(terms, weighted, strict=True)]
    if rows.is_unweighted:  # whole numbers, of which sums are exact
        sums[:2] = [term.sum() for term in terms[:2]]
    return [(given & (w > 0)).sum().cast(pl.Float64), *sums]


def _exact_sum(terms: pl.Expr, most: float) -> pl.Expr:
    """The sum of terms, in which their order does not matter: it differs from one call to the next.

    Terms are cut to multiples of a power of two, and whole numbers summed. `most` is more than any sum can be.
    """
    parts = 2.0 ** (SUM_BITS - max(math.frexp(most)[1], -SUM_BITS))
    return (terms * parts).cast(pl.Int64).sum().cast(pl.Float64) / parts


def _cells(rows: Rows, columns: Columns, sums: list[pl.Expr]) -> tuple[Keys, Layout, list[NDArray[np.float64]]]:
    """One row for each cluster of each estimate, sorted; without keys all records are one estimate."""
    keys = [f"key {number}" for number in range(len(columns.keys))]
    named = [total.alias(f"sum {number}") for number, total in enumerate(sums)]
    # The streaming engine takes a quarter of the memory that the other takes, and no more time.
    by_cluster = rows.frame.group_by(*keys, "cluster").agg(*named).sort(*keys, "cluster")
    cells = by_cluster.collect(engine="streaming")
    arrays = [cells[f"sum {number}"].to_numpy() for number in range(len(sums))]
    if not keys:
        return [()], Layout(np.zeros(cells.height, dtype=np.int64), 1), arrays
    labels = cells.select(keys).unique(maintain_order=True).rows()
    estimate = cells.select(pl.struct(keys).rle_id().cast(pl.Int64)).to_series().to_numpy()
    return labels, Layout(estimate, len(labels)), arrays
