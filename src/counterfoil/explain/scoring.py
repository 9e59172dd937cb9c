"""The formulas of counterfactual explanatory QA, each with the name it has in its source. All pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

CONFUSING_AT = 50.0
# The two labellings of the algorithm, with the columns of records that hold their labels.
LABELLINGS = {"threshold": "confusing", "confusion_index": "confusing_by_index"}


class ConfusionIndex(NamedTuple):
    """What the index of one question is made of, before it is compared with the other questions."""

    distractors: int
    mass: float
    total: float

    def value(self, max_total: float) -> float:
        """CI = M · S ÷ max S; 0 where no question has any plausibility."""
        return self.mass * self.total / max_total if max_total else 0.0


class Labels(NamedTuple):
    """Whether one question is confusing, by either labelling, and its confusion index."""

    threshold: bool
    confusion_index: bool
    ci: float


class Facts(NamedTuple):
    """What the labels take from the whole dataset: fixed there, whatever part of it is asked."""

    max_total: float
    mean_index: float
    labels: Mapping[str, Labels]


def is_confusing_by_threshold(plausibilities: Iterable[float], at: float = CONFUSING_AT) -> bool:
    """Simple threshold: any candidate with a plausibility of at least 50."""
    return any(plausibility >= at for plausibility in plausibilities)


def main_distractors(plausibilities: Iterable[float]) -> int:
    """How many candidates, sorted by plausibility, come before the largest drop; before the first one on ties.

    A single candidate has no drop behind it, and is a main distractor.
    """
    ordered = sorted(plausibilities, reverse=True)
    drops = [higher - lower for higher, lower in itertools.pairwise(ordered)]
    return drops.index(max(drops)) + 1 if drops else len(ordered)


def confusion_index(plausibilities: Sequence[float]) -> ConfusionIndex:
    """M, the main distractors' share of all plausibility, and S, all of it. M is 0 where S is."""
    number = main_distractors(plausibilities)
    total = sum(plausibilities)
    mass = sum(sorted(plausibilities, reverse=True)[:number]) / total if total else 0.0
    return ConfusionIndex(number, mass, total)


def label_all(plausibilities: Mapping[str, Sequence[float]]) -> Facts:
    """The labels of all questions of a dataset: confusing by the index if CI is above the mean CI."""
    indices = {question_id: confusion_index(values) for question_id, values in plausibilities.items()}
    max_total = max((index.total for index in indices.values()), default=0.0)
    values = {question_id: index.value(max_total) for question_id, index in indices.items()}
    mean_index = sum(values.values()) / len(values) if values else 0.0
    labels = {
        question_id: Labels(is_confusing_by_threshold(plausibilities[question_id]), value > mean_index, value)
        for question_id, value in values.items()
    }
    return Facts(max_total, mean_index, labels)


def reward(mentioned: Iterable[float], every: Iterable[float]) -> float:
    """Reward = Σp² over mentioned ÷ Σp² over all; 0 where no candidate is plausible: there is nothing to clear up."""
    total = sum(plausibility**2 for plausibility in every)
    return sum(plausibility**2 for plausibility in mentioned) / total if total else 0.0


def penalty(mentioned: Iterable[float], every: Iterable[float]) -> float:
    """Penalty = Σ(100−p)² over mentioned ÷ Σ(100−p)² over all; 0 where all are at 100: none of them is unneeded."""
    total = sum((100 - plausibility) ** 2 for plausibility in every)
    return sum((100 - plausibility) ** 2 for plausibility in mentioned) / total if total else 0.0


def score(mentioned: Sequence[float], every: Sequence[float], *, confusing: bool) -> float:
    """The reward on a confusing question, 1 − the penalty on a plain one."""
    return reward(mentioned, every) if confusing else 1 - penalty(mentioned, every)
