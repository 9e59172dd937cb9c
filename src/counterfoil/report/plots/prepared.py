"""Plots made ready to be drawn: short names, names where colours run out, what can't be told set apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from counterfoil.figures.names import short_names
from counterfoil.figures.plots import Dot, Dots, Histogram, Lines, Plot, Point, Scatter, known, prompts_of, series_of
from counterfoil.report.plots.marks import SERIES

Shown = TypeVar("Shown", Dot, Point)


def with_short_names(plot: Plot) -> Plot:
    """Models without what all their names share."""
    if "model" not in plot.series_name or isinstance(plot, Histogram):
        return plot
    if isinstance(plot, Scatter):
        short = short_names(series_of(plot.points))
        return msgspec.structs.replace(plot, points=tuple(_of(point, short[point.series]) for point in plot.points))
    short = short_names(series_of(plot.rows))
    return msgspec.structs.replace(plot, rows=tuple(_of(row, short[row.series]) for row in plot.rows))


def told(plot: Plot) -> tuple[Plot, list[str]]:
    """The plot without rows whose interval can't be given, and what they are, with their n. They keep their place where
    another series has an interval there, and where nothing has one at all the plot stays as it is.
    """
    if not isinstance(plot, Dots | Lines):
        return plot, []
    if all(map(_is_untold, plot.rows)):
        return plot, []
    kept = tuple(row for row in plot.rows if not _is_untold(row))
    counts: dict[str, list[int | None]] = {}
    for row in plot.rows:
        if _is_untold(row):
            places = (row.group, row.label, *((row.series, row.prompt) if _is_drawn(row, kept) else ()))
            counts.setdefault(", ".join(filter(None, places)), []).append(row.n)
    names = [f"{name}{_n(numbers)}" for name, numbers in counts.items()]
    return msgspec.structs.replace(plot, rows=kept), names


def direct(plot: Plot) -> Plot:
    """Where there are more series than colours, each value stands under its name, all in one colour."""
    if isinstance(plot, Histogram):
        return plot
    if isinstance(plot, Scatter):
        several = len(series_of(plot.points)) > len(SERIES)
        if not several and not prompts_of(plot.points):
            return plot
        # The mark says which prompt it is.
        names = ({"series": "", "label": point.series} if several else {"label": ""} for point in plot.points)
        points = tuple(msgspec.structs.replace(point, **of) for point, of in zip(plot.points, names, strict=True))
        return msgspec.structs.replace(plot, points=points)
    if len(series_of(plot.rows)) <= len(SERIES):
        return plot
    rows = tuple(_of(row, "", label=row.series, group=_joined(row.group, row.label)) for row in _in_groups(plot.rows))
    axis = plot.y if isinstance(plot, Lines) else plot.x
    return Dots(title=plot.title, description=plot.description, x=axis, rows=rows, reference=plot.reference)


def _of(item: Shown, series: str, **names: str) -> Shown:
    return msgspec.structs.replace(item, series=series, **names)


def _in_groups(rows: Sequence[Dot]) -> list[Dot]:
    order = list(dict.fromkeys((row.group, row.label) for row in rows))
    return sorted(rows, key=lambda row: order.index((row.group, row.label)))


def _joined(group: str, label: str) -> str:
    return ": ".join(filter(None, (group, label)))


def _is_untold(row: Dot) -> bool:
    """Whether it has a value, and a note that says why it has no interval."""
    return known(row.value) is not None and row.low is None and row.high is None and "no interval" in row.note


def _is_drawn(row: Dot, kept: Sequence[Dot]) -> bool:
    return any((row.group, row.label) == (other.group, other.label) for other in kept)


def _n(numbers: Sequence[int | None]) -> str:
    """n of what is folded: one number, or from the smallest to the largest."""
    there = [number for number in numbers if number is not None]
    if not there:
        return ""
    low, high = min(there), max(there)
    return f" (n = {low:,})" if low == high else f" (n = {low:,} to {high:,})"
