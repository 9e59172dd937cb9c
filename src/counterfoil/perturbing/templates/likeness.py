"""What makes a draw as hard as the original: numbers as round as its own, options as close as those that it printed.

Where that can't be had, it is given up step by step, so that every template has its draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.template import Slot

# A slot is drawn from numbers as round as the original's, where there are so many others.
LEAST_VALUES = 3
# More values than this are looked through in steps of ten, of a hundred, …
_MOST_VALUES = 10_000


class Likeness(NamedTuple):
    """How like the original a draw is to be, after so many tries. `made`: options in proportion to the gold may stand
    for those of distractors; `by_text` and `by_zeros`: its gold is told by the numbers of the text, and by its zeros,
    as the original's is; `round`: its values are as round as the original's.
    """

    tries: int
    made: bool
    stretched: bool
    by_text: bool
    by_zeros: bool
    round: bool

    @staticmethod
    def after(tries: int) -> Likeness:
        return next(likeness for likeness in reversed(_STEPS) if tries >= likeness.tries)


_STEPS = (
    Likeness(0, made=False, stretched=False, by_text=True, by_zeros=True, round=True),
    Likeness(4, made=True, stretched=False, by_text=True, by_zeros=True, round=True),
    Likeness(14, made=True, stretched=True, by_text=True, by_zeros=True, round=True),
    Likeness(60, made=True, stretched=True, by_text=True, by_zeros=False, round=True),
    Likeness(85, made=True, stretched=False, by_text=False, by_zeros=False, round=True),
    Likeness(120, made=True, stretched=False, by_text=False, by_zeros=False, round=False),
)
# What options that are equally near to a number of the text share.
SHARED = 6


def told_by_text(values: Sequence[float], shown: Sequence[float]) -> tuple[int, ...]:
    """Which parts of SHARED each value has where the nearest to a number of the text is taken."""
    near = [min([abs(value - number) for number in shown]) for value in values] if shown else [0.0] * len(values)
    least = min(near)
    return tuple((one == least) * SHARED // near.count(least) for one in near)


def told_by_zeros(gold: Decimal, wrong: Sequence[Decimal], digits: int) -> tuple[int, int, int]:
    """Which part of SHARED the gold has where the roundest option is taken, the least round, and one that ends in 0
    or 5.
    """
    rounder = [-numbers.significant(value) for value in (gold, *wrong)]
    ends = [_shape(value, digits).ends for value in (gold, *wrong)]
    return _part(rounder), _part([-one for one in rounder]), _part(ends)


def _part(scores: Sequence[int]) -> int:
    """Which part of SHARED the first has, where the highest is taken."""
    most = max(scores)
    return (scores[0] == most) * SHARED // scores.count(most)


@lru_cache(maxsize=4096)
def round_values(slot: Slot) -> tuple[Decimal, ...]:
    """The values of a slot, the original's among them, that have as many significant digits as it has; where these are
    too few, those that have no more, then one more, and so on.
    """
    coarse = 1
    while slot.choices > coarse * _MOST_VALUES:
        coarse *= 10
    first = int(-slot.low % (slot.step * coarse) / slot.step) if coarse > 1 else 0
    values = (slot.value(number) for number in range(first, slot.choices, coarse))
    digits = {value: numbers.significant(value) for value in (slot.original, *values)}
    most = numbers.significant(slot.original)
    found = [value for value, count in digits.items() if count == most]
    while len(found) <= min(LEAST_VALUES, len(digits) - 1):
        found = [value for value, count in digits.items() if count <= most]
        most += 1
    return tuple(found)


def as_round(value: Decimal, like: Decimal, digits: int, *, alike: bool = False) -> Decimal | None:
    """The number nearest to a value that is printed as round as another one; None if there is none near.

    It has as many zeros at the end, those behind the point included, and ends in 5 only if the other one does; `alike`:
    it is as long, too, and has the same sign.
    """
    wanted = _shape(like, digits)
    unit = numbers.unit(digits).scaleb(wanted.zeros)
    near = (value / unit).to_integral_value() * unit
    for step in (0, 1, -1, 2, -2, 3, -3):
        shape = _shape(near + step * unit, digits)
        if shape == wanted if alike else shape[2:] == wanted[2:]:
            return numbers.rounded(near + step * unit, digits)
    return None


def grid_of(value: Decimal, digits: int) -> Decimal:
    """The unit in which a number has no zero at its end."""
    return numbers.unit(digits).scaleb(max(_shape(value, digits).zeros, 0))


def rounder(value: Decimal, like: Decimal, digits: int) -> Decimal:
    """The number nearest to a value that has at least one more zero at its end than another one."""
    unit = numbers.unit(digits).scaleb(max(_shape(like, digits).zeros, 0) + 1)
    return numbers.rounded((value / unit).to_integral_value() * unit, digits)


class _Shape(NamedTuple):
    negative: bool
    length: int
    zeros: int
    five: bool

    @property
    def ends(self) -> bool:
        """Whether it ends in 0 or 5."""
        return self.five or self.zeros != 0


def _shape(value: Decimal, digits: int) -> _Shape:
    """How a number is printed: its sign, its length, its zeros at the end, and whether a 5 stands before these."""
    text = f"{abs(numbers.rounded(value, digits)):f}".replace(".", "")
    bare = text.rstrip("0")
    return _Shape(value < 0, len(text), len(text) - len(bare) if bare else -1, bare.endswith("5"))
