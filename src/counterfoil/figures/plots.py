"""Plots as data: what a suite wants shown. `report/plots` draws them; `numbers` makes the table beside each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

import msgspec

# What a mark stands for: columns of the records with their values, None for the records without one; of a comparison,
# the metric.
Of = tuple[tuple[str, str | None], ...]


class Axis(msgspec.Struct, frozen=True):
    """What an axis shows. Where a bound is None it comes from the data; what lies outside of the bounds is clipped."""

    label: str
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        if not all(map(math.isfinite, bounds)) or (len(bounds) == 2 and bounds[0] >= bounds[1]):
            raise ValueError(f"axis {self.label!r}: the bounds {self.low} and {self.high} are no range.")


class Dot(msgspec.Struct, frozen=True):
    """A value with its interval, for `Dots` (label: the row) and `Lines` (label: the place on the x axis).

    A value of None is undefined and shown as that; a bound of None: no interval on that side. `prompt`: of several
    prompts of a series each has its own mark, in the colour of the series. `n`: over how many. `of`: what it
    stands for.
    """

    label: str
    series: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    group: str = ""
    prompt: str = ""
    n: int | None = None
    of: Of = ()


class Point(msgspec.Struct, frozen=True):
    """A point of a `Scatter`; undefined where x or y is None. `of`: what it stands for."""

    label: str
    series: str
    x: float | None
    y: float | None
    x_low: float | None = None
    x_high: float | None = None
    y_low: float | None = None
    y_high: float | None = None
    note: str = ""
    prompt: str = ""
    of: Of = ()


class Counts(msgspec.Struct, frozen=True):
    """How many fell into each bin of a `Histogram`."""

    series: str
    counts: tuple[int, ...]


class Dots(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of dots with intervals (a forest plot), rows and groups in the order in which they first appear.

    `label_name` and `series_name` head their columns in the table; `reference` is the place of a vertical line.
    """

    title: str
    description: str
    x: Axis
    rows: tuple[Dot, ...]
    label_name: str = "row"
    series_name: str = "series"
    reference: float | None = None


class Lines(msgspec.Struct, frozen=True, kw_only=True):
    """Values over categories, in the order in which they first appear; a line links neighbours of the same group.

    `unlinked` names the groups whose categories have no order (controls, say) and get no lines.
    """

    title: str
    description: str
    x: str
    y: Axis
    rows: tuple[Dot, ...]
    series_name: str = "series"
    reference: float | None = None
    unlinked: tuple[str, ...] = ()


class Scatter(msgspec.Struct, frozen=True, kw_only=True):
    """Points in two dimensions. With `diagonal`, the line x = y, on one range for both axes."""

    title: str
    description: str
    x: Axis
    y: Axis
    points: tuple[Point, ...]
    label_name: str = "point"
    series_name: str = "series"
    diagonal: bool = False
    x_reference: float | None = None
    y_reference: float | None = None


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """Counts in bins, one panel for each series. Bin i is from `edges[i]` to below `edges[i + 1]`."""

    title: str
    description: str
    x: str
    y: str
    edges: tuple[float, ...]
    series: tuple[Counts, ...]
    series_name: str = "series"
    threshold: float | None = None
    threshold_label: str = ""

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip(self.edges, self.edges[1:], strict=False))
        if len(self.edges) < 2 or not rising or not all(map(math.isfinite, self.edges)):
            raise ValueError(f"histogram {self.title!r}: the edges must be two or more finite numbers that rise.")
        for one in self.series:
            if len(one.counts) != len(self.edges) - 1 or min(one.counts) < 0:
                raise ValueError(f"histogram {self.title!r}: {one.series!r} needs one count of 0 or more for each bin.")


Plot = Dots | Lines | Scatter | Histogram


Mark = TypeVar("Mark", Dot, Point)


def narrowed(mark: Mark, **columns: str | None) -> Mark:
    """The mark as one of those records only that have these values in these columns, too."""
    return msgspec.structs.replace(mark, of=tuple({**dict(mark.of), **columns}.items())) if mark.of else mark


def known(value: float | None) -> float | None:
    """The value, or None where it is no finite number."""
    return value if value is not None and math.isfinite(value) else None


def bound(value: float | None) -> float | None:
    """A bound of an interval: it may be infinite, but not NaN."""
    return None if value is None or math.isnan(value) else value


def series_of(items: Iterable[Dot | Point | Counts]) -> list[str]:
    """The names of the series, in the order in which they first appear."""
    return list(dict.fromkeys(item.series for item in items))


# So many prompts have marks of their own.
MOST_PROMPTS = 4


def prompts_of(items: Iterable[Dot | Point]) -> list[str]:
    """The prompts that have marks of their own, in the order in which they first appear: none of one, or of many."""
    found = list(dict.fromkeys(item.prompt for item in items))
    return found if 1 < len(found) <= MOST_PROMPTS else []


def not_empty(plots: Iterable[Plot]) -> list[Plot]:
    """The plots that have something to show."""
    content = {Scatter: "points", Histogram: "series"}
    return [plot for plot in plots if getattr(plot, content.get(type(plot), "rows"))]
