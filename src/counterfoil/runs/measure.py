"""What a suite can be compared by: its metrics as sums of means over items."""

from __future__ import annotations

import msgspec

Groups = tuple[tuple[str, ...], ...]


class Limit(msgspec.Struct, frozen=True):
    """No figure is given where the mean of `column` is above `most` on one side; `why` says so."""

    column: str
    most: float
    why: str


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A metric Σ coefficient · mean(column) over items, in a frame with a row for each item of a model and variant.

    The frame has the columns `model`, `variant`, `item` (the same for what is to be paired), `cluster`, those of the
    `groups`, and the values: in `low`…1, null where an item does not count. With `where_both`, only items count for
    which that column is true on both sides; `label` is then what the group is called.
    """

    metric: str
    terms: tuple[tuple[float, str], ...]
    low: float = 0.0
    groups: Groups = ((),)
    where_both: str | None = None
    label: tuple[str, str] | None = None
    limit: Limit | None = None
