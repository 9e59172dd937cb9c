"""Values over categories, with intervals, linked where neighbours belong together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from counterfoil.figures.numbers import cell
from counterfoil.figures.plots import Axis, Dot, Histogram, Lines, known, prompts_of
from counterfoil.report.html import Html, tag
from counterfoil.report.plots.dots import says
from counterfoil.report.plots.element import LINE, clean, hint, line, linked, shorten, text, width
from counterfoil.report.plots.frame import (
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
from counterfoil.report.plots.marks import GRID, PAPER, Scale, extent, interval, marker, series_colour, span

HEIGHT = 280.0
TURNED = 120.0
Category = tuple[str, str]


def lines(plot: Lines, names: Mapping[str, int], top: float) -> tuple[list[Html], float]:
    """The named series side by side in every category, and where the drawing ends."""
    top += 12
    reach = extent(plot.y, ((row.value, row.low, row.high) for row in plot.rows), plot.reference)
    scale = Scale(*reach, top + HEIGHT, top)
    left, right = y_left(scale), across() - EDGE
    categories = _categories(plot)
    slot = (right - left) / max(1, len(categories))
    centres = {category: left + (i + 0.5) * slot for i, category in enumerate(categories)}
    parts = [*y_axis(scale, left, right), *y_label(plot.y.label, top, top + HEIGHT)]
    parts += reference(plot.reference, scale, left, right, upright=False)
    prompts = prompts_of(plot.rows) or [""]
    lanes = [(name, series, style) for name, series in names.items() for style in range(len(prompts))]
    apart = min(12.0, 0.7 * slot / max(1, len(lanes)))
    for i, (name, series, style) in enumerate(lanes):
        aside = (i - (len(lanes) - 1) / 2) * apart
        mine = [row for row in plot.rows if row.series == name and (len(prompts) == 1 or row.prompt == prompts[style])]
        parts += _series(plot, mine, series, style, scale, {key: x + aside for key, x in centres.items()})
    labels, y = _labels(centres, slot, top + HEIGHT)
    heads, y = _groups(centres, slot, top + HEIGHT, y)
    label, y = x_label(plot.x, left, right, y)
    undefined = [says(row, "") for row in plot.rows if row.series in names and known(row.value) is None]
    below, y = missing(undefined, y)
    return [*parts, *labels, *heads, *label, *below], y


def most_lines(plot: Lines) -> int:
    """How many series have room side by side in a category: more are a tangle."""
    lanes = max(1, len(_categories(plot))) * max(1, len(prompts_of(plot.rows)))
    return max(1, int(0.8 * (across() - 100) / lanes / 8))


def _categories(plot: Lines) -> list[Category]:
    groups = list(dict.fromkeys(row.group for row in plot.rows))
    found = dict.fromkeys((row.group, row.label) for row in plot.rows)
    return sorted(found, key=lambda category: groups.index(category[0]))


def _series(
    plot: Lines, mine: Sequence[Dot], series: int, style: int, scale: Scale, places: dict[Category, float]
) -> list[Html]:
    rows: dict[Category, list[Dot]] = {}
    for row in mine:
        if known(row.value) is not None:
            rows.setdefault((row.group, row.label), []).append(row)
    links: list[Html] = []
    marks: list[Html] = []
    for before, after in pairwise(places):
        is_linked = before[0] == after[0] and before[0] not in plot.unlinked
        if is_linked and before in rows and after in rows:
            a, b = rows[before][0].value or 0.0, rows[after][0].value or 0.0
            ends = places[before], scale(a), places[after], scale(b)
            dashes = "5 3" if style % 2 else None
            links.append(
                line(*ends, class_="link", stroke=series_colour(series), stroke_width=1.5, stroke_dasharray=dashes)
            )
    for category, found in rows.items():
        for row in found:
            value, x = row.value or 0.0, places[category]
            marks += interval(series, scale, x, value, row.low, row.high, upright=True)
            words = says(row, cell(value))
            mark = marker(series, x, scale(value), says=words, inside=scale.holds(value), style=style)
            marks.append(linked(mark, row.of, words))
    return links + marks


def _labels(centres: dict[Category, float], slot: float, top: float) -> tuple[list[Html], float]:
    """The categories' names below their places, turned where their words are wider than their places."""
    words = [word for _, label in centres for word in clean(label).split()]
    parts: list[Html] = []
    if max((width(word, TICK) for word in words), default=0) <= slot - 6 or slot >= 90:
        count = 0
        for (_, label), x in centres.items():
            shown = text(label, x, top + 16, room=slot - 6, lines=3, size=TICK, text_anchor="middle")
            count = max(count, len(shown))
            parts += shown
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


