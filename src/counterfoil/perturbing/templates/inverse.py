"""Level 3: the answer is given, and a slot is asked for. Solved numerically, and checked by putting it back."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise

from counterfoil.perturbing.expressions.language import ExpressionError
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.draws import Rejected, Worked
from counterfoil.perturbing.templates.parts import Inverse, Slot, Template

# The range is looked through in so many parts, so that a second solution is seen.
PARTS = 8
_BISECTIONS = 60
_CLOSE = 1e-13
_MAX_SEARCHED = 500


def solve(template: Template, inverse: Inverse, worked: Worked) -> float:
    """The unknown, as expressions use it, that gives the printed answer.

    Rejected unless there is only one, it is the one that was drawn, and, rounded as it is asked for and put back, it
    gives the printed answer. Derived values in the text are taken as printed; the others follow from the unknown.
    """
    slot = template.slots[inverse.unknown]
    held = {
        derived.name: numbers.rounded(worked.values[derived.name], derived.digits + (2 if derived.percent else 0))
        for derived in template.derived
        if derived.digits is not None and derived.name in inverse.text.markers
    }
    digits = template.digits + (2 if template.percent else 0)
    target = numbers.share(worked.answer) if template.percent else worked.answer
    floats = {**worked.floats, **{name: float(value) for name, value in held.items()}}
    following = [derived for derived in template.derived if derived.name not in held]

    def distance(unknown: float) -> float:
        floats[slot.name] = unknown
        for derived in following:
            floats[derived.name] = derived.value.float(floats)
        return template.answer.float(floats) - float(target)

    def gives_answer(unknown: Decimal) -> bool:
        values = {**worked.values, **held, slot.name: unknown, "answer": target}
        for derived in following:
            values[derived.name] = derived.value.decimal(values)
        if not all(condition.holds(values) for condition in template.conditions):
            return False
        return numbers.rounded(template.answer.decimal(values), digits) == target

    try:
        # An answer that comes from a rounded derived value moves in jumps of about a unit.
        solutions = _candidates(distance, slot, 2 * float(numbers.unit(digits)))
        rounded = {unknown: _rounded(unknown, slot, inverse.digits) for unknown in solutions}
        found = [unknown for unknown in solutions if gives_answer(rounded[unknown])]
    except ExpressionError as error:
        raise Rejected(f"it can't be solved ({error})") from error
    if len(found) != 1:
        raise Rejected("there are several solutions" if found else "there is no solution")
    if rounded[found[0]] != worked.values[slot.name]:
        raise Rejected("the solution is not the value that was drawn")
    return found[0]


def _rounded(unknown: float, slot: Slot, digits: int) -> Decimal:
    """The unknown with the digits that it is asked for with."""
    return numbers.rounded(Decimal(unknown), digits + (2 if slot.percent else 0))


def _range(slot: Slot) -> tuple[float, float]:
    """From low to high and half a step more, since a rounded answer moves the solution; what is above 0 stays there."""
    low, high = slot.low - slot.step / 2, slot.high + slot.step / 2
    if slot.low > 0:
        low = max(low, slot.low / 2)
    scale = 100 if slot.percent else 1
    return float(low / scale), float(high / scale)


def _candidates(distance: Callable[[float], float], slot: Slot, close: float) -> list[float]:
    """Where the distance is 0 in the range of the slot; a pole, where it only changes its sign, is none."""
    low, high = _range(slot)
    points = [low + (high - low) * part / PARTS for part in range(PARTS + 1)]
    defined = [(point, value) for point in points if (value := _defined(distance, point)) is not None]
    if len(defined) <= PARTS // 2:
        # Some functions are there for whole numbers of periods only.
        return _searched(distance, slot, close)
    roots = [
        _bisected(distance, (one, other) if value < 0 else (other, one))
        for (one, value), (other, next_value) in pairwise(defined)
        if (value < 0) != (next_value < 0)
    ]
    return [root for root in roots if abs(distance(root)) <= close]


def _defined(distance: Callable[[float], float], point: float) -> float | None:
    try:
        return distance(point)
    except ExpressionError:
        return None


def _bisected(distance: Callable[[float], float], between: tuple[float, float]) -> float:
    """Between a point where the distance is below 0 and one where it is not."""
    negative, positive = between
    for _ in range(_BISECTIONS):
        middle = (negative + positive) / 2
        if distance(middle) < 0:
            negative = middle
        else:
            positive = middle
        if abs(positive - negative) <= _CLOSE * abs(middle):
            break
    return (negative + positive) / 2


def _searched(distance: Callable[[float], float], slot: Slot, close: float) -> list[float]:
    """Those values of the slot itself that come close enough."""
    if slot.choices > _MAX_SEARCHED:
        raise Rejected(f"{slot.name} has more than {_MAX_SEARCHED} values to be tried one by one")
    scale = 100 if slot.percent else 1
    values = (float(slot.value(number) / scale) for number in range(slot.choices))
    return [value for value in values if abs(distance(value)) <= close]
