"""Drawing values for the slots of a template, working out the answer or the unknown, and which draws are accepted.

A draw is thrown away if a condition fails, if its rounding is in doubt, or if its options come too close. A template
whose answer and check are a unit of the last digit or more apart is wrong, and that is an error.
At level 3 the answer is given, and a slot is asked for: solved numerically, and checked by putting it back.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple, TypeVar

from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.language import Expression, ExpressionError
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.likeness import round_values
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.template import Inverse, Slot, Template

MAX_TRIES = 2_000
# Nearer than this to where rounding changes, a value's rounding is in doubt: absolute, and in units of the last digit.
_NEAR = Decimal("1e-9")
_NEAR_UNITS = Decimal("1e-6")
_HALF = Decimal("0.5")
_TOO_LARGE = Decimal("1e15")
# The range of an unknown is looked through in so many parts, so that a second solution is seen.
_PARTS = 8
_BISECTIONS = 60
_CLOSE = 1e-13
_MAX_SEARCHED = 500

_T = TypeVar("_T")


class Rejected(Exception):
    """Why a draw is thrown away."""


class Draw(NamedTuple):
    """Values for the slots, and what follows from them."""

    # The slots as printed (5 for 5 %), and all that expressions can use (0.05), the answer included.
    slots: Mapping[str, Decimal]
    values: Mapping[str, Decimal]
    floats: Mapping[str, float]
    # The answer as printed (5 for 5 %), rounded; before rounding it is in `values`.
    answer: Decimal
    check: Decimal


def seeded(seed: int, *names: object) -> random.Random:
    """A stream of random numbers that depends on the seed and the names, and on nothing else."""
    text = "\0".join(str(part) for part in (seed, *names))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))  # noqa: S311


def below(stream: random.Random, count: int) -> int:
    """One of 0 … count - 1. It uses random() alone, which is the same in every version of Python."""
    return int(stream.random() * count)


def original_slots(template: Template) -> dict[str, Decimal]:
    return {name: slot.original for name, slot in template.slots.items()}


def fresh_slots(template: Template, stream: random.Random, as_round: bool = True) -> dict[str, Decimal]:
    """All slots drawn anew; `as_round`: from values as round as the original's, where that is not itself a draw."""
    return {name: _drawn(template, slot, stream, as_round) for name, slot in template.slots.items()}


def changed_slots(
    template: Template,
    slots: Mapping[str, Decimal],
    which: Sequence[Slot],
    stream: random.Random,
    as_round: bool = True,
) -> dict[str, Decimal]:
    """The same slots, with other values for those of `which`."""
    changed = dict(slots)
    for slot in which:
        while changed[slot.name] == slots[slot.name]:
            changed[slot.name] = _drawn(template, slot, stream, as_round)
    return changed


def other_slots(
    template: Template, slots: Mapping[str, Decimal], count: int, stream: random.Random, as_round: bool = True
) -> dict[str, Decimal]:
    """The same slots, with other values for `count` of them, or for those that its conditions let change."""
    if template.moves:
        possible = template.moves[count]
        return {**slots, **possible[below(stream, len(possible))]}
    return changed_slots(template, slots, some(template.changeable, count, stream), stream, as_round)


def _drawn(template: Template, slot: Slot, stream: random.Random, as_round: bool) -> Decimal:
    """A value of a slot, each as likely as the others."""
    if not as_round or template.source == "bank" or slot.choices == 1:
        return slot.value(below(stream, slot.choices))
    values = round_values(slot)
    return values[below(stream, len(values))]


def some(choices: Sequence[Slot], count: int, stream: random.Random) -> list[Slot]:
    """`count` of the slots, each as likely as the others."""
    left = list(choices)
    return [left.pop(below(stream, len(left))) for _ in range(count)]


def work_out(template: Template, slots: Mapping[str, Decimal], *, conditions: bool = True) -> Draw:
    """The answer for these slots, by both computations and the check; Rejected says why there is none to rely on."""
    try:
        return _computed(template, slots, template.conditions if conditions else ())
    except ExpressionError as error:
        raise Rejected(f"can't be computed ({error})") from error


