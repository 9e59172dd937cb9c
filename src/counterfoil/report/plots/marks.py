"""Marks: a shape for each series, the line of an interval, and the arrow where something goes on outside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from counterfoil.figures.plots import Axis, bound, known
from counterfoil.report.html import Html, joined
from counterfoil.report.plots.element import hint, path

SERIES = ("#0072b2", "#d55e00", "#88866b", "#ce63f8", "#4f9cb1", "#9016fa", "#b24315", "#90556c")
_SERIES = {f"series-{number}": colour for number, colour in enumerate(SERIES, 1)}

# What a page gives the variables --ink, --grid, --paper and --series-1 to --series-8.
LIGHT = {"ink": "#1d1f23", "grid": "#d8dbe0", "paper": "#ffffff", **_SERIES}
DARK = {"ink": "#eceef2", "grid": "#3d424a", "paper": "#16181c", **_SERIES}


def colour(name: str) -> str:
    """The page's variable of that name, with the light colour in reserve."""
    return f"var(--{name}, {LIGHT[name]})"


INK, GRID, PAPER = map(colour, ("ink", "grid", "paper"))


def series_colour(series: int) -> str:
    return colour(f"series-{series % len(SERIES) + 1}")


# Beyond this a difference of two values could overflow; what lies outside is clipped, with an arrow.
LARGEST = 1e150


class Scale(msgspec.Struct, frozen=True):
    """Maps [low, high] onto [start, end] on the page; end < start where the axis goes up."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Where a value is on the page; what is outside of the range is put at its edge."""
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def span(axis: Axis, values: Iterable[float]) -> tuple[float, float]:
    """The axis's own bounds; where it has none, the data's, moved outwards to the next tick."""
    finite = [min(max(value, -LARGEST), LARGEST) for value in values if math.isfinite(value)]
    low = min(finite, default=0.0) if axis.low is None else axis.low
    high = max(finite, default=low + 1.0) if axis.high is None else axis.high
    size = max(abs(low), abs(high))
    if high - low <= max(1e-9 * size, 1e-12):
        margin = 0.1 * size if size > 1e-9 else 1.0
        if axis.low is None:
            low = min(low, high) - margin
        if axis.high is None:
            high = low + 2 * margin if axis.low is None else low + margin
    step = round_step((high - low) / 6)
    if axis.low is None:
        low = min(low, _tidy(math.floor(low / step + 1e-9), step))
    if axis.high is None:
        high = max(high, _tidy(math.ceil(high / step - 1e-9), step))
    return low, high


def extent(
    axis: Axis, intervals: Iterable[tuple[float | None, float | None, float | None]], *references: float | None
) -> tuple[float, float]:
    """The span of values with their bounds, and of the lines that they are read against."""
    ends = [end for interval in intervals if known(interval[0]) is not None for end in interval]
    return span(axis, (end for end in (*references, *ends) if end is not None))


