"""From a reply to the answer it gives: a letter or a number; and whether that is the right one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from counterfoil.perturbing.questions import LETTERS, Question

# The rules of `counterfoil.reading` are imported where a reply is read: they take long to load, and `show` reads none.
from counterfoil.suite.outcome import Reading
from counterfoil.suite.suite import Variant

if TYPE_CHECKING:
    from counterfoil.reading.numbers import Stated


class Answer(Reading, frozen=True, kw_only=True):
    """What a reply answers: a letter, or a number in the unit that was asked for; and what that is."""

    text: str | None
    correct: bool
    # It is the gold answer of the original.
    kept_old: bool = False
    # It is the gold answer of another draw, in the lure arm.
    sham: bool = False


def read_answer(question: Question, variant: Variant, reply: str, tolerance: Decimal | None) -> Answer | None:
    """What a reply answers to a question; None where nothing can be read."""
    from counterfoil.reading.amounts import number_of
    from counterfoil.reading.choices import choice_of
    from counterfoil.reading.numbers import PERCENT, printed_number

    if not variant.prompt.open:
        choice = choice_of(reply, question.options, tuple(LETTERS), None, by_name=False)
        if choice is None:
            return None
        return letter_taken(question, LETTERS[choice.said], choice.by)
    gold = printed_number(question.value)
    unit = PERCENT if question.percent else Decimal(1) if gold is None or gold.unit is None else gold.unit
    read = number_of(reply, unit, question.digits, None if gold is None else abs(gold.value))
    return None if read is None else number_given(question, read.said, tolerance, read.by)


def letter_taken(question: Question, letter: str, read_by: str = "") -> Answer:
    """The answer that this letter is."""
    return Answer(
        text=letter,
        correct=letter == question.gold,
        kept_old=letter == question.old,
        sham=letter == question.sham,
        read_by=read_by,
    )


def number_given(question: Question, number: Decimal, tolerance: Decimal | None, read_by: str = "") -> Answer:
    """The answer that this number is, in the unit that was asked for."""
    from counterfoil.reading.numbers import is_close, printed_number

    gold = printed_number(question.value)

    def matches(printed: Stated | None) -> bool:
        return printed is not None and is_close(number, printed.value, question.digits, tolerance)

    old, sham = (
        None if letter is None else printed_number(question.options[LETTERS.index(letter)])
        for letter in (question.old, question.sham)
    )
    exact = _computed_answer(question)
    correct = matches(gold) or (exact is not None and is_close(number, exact, question.digits, tolerance))
    return Answer(text=f"{number:f}", correct=correct, kept_old=matches(old), sham=matches(sham), read_by=read_by)


def _computed_answer(question: Question) -> Decimal | None:
    """The answer as it is computed: some originals print one that was rounded on the way."""
    if question.computed is None or question.level == 3:
        return None
    value = Decimal(question.computed.decimal)
    return value * 100 if question.percent else value


def marks(record: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    """Where the reply last gives the answer that was read: its letter, or its number."""
    reply, answer = record.get("reply") or "", record.get("answer")
    if not isinstance(answer, str) or not answer:
        return []
    if answer in LETTERS:
        found = [match.span(1) for match in re.finditer(rf"(?<![\w'])({answer})(?![\w'])", reply)]
    else:
        found = [match.span() for match in re.finditer(r"\d[\d,]*(?:\.\d+)?", reply) if _is_number(match[0], answer)]
    return [(*found[-1], "choice")] if found else []


def _is_number(text: str, answer: str) -> bool:
    try:
        return Decimal(text.replace(",", "")) == abs(Decimal(answer))
    except InvalidOperation:
        return False
