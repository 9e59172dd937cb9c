"""Plots drawn as SVG: real text, named and described, without script, style sheet or anything from elsewhere."""

from __future__ import annotations

import re
from typing import Literal

from counterfoil.figures.plots import Counts, Dot, Dots, Histogram, Lines, Plot, Point, Scatter, series_of
from counterfoil.report.html import Html
from counterfoil.report.plots.dots import dots
from counterfoil.report.plots.element import text
from counterfoil.report.plots.frame import EDGE, document, heading, legend, panels
from counterfoil.report.plots.lines import histogram, lines, most_lines
from counterfoil.report.plots.marks import SERIES
from counterfoil.report.plots.scatter import scatter

# In an attribute: no text holds an unescaped quotation mark.
_VARIABLE = re.compile(r'="var\(--[a-z0-9-]+, (#[0-9a-f]{6})\)"')


def draw(plot: Plot, palette: Literal["css", "fixed"] = "css") -> Html:
    """The plot as one `<svg>` element, 720 wide and as tall as it needs to be.

    `css`: for a page, in colours by variables (`marks.py` has their values for light and dark), on no ground of its
    own; `fixed`: for a file, on white. More series than have marks, or room, of their own are drawn in several panels,
    one below the other on the same scales, each with its own legend.
    """
    parts, y = heading(plot.title)
    names = series_of(_items(plot))
    if not names:
        parts += text("no data", EDGE, y + 20, room=200)
        y += 24
    elif isinstance(plot, Histogram):
        more, y = histogram(plot, y)
        parts += more
    else:
        most = most_lines(plot) if isinstance(plot, Lines) else len(SERIES)
        for panel in panels(names, most):
            more, y = legend(panel, y) if len(names) > 1 else ([], y)
            parts += more
            match plot:
                case Dots():
                    more, y = dots(plot, panel, y)
                case Lines():
                    more, y = lines(plot, panel, y)
                case Scatter():
                    more, y = scatter(plot, panel, y)
            parts += more
            y += 12
        y -= 12
    drawing = document(plot, parts, y, filled=palette == "fixed")
    return Html(_VARIABLE.sub(r'="\1"', drawing)) if palette == "fixed" else drawing


def _items(plot: Plot) -> tuple[Dot | Point | Counts, ...]:
    match plot:
        case Scatter():
            return plot.points
        case Histogram():
            return plot.series
        case _:
            return plot.rows