def round_step(step: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below the step."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))


def ticks(low: float, high: float, at_most: int = 6) -> tuple[float, ...]:
    """Multiples of a round step inside [low, high], at most `at_most` + 1 of them."""
    step = round_step((high - low) / at_most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(_tidy(i, step) for i in range(first, last + 1))


def tick_texts(values: Sequence[float]) -> tuple[str, ...]:
    """The ticks in as few decimals as tell them apart, all with the same number; a true minus sign."""
    if not values:
        return ()
    step = min((b - a for a, b in pairwise(values)), default=abs(values[0]) or 1.0)
    plain = max(map(abs, values)) < 1e9 and step >= 1e-6
    texts: list[str] = []
    for digits in range(18):
        texts = [f"{value:,.{digits}f}" if plain else f"{value:.{digits}g}" for value in values]
        if all(
            abs(float(text.replace(",", "")) - value) <= step / 1000 for text, value in zip(texts, values, strict=True)
        ):
            break
    return tuple(text.replace("-", "−") for text in texts)


def _tidy(count: int, step: float) -> float:
    """count * step, without what binary fractions leave behind."""
    return round(count * step, max(0, 1 - math.floor(math.log10(step))))


RADIUS = 5.0


def _ring(count: int, turn: float, size: float, inner: float = 1.0) -> tuple[tuple[float, float], ...]:
    """Points around the centre, from `turn` quarter turns below the right; every second one at `inner` of the size."""
    corners = []
    for i in range(count):
        angle = math.pi * (2 * i / count + turn / 2)
        radius = size * (inner if i % 2 else 1.0)
        corners.append((radius * math.cos(angle), radius * math.sin(angle)))
    return tuple(corners)


def _cross(arm: float, half: float) -> tuple[tuple[float, float], ...]:
    return (
        *((-half, -arm), (half, -arm), (half, -half), (arm, -half), (arm, half), (half, half)),
        *((half, arm), (-half, arm), (-half, half), (-arm, half), (-arm, -half), (-half, -half)),
    )


def _turned(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """By an eighth."""
    s = math.sqrt(0.5)
    return tuple(((x - y) * s, (x + y) * s) for x, y in points)


# In a circle of radius 1; about the same area to the eye.
_SHAPES = (
    _ring(24, 0, 0.95),
    _ring(4, 0.5, 1.2),
    _ring(3, -1, 1.3),
    _ring(4, 0, 1.3),
    _cross(1.15, 0.42),
    _ring(3, 1, 1.3),
    _turned(_cross(1.2, 0.42)),
    _ring(10, -1, 1.4, 0.55),
)
assert len(_SHAPES) == len(SERIES)


def marker(
    series: int, x: float, y: float, *, says: str = "", inside: bool = True, style: int = 0, plain: bool = False
) -> Html:
    """The mark of a value; hollow where the value itself is outside of the range and shown at its edge.

    `style` tells prompts apart: 0 is filled, 1 hollow, 2 filled with a hole, 3 hollow with a dot. `plain`: in the
    colour of the text, for a key.
    """
    own = INK if plain else series_colour(series)
    is_filled = inside and style in (0, 2)
    shape = path(
        [(x + dx * RADIUS, y + dy * RADIUS) for dx, dy in _SHAPES[series]],
        *([hint(says)] if says else []),
        class_="mark" if says else "key",
        fill=own if is_filled else PAPER,
        stroke=PAPER if is_filled else own,
        stroke_width=1 if is_filled else 1.5,
    )
    if style < 2 or not inside:
        return shape
    dot = [(x + dx * RADIUS * 0.4, y + dy * RADIUS * 0.4) for dx, dy in _SHAPES[0]]
    return joined(shape, path(dot, class_="dot", fill=PAPER if is_filled else own))


def interval(
    series: int,
    scale: Scale,
    across: float,
    value: float,
    low: float | None,
    high: float | None,
    *,
    upright: bool = False,
) -> list[Html]:
    """The line from low to high at `across` on the other axis; an arrow at each end where it, or the value, goes on."""
    low, high = bound(low), bound(high)
    ends = [end for end in (low, value, high) if end is not None]
    parts: list[Html] = []

    def place(along: float, aside: float) -> tuple[float, float]:
        return (across + aside, along) if upright else (along, across + aside)

    if low is not None or high is not None:
        a = scale(value if low is None else low)
        b = scale(value if high is None else high)
        corners = [place(a, -1), place(b, -1), place(b, 1), place(a, 1)]
        parts.append(path(corners, class_="interval", fill=series_colour(series)))
    out = math.copysign(1.0, scale.end - scale.start)
    for edge, direction, outside in (
        (scale.start, -out, min(ends) < scale.low),
        (scale.end, out, max(ends) > scale.high),
    ):
        if outside:
            # Long enough to be seen beside a mark that is put at the edge.
            tip = edge + (7 if scale.holds(value) else 13) * direction
            corners = [place(edge, -4), place(edge, 4), place(tip, 0)]
            parts.append(path(corners, class_="clip", fill=series_colour(series)))
    return parts
