"""What every plot has around it: title, legend, axes, notes below, and the document itself."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise

from counterfoil.console import cut
from counterfoil.figures.names import distinct
from counterfoil.figures.plots import Plot
from counterfoil.report.html import Html, tag
from counterfoil.report.plots.element import LINE, SIZE, clean, line, text, width
from counterfoil.report.plots.marks import GRID, INK, PAPER, SERIES, Scale, marker, tick_texts, ticks

# In the drawing's own units, of which a letter has about 12: a page, and one column of a journal.
WHOLE, NARROW = 720.0, 340.0
_ACROSS = ContextVar("across", default=WHOLE)
EDGE = 16.0
# Names first that a renderer without system-ui or a generic family finds.
FONTS = (
    "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
)
TICK = 11.0
TICK_HEIGHT = 30.0
# Letters of a name in a legend; longer ones are cut in the middle.
LONGEST_KEY = 72
_Mark = Callable[..., Html]


def across() -> float:
    """How wide the drawing is that is being made."""
    return _ACROSS.get()


@contextmanager
def drawing(width: float) -> Iterator[None]:
    """What is drawn within is so wide."""
    token = _ACROSS.set(width)
    try:
        yield
    finally:
        _ACROSS.reset(token)


def panels(names: Sequence[str], most: int) -> list[dict[str, int]]:
    """The series with their marks' numbers, in as few parts as hold no more than `most`. There are no more series than
    marks.
    """
    count = max(1, -(-len(names) // min(most, len(SERIES))))
    size, more = divmod(len(names), count)
    starts = [i * size + min(i, more) for i in range(count + 1)]
    return [{names[i]: i % len(SERIES) for i in range(a, b)} for a, b in pairwise(starts)]


def heading(title: str) -> tuple[list[Html], float]:
    """The title, and where it ends."""
    parts = text(title, EDGE, 24, room=across() - 2 * EDGE, lines=3, size=15, bold=True)
    return parts, 14 + len(parts) * LINE * 15 / SIZE


def legend(names: Mapping[str, int], top: float) -> tuple[list[Html], float]:
    """Mark and name of each series, in as many lines as it takes, and where it ends."""
    labels = distinct([clean(name) or "–" for name in names], _in_legend)
    return _keys([functools.partial(marker, series) for series in names.values()], labels, top)


def prompt_legend(prompts: Sequence[str], top: float) -> tuple[list[Html], float]:
    """Mark and name of each prompt; nothing where there is one."""
    if not prompts:
        return [], top
    labels = distinct([f"prompt {prompt}" for prompt in prompts], _in_legend)
    marks: list[_Mark] = [functools.partial(marker, 0, style=style, plain=True) for style in range(len(prompts))]
    return _keys(marks, labels, top - 4)


def _in_legend(label: str) -> str:
    return cut(label, LONGEST_KEY)


def _keys(marks: Sequence[_Mark], labels: Sequence[str], top: float) -> tuple[list[Html], float]:
    parts: list[Html] = []
    x, y = EDGE, top + 14
    for mark, label in zip(marks, labels, strict=True):
        wide = 18 + width(label, SIZE)
        if x > EDGE and x + wide > across() - EDGE:
            x, y = EDGE, y + 18
        parts.append(mark(x=x + 6, y=y - 4))
        parts += text(label, x + 18, y, room=across() - EDGE - 18 - x)
        x += wide + 18
    return parts, y + 8


def fitting(scale: Scale, each: float | None = None) -> tuple[tuple[float, str], ...]:
    """Ticks with their texts, as many as have room: sideways, or `each` tall."""
    length = abs(scale.end - scale.start)
    count = max(1, int(length / (each or 60)))
    while True:
        places = ticks(scale.low, scale.high, count)
        texts = tick_texts(places)
        room = abs(scale(places[1]) - scale(places[0])) if len(places) > 1 else length
        if count == 1 or each or max((width(shown, TICK) for shown in texts), default=0) + 10 <= room:
            return tuple(zip(places, texts, strict=True))
        count -= 1


def x_axis(scale: Scale, top: float, bottom: float, *, above: bool = False) -> list[Html]:
    """Gridlines and ticks below, and above, too, where the plot is tall."""
    parts = []
    for value, shown in fitting(scale):
        x = scale(value)
        parts.append(line(x, top, x, bottom, stroke=GRID))
        heights = [bottom + 15, top - 6] if above else [bottom + 15]
        half = width(shown, TICK) / 2 + 2
        x = min(max(x, half), across() - half)
        parts += [tag("text", shown, x=x, y=y, text_anchor="middle", font_size=TICK) for y in heights]
    return parts


def y_axis(scale: Scale, left: float, right: float) -> list[Html]:
    parts = []
    for value, shown in fitting(scale, TICK_HEIGHT):
        y = scale(value)
        parts.append(line(left, y, right, y, stroke=GRID))
        parts.append(tag("text", shown, x=left - 6, y=y + 4, text_anchor="end", font_size=TICK))
    return parts


def y_left(scale: Scale) -> float:
    """Where an upright axis with its label begins: right of its widest tick."""
    return EDGE + 22 + max((width(shown, TICK) for _, shown in fitting(scale, TICK_HEIGHT)), default=0) + 6


def x_label(label: str, left: float, right: float, top: float) -> tuple[list[Html], float]:
    """What the axis shows, below it, and where that ends."""
    parts = text(label, (left + right) / 2, top + 14, room=right - left, lines=2, text_anchor="middle")
    return parts, top + 4 + len(parts) * LINE


def y_label(label: str, top: float, bottom: float) -> list[Html]:
    middle = (top + bottom) / 2
    turned = f"rotate(-90 {EDGE + 8:.0f} {middle:.2f})"
    return text(label, EDGE + 8, middle, room=bottom - top, text_anchor="middle", transform=turned)


DASHED: dict[str, str] = {"class_": "reference", "stroke": INK, "stroke_dasharray": "4 3"}


def reference(value: float | None, scale: Scale, start: float, end: float, *, upright: bool) -> list[Html]:
    """The line to read values against, from start to end on the other axis, if there is one inside of the scale."""
    if value is None or not scale.holds(value):
        return []
    at = scale(value)
    return [line(at, start, at, end, **DASHED) if upright else line(start, at, end, at, **DASHED)]


def missing(names: Sequence[str], top: float, why: str = "Undefined, not shown") -> tuple[list[Html], float]:
    """A line below the plot on what could not be shown in it, and where that ends."""
    if not names:
        return [], top
    parts = text(f"{why}: {'; '.join(names)}", EDGE, top + 16, room=across() - 2 * EDGE, lines=9, size=TICK)
    return parts, top + 8 + len(parts) * LINE


def document(plot: Plot, parts: Sequence[Html], height: float, *, filled: bool, printed: float | None = None) -> Html:
    """The whole SVG, named by title and description; ids come from the content, so that plots can share a page.

    `printed`: so many millimetres wide.
    """
    key = hashlib.sha256(repr(plot).encode("utf-8", "backslashreplace")).hexdigest()[:10]
    tall = float(round(height + EDGE))
    return tag(
        "svg",
        tag("title", clean(plot.title), id=f"title-{key}"),
        tag("desc", clean(plot.description), id=f"desc-{key}"),
        tag("rect", width=across(), height=tall, fill=PAPER) if filled else None,
        tag("g", *parts, fill=INK, font_family=FONTS),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {across():.0f} {tall:.0f}",
        width=across() if printed is None else f"{printed:g}mm",
        height=tall if printed is None else f"{tall * printed / across():.1f}mm",
        # A picture has no parts of its own: with links in it, it is none.
        role="group" if any("<a " in part for part in parts) else "img",
        aria_labelledby=f"title-{key} desc-{key}",
    )
