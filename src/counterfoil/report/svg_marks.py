"""Marks: a shape for each series, the line of an interval, and the arrow where something goes on outside."""

from __future__ import annotations

import math

from counterfoil.report.colours import SERIES, Paint
from counterfoil.report.plots import bound
from counterfoil.report.scales import Scale
from counterfoil.report.svg_element import Markup, hint, path

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


def colour(series: int, paint: Paint) -> str:
    return paint(f"series-{series + 1}")


def marker(series: int, x: float, y: float, paint: Paint, *, says: str = "", inside: bool = True) -> Markup:
    """The mark of a value; hollow where the value itself is outside of the range and shown at its edge."""
    return path(
        [(x + dx * RADIUS, y + dy * RADIUS) for dx, dy in _SHAPES[series]],
        *([hint(says)] if says else []),
        class_="mark" if says else "key",
        fill=colour(series, paint) if inside else paint("paper"),
        stroke=paint("paper") if inside else colour(series, paint),
        stroke_width=1 if inside else 1.5,
    )


def interval(
    series: int,
    scale: Scale,
    across: float,
    value: float,
    low: float | None,
    high: float | None,
    paint: Paint,
    *,
    upright: bool = False,
) -> list[Markup]:
    """The line from low to high at `across` on the other axis; an arrow at each end where it, or the value, goes on."""
    low, high = bound(low), bound(high)
    ends = [end for end in (low, value, high) if end is not None]
    parts: list[Markup] = []

    def place(along: float, aside: float) -> tuple[float, float]:
        return (across + aside, along) if upright else (along, across + aside)

    if low is not None or high is not None:
        a = scale(value if low is None else low)
        b = scale(value if high is None else high)
        corners = [place(a, -1), place(b, -1), place(b, 1), place(a, 1)]
        parts.append(path(corners, class_="interval", fill=colour(series, paint)))
    out = math.copysign(1.0, scale.end - scale.start)
    for edge, direction, outside in (
        (scale.start, -out, min(ends) < scale.low),
        (scale.end, out, max(ends) > scale.high),
    ):
        if outside:
            # Long enough to be seen beside a mark that is put at the edge.
            tip = edge + (7 if scale.holds(value) else 13) * direction
            corners = [place(edge, -4), place(edge, 4), place(tip, 0)]
            parts.append(path(corners, class_="clip", fill=colour(series, paint)))
    return parts
