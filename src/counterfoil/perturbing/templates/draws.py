"""Drawing values for the slots of a template, and which draws are accepted.

A draw is thrown away if a condition fails, if its rounding is in doubt, or if its options come too close. A template
whose answer and check are a unit of the last digit or more apart is wrong, and that is an error.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.language import Expression, ExpressionError
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.parts import Slot, Template

MAX_TRIES = 2_000
# Options are at least so far apart: in units of the last digit, and as a share of the larger of the two.
APART_UNITS = 4
APART_SHARE = Decimal("0.01")
# Nearer than this to where rounding changes, a value's rounding is in doubt: absolute, and in units of the last digit.
_NEAR = Decimal("1e-9")
_NEAR_UNITS = Decimal("1e-6")
_HALF = Decimal("0.5")
_TOO_LARGE = Decimal("1e15")

_Found = TypeVar("_Found")


class Rejected(Exception):
    """Why a draw is thrown away."""


class Worked(NamedTuple):
    """A draw that was worked out."""

    # The slots as printed (5 for 5 %), and all that expressions can use (0.05), the answer included.
    slots: Mapping[str, Decimal]
    values: Mapping[str, Decimal]
    floats: Mapping[str, float]
    # The answer as printed (5 for 5 %), rounded; before rounding it is in `values`.
    answer: Decimal
    float: float
    check: Decimal


def seeded(seed: int, *names: object) -> random.Random:
    """A stream of random numbers that depends on the seed and the names, and on nothing else."""
    text = "\0".join(str(part) for part in (seed, *names))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))  # noqa: S311


def below(stream: random.Random, count: int) -> int:
    """One of 0 … count - 1; only random() is promised to be the same in every version of Python."""
    return int(stream.random() * count)


def original_slots(template: Template) -> dict[str, Decimal]:
    return {name: slot.original for name, slot in template.slots.items()}


def fresh_slots(template: Template, stream: random.Random) -> dict[str, Decimal]:
    """All slots drawn anew."""
    return {name: slot.value(below(stream, slot.choices)) for name, slot in template.slots.items()}


def changed_slots(slots: Mapping[str, Decimal], which: Sequence[Slot], stream: random.Random) -> dict[str, Decimal]:
    """The same slots, but those named with another value than they have."""
    return {**slots, **{slot.name: _another(slot, slots[slot.name], stream) for slot in which}}


def _another(slot: Slot, value: Decimal, stream: random.Random) -> Decimal:
    while (other := slot.value(below(stream, slot.choices))) == value:
        pass
    return other


def some(choices: Sequence[Slot], count: int, stream: random.Random) -> list[Slot]:
    """So many of the slots, each as likely as the others."""
    left = list(choices)
    return [left.pop(below(stream, len(left))) for _ in range(count)]


def work_out(template: Template, slots: Mapping[str, Decimal]) -> Worked:
    """The answer for these slots, by both computations and the check; Rejected says why there is none to rely on."""
    try:
        return _worked(template, slots)
    except ExpressionError as error:
        raise Rejected(f"can't be computed ({error})") from error


def _worked(template: Template, slots: Mapping[str, Decimal]) -> Worked:
    values = {
        name: numbers.share(slots[name]) if slot.percent else slots[name] for name, slot in template.slots.items()
    }
    floats = {name: float(value) for name, value in values.items()}
    for derived in template.derived:
        values[derived.name] = value = derived.value.decimal(values)
        floats[derived.name] = derived.value.float(floats)
        if derived.digits is not None:
            _agreed(_shown(value, derived.percent), _shown(floats[derived.name], derived.percent), derived.digits)
    values["answer"] = template.answer.decimal(values)
    floats["answer"] = template.answer.float(floats)
    answer = _shown(values["answer"], template.percent)
    rounded = _agreed(answer, _shown(floats["answer"], template.percent), template.digits)
    check = template.check.decimal(values)
    shown_check = _shown(check, template.percent)
    if abs(shown_check - answer) >= numbers.unit(template.digits):
        told = ", ".join(f"{name} = {template.slots[name].printed(value)}" for name, value in slots.items())
        raise UserError(
            f"template {template.id}: with {told} its answer is {answer:.12g} and its check {shown_check:.12g}: "
            "one of the two expressions is wrong."
        )
    _agreed(answer, shown_check, template.digits)
    for condition in template.conditions:
        if not condition.holds(values):
            raise Rejected(f"the condition {condition.source} fails")
    return Worked(slots, values, floats, rounded, floats["answer"], check)


def _shown(value: Decimal | float, percent: bool) -> Decimal:
    number = Decimal(value)
    if not number.is_finite() or abs(number) >= _TOO_LARGE:
        raise Rejected("a value is too large")
    return numbers.percentage(number) if percent else number


def _agreed(one: Decimal, other: Decimal, digits: int) -> Decimal:
    """Both, rounded; Rejected if they round differently, or stand where rounding changes."""
    rounded = numbers.rounded(one, digits)
    unit = numbers.unit(digits)
    if abs(abs(one - rounded) - unit * _HALF) < max(_NEAR, unit * _NEAR_UNITS):
        raise Rejected("the rounding is in doubt")
    if numbers.rounded(other, digits) != rounded:
        raise Rejected("the computations round differently")
    return rounded


def apart(one: Decimal, other: Decimal, digits: int) -> bool:
    """Whether two printed numbers are far enough from each other to be two options."""
    return abs(one - other) >= max(APART_UNITS * numbers.unit(digits), APART_SHARE * max(abs(one), abs(other)))


def wrong_options(
    distractors: Sequence[Expression],
    values: Mapping[str, Decimal],
    gold: Decimal,
    digits: int,
    percent: bool,
    never: Collection[Decimal] = (),
) -> tuple[Decimal, Decimal]:
    """The first two distractors, as printed, that keep apart from the gold, from each other and from `never`.

    One that is printed as 0 is passed over, too.
    """
    kept: list[Decimal] = []
    for distractor in distractors:
        try:
            value = numbers.rounded(_shown(distractor.decimal(values), percent), digits)
        except (ExpressionError, Rejected):
            continue
        if value and all(apart(value, other, digits) for other in (gold, *kept, *never)):
            kept.append(value)
            if len(kept) == 2:
                return kept[0], kept[1]
    raise Rejected("the options come too close")


def accepted(attempt: Callable[[], _Found], template: Template, what: str) -> _Found:
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
        "Widen the ranges of its slots, or change its conditions or distractors."
    )
