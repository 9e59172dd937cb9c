"""Originals that a glance at the options tells from their variants: no part in the excess over changed options.

Draws are made as round as the original and as near to the numbers of the text, as far as its ranges allow. Where they
allow too little, the control `reoptioned` is left out: it would compare what is printed, and not what is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from counterfoil.perturbing.placebos import RULES, Placebo, seen
from counterfoil.perturbing.questions import Question

CONTROL = "reoptioned"
# Sides and order of the options are those of the original in every draw; letters are in rotation.
_NAMES = ("roundest", "least round", "nearest to a number of the text")
_RULES = tuple(placebo for placebo in RULES if placebo.name in _NAMES)
_MOST = 0.25
# Originals of these are draws themselves, and lean to neither side in the mean.
_DRAWN = ("bank", "file")


def without_leaning(questions: Sequence[Question]) -> list[Question]:
    """An original with all that was made of it, without the control where a rule is right much more often, or more
    seldom, in it than in the changed questions.
    """
    control = [question for question in questions if question.control == CONTROL]
    changed = [question for question in questions if question.level in (1, 2)]
    if not control or not changed or questions[0].source in _DRAWN:
        return list(questions)
    if all(abs(_right(rule, control) - _right(rule, changed)) <= _MOST for rule in _RULES):
        return list(questions)
    return [question for question in questions if question.control != CONTROL]


def _right(rule: Placebo, questions: Sequence[Question]) -> float:
    shown = [one for question in questions if (one := seen(question)) is not None]
    return fmean(rule.chances(one)[one.gold] for one in shown) if shown else 0.0
