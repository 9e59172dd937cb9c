"""Rows of dots with intervals: a forest plot, a dot plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from counterfoil.figures.numbers import UNDEFINED, between, cell
from counterfoil.figures.plots import Dot, Dots, known, prompts_of
from counterfoil.report.html import Html
from counterfoil.report.plots.element import LINE, SIZE, clean, line, linked, text, width
from counterfoil.report.plots.frame import EDGE, TICK, across, reference, x_axis, x_label
from counterfoil.report.plots.marks import GRID, PAPER, Scale, extent, interval, marker

LANE = 13.0
WIDEST_LABEL = 230.0
# With more rows than these the ticks stand above as well.
TALL = 20


def dots(plot: Dots, names: Mapping[str, int], top: float) -> tuple[list[Html], float]:
    """The rows, each with a lane for each of its values of the named series, and where the drawing ends."""
    shown = [row for row in plot.rows if row.series in names]
    room = min(WIDEST_LABEL, 0.36 * across(), max((width(clean(row.label), SIZE) for row in plot.rows), default=0) + 1)
    reach = extent(plot.x, ((row.value, row.low, row.high) for row in plot.rows), plot.reference)
    scale = Scale(*reach, EDGE + room + 16, across() - EDGE - 12)
    order = list(names)
    prompts = prompts_of(plot.rows)
    several = len({row.series for row in plot.rows}) > 1
    body: list[Html] = []
    separators: list[float] = []
    tall = len({(row.group, row.label) for row in shown}) > TALL or len(shown) > 2 * TALL
    top += 18 if tall else 0
    y = top
    for group, rows in _grouped(shown):
        if group:
            lines = text(group, EDGE, y + 18, room=across() - 2 * EDGE, lines=2, bold=True)
            body += lines
            y += 10 + len(lines) * LINE
        for label, values in rows:
            values.sort(key=lambda row: (order.index(row.series), prompts.index(row.prompt) if prompts else 0))
            if len(values) > 1 and {(known(row.value), row.note) for row in values} == {(None, values[0].note)}:
                # What holds for all of them is said once.
                values = [msgspec.structs.replace(values[0], series="", prompt="")]
            wrapped = text(label, EDGE + room, 0, room=room, lines=3)
            height = max(len(values) * LANE, len(wrapped) * LINE) + 9
            middle = y + height / 2
            first = middle + 4 - (len(wrapped) - 1) * LINE / 2
            body += text(label, EDGE + room, first, room=room, lines=3, text_anchor="end")
            for i, row in enumerate(values):
                lane = middle + (i - (len(values) - 1) / 2) * LANE
                style = prompts.index(row.prompt) if row.prompt in prompts else 0
                body += _dot(row, names.get(row.series, 0), scale, lane, several=several, style=style)
            y += height
            separators.append(y)
    frame = x_axis(scale, top, y, above=tall)
    frame += [line(EDGE, at, scale.end, at, stroke=GRID) for at in separators]
    frame += reference(plot.reference, scale, top, y, upright=True)
    below, end = x_label(plot.x.label, scale.start, scale.end, y + 18)
    return [*frame, *body, *below], end


def says(row: Dot, value: str) -> str:
    """A value in words, for its hint."""
    where = ", ".join(part for part in (row.group, row.label, row.series, row.prompt) if part)
    found = f": {value}{between(row.low, row.high)}" if value else ""
    return f"{where}{found}{f' ({row.note})' if row.note else ''}"


def _dot(row: Dot, series: int, scale: Scale, y: float, *, several: bool, style: int) -> list[Html]:
    value = known(row.value)
    if value is None:
        name = ", ".join(filter(None, (row.series, row.prompt))) if several else row.prompt
        shown = f"{name}: {UNDEFINED}" if name else UNDEFINED
        if row.note:
            shown += f" ({row.note})"
        room = scale.end - scale.start - 8
        return text(shown, scale.start + 4, y + 4, room=room, size=TICK, halo=PAPER, class_="undefined")
    words = says(row, cell(value))
    mark = marker(series, scale(value), y, says=words, inside=scale.holds(value), style=style)
    return [*interval(series, scale, y, value, row.low, row.high), linked(mark, row.of, words)]


def _grouped(rows: Sequence[Dot]) -> list[tuple[str, list[tuple[str, list[Dot]]]]]:
    groups: dict[str, dict[str, list[Dot]]] = {}
    for row in rows:
        groups.setdefault(row.group, {}).setdefault(row.label, []).append(row)
    return [(group, list(labels.items())) for group, labels in groups.items()]
