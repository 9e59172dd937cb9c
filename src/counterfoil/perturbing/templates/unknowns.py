"""The wrong options of level 3: values that the unknown could have. The right one was drawn from such, and must not be
told by its roundness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from counterfoil.perturbing.expressions.language import ExpressionError
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.draws import Rejected
from counterfoil.perturbing.templates.likeness import as_round, grid_of
from counterfoil.perturbing.templates.numbers import USUAL, Apart
from counterfoil.perturbing.templates.template import Inverse, Slot

# A distractor that falls on another option goes on, away from the right one, by so many steps at most.
_STEPS_ON = 12
# Values of an unknown that was drawn from round ones may be neighbours: only one of them gives the answer.
APART = Apart(Decimal(1), USUAL.share)
# An option so many times larger or smaller than the right one is struck out at a glance.
_FAR = 5


def options_on_grid(
    inverse: Inverse, unknown: Slot, values: Mapping[str, Decimal], gold: Decimal
) -> tuple[Decimal, Decimal]:
    """The first two distractors, each as the nearest value of the unknown's range, or beyond it in its steps."""
    kept: list[Decimal] = []
    for exact in _distractors(inverse, unknown, values):
        start = unknown.low + unknown.step * ((exact - unknown.low) / unknown.step).to_integral_value()
        found = _free(start, unknown.step.copy_sign(exact - gold), gold, kept, inverse.digits)
        kept += [] if found is None else [found]
        if len(kept) == 2:
            return kept[0], kept[1]
    raise Rejected("the options come too close")


def options_as_round(
    inverse: Inverse, unknown: Slot, values: Mapping[str, Decimal], gold: Decimal, above: int
) -> tuple[Decimal, Decimal]:
    """Two distractors that are as round as the right one, so many of them above it: one that is on the other side is
    taken as many times above as it is below.
    """
    kept: list[Decimal] = []
    unit = grid_of(gold, inverse.digits)
    for exact in _distractors(inverse, unknown, values):
        if not exact * gold > 0 or not abs(gold) / _FAR <= abs(exact) <= abs(gold) * _FAR:
            continue
        wants_above = sum(value > gold for value in kept) < above
        turned = exact if (exact > gold) == wants_above else gold * gold / exact
        step = unit if wants_above else -unit
        found = _free((turned / unit).to_integral_value() * unit, step, gold, kept, inverse.digits, alike=True)
        kept += [] if found is None else [found]
        if len(kept) == 2:
            return kept[0], kept[1]
    raise Rejected("the options come too close")


def _distractors(inverse: Inverse, unknown: Slot, values: Mapping[str, Decimal]) -> Iterator[Decimal]:
    for distractor in inverse.distractors:
        try:
            yield draws.shown(distractor.decimal(values), unknown.percent)
        except (ExpressionError, Rejected):
            continue


def _free(
    start: Decimal, step: Decimal, gold: Decimal, kept: list[Decimal], digits: int, *, alike: bool = False
) -> Decimal | None:
    """The first value from here on that keeps apart from the other options; `alike`: as round and as long as the
    right one, and where the step leads from it.
    """
    for number in range(_STEPS_ON):
        value = numbers.rounded(start + number * step, digits)
        fits = value * gold > 0 and (value > gold) == (step > 0)
        fits = fits and as_round(value, gold, digits, alike=True) == value
        apart = APART if alike else USUAL
        if (fits or not alike) and value and all(apart.holds(value, other, digits) for other in (gold, *kept)):
            return value
    return None
