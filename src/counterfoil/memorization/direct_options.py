"""Options for a question that a model wrote without any."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from counterfoil.memorization import draws, numbers, wording
from counterfoil.memorization.confirming import Confirmation
from counterfoil.memorization.draws import Rejected
from counterfoil.memorization.originals import Original
from counterfoil.memorization.questions import Question
from counterfoil.memorization.sent_back import Unfit
from counterfoil.memorization.template_parts import Template

NO_OPTIONS = "its answer is no option, or its options can't be read"


class Source(NamedTuple):
    """What is rewritten: an original, and its template where there is one."""

    question: Question
    template: Template | None = None
    original: Original | None = None


def made_options(source: Source, level: int, answer: str, said: Confirmation) -> tuple[str, str, str]:
    """Where the reply has no options: the template's mistakes; without a template the original's options, scaled."""
    original = source.question
    gold = number(answer)
    old = number(original.value)
    # Level 3 asks for something else, which has its own unit.
    shape = answer if level == 3 else original.value
    digits = number(shape).decimals
    wrong: Sequence[Decimal] = ()
    if source.template is not None and said.worked is not None and said.status == "verified":
        template, worked = source.template, said.worked
        try:
            wrong = draws.wrong_options(
                template.distractors, worked.values, gold.value, digits, template.percent, {old.value}
            )
        except Rejected as error:
            raise Unfit(NO_OPTIONS, f"there are no options in perturbed_question, and {error}") from error
    elif old.value:
        others = [number(option).value for option in original.options if wording.value_of(option) != original.value]
        wrong = [numbers.rounded(gold.value * other / old.value, digits) for other in others]
    printed = [numbers.rounded(gold.value, digits), *wrong]
    if len(printed) < 3 or any(not draws.apart(a, b, digits) for a, b in combinations(printed, 2)):
        raise Unfit(NO_OPTIONS, "there are no options in perturbed_question: give them as A: …, B: …, C: …")
    one, two, three = (_shaped(value, shape, digits) for value in printed)
    return one, two, three


def _shaped(value: Decimal, shape: str, digits: int) -> str:
    """A number in the words and the way of printing of another one."""
    start, end = numbers.only(shape)
    like = numbers.read(shape[start:end])
    return numbers.with_unit(
        numbers.printed(value, digits, plain=like.plain), shape[:start] + like.currency, shape[end:]
    )


def number(text: str) -> numbers.Printed:
    """The one number in an option or answer; Unfit if there is not one."""
    try:
        start, end = numbers.only(text)
        return numbers.read(text[start:end])
    except ValueError as error:
        raise Unfit(NO_OPTIONS, str(error)) from error
