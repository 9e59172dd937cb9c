"""The colours of the plots.

The eight of the series have a contrast of at least 3 : 1 against light and dark paper alike, and were chosen, beginning
with Okabe and Ito's blue and vermilion, for the largest distance between any two of them as seen with normal,
protanopic, deuteranopic and tritanopic eyes. Each series has a shape of its own besides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

SERIES = ("#0072b2", "#d55e00", "#88866b", "#ce63f8", "#4f9cb1", "#9016fa", "#b24315", "#90556c")
_SERIES = {f"series-{number}": colour for number, colour in enumerate(SERIES, 1)}

# What a page gives the variables --ink, --grid, --paper and --series-1 to --series-8.
LIGHT = {"ink": "#1d1f23", "grid": "#d8dbe0", "paper": "#ffffff", **_SERIES}
DARK = {"ink": "#eceef2", "grid": "#3d424a", "paper": "#16181c", **_SERIES}

Palette = Literal["css", "fixed"]
# From a colour's name to what stands in an attribute.
Paint = Callable[[str], str]


def painter(palette: Palette) -> Paint:
    """`css`: variables that the page sets, with the light colour in reserve; `fixed`: the light colours themselves."""
    return LIGHT.__getitem__ if palette == "fixed" else lambda name: f"var(--{name}, {LIGHT[name]})"
