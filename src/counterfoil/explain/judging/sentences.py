"""What the judges of a run say of its questions, and how far they can be relied on, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from counterfoil.explain.metrics import JUDGE_CONFUSING, JUDGE_CONFUSION_MEDIAN, JUDGE_VARIANCE, TOGETHER, WITHIN
from counterfoil.figures.numbers import cell
from counterfoil.stats.estimate import Estimate

# Of so many judges is told.
TOLD = 6


def judge_sentences(estimates: Sequence[Estimate], confusing_at: float) -> list[str]:
    """How many questions are confusing to each judge, and how far judges differ from themselves and each other."""
    medians = {one.group.get("judge"): one.value for one in estimates if one.metric == JUDGE_CONFUSION_MEDIAN.name}
    confusing = [one for one in estimates if one.metric == JUDGE_CONFUSING.name and one.value is not None]
    sentences = [
        f"{round((one.value or 0) * one.n):,} of {one.n:,} questions are confusing to {one.group['judge']} (a score "
        f"above {confusing_at:g}); half of its scores are below {cell(medians.get(one.group['judge']))}."
        for one in confusing[:TOLD]
    ]
    of_f1 = [one for one in estimates if one.metric == JUDGE_VARIANCE.name and one.group["of"] == "f1" and one.n]
    sentences += [
        f"Asked again about the same reply, {one.group['judge']} strays from itself by {_strays(one)} in F1."
        for one in of_f1
        if one.group["part"] == WITHIN
    ][:TOLD]
    sentences += [
        f"Two judges of the same reply differ by {_strays(one)} in F1."
        for one in of_f1
        if one.group["part"] == TOGETHER
    ]
    return sentences


def _strays(variance: Estimate) -> str:
    """The standard deviation, with its interval: roots of the variance's."""
    value, low, high = (
        None if number is None else math.sqrt(number) for number in (variance.value, variance.low, variance.high)
    )
    bounds = "" if low is None or high is None else f" [{cell(low)}, {cell(high)}]"
    return f"{cell(value)}{bounds} (standard deviation)"
