"""Plots as files: SVG, and PNG where there is a renderer and a font; in fixed colours."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from counterfoil.errors import UserError
from counterfoil.files import explained, replacing
from counterfoil.report.plots.frame import FONTS
from counterfoil.report.plots.svg import draw
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run

LONGEST_NAME = 60
ZOOM = 2


def write_plots(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Every plot of the runs' reports; named after its title, behind its run's number where there are several."""
    drawings: dict[str, str] = {}
    for number, run in enumerate(runs, 1):
        for place, plot in enumerate(suite_to_show(run).plots(run), 1):
            before = f"{number}-{place}" if len(runs) > 1 else f"{place}"
            drawings[f"{before}-{_slug(plot.title)}"] = draw(plot, "fixed")
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    # All drawings first: they are there even where this machine can make no PNG.
    written = [_write(folder / f"{name}.svg", drawing.encode()) for name, drawing in drawings.items()]
    return written + [_write(folder / f"{name}.png", png(drawing)) for name, drawing in drawings.items()]


def _slug(title: str) -> str:
    """A file's name in plain letters, whatever the title holds."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower())[:LONGEST_NAME].strip("-") or "plot"


def _write(path: Path, content: bytes) -> Path:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path


def png(svg: str) -> bytes:
    """The drawing at twice its size in pixels: sharp on today's screens and in print.

    Letters come from the fonts of the machine. Where none has a script (Hangul, say), its letters are empty boxes in
    the PNG; the SVG still holds the text.
    """
    if not _has_letters():
        raise UserError(
            "The plots can't be written as PNG, since this machine has no sans serif font: "
            "install one (fonts-dejavu-core or fonts-noto-core on Debian), or use the SVG files."
        )
    return _render(svg, ZOOM)


def _render(svg: str, zoom: int) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise UserError("Plots as PNG need resvg-py: pip install 'counterfoil[plots]'") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom))


@functools.cache
def _has_letters() -> bool:
    """Whether a letter leaves a trace: without a font the renderer leaves texts out, and says nothing."""
    blank = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>'
    letter = f'<text x="5" y="30" font-size="30" font-family="{FONTS}">M</text>'
    return _render(blank.format(letter), 1) != _render(blank.format(""), 1)
