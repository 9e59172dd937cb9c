"""A drawing as PNG.

Letters come from the fonts that the machine has: none are bundled. Where there is none for a script (Hangul, say),
its letters are empty boxes in the PNG; the SVG still holds the text.
"""

from __future__ import annotations

import functools

from counterfoil.errors import UserError
from counterfoil.report.plots.frame import FONTS

ZOOM = 2


def png(svg: str) -> bytes:
    """The drawing at twice its size in pixels: sharp on today's screens and in print."""
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
