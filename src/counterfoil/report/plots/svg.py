"""Plots drawn as SVG: real text, named and described, without script, style sheet or anything from elsewhere.

As files they are in fixed colours, and PNG as well.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from counterfoil import targets
from counterfoil.errors import UserError
from counterfoil.figures.plots import Counts, Dot, Dots, Histogram, Lines, Plot, Point, Scatter, prompts_of, series_of
from counterfoil.files import explained, replacing
from counterfoil.report.html import Html
from counterfoil.report.plots.dots import dots
from counterfoil.report.plots.element import Address, leading_to, text
from counterfoil.report.plots.frame import (
    EDGE,
    FONTS,
    NARROW,
    WHOLE,
    document,
    drawing,
    heading,
    legend,
    missing,
    panels,
    prompt_legend,
)
from counterfoil.report.plots.lines import histogram, lines, most_lines
from counterfoil.report.plots.marks import SERIES
from counterfoil.report.plots.prepared import direct, told, with_short_names
from counterfoil.report.plots.scatter import scatter
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run, writing_about

# In an attribute: no text holds an unescaped quotation mark.
_VARIABLE = re.compile(r'="var\(--[a-z0-9-]+, (#[0-9a-f]{6})\)"')


# Widths in print, in millimetres, as most journals have them: one column, and two.
PRINTED = {1: 84.0, 2: 174.0}


def draw(
    plot: Plot,
    palette: Literal["css", "fixed"] = "css",
    columns: int | None = None,
    address: Address | None = None,
) -> Html:
    """The plot as one `<svg>` element, 720 wide and as tall as it needs to be; or as wide as so many `columns` of a
    journal, with letters of about 8 points.

    `css`: for a page, in colours by variables (`marks.py` has their values for light and dark), on no ground of its
    own; `fixed`: for a file, on white. More series than have colours of their own stand by their names in one colour;
    more than have room are drawn in several panels, one below the other on the same scales. What has no interval is
    named below, with its n. With `address`, marks are links to the records that they stand for.
    """
    with drawing(NARROW if columns == 1 else WHOLE), leading_to(address):
        return _drawn(plot, palette, PRINTED.get(columns or 0))


def _drawn(plot: Plot, palette: str, printed: float | None) -> Html:
    drawn_from = plot
    plot, untold = told(with_short_names(plot))
    plot = direct(plot)
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
            more, y = prompt_legend(prompts_of(_marked(plot)), y)
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
    more, y = missing(untold, y, "Without an interval, not drawn")
    parts += more
    whole = document(drawn_from, parts, y, filled=palette == "fixed", printed=printed)
    return Html(_VARIABLE.sub(r'="\1"', whole)) if palette == "fixed" else whole


def _marked(plot: Plot) -> tuple[Dot, ...] | tuple[Point, ...]:
    return () if isinstance(plot, Histogram) else plot.points if isinstance(plot, Scatter) else plot.rows


def _items(plot: Plot) -> tuple[Dot | Point | Counts, ...]:
    match plot:
        case Scatter():
            return plot.points
        case Histogram():
            return plot.series
        case _:
            return plot.rows


LONGEST_NAME = 60
ZOOM = 2
# Of what is to be printed: dots in an inch.
DPI = 600


def write_plots(
    runs: Sequence[Run], folder: Path, *, overwrite: bool = False, columns: int | None = None
) -> list[Path]:
    """Every plot of the runs' reports; named after its title, behind its run's number where there are several. With
    `columns`, as wide as one or two columns of a journal.
    """
    drawings: dict[str, str] = {}
    for number, run in enumerate(runs, 1):
        for place, plot in enumerate(suite_to_show(run).plots(run), 1):
            before = f"{number}-{place}" if len(runs) > 1 else f"{place}"
            drawings[f"{before}-{_slug(plot.title)}"] = draw(plot, "fixed", columns)
    with writing_about("plots", [run.folder for run in runs], overwrite=overwrite):
        for name in drawings:
            targets.refuse(folder / f"{name}.svg", folder / f"{name}.png")
        with explained(folder):
            folder.mkdir(parents=True, exist_ok=True)
        # All drawings first: they are there even where this machine can make no PNG.
        written = [_write(folder / f"{name}.svg", drawing.encode()) for name, drawing in drawings.items()]
        return written + [_write(folder / f"{name}.png", png(drawing, columns)) for name, drawing in drawings.items()]


def _slug(title: str) -> str:
    """A file's name in plain letters, whatever the title holds."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower())[:LONGEST_NAME].strip("-") or "plot"


def _write(path: Path, content: bytes) -> Path:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path


def png(svg: str, columns: int | None = None) -> bytes:
    """The drawing at twice its size in pixels: sharp on today's screens; for `columns` of a journal, with 600 dots in
    an inch.

    Letters come from the fonts of the machine. Where none has a script (Hangul, say), its letters are empty boxes in
    the PNG; the SVG still holds the text.
    """
    if not _has_letters():
        raise UserError(
            "The plots can't be written as PNG, since this machine has no sans serif font: "
            "install one (fonts-dejavu-core or fonts-noto-core on Debian), or use the SVG files."
        )
    if columns is None:
        return _render(svg, ZOOM)
    return _render(svg, None, width=round(PRINTED[columns] / 25.4 * DPI))


def _render(svg: str, zoom: int | None, width: int | None = None) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise UserError("Plots as PNG need resvg-py: pip install 'counterfoil[plots]'") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, width=width, dpi=96))


@functools.cache
def _has_letters() -> bool:
    """Whether a letter leaves a trace: without a font the renderer leaves texts out, and says nothing."""
    blank = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>'
    letter = f'<text x="5" y="30" font-size="30" font-family="{FONTS}">M</text>'
    return _render(blank.format(letter), 1) != _render(blank.format(""), 1)
