"""Plots drawn as SVG: real text, named and described, without script, style sheet or anything from elsewhere."""

from __future__ import annotations

from counterfoil.figures.plots import Counts, Dot, Dots, Histogram, Lines, Plot, Point, Scatter, series_of
from counterfoil.report.plots.dots import dots
from counterfoil.report.plots.element import Markup, text
from counterfoil.report.plots.frame import EDGE, document, heading, legend, panels
from counterfoil.report.plots.lines import histogram, lines, most_lines
from counterfoil.report.plots.marks import SERIES, Paint, Palette, painter
from counterfoil.report.plots.scatter import scatter


def draw(plot: Plot, palette: Palette = "css") -> str:
    """The plot as one `<svg>` element, 720 wide and as tall as it needs to be.

    `css`: for a page, in colours by variables (`report/colours.py` has their values for light and dark), on no
    ground of its own; `fixed`: for a file, on white. More series than have marks, or room, of their own are drawn in
    several panels, one below the other on the same scales, each with its own legend.
    """
    paint = painter(palette)
    parts, y = heading(plot.title)
    filled = palette == "fixed"
    names = series_of(_items(plot))
    if not names:
        return document(plot, [*parts, *text("no data", EDGE, y + 20, room=200)], y + 24, paint, filled=filled)
    if isinstance(plot, Histogram):
        more, y = histogram(plot, y, paint)
        return document(plot, [*parts, *more], y, paint, filled=filled)
    most = most_lines(plot) if isinstance(plot, Lines) else len(SERIES)
    for shown in panels(names, most):
        if len(names) > 1:
            more, y = legend(shown, y, paint)
            parts += more
        more, y = _body(plot, shown, y, several=len(names) > 1, paint=paint)
        parts += more
        y += 12
    return document(plot, parts, y - 12, paint, filled=filled)


def _items(plot: Plot) -> tuple[Dot | Point | Counts, ...]:
    match plot:
        case Scatter():
            return plot.points
        case Histogram():
            return plot.series
        case _:
            return plot.rows


def _body(
    plot: Dots | Lines | Scatter, names: dict[str, int], y: float, *, several: bool, paint: Paint
) -> tuple[list[Markup], float]:
    match plot:
        case Dots():
            return dots(plot, names, y, paint, several=several)
        case Lines():
            return lines(plot, names, y, paint)
        case Scatter():
            return scatter(plot, names, y, paint)
