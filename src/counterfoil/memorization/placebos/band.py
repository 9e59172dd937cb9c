"""The placebo band: what responders without memory, as accurate as the model, show on the very set it was asked.

Each solves a share of the questions and answers the others by its rule; the share is such that it is right as often in
the changed questions as the model. Where the rule alone is right more often, it answers the others at random. The band
goes from the lowest of them to the highest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl

from counterfoil.memorization import metrics
from counterfoil.perturbing.balance import CHANGED, EXCESS, GAP, KEPT, Figures
from counterfoil.perturbing.placebos import RULES, SOLVERS
from counterfoil.perturbing.questions import LETTERS, PerturbedSet, Question
from counterfoil.stats.estimate import Estimate

# The figures that have a band, as balances call them.
OF = {
    metrics.MEMORIZATION_GAP.name: GAP,
    metrics.EXCESS_GAP.name: EXCESS,
    metrics.KEPT_OLD_EXCESS.name: KEPT,
}
CHANCE = 1 / len(LETTERS)
METHOD = "placebos"


class Shown(NamedTuple):
    """What a placebo shows on a set: how often it is right in changed questions, and the mean of each figure."""

    name: str
    right: float
    figures: dict[str, float]

    def at(self, accuracy: float, figure: str) -> float:
        """The figure of a responder that is right so often, and goes by this rule where it does not solve or guess."""
        if accuracy >= self.right:
            share = (1 - accuracy) / (1 - self.right) if self.right < 1 else 1.0
        else:
            share = max(0.0, accuracy - CHANCE) / (self.right - CHANCE) if self.right > CHANCE else 1.0
        return share * self.figures[figure]


def bands(estimates: Sequence[Estimate], rows: pl.DataFrame, asked: PerturbedSet) -> list[Estimate]:
    """The band of each figure, for each model and variant whose answers are letters."""
    found = []
    for (model, variant), some in rows.group_by("model", "variant", maintain_order=True):
        own = {
            one.metric: one.value for one in estimates if (one.model, one.variant) == (model, variant) and not one.group
        }
        answers = some["answer"].drop_nulls()
        shows_options = answers.is_in(LETTERS).any() if len(answers) else variant != "open"
        if not shows_options or metrics.ACCURACY_PERTURBED.name not in own:
            continue
        accuracy, ids = own[metrics.ACCURACY_PERTURBED.name], frozenset(some["question_id"])
        placebos = [] if accuracy is None else _shown(asked, ids)
        n, clusters = _counted(asked, ids)
        for metric, figure in OF.items():
            if metric in own:
                values = {one.name: one.at(accuracy or 0.0, figure) for one in placebos if figure in one.figures}
                found.append(_band(str(model), str(variant), metric, values, n, clusters))
    return found


def _band(model: str, variant: str, metric: str, values: dict[str, float], n: int, clusters: int) -> Estimate:
    low, high = min(values, key=values.__getitem__, default=None), max(values, key=values.__getitem__, default=None)
    return Estimate(
        metric=metrics.PLACEBO_BAND.name,
        model=model,
        variant=variant,
        group={"figure": metric},
        value=float(np.mean(list(values.values()))) if values else None,
        low=None if low is None else values[low],
        high=None if high is None else values[high],
        n=n if values else 0,
        clusters=clusters if values else 0,
        method=METHOD,
        note=f"lowest: {low}; highest: {high}" if values else "there is no accuracy that placebos could have",
    )


def _of(asked: PerturbedSet, ids: Iterable[str]) -> list[Question]:
    known = frozenset(ids)
    return [question for question in asked if question.id in known and question.status in metrics.TRUSTED]


def _counted(asked: PerturbedSet, ids: frozenset[str]) -> tuple[int, int]:
    originals = [question for question in _of(asked, ids) if question.parent is None]
    return len(originals), len({question.cluster for question in originals})


@lru_cache(maxsize=4)
def _shown(asked: PerturbedSet, ids: frozenset[str]) -> list[Shown]:
    """Models of a run are asked the same questions: what placebos show on these is computed once."""
    figures = Figures(_of(asked, ids))
    found = []
    for placebo in (*RULES, *SOLVERS):
        chances = figures.chances(placebo)
        right = figures.accuracy(chances, CHANGED) if len(chances) else None
        if right is not None:
            means = {name: float(np.nanmean(values)) for name, values in figures.by_original(chances).items()}
            found.append(Shown(placebo.name, right, means))
    return found
