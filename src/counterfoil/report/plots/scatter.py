"""Points in two dimensions, with intervals in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfoil.figures.numbers import between, cell
from counterfoil.figures.plots import Point, Scatter, bound, known, prompts_of
from counterfoil.report.html import Html
from counterfoil.report.plots.element import line, linked, shorten, text, width
from counterfoil.report.plots.frame import (
    DASHED,
    EDGE,
    TICK,
    across,
    missing,
    reference,
    x_axis,
    x_label,
    y_axis,
    y_label,
    y_left,
)
from counterfoil.report.plots.marks import PAPER, RADIUS, Scale, extent, interval, marker

HEIGHT = 400.0
WIDEST_LABEL = 160.0
Box = tuple[float, float, float, float]


def scatter(plot: Scatter, names: Mapping[str, int], top: float) -> tuple[list[Html], float]:
    """The named series' points, and where the drawing ends."""
    top += 12
    bottom = top + HEIGHT
    there = [point for point in plot.points if known(point.x) is not None and known(point.y) is not None]
    x_range = extent(plot.x, ((point.x, point.x_low, point.x_high) for point in there), plot.x_reference)
    y_range = extent(plot.y, ((point.y, point.y_low, point.y_high) for point in there), plot.y_reference)
    if plot.diagonal:
        x_range = y_range = min(x_range[0], y_range[0]), max(x_range[1], y_range[1])
    y_scale = Scale(*y_range, bottom, top)
    left = y_left(y_scale) + 8
    right = min(left + HEIGHT, across() - EDGE - 8) if plot.diagonal else across() - EDGE - 8
    x_scale = Scale(*x_range, left, right)
    parts = [*x_axis(x_scale, top, bottom), *y_axis(y_scale, left, right)]
    if plot.diagonal:
        parts.append(line(left, bottom, right, top, **DASHED))
    parts += reference(plot.x_reference, x_scale, top, bottom, upright=True)
    parts += reference(plot.y_reference, y_scale, left, right, upright=False)
    marks: list[Html] = []
    spots: list[tuple[float, float, str]] = []
    taken: list[Box] = []
    undefined: list[str] = []
    prompts = prompts_of(plot.points)
    for point in plot.points:
        if point.series not in names:
            continue
        x, y = known(point.x), known(point.y)
        if x is None or y is None:
            undefined.append(f"{point.label}, {point.series}")
            continue
        series, at = names[point.series], (x_scale(x), y_scale(y))
        parts += interval(series, x_scale, at[1], x, point.x_low, point.x_high)
        parts += interval(series, y_scale, at[0], y, point.y_low, point.y_high, upright=True)
        taken += _cover(point, x_scale, y_scale, *at)
        inside = x_scale.holds(x) and y_scale.holds(y)
        style = prompts.index(point.prompt) if prompts else 0
        mark = marker(series, *at, says=_says(point), inside=inside, style=style)
        marks.append(linked(mark, point.of, _says(point)))
        spots.append((*at, point.label))
    label, y_end = x_label(plot.x.label, left, right, bottom + 20)
    below, y_end = missing(undefined, y_end)
    beside = _labels(spots, taken, top, bottom)
    return [*parts, *marks, *beside, *y_label(plot.y.label, top, bottom), *label, *below], y_end


def _cover(point: Point, x_scale: Scale, y_scale: Scale, x: float, y: float) -> list[Box]:
    """What a point's mark and intervals take of the page."""
    across = [x_scale(end) for end in (bound(point.x_low), bound(point.x_high)) if end is not None]
    upright = [y_scale(end) for end in (bound(point.y_low), bound(point.y_high)) if end is not None]
    return [
        (x - RADIUS - 1, y - RADIUS - 1, x + RADIUS + 1, y + RADIUS + 1),
        (min(across, default=x), y - 1, max(across, default=x), y + 1),
        (x - 1, min(upright, default=y), x + 1, max(upright, default=y)),
    ]


def _labels(spots: Sequence[tuple[float, float, str]], covered: Sequence[Box], top: float, bottom: float) -> list[Html]:
    """Each label where it hides neither marks nor other labels, nor intervals if that can be; where there is no such
    place, in the hint alone.
    """
    taken = list(covered)
    # Of each point the mark comes first, then both intervals.
    marks = list(covered[::3])
    parts: list[Html] = []
    for x, y, label in spots:
        wide = width(shorten(label, TICK, WIDEST_LABEL), TICK)
        if not wide:
            continue
        beside = [(x + 9, y + 4), (x - 9 - wide, y + 4)]
        corners = [(start, base) for base in (y - 6, y + 14) for start in (x + 7, x - 7 - wide)]
        boxes = [(start, base - 10, start + wide, base + 3) for start, base in beside + corners]
        on_page = [
            box
            for box in boxes
            if box[0] >= EDGE + 30 and box[2] <= across() - 4 and box[1] >= top - 8 and box[3] <= bottom
        ]
        free = (box for others in (taken, marks) for box in on_page if not any(_meet(box, other) for other in others))
        if (box := next(free, None)) is not None:
            taken.append(box)
            marks.append(box)
            parts += text(label, box[0], box[3] - 3, room=WIDEST_LABEL, size=TICK, halo=PAPER)
    return parts


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _says(point: Point) -> str:
    x = f"{cell(point.x)}{between(point.x_low, point.x_high)}"
    y = f"{cell(point.y)}{between(point.y_low, point.y_high)}"
    name = ", ".join(part for part in (point.label, point.series, point.prompt) if part)
    return f"{name}: {x}, {y}{'; ' + point.note if point.note else ''}"
