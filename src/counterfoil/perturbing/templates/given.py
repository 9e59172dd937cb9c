"""Options that an existing question prints: whether the answer is the gold one, and how variants get such options."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Literal, NamedTuple

from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.language import Expression, ExpressionError
from counterfoil.perturbing.questions import LETTERS
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.draws import Draw, Rejected
from counterfoil.perturbing.templates.likeness import as_round, rounder
from counterfoil.perturbing.templates.numbers import USUAL, Apart, PrintedNumber
from counterfoil.perturbing.templates.template import GivenOptions, PrintedOption, Template

# An expression stands for a printed option if it is nearer to it than this share of the way to the next option.
_NEAR = Decimal("0.1")
# A variant's option is as far from the gold as the printed one, or so many times nearer or farther at most.
_ALIKE = Decimal("1.5")
# To be as round as the gold, it is moved by no more than this share of its distance from the gold.
_MOVED = Decimal("0.3")


Shape = Literal["as round", "as it is", "rounder"]


class Stretch(NamedTuple):
    """An option that is made: so many times the printed distance from the gold; as round as the gold, or not."""

    times: Decimal
    shape: Shape


_SHAPES: tuple[Shape, ...] = ("as round", "as it is", "rounder")
STRETCHES = tuple(
    Stretch(Decimal(times), shape) for times in ("0.7", "0.8", "0.9", "1", "1.1", "1.25", "1.4") for shape in _SHAPES
)


def verify_given(template: Template, given: GivenOptions) -> Draw:
    """The original, worked out. UserError unless the answer is the gold option as printed, and no other."""
    try:
        draw = draws.work_out(template, draws.original_slots(template))
    except Rejected as error:
        raise does_not_hold(template, error) from error
    answer = numbers.shown(draw.values["answer"], template.percent)
    gold = given.numbers[LETTERS.index(given.gold)]
    off = abs(answer - gold.value)
    if numbers.rounded(answer, gold.decimals) != gold.value and off > given.slack * numbers.unit(gold.decimals):
        raise UserError(
            f"template {template.id}: its answer is {answer:.10g}, but the gold option {given.gold} is {gold.value}."
        )
    for letter, other in zip(LETTERS, given.numbers, strict=True):
        # An option with fewer digits than the gold, as a bare 6 beside 5.8, is a rounded answer only if it is near.
        comparable = other.decimals >= gold.decimals or 100 * abs(answer - other.value) <= abs(other.value)
        as_printed = comparable and numbers.rounded(answer, other.decimals) == other.value
        if letter != given.gold and (as_printed or 2 * off >= abs(answer - other.value)):
            raise UserError(f"template {template.id}: its answer {answer:.10g} fits the wrong option {letter}, too.")
    return draw


def does_not_hold(template: Template, reason: Rejected) -> UserError:
    return UserError(f"template {template.id}: its original does not hold: {reason}.")


def apart_as_printed(options: Sequence[PrintedNumber], digits: int) -> Apart:
    """The usual distance of options; where the printed ones are closer to each other than that, theirs."""
    units, share = USUAL
    for one, other in combinations([option.value for option in options], 2):
        distance = abs(one - other)
        units = min(units, distance / numbers.unit(digits))
        share = min(share, distance / max(abs(one), abs(other)))
    return Apart(max(units, Decimal(1)), share)


def printed_options(template: Template, given: GivenOptions) -> tuple[PrintedOption, ...]:
    """For each wrong option as it is printed, the distractor that gives it with the original values, if there is one.
    Nothing where the gold is 0: then no distance from it is a share of it.
    """
    values = [option.value for option in given.numbers]
    gold = values[LETTERS.index(given.gold)]
    try:
        draw = draws.work_out(template, draws.original_slots(template))
    except (Rejected, UserError):
        return ()
    results = [(one, _value(one, draw, template.percent)) for one in template.distractors]
    found = []
    for wrong in values:
        if gold == 0 or wrong == gold:
            continue
        near = _NEAR * min(abs(wrong - other) for other in values if other != wrong)
        off = [(abs(result - wrong), one) for one, result in results if result is not None]
        best = min(off, key=lambda pair: pair[0], default=None)
        found.append(PrintedOption(best[1] if best and best[0] <= near else None, (wrong - gold) / abs(gold)))
    return tuple(found)


def options_as_printed(
    template: Template,
    draw: Draw,
    never: Collection[Decimal],
    *,
    made: bool,
    stretch: Sequence[Stretch] = (),
) -> tuple[Decimal, Decimal]:
    """Wrong options on the sides of the gold, and about as far from it, as the printed ones; as round as the gold.
    `made`: where a distractor gives no such option, it is made in proportion to the gold; else the draw is rejected.
    `stretch`: all are made, as these say.
    """
    digits, gold, found = template.digits, draw.answer, list[Decimal]()
    for place, printed in enumerate(template.printed):
        option, shape = printed, _SHAPES[0]
        if stretch:
            option, shape = PrintedOption(None, printed.away * stretch[place].times), stretch[place].shape
        for wrong in _candidates(option, draw, digits, template.percent, made=made, shape=shape):
            if stretch and not _is_alike(wrong, gold, printed.away):
                continue
            apart = all(template.apart.holds(wrong, other, digits) for other in (gold, *found))
            if wrong and apart and all(USUAL.holds(wrong, other, digits) for other in never):
                found.append(wrong)
                break
        else:
            raise Rejected("the options come too close" if made else "the options are not as the printed ones")
    return found[0], found[1]


def _is_alike(wrong: Decimal, gold: Decimal, away: Decimal) -> bool:
    """Whether an option is about as far from the gold as the printed one."""
    return 1 / _ALIKE <= (wrong - gold) / abs(gold) / away <= _ALIKE if gold else False


def _candidates(
    option: PrintedOption, draw: Draw, digits: int, percent: bool, *, made: bool, shape: Shape
) -> Iterator[Decimal]:
    """What can stand for a printed option: each in this shape, if that does not move it far, and as it is."""
    gold = numbers.shown(draw.values["answer"], percent)
    found = []
    if option.distractor is not None and gold:
        value = _value(option.distractor, draw, percent)
        if value is not None and 1 / _ALIKE <= (value - gold) / abs(gold) / option.away <= _ALIKE:
            found.append(value)
    if made or option.distractor is None:
        found.append(gold + option.away * abs(gold))
    for value in found:
        rounded = None
        if shape != "as it is":
            rounded = (as_round if shape == "as round" else rounder)(value, draw.answer, digits)
        if rounded is not None and abs(rounded - value) <= _MOVED * abs(value - gold):
            yield rounded
        yield numbers.rounded(value, digits)


def _value(distractor: Expression, draw: Draw, percent: bool) -> Decimal | None:
    try:
        return numbers.shown(distractor.decimal(draw.values), percent)
    except ExpressionError:
        return None
