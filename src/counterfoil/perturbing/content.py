"""What is printed in a set, arm by arm: whether its questions are as hard to look at as their originals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from statistics import fmean, median, quantiles

import msgspec

from counterfoil.perturbing.balance import arm_of
from counterfoil.perturbing.placebos import RULES, SOLVERS, Shown, seen
from counterfoil.perturbing.questions import Question
from counterfoil.perturbing.templates import numbers


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """One arm. `nearest`: the distance of the nearest wrong option from the gold, as a share of the gold: the median,
    and what a tenth of the questions are below. `digits`: significant digits of a number in the text. `exact`: the
    share of answers that need no rounding. `texts`: how many texts differ. `right`: how often each placebo is right.
    """

    arm: str
    questions: int
    texts: int
    nearest: float | None
    nearest_tenth: float | None
    digits: float | None
    exact: float | None
    right: dict[str, float]


def contents(questions: Iterable[Question]) -> list[Content]:
    """Every arm of a set, in the order in which they come."""
    arms: dict[str, list[Question]] = {}
    for question in questions:
        arms.setdefault(arm_of(question), []).append(question)
    return [_content(arm, some) for arm, some in arms.items()]


CONTENT_HEAD = ("arm", "questions", "texts", "nearest wrong", "a tenth below", "digits", "exact", "best rule")
_RULE_NAMES = frozenset(one.name for one in RULES)


def content_rows(found: Iterable[Content]) -> list[list[str]]:
    """The rows of a table of arms: what is printed, and how often the best rule is right."""
    rows = []
    for one in found:
        shares = (one.nearest, one.nearest_tenth)
        rules = {name: right for name, right in one.right.items() if name in _RULE_NAMES}
        best = max(rules, key=rules.__getitem__, default=None)
        rows.append(
            [one.arm, f"{one.questions:,}", f"{one.texts:,}"]
            + ["" if share is None else f"{share:.1%}" for share in shares]
            + ["" if one.digits is None else f"{one.digits:.2f}", "" if one.exact is None else f"{one.exact:.0%}"]
            + ["" if best is None else f"{best}, {rules[best]:.0%} right"]
        )
    return rows


def _content(arm: str, questions: Sequence[Question]) -> Content:
    shown = [one for question in questions if (one := seen(question)) is not None]
    nearest = [distance for one in shown if (distance := _nearest(one)) is not None]
    digits = [
        numbers.significant(numbers.read(text).value)
        for question in questions
        for text in numbers.in_text(question.text)
        if len(text) <= 30
    ]
    exact = [_is_exact(question) for question in questions if question.computed is not None and question.level < 3]
    return Content(
        arm=arm,
        questions=len(questions),
        texts=len({question.text for question in questions}),
        nearest=median(nearest) if nearest else None,
        nearest_tenth=quantiles(nearest, n=10, method="inclusive")[0] if len(nearest) > 1 else None,
        digits=fmean(digits) if digits else None,
        exact=fmean(exact) if exact else None,
        right={
            placebo.name: fmean(placebo.chances(one)[one.gold] for one in shown)
            for placebo in (*RULES, *SOLVERS)
            if shown
        },
    )


def _nearest(shown: Shown) -> float | None:
    gold = shown.values[shown.gold]
    wrong = [value for place, value in enumerate(shown.values) if place != shown.gold]
    return min(abs(value - gold) for value in wrong) / abs(gold) if gold else None


def _is_exact(question: Question) -> bool:
    assert question.computed is not None
    places = question.digits + (2 if question.percent else 0)
    return numbers.decimals_of(Decimal(question.computed.decimal)) <= places
