"""Responders without memory. Each looks at what is printed, the options and the numbers of the text, and at nothing
else; solvers compute the answer, with an error. What they show of "memory" is a fault of the questions.

A placebo gives the chance of each letter, so that what it shows on a set can be computed without drawing replies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.perturbing.templates import numbers

Chances = tuple[float, float, float]
# How far a solver's result is off: the standard deviation, as a share of the right one.
ERRORS = (0.0025, 0.01, 0.05, 0.1)
# Which share of the questions a mixture solves; the others it answers by its rule.
SOLVED = 0.6
_LETTERS = len(LETTERS)


class Shown(NamedTuple):
    """What a placebo sees of a question: its options, their numbers, those of its text; the gold, for solvers."""

    options: tuple[str, str, str]
    values: tuple[float, float, float]
    printed: tuple[str, str, str]
    stem: tuple[float, ...]
    gold: int


class Placebo(NamedTuple):
    """A responder without memory: it solves a share of the questions, and answers the others by its rule."""

    name: str
    rule: Callable[[Shown], Chances]
    solved: float = 0.0

    def chances(self, shown: Shown) -> Chances:
        """How likely it gives each letter."""
        chances = self.rule(shown)
        if not self.solved:
            return chances
        one, two, three = ((1 - self.solved) * chance for chance in chances)
        right = tuple(self.solved * (place == shown.gold) for place in range(_LETTERS))
        return one + right[0], two + right[1], three + right[2]


def seen(question: Question) -> Shown | None:
    """What placebos see of a question; None where an option holds no number, or several."""
    try:
        spans = [numbers.only(option) for option in question.options]
        printed = [option[slice(*span)] for option, span in zip(question.options, spans, strict=True)]
        one, two, three = (float(numbers.read(text).value) for text in printed)
    except ValueError:
        return None
    stem = tuple(float(text.replace(",", "")) for text in numbers.in_text(question.text))
    first, second, third = map(_digits_of, printed)
    return Shown(question.options, (one, two, three), (first, second, third), stem, LETTERS.index(question.gold))


def _digits_of(printed: str) -> str:
    """The digits of a printed number, without sign, currency, separators and zeros in front."""
    return "".join(letter for letter in printed if letter.isdigit()).lstrip("0") or "0"


def significant(digits: str) -> int:
    """How many digits there are without the zeros at the end."""
    return len(digits.rstrip("0")) or 1


def _best(scores: Sequence[float]) -> Chances:
    """The option with the highest score; those that share it are equally likely."""
    most = max(scores)
    ties = [score == most for score in scores]
    count = sum(ties)
    return ties[0] / count, ties[1] / count, ties[2] / count


def _letter(place: int) -> Callable[[Shown], Chances]:
    chances = tuple(float(place == other) for other in range(_LETTERS))
    return lambda shown: (chances[0], chances[1], chances[2])


def _any(shown: Shown) -> Chances:
    return 1 / _LETTERS, 1 / _LETTERS, 1 / _LETTERS


def _smallest(shown: Shown) -> Chances:
    return _best([-value for value in shown.values])


def _largest(shown: Shown) -> Chances:
    return _best(shown.values)


def _middle(shown: Shown) -> Chances:
    middle = sorted(shown.values)[1]
    return _best([value == middle for value in shown.values])


def _roundest(shown: Shown) -> Chances:
    return _best([-significant(digits) for digits in shown.printed])


def _least_round(shown: Shown) -> Chances:
    return _best([significant(digits) for digits in shown.printed])


def _ends_in_0_or_5(shown: Shown) -> Chances:
    return _best([digits[-1] in "05" for digits in shown.printed])


def _longest(shown: Shown) -> Chances:
    return _best([len(option) for option in shown.options])


def _closest_pair(shown: Shown) -> Chances:
    """One of the two options that lie closest; what is farthest from the others is struck out."""
    one, two, three = shown.values
    return _best([-min(abs(one - two), abs(one - three)), -min(abs(two - one), abs(two - three)),
                  -min(abs(three - one), abs(three - two))])  # fmt: skip


def _nearest_in_text(shown: Shown) -> Chances:
    """The option that is nearest to a number of the text."""
    if not shown.stem:
        return _any(shown)
    return _best([-min(abs(value - number) for number in shown.stem) for value in shown.values])


def _solver(error: float) -> Callable[[Shown], Chances]:
    """The option that is nearest to a result with a normal error."""

    def rule(shown: Shown) -> Chances:
        right = shown.values[shown.gold]
        spread = abs(right) * error
        if not spread:
            return _letter(shown.gold)(shown)
        places = sorted(range(_LETTERS), key=shown.values.__getitem__)
        ordered = [shown.values[place] for place in places]
        below = [_normal((low + high) / 2, right, spread) for low, high in pairwise(ordered)]
        chances = [0.0] * _LETTERS
        for place, low, high in zip(places, (0.0, *below), (*below, 1.0), strict=True):
            chances[place] = high - low
        return chances[0], chances[1], chances[2]

    return rule


def _normal(value: float, mean: float, spread: float) -> float:
    return 0.5 * math.erfc((mean - value) / (spread * math.sqrt(2)))


RULES: tuple[Placebo, ...] = (
    Placebo("at random", _any),
    *(Placebo(f"always {letter}", _letter(place)) for place, letter in enumerate(LETTERS)),
    Placebo("smallest", _smallest),
    Placebo("middle", _middle),
    Placebo("largest", _largest),
    Placebo("roundest", _roundest),
    Placebo("least round", _least_round),
    Placebo("ends in 0 or 5", _ends_in_0_or_5),
    Placebo("closest pair", _closest_pair),
    Placebo("nearest to a number of the text", _nearest_in_text),
    Placebo("longest", _longest),
)
SOLVERS: tuple[Placebo, ...] = tuple(Placebo(f"solver, {error:.2%} off", _solver(error)) for error in ERRORS)
MIXTURES: tuple[Placebo, ...] = tuple(
    Placebo(f"solves {SOLVED:.0%}, else {one.name}", one.rule, SOLVED) for one in RULES
)
ZOO: tuple[Placebo, ...] = (*RULES, *SOLVERS, *MIXTURES)
