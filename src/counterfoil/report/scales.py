"""From values to places: ranges, ticks at round numbers, and the linear map between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from counterfoil.report.plots import Axis

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
