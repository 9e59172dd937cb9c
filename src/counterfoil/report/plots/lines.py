"""Values over categories, with intervals, linked where neighbours belong together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from counterfoil.figures.numbers import cell
from counterfoil.figures.plots import Axis, Dot, Histogram, Lines, bound, known
from counterfoil.report.plots.dots import says
from counterfoil.report.plots.element import LINE, Markup, clean, element, hint, line, shorten, text, width
from counterfoil.report.plots.frame import (
    EDGE,
    TICK,
    WIDTH,
    missing,
    reference,
    x_axis,
    x_label,
    y_axis,
    y_label,
    y_left,
)
from counterfoil.report.plots.marks import SERIES, Paint, Scale, colour, interval, marker, span

HEIGHT = 280.0
TURNED = 120.0
Category = tuple[str, str]


def lines(plot: Lines, names: Mapping[str, int], top: float, paint: Paint) -> tuple[list[Markup], float]:
    """The named series side by side in every category, and where the drawing ends."""
    top += 12
    low, high = span(plot.y, _numbers(plot))
    scale = Scale(low, high, top + HEIGHT, top)
    left, right = y_left(scale), WIDTH - EDGE
    categories = _categories(plot)
    slot = (right - left) / max(1, len(categories))
    centres = {category: left + (i + 0.5) * slot for i, category in enumerate(categories)}
    parts = [*y_axis(scale, left, right, paint), *y_label(plot.y.label, top, top + HEIGHT)]
    if plot.reference is not None and scale.holds(plot.reference):
        parts.append(reference(left, scale(plot.reference), right, scale(plot.reference), paint))
    apart = min(12.0, 0.7 * slot / max(1, len(names)))
    for i, (name, series) in enumerate(names.items()):
        aside = (i - (len(names) - 1) / 2) * apart
        parts += _series(plot, name, series, scale, {key: x + aside for key, x in centres.items()}, paint)
    labels, y = _labels(centres, slot, top + HEIGHT)
    heads, y = _groups(centres, slot, top + HEIGHT, y, paint)
    label, y = x_label(plot.x, left, right, y)
    gone = [says(row, "") for row in plot.rows if row.series in names and known(row.value) is None]
    below, y = missing(gone, y)
    return [*parts, *labels, *heads, *label, *below], y


def most_lines(plot: Lines) -> int:
    """How many series have room side by side in a category: more are a tangle."""
    return max(1, int(0.8 * (WIDTH - 100) / max(1, len(_categories(plot))) / 8))


def _categories(plot: Lines) -> list[Category]:
    groups = list(dict.fromkeys(row.group for row in plot.rows))
    found = dict.fromkeys((row.group, row.label) for row in plot.rows)
    return sorted(found, key=lambda category: groups.index(category[0]))


def _series(
    plot: Lines, name: str, series: int, scale: Scale, places: dict[Category, float], paint: Paint
) -> list[Markup]:
    rows: dict[Category, list[Dot]] = {}
    for row in plot.rows:
        if row.series == name and known(row.value) is not None:
            rows.setdefault((row.group, row.label), []).append(row)
    links: list[Markup] = []
    marks: list[Markup] = []
    order = list(places)
    for before, after in pairwise(order):
        linked = before[0] == after[0] and before[0] not in plot.unlinked
        if linked and before in rows and after in rows:
            a, b = rows[before][0].value or 0.0, rows[after][0].value or 0.0
            ends = places[before], scale(a), places[after], scale(b)
            links.append(line(*ends, class_="link", stroke=colour(series, paint), stroke_width=1.5))
    for category, found in rows.items():
        for row in found:
            value, x = row.value or 0.0, places[category]
            marks += interval(series, scale, x, value, row.low, row.high, paint, upright=True)
            hint = says(row, cell(value))
            marks.append(marker(series, x, scale(value), paint, says=hint, inside=scale.holds(value)))
    return links + marks


def _labels(centres: dict[Category, float], slot: float, top: float) -> tuple[list[Markup], float]:
    """The categories' names below their places, turned where their words are wider than their places."""
    words = [word for _, label in centres for word in clean(label).split()]
    parts: list[Markup] = []
    if max((width(word, TICK) for word in words), default=0) <= slot - 6 or slot >= 90:
        for (_, label), x in centres.items():
            parts += text(label, x, top + 16, room=slot - 6, lines=3, size=TICK, text_anchor="middle")
        count = max((_line_count(label, slot - 6) for _, label in centres), default=0)
        return parts, top + 8 + count * LINE
    lowest = 0.0
    every = math.ceil(15 / slot)
    for i, ((_, label), x) in enumerate(centres.items()):
        if i % every == 0:
            room = min(TURNED, (x - 4) * math.sqrt(2))
            turned = f"rotate(-45 {x:.2f} {top + 14:.2f})"
            parts += text(label, x, top + 14, room=room, size=TICK, text_anchor="end", transform=turned)
            lowest = max(lowest, width(shorten(label, TICK, room), TICK) * math.sqrt(0.5))
    return parts, top + 20 + lowest


def _line_count(label: str, room: float) -> int:
    return len(text(label, 0, 0, room=room, lines=3, size=TICK))


def _groups(
    centres: dict[Category, float], slot: float, bottom: float, top: float, paint: Paint
) -> tuple[list[Markup], float]:
    """The groups' names under their categories, with a line between groups."""
    names = list(dict.fromkeys(group for group, _ in centres))
    if not any(names):
        return [], top
    parts: list[Markup] = []
    count = 0
    for i, name in enumerate(names):
        places = [x for (group, _), x in centres.items() if group == name]
        first, last = places[0] - slot / 2, places[-1] + slot / 2
        room = last - first - 8
        shown = text(name, (first + last) / 2, top + 16, room=room, lines=2, bold=True, text_anchor="middle")
        count = max(count, len(shown))
        parts += shown
        parts.append(line(first + 4, top + 3, last - 4, top + 3, stroke=paint("grid")))
        if i:
            parts.append(line(first, bottom - HEIGHT, first, bottom, stroke=paint("grid"), stroke_width=2))
    return parts, top + 6 + count * LINE


def _numbers(plot: Lines) -> list[float]:
    found = [] if plot.reference is None else [plot.reference]
    for row in plot.rows:
        if known(row.value) is not None:
            found += [it for it in (row.value, bound(row.low), bound(row.high)) if it is not None]
    return found


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
