"""The estimate: a number that never travels alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Estimate(msgspec.Struct, kw_only=True, omit_defaults=False):
    """A value with its interval, and what is needed to judge it.

    `value` is None where the metric is not defined (no answers left, no denominator); `low` and `high` are None
    where no interval can be given. `note` then says why. `group` is {} for overall.
    """

    metric: str
    model: str
    variant: str
    group: dict[str, str | int] = {}
    value: float | None
    low: float | None
    high: float | None
    confidence: float = 0.95
    n: int
    clusters: int
    method: str
    # Of the test against 0, where there is one; for groups adjusted (Holm) over those of the same model and variant.
    p: float | None = None
    note: str | None = None


FEWEST_CLUSTERS = 5
FEW_CLUSTERS = 15


class Interval(NamedTuple):
    """A value with its 95 % bounds; None where it or they can't be given, and `note` then says why."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str
    note: str | None


class Bounds(NamedTuple):
    """What a closed form found, one entry for each estimate; nan where there is nothing to find.

    `fewest` is the number of clusters that decides whether an interval can be given: it differs from `clusters`
    where two kinds of records are compared and one of them occurs in fewer clusters.
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: NDArray[np.float64]
    clusters: NDArray[np.float64]
    fewest: NDArray[np.float64]
    agree: NDArray[np.bool_]


def intervals_from(
    bounds: Bounds, method: str, *, undefined: str = "no values", unbounded: str = "no interval"
) -> list[Interval]:
    """One `Interval` for each estimate. A value always lies within its bounds, whatever rounding says."""
    import numpy as np

    low = np.fmin(bounds.low, bounds.value)
    high = np.fmax(bounds.high, bounds.value)
    low[np.isnan(bounds.low)] = np.nan
    high[np.isnan(bounds.high)] = np.nan
    columns = (bounds.value, low, high, bounds.n, bounds.clusters, bounds.fewest, bounds.agree)
    return [
        _interval(*row, method=method, undefined=undefined, unbounded=unbounded)
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _interval(
    value: float,
    low: float,
    high: float,
    n: float,
    clusters: float,
    fewest: float,
    agree: bool,
    *,
    method: str,
    undefined: str,
    unbounded: str,
) -> Interval:
    if math.isnan(value):
        return Interval(None, None, None, int(n), int(clusters), method, undefined if n else "no values")
    if fewest < FEWEST_CLUSTERS:
        note = f"no interval: fewer than {FEWEST_CLUSTERS} clusters ({int(fewest)})"
        return Interval(value, None, None, int(n), int(clusters), method, note)
    if math.isnan(low):
        return Interval(value, None, None, int(n), int(clusters), method, unbounded)
    notes = []
    if fewest < FEW_CLUSTERS:
        notes.append(f"only {int(fewest)} clusters: the interval is rough")
    if agree:
        notes.append("all clusters agree: each counts as one record")
    return Interval(value, low, high, int(n), int(clusters), method, "; ".join(notes) or None)
