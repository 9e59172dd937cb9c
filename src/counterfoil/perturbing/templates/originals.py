"""The original of a template: from the bank a draw of all slots, otherwise what the template gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.perturbing.questions import LETTERS, Computed, Letter, Question
from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Draw, Rejected
from counterfoil.perturbing.templates.template import GivenOptions, Template
from counterfoil.perturbing.templates.wording import Three


class Original(NamedTuple):
    """An original, and what it was made of."""

    question: Question
    draw: Draw
    # The options' numbers as printed, from A to C.
    contents: Three

    @property
    def gold(self) -> Decimal:
        """The right option's number."""
        return self.contents[LETTERS.index(self.question.gold)]


def make_original(template: Template, seed: int) -> Original:
    """The original; UserError if its values, or the options it gives, do not hold."""
    given = template.given
    if given is not None and template.source != "bank":
        return _original(template, verify_given(template, given), _numbers(given), given.gold)
    if template.source == "bank":
        stream = draws.seeded(seed, template.id, "original")
        draw, wrong = draws.accepted(
            lambda: attempt(template, draws.fresh_slots(template, stream)), template, "original"
        )
    else:
        try:
            draw, wrong = attempt(template, draws.original_slots(template))
        except Rejected as error:
            raise _does_not_hold(template, error) from error
    order = wording.orders_of(template.id, seed, "original")[0]
    contents = wording.arranged((draw.answer, *wrong), order)
    return _original(template, draw, contents, LETTERS[order.index(0)])


def attempt(
    template: Template, slots: Mapping[str, Decimal], never: Collection[Decimal] = ()
) -> tuple[Draw, tuple[Decimal, Decimal]]:
    """A draw worked out, and its two wrong options; all three keep apart from `never`, the original's gold.

    Otherwise a remembered answer would point at one of them.
    """
    draw = draws.work_out(template, slots)
    if not all(draws.apart(draw.answer, old, template.digits) for old in never):
        raise Rejected("the answer comes too close to the original's")
    wrong = draws.wrong_options(
        template.distractors, draw.values, draw.answer, template.digits, template.percent, never
    )
    return draw, wrong


def verify_given(template: Template, given: GivenOptions) -> Draw:
    """The original, worked out. UserError unless the answer is the gold option as printed, and no other."""
    try:
        draw = draws.work_out(template, draws.original_slots(template))
    except Rejected as error:
        raise _does_not_hold(template, error) from error
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


def _numbers(given: GivenOptions) -> Three:
    one, two, three = given.numbers
    return one.value, two.value, three.value


def _does_not_hold(template: Template, reason: Rejected) -> UserError:
    return UserError(f"template {template.id}: its original does not hold: {reason}.")


def _original(template: Template, draw: Draw, contents: Three, gold: Letter) -> Original:
    names = wording.first_names(template)
    markers = wording.printed(template, draw, names)
    shown = options_of(template, contents, names)
    question = Question(
        id=f"{template.id}/0",
        parent=None,
        template=template.id,
        topic=template.topic,
        level=0,
        draw=0,
        control=None,
        text=template.text.render(markers),
        options=shown,
        gold=gold,
        value=wording.value_of(shown[LETTERS.index(gold)]),
        digits=template.digits,
        percent=template.percent,
        old=gold,
        sham=None,
        changes=(),
        steps=template.steps.render(markers),
        expression=template.answer.source,
        computed=computed(draw),
        status="verified",
        source=template.source,
    )
    return Original(question, draw, contents)


def options_of(template: Template, contents: Three, names: Mapping[str, str]) -> tuple[str, str, str]:
    """The original's options under these names. Given ones are printed as they are given."""
    if template.given is None or template.source == "bank":
        return wording.options(template, contents, names)
    one, two, three = (option.render(names) for option in template.given.options)
    return one, two, three


def computed(draw: Draw) -> Computed:
    """The three computations; of floats only the digits that every machine agrees on."""
    return Computed(decimal=f"{draw.values['answer']:.20g}", float=f"{draw.float:.12g}", check=f"{draw.check:.20g}")
