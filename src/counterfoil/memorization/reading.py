"""From a reply to the answer it gives: a letter or a number; and whether that is the right one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeVar

import msgspec

from counterfoil.perturbing.questions import Question
from counterfoil.reading.amounts import amounts, same_amount
from counterfoil.reading.letters import letter_of
from counterfoil.reading.letters_text import first_round, plain
from counterfoil.reading.numbers import PERCENT, Stated, in_unit, printed_number
from counterfoil.reading.option_texts import LETTERS
from counterfoil.reading.plain_text import spoken
from counterfoil.reading.stated import decided
from counterfoil.suite.suite import Variant

_Said = TypeVar("_Said")
_ONE = Decimal(1)
# What most models say most of the time.
_PLAIN_LETTER = re.compile(r"\s?(?:ANSWER: )?\(?([A-Ca-c])[).]?\s?")
_PLAIN_LAST_LINE = re.compile(r"\*{0,2}ANSWER: ?\*{0,2}([A-C])\*{0,2}")
_PLAIN_NUMBER = re.compile(
    r"\*{0,2}ANSWER: ?\*{0,2}(-?)\$?([1-9]\d{0,2}(?:,\d{3}){1,4}|\d{1,15})(\.\d{1,15}|)(%?)\*{0,2}", re.ASCII
)
# A last line like "**ANSWER: B**": what stands before it is only looked at where another answer is right above.
_LAST_LINE = re.compile(r"[*_`#> ]{0,6}(?:final )?answer[*_`]{0,3} ?:", re.I)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply answers: a letter, or a number in the unit that was asked for; and what that is."""

    letter: str | None
    number: str | None
    correct: bool
    # It is the gold answer of the original.
    kept_old: bool
    # It is the gold answer of another draw, in the lure arm.
    sham: bool


def read_letter(reply: str, options: Sequence[str]) -> str | None:
    """The letter of the option, A, B or C, that a reply decides for; None where it decides for none.

    The last stated answer counts: a letter, an option's text, or a number that is close to one option (1 % of it, or
    half a unit of its last digit) and less than half as far from it as from any other. Answers that are rejected,
    supposed, or given two at a time without a decision do not count; nor does a letter with another option's number.
    Where a reply goes on to questions of its own, what it said before counts.
    """
    plain_letter = _PLAIN_LETTER.fullmatch(reply)
    if plain_letter is not None:
        return plain_letter[1].upper()
    options = tuple(options)

    def letter(text: str) -> str | None:
        said = _PLAIN_LAST_LINE.fullmatch(text)
        return said[1] if said is not None else letter_of(text, options)

    return _read(reply, letter)


def read_number(
    reply: str, *, percent: bool, digits: int, scale: Decimal = _ONE, around: Decimal | None = None
) -> Decimal | None:
    """The number that a reply states as its answer, in printed units: 15.5 for 15.5 %; None where it states none.

    The last stated answer counts. `scale` is what the printed unit stands for, 1,000,000 for millions; with `percent`
    it is a hundredth. A number with a unit of its own is converted: percent, basis points, thousands to trillions.
    One without is in the unit asked for, unless it plainly is a share or the whole amount: see `in_unit`, which also
    says what `around` is for. So 0.155 is 15.5 where a percentage with one or two digits was asked for, 0.45 is 0.45
    where two were, and 0.155% is always 0.155. A comma is a decimal one where it can't separate thousands; brackets
    around a number make it negative; words like "a loss of" do not.
    """
    stated = _read(reply, _amount_of)
    return None if stated is None else in_unit(stated, PERCENT if percent else scale, digits, around)


def matches(number: Decimal, value: Decimal, digits: int, tolerance: Decimal | None) -> bool:
    """Whether they differ by no more than half a unit of the last digit asked for, or than `tolerance`, if larger.

    Both are in printed units, and so is `tolerance`.
    """
    half = Decimal(5).scaleb(-digits - 1)
    return abs(number - value) <= (half if tolerance is None else max(half, tolerance))


def read_answer(question: Question, variant: Variant, reply: str, tolerance: Decimal | None) -> Answer | None:
    """What a reply answers to a question; None where nothing can be read."""
    if not variant.prompt.open:
        letter = read_letter(reply, question.options)
        if letter is None:
            return None
        return Answer(
            letter=letter,
            number=None,
            correct=letter == question.gold,
            kept_old=letter == question.old,
            sham=letter == question.sham,
        )
    gold = printed_number(question.value)
    number = read_number(
        reply,
        percent=question.percent,
        digits=question.digits,
        scale=_ONE if gold is None or gold.unit is None else gold.unit,
        around=None if gold is None else abs(gold.value),
    )
    if number is None:
        return None

    def is_option(letter: str | None) -> bool:
        printed = None if letter is None else printed_number(question.options[LETTERS.index(letter)])
        return printed is not None and matches(number, printed.value, question.digits, tolerance)

    return Answer(
        letter=None,
        number=f"{number:f}",
        correct=gold is not None and matches(number, gold.value, question.digits, tolerance),
        kept_old=is_option(question.old),
        sham=is_option(question.sham),
    )


def _read(reply: str, read: Callable[[str], _Said | None]) -> _Said | None:
    """What is read of the last line, where it alone decides; else of all that was said before another question."""
    said = spoken(reply).strip()
    if not said:
        return None
    first = first_round(said)
    for text in (first,) if first is said else (first, said):
        found = _read_last_line(text, read)
        if found is None:
            found = read(text)
        if found is not None:
            return found
    return None


def _read_last_line(text: str, read: Callable[[str], _Said | None]) -> _Said | None:
    start = text.rfind("\n") + 1
    if not start or _LAST_LINE.match(text, start) is None:
        return None
    above = text[:start].rstrip()
    if "answer" in above[above.rfind("\n") + 1 :].lower() or "boxed" in above[-80:]:
        return None
    return read(text[start:])


def _amount_of(reply: str) -> Stated | None:
    said = _PLAIN_NUMBER.fullmatch(reply)
    if said is not None:
        sign, whole, fraction, percent = said.groups()
        value = Decimal(f"{sign}{whole.replace(',', '')}{fraction}")
        return Stated(value, PERCENT if percent else None, max(0, len(fraction) - 1), 0, 0)
    lower = plain(reply).lower()
    return decided(lower, list(amounts(lower)), same_amount)