class Worked:
    """What was worked out of a template, by its slots: few values are as round as the original's, and come again."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self._found: dict[tuple[Decimal, ...], Draw | Rejected] = {}

    def out(self, slots: Mapping[str, Decimal]) -> Draw:
        """As `work_out`."""
        key = tuple(slots.values())
        found = self._found.get(key)
        if found is None:
            try:
                found = work_out(self.template, slots)
            except Rejected as error:
                found = error
            self._found[key] = found
        if isinstance(found, Rejected):
            raise found
        return found


def _computed(template: Template, slots: Mapping[str, Decimal], conditions: Sequence[Expression]) -> Draw:
    values = {name: numbers.meant(slots[name], slot.percent) for name, slot in template.slots.items()}
    floats = {name: float(value) for name, value in values.items()}
    for derived in template.derived:
        values[derived.name] = value = derived.value.decimal(values)
        floats[derived.name] = derived.value.float(floats)
        if derived.digits is not None:
            _agreed(shown(value, derived.percent), shown(floats[derived.name], derived.percent), derived.digits)
    values["answer"] = template.answer.decimal(values)
    floats["answer"] = template.answer.float(floats)
    answer = shown(values["answer"], template.percent)
    rounded = _agreed(answer, shown(floats["answer"], template.percent), template.digits)
    check = template.check.decimal(values)
    shown_check = shown(check, template.percent)
    if abs(shown_check - answer) >= numbers.unit(template.digits):
        told = ", ".join(f"{name} = {template.slots[name].printed(value)}" for name, value in slots.items())
        raise UserError(
            f"template {template.id}: with {told} its answer is {answer:.12g} and its check {shown_check:.12g}: "
            "one of the two expressions is wrong."
        )
    _agreed(answer, shown_check, template.digits)
    for condition in conditions:
        if not condition.holds(values):
            raise Rejected(f"the condition {condition.source} fails")
    return Draw(slots, values, floats, rounded, check)


def shown(value: Decimal | float, percent: bool) -> Decimal:
    """A value as it is printed, before rounding; Rejected where nobody would print it."""
    number = Decimal(value)
    if not number.is_finite() or abs(number) >= _TOO_LARGE:
        raise Rejected("a value is too large")
    return numbers.shown(number, percent)


def _agreed(one: Decimal, other: Decimal, digits: int) -> Decimal:
    """The first, rounded. Rejected if the other rounds differently, or if the rounding is in doubt."""
    rounded = numbers.rounded(one, digits)
    unit = numbers.unit(digits)
    if abs(abs(one - rounded) - unit * _HALF) < max(_NEAR, unit * _NEAR_UNITS):
        raise Rejected("the rounding is in doubt")
    if numbers.rounded(other, digits) != rounded:
        raise Rejected("the computations round differently")
    return rounded


def wrong_options(
    distractors: Sequence[Expression],
    values: Mapping[str, Decimal],
    gold: Decimal,
    digits: int,
    percent: bool,
    never: Collection[Decimal] = (),
) -> tuple[Decimal, Decimal]:
    """The first two distractors, as printed, that keep apart from the gold, from each other and from `never`.

    A distractor that is printed as 0 is left out, too.
    """
    kept: list[Decimal] = []
    for distractor in distractors:
        try:
            value = numbers.rounded(shown(distractor.decimal(values), percent), digits)
        except (ExpressionError, Rejected):
            continue
        if value and all(USUAL.holds(value, other, digits) for other in (gold, *kept, *never)):
            kept.append(value)
            if len(kept) == 2:
                return kept[0], kept[1]
    raise Rejected("the options come too close")


def accepted(attempt: Callable[[], _T], template: Template, what: str) -> _T:
    """The first attempt that is not rejected."""
    reasons: Counter[str] = Counter()
    for _ in range(MAX_TRIES):
        try:
            return attempt()
        except Rejected as error:
            reasons[str(error)] += 1
    reason, times = reasons.most_common(1)[0]
    raise UserError(
        f"template {template.id}: no {what} in {MAX_TRIES:,} tries, most often ({times:,}) because {reason}. "
        "Widen the ranges of its slots, or change its conditions or distractors; or ask for fewer draws."
    )


def solve(template: Template, inverse: Inverse, draw: Draw) -> float:
    """The unknown, as expressions use it, that gives the printed answer.

    Rejected unless there is only one, it is the one that was drawn, and it gives the printed answer when it is rounded
    and put back. Derived values in the text are taken as printed; the others follow from the unknown.
    """
    slot = template.slots[inverse.unknown]
    held = {
        derived.name: _as_asked(draw.values[derived.name], derived.digits, derived.percent)
        for derived in template.derived
        if derived.digits is not None and derived.name in inverse.text.markers
    }
    target = numbers.meant(draw.answer, template.percent)
    floats = {**draw.floats, **{name: float(value) for name, value in held.items()}}
    following = [derived for derived in template.derived if derived.name not in held]

    def distance(unknown: float) -> float:
        floats[slot.name] = unknown
        for derived in following:
            floats[derived.name] = derived.value.float(floats)
        return template.answer.float(floats) - float(target)

    def gives_answer(unknown: Decimal) -> bool:
        values = {**draw.values, **held, slot.name: unknown, "answer": target}
        for derived in following:
            values[derived.name] = derived.value.decimal(values)
        if not all(condition.holds(values) for condition in template.conditions):
            return False
        return _as_asked(template.answer.decimal(values), template.digits, template.percent) == target

    try:
        # An answer that comes from a rounded derived value moves in jumps of about a unit.
        unit = numbers.meant(numbers.unit(template.digits), template.percent)
        solutions = _candidates(distance, slot, 2 * float(unit))
        rounded = {unknown: _as_asked(Decimal(unknown), inverse.digits, slot.percent) for unknown in solutions}
        found = [unknown for unknown in solutions if gives_answer(rounded[unknown])]
    except ExpressionError as error:
        raise Rejected(f"it can't be solved ({error})") from error
    if len(found) != 1:
        raise Rejected("there are several solutions" if found else "there is no solution")
    if rounded[found[0]] != draw.values[slot.name]:
        raise Rejected("the solution is not the value that was drawn")
    return found[0]


def _as_asked(value: Decimal, digits: int, percent: bool) -> Decimal:
    """A value, rounded as it is asked for: where it is a percentage, `digits` are the percentage's."""
    return numbers.rounded(value, digits + (2 if percent else 0))


def _candidates(distance: Callable[[float], float], slot: Slot, close: float) -> list[float]:
    """Where the distance is 0 in the range of the slot. Poles, where it only changes its sign, are left out."""
    # From low to high and half a step more, since a rounded answer moves the solution; what is above 0 stays there.
    least = slot.low - slot.step / 2 if slot.low <= 0 else max(slot.low - slot.step / 2, slot.low / 2)
    low, high = (float(numbers.meant(end, slot.percent)) for end in (least, slot.high + slot.step / 2))
    points = [low + (high - low) * part / _PARTS for part in range(_PARTS + 1)]
    defined = []
    for point in points:
        with suppress(ExpressionError):
            defined.append((point, distance(point)))
    if len(defined) <= _PARTS // 2:
        # Some functions are there for whole numbers of periods only.
        return _searched(distance, slot, close)
    roots = [
        _bisected(distance, (one, other) if value < 0 else (other, one))
        for (one, value), (other, next_value) in pairwise(defined)
        if (value < 0) != (next_value < 0)
    ]
    return [root for root in roots if abs(distance(root)) <= close]


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
    values = (float(numbers.meant(slot.value(number), slot.percent)) for number in range(slot.choices))
    return [value for value in values if abs(distance(value)) <= close]
