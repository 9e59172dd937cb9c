"""The estimate: a number that never travels alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, NotRequired, TypedDict

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Group = Mapping[str, str | int]

# The model and the variant of an estimate over all of them.
ALL = "all"
# In a group: of a figure that labels have corrected, of what people say alone, and of corrected − reported.
BASIS = "basis"
CORRECTED, PEOPLE_ALONE, SHIFT = BASES = "corrected", "people", "correction"
# Of whom intervals speak: of new questions of the same kind, or of the questions of the dataset alone.
Population = Literal["new", "these"]
NEW: Population = "new"
THESE: Population = "these"
FEWEST_CLUSTERS = 5
FEW_CLUSTERS = 15
ALL_AGREE = "all clusters agree: each counts as one record"


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
    # What the value could be at the least and at the most, had every reply that was not read, refused or failed said
    # anything; where there is such a reply.
    least: float | msgspec.UnsetType = msgspec.UNSET
    most: float | msgspec.UnsetType = msgspec.UNSET

    @property
    def all_agree(self) -> bool:
        """Whether all clusters agree, so that each counts as one record."""
        return ALL_AGREE in (self.note or "").split("; ")


class Names(TypedDict):
    """What an estimate is of, as keywords of the functions that make one. Without a `group` it is overall."""

    metric: str
    model: str
    variant: str
    group: NotRequired[Group | None]


class Interval(NamedTuple):
    """A value with its 95 % bounds; None where it or they can't be given, and `note` then says why."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str
    note: str | None

    def estimate(self, metric: str, model: str, variant: str, group: Group | None = None) -> Estimate:
        """The interval with the names of what it is of."""
        return Estimate(metric=metric, model=model, variant=variant, group=dict(group or {}), **self._asdict())


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
    """One `Interval` for each estimate."""
    rows = zip(*(column.tolist() for column in bounds), strict=True)
    return [interval_from(*row, method=method, undefined=undefined, unbounded=unbounded) for row in rows]


def interval_from(
    value: float,
    low: float,
    high: float,
    n: float,
    clusters: float,
    fewest: float,
    agree: bool,
    *,
    method: str,
    undefined: str = "no values",
    unbounded: str = "no interval",
) -> Interval:
    """The `Interval` of one entry of `Bounds`. A value always lies within its bounds, whatever rounding says."""
    if math.isnan(value):
        return Interval(None, None, None, int(n), int(clusters), method, undefined if n else "no values")
    if fewest < FEWEST_CLUSTERS:
        note = f"no interval: fewer than {FEWEST_CLUSTERS} clusters ({int(fewest)})"
        return Interval(value, None, None, int(n), int(clusters), method, note)
    if math.isnan(low):
        return Interval(value, None, None, int(n), int(clusters), method, unbounded)
    rough = f"only {int(fewest)} clusters: the interval is rough" if fewest < FEW_CLUSTERS else None
    notes = filter(None, (rough, ALL_AGREE if agree else None))
    return Interval(value, min(low, value), max(high, value), int(n), int(clusters), method, "; ".join(notes) or None)
