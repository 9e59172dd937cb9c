"""Counts in bins: a panel for each series, one below the other, on the same scales."""

from __future__ import annotations

from counterfoil.report.colours import SERIES, Paint
from counterfoil.report.plots import Axis, Histogram
from counterfoil.report.scales import Scale, span
from counterfoil.report.svg_element import Markup, element, hint, text
from counterfoil.report.svg_frame import EDGE, TICK, WIDTH, reference, x_axis, x_label, y_axis, y_label, y_left
from counterfoil.report.svg_marks import colour

ALONE, AMONG = 240.0, 96.0


def histogram(plot: Histogram, top: float, paint: Paint) -> tuple[list[Markup], float]:
    """All series, and where the drawing ends."""
    several = len(plot.series) > 1
    height = AMONG if several else ALONE
    most = max((count for one in plot.series for count in one.counts), default=0)
    # Below five, ticks would fall between whole numbers.
    counts = span(Axis("", low=0.0), [float(max(5, most))])
    left = y_left(Scale(*counts, height, 0))
    places = plot.edges if plot.threshold is None else (*plot.edges, plot.threshold)
    x_scale = Scale(min(places), max(places), left, WIDTH - EDGE - 8)
    parts: list[Markup] = []
    top += 8
    if plot.threshold is not None and plot.threshold_label:
        parts += _threshold_label(plot.threshold_label, x_scale(plot.threshold), top + 12, left)
        top += 18
    begin = bottom = top
    for number, one in enumerate(plot.series):
        if several:
            tint = colour(number % len(SERIES), paint)
            parts.append(element("rect", x=left, y=top + 6, width=10, height=10, class_="key", fill=tint))
            parts += text(one.series, left + 16, top + 15, room=WIDTH - EDGE - left - 16)
            top += 24
        bottom = top + height
        y_scale = Scale(*counts, bottom, top)
        last = number == len(plot.series) - 1
        frame = x_axis(x_scale, top, bottom, paint)
        parts += [it for it in frame if last or it.startswith("<line")]
        parts += y_axis(y_scale, left, x_scale.end, paint)
        for i, count in enumerate(one.counts):
            parts.append(_bar(plot, number, i, count, x_scale, y_scale, paint))
        if plot.threshold is not None:
            at = x_scale(plot.threshold)
            parts.append(reference(at, top, at, bottom, paint))
        top = bottom + 10
    label, end = x_label(plot.x, left, x_scale.end, bottom + 20)
    return [*parts, *y_label(plot.y, begin, bottom), *label], end


def _bar(plot: Histogram, number: int, i: int, count: int, x_scale: Scale, y_scale: Scale, paint: Paint) -> Markup:
    one = plot.series[number]
    a, b, y = x_scale(plot.edges[i]), x_scale(plot.edges[i + 1]), y_scale(count)
    name = f"{one.series}, " if one.series else ""
    return element(
        "rect",
        hint(f"{name}{plot.edges[i]:g} to {plot.edges[i + 1]:g}: {count:,}"),
        x=a,
        y=y,
        width=b - a,
        height=y_scale.start - y,
        class_="mark",
        fill=colour(number % len(SERIES), paint),
        stroke=paint("paper"),
    )


def _threshold_label(label: str, x: float, y: float, left: float) -> list[Markup]:
    """Beside the top of the line, on the side with more room."""
    right_half = x > (left + WIDTH) / 2
    room = (x - left if right_half else WIDTH - EDGE - x) - 4
    if right_half:
        return text(label, x - 4, y, room=room, size=TICK, text_anchor="end")
    return text(label, x + 4, y, room=room, size=TICK)