def _groups(centres: dict[Category, float], slot: float, bottom: float, top: float) -> tuple[list[Html], float]:
    """The groups' names under their categories, with a line between groups."""
    names = list(dict.fromkeys(group for group, _ in centres))
    if not any(names):
        return [], top
    parts: list[Html] = []
    count = 0
    for i, name in enumerate(names):
        places = [x for (group, _), x in centres.items() if group == name]
        first, last = places[0] - slot / 2, places[-1] + slot / 2
        middle, room = (first + last) / 2, last - first - 8
        shown = text(name, middle, top + 16, room=room, lines=2, bold=True, text_anchor="middle")
        count = max(count, len(shown))
        parts += shown
        parts.append(line(first + 4, top + 3, last - 4, top + 3, stroke=GRID))
        if i:
            parts.append(line(first, bottom - HEIGHT, first, bottom, stroke=GRID, stroke_width=2))
    return parts, top + 6 + count * LINE


ALONE, AMONG = 240.0, 96.0


def histogram(plot: Histogram, top: float) -> tuple[list[Html], float]:
    """All series, and where the drawing ends."""
    several = len(plot.series) > 1
    height = AMONG if several else ALONE
    most = max((count for one in plot.series for count in one.counts), default=0)
    # Below five, ticks would fall between whole numbers.
    counts = span(Axis("", low=0.0), [float(max(5, most))])
    left = y_left(Scale(*counts, height, 0))
    places = plot.edges if plot.threshold is None else (*plot.edges, plot.threshold)
    x_scale = Scale(min(places), max(places), left, across() - EDGE - 8)
    parts: list[Html] = []
    top += 8
    if plot.threshold is not None and plot.threshold_label:
        parts += _threshold_label(plot.threshold_label, x_scale(plot.threshold), top + 12, left)
        top += 18
    begin = bottom = top
    for number, one in enumerate(plot.series):
        if several:
            fill = series_colour(number)
            parts.append(tag("rect", x=left, y=top + 6, width=10, height=10, class_="key", fill=fill))
            parts += text(one.series, left + 16, top + 15, room=across() - EDGE - left - 16)
            top += 24
        bottom = top + height
        y_scale = Scale(*counts, bottom, top)
        last = number == len(plot.series) - 1
        parts += [part for part in x_axis(x_scale, top, bottom) if last or part.startswith("<line")]
        parts += y_axis(y_scale, left, x_scale.end)
        for i, count in enumerate(one.counts):
            parts.append(_bar(plot, number, i, count, x_scale, y_scale))
        parts += reference(plot.threshold, x_scale, top, bottom, upright=True)
        top = bottom + 10
    label, end = x_label(plot.x, left, x_scale.end, bottom + 20)
    return [*parts, *y_label(plot.y, begin, bottom), *label], end


def _bar(plot: Histogram, number: int, i: int, count: int, x_scale: Scale, y_scale: Scale) -> Html:
    one = plot.series[number]
    a, b, y = x_scale(plot.edges[i]), x_scale(plot.edges[i + 1]), y_scale(count)
    name = f"{one.series}, " if one.series else ""
    return tag(
        "rect",
        hint(f"{name}{plot.edges[i]:g} to {plot.edges[i + 1]:g}: {count:,}"),
        x=a,
        y=y,
        width=b - a,
        height=y_scale.start - y,
        class_="mark",
        fill=series_colour(number),
        stroke=PAPER,
    )


def _threshold_label(label: str, x: float, y: float, left: float) -> list[Html]:
    """Beside the top of the line, on the side with more room."""
    right_half = x > (left + across()) / 2
    room = (x - left if right_half else across() - EDGE - x) - 4
    if right_half:
        return text(label, x - 4, y, room=room, size=TICK, text_anchor="end")
    return text(label, x + 4, y, room=room, size=TICK)
