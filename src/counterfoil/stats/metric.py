"""A metric: declared once, and read by the summary, comparisons, plans, self-tests, the report and other harnesses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Self

import msgspec

if TYPE_CHECKING:
    import polars as pl

# Frames of items by their kind.
Items = Mapping[str, "pl.DataFrame"]
Groups = tuple[tuple[str, ...], ...]
Label = tuple[tuple[str, str | int], ...]
# The usual kind of items. How two sides fit together is counted over these.
QUESTION = "question"


class Limit(msgspec.Struct, frozen=True):
    """No figure is given where `metric` is above `most` in the same group.

    `note` says so in the summary, with the metric's value as {share}; `why` in a comparison, where it is one side's.
    """

    metric: Metric
    most: float
    note: str
    why: str


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A figure over items: what it is made of, in which groups it is given, and what it says.

    The figure is the mean of the column `mean`; with `minus` it is the difference of two means; with `over` it is the
    ratio Σ mean ÷ Σ over. Without `mean` the suite computes it in its own way, and no two sides are compared by it.

    Its items are the rows of the frame of the kind `of`. A frame has the columns `model`, `variant`, `cluster`,
    `item` and `left_out`, the values, and a column for each name in `groups`. `item` is the same for what is paired in
    a comparison, and null in rows that only tell what was asked. Items that are `left_out` on one side count on none.
    A value is null where its item does not count. A metric is given where its frame has its columns.

    Several figures may have one name: `label` tells them apart, and each has a family of tests of its own.
    """

    name: str
    # The formula in words, and what the figure tells in one sentence.
    formula: str
    says: str
    # Which way is better. None where that depends.
    better: Literal["higher", "lower", "zero"] | None = None
    # The lowest and the highest that it can be.
    range: tuple[float, float] = (0.0, 1.0)
    # `compare` shows ties by it; the first of a suite's is what `plan` plans for.
    headline: bool = False
    # How far two raters agree.
    agreement: bool = False

    mean: str | None = None
    minus: str | None = None
    over: str | None = None
    # The columns hold shares, and the figure is so many times the share.
    scale: float = 1.0
    # The columns hold numbers: intervals are made on a scale that ends here, or at the largest number if that is more.
    most: float | None = None
    # Only items for which this column is true count; in a comparison it must be true on both sides.
    where: str | None = None
    # In a comparison only items that have a value on both sides count: where there is none, nothing was asked.
    on_both: bool = False
    of: str = QUESTION
    # The kind of the draws that each item's value is a mean of. The summary's interval is over draws: they have the
    # column `mean`, and a `weight` with which each item counts once. n is still the number of items.
    draws: str | None = None

    groups: Groups = ((),)
    label: Label = ()
    # A column whose values are figures of their own, added to the label; none where it is null.
    each: str | None = None
    # A column that tells which sides of a comparison have the figure; else its own does.
    given_with: str | None = None

    limit: Limit | None = None
    # Goes with each figure.
    note: str | None = None
    # See `signed_means`.
    balanced: bool = False
    most_per_cluster: float | None = None
    tested: bool = False
    # The kind of the answers behind each item's difference of two arms: they have the columns `item`, `value` and
    # `first`, whether they are of the arm that is above the other where the difference is above 0. The test of a
    # metric with answers exchanges them within items (`stats/tested/exchange.py`); without them, whole clusters
    # are flipped.
    answers: str | None = None
    # Columns `NAME least` and `NAME most` of the items, for its mean, and for the one that is subtracted: what these
    # would be at the least and at the most, had every reply that was not read, refused or failed said anything.
    open: str | None = None
    open_minus: str | None = None

    def changed(self, **changes: object) -> Self:
        """The metric over other items, with another label, and so on."""
        return msgspec.structs.replace(self, **changes)

    @property
    def terms(self) -> list[tuple[float, str]]:
        """Its columns, with what their means are multiplied with before they are added."""
        columns = ((self.scale, self.mean), (-self.scale, self.minus))
        return [(factor, column) for factor, column in columns if column is not None]

    @property
    def low(self) -> float:
        """The lowest value of its columns."""
        return self.range[0] if self.minus is None else 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of its items that it is made of."""
        return tuple(name for name in (self.mean, self.minus, self.over, self.where) if name is not None)

    @property
    def is_overall(self) -> bool:
        """Whether it has a figure over all items that is called by its name alone."""
        return self.mean is not None and not self.label and () in self.groups

    def is_there(self, items: Items) -> bool:
        """Whether these items can tell it."""
        frame = items.get(self.of)
        return self.mean is not None and frame is not None and set(self.columns) <= set(frame.columns)


def by_name(metrics: Iterable[Metric]) -> dict[str, Metric]:
    """The first metric of each name."""
    found: dict[str, Metric] = {}
    for metric in metrics:
        found.setdefault(metric.name, metric)
    return found
