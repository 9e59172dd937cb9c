"""What a suite can be compared by: its metrics as sums of means over items, or as a ratio of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Groups = tuple[tuple[str, ...], ...]
# What the items of a frame are, if nothing else is said; alignment counts these.
QUESTION = "question"


class Limit(msgspec.Struct, frozen=True):
    """No figure is given where the mean of `column` is above `most` on one side; `why` says so."""

    column: str
    most: float
    why: str


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A metric Σ coefficient · mean(column) over items, in a frame with a row for each item of a model and variant.

    The frame has the columns `model`, `variant`, `item` (the same for what is to be paired, and no other's), `cluster`,
    those of the `groups`, and the values: in `low`…1, null where an item does not count. With `most`, they are numbers
    from 0 to that, or to the largest that either side has: two sides are compared on one scale. Where a metric is over
    something other than the questions, as pairs of them, the frame has rows for these as well; its column `kind` then
    says what a row is, and a measure is over the rows of its own `kind`.

    With `over`, the metric is the ratio Σ column / Σ over, of one column. With `where_both`, only items count for which
    that column is true on both sides. `label` is what the figure is called beside its groups, as in the summary: it
    makes it another figure of the metric, with a family of tests of its own. `note` goes with each figure.
    """

    metric: str
    terms: tuple[tuple[float, str], ...]
    over: str | None = None
    low: float = 0.0
    most: float | None = None
    groups: Groups = ((),)
    kind: str = QUESTION
    where_both: str | None = None
    label: tuple[tuple[str, str | int], ...] = ()
    limit: Limit | None = None
    note: str | None = None


def is_of(frame: pl.DataFrame, kind: str) -> NDArray[np.bool_]:
    """Which rows of a frame of items are of this kind; without the column `kind` all are questions."""
    import numpy as np

    if "kind" not in frame.columns:
        return np.full(frame.height, kind == QUESTION)
    mask: NDArray[np.bool_] = (frame["kind"] == kind).to_numpy()
    return mask
