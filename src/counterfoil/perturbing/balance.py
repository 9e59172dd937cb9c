"""What responders without memory show on a set: every figure that speaks of memory must be 0 for them.

A figure is a mean over originals. o is the chance that the original is answered right, v̄ the mean of its changed
questions (levels 1 and 2), c̄ that of a control.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from counterfoil.perturbing.placebos import ZOO, Placebo, Shown, seen
from counterfoil.perturbing.questions import LETTERS, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

GAP, EXCESS, KEPT = "gap", "excess over changed options", "old answers over shams"
CHANGED = "changed"
_CONTROLS = ("again", "reshuffled", "reoptioned", "renamed")
# A set leans if a placebo shows more than this, and by so many standard errors more; with fewer clusters none can tell.
MOST = 0.02
_ERRORS = 3.0
_FEWEST = 8


def control_gap(control: str) -> str:
    """The name of a control's gap."""
    return f"gap of {control}"


class Leaning(msgspec.Struct, frozen=True, kw_only=True):
    """What a placebo shows of a figure on a set: the mean, and its standard error over clusters (1 for a
    single one).
    """

    placebo: str
    figure: str
    value: float
    error: float
    clusters: int


def speaks_of_memory(figure: str) -> bool:
    """Gaps to controls that keep the numbers say what options and wording do."""
    return figure in (GAP, EXCESS, KEPT, control_gap("stand_in"))


def too_much(leanings: Iterable[Leaning]) -> list[Leaning]:
    """Where responders without memory show some, beyond chance."""
    return [
        one
        for one in leanings
        if speaks_of_memory(one.figure) and one.clusters >= _FEWEST and abs(one.value) > MOST + _ERRORS * one.error
    ]


class Figures:
    """The figures of a set for any responder whose chances are known."""

    def __init__(self, questions: Iterable[Question]) -> None:
        found = [(question, shown) for question in questions if (shown := seen(question)) is not None]
        units = {question.id: place for place, question in enumerate(one for one, _ in found if one.parent is None)}
        kept = [(question, shown) for question, shown in found if question.unit in units]
        self.questions: list[Question] = [question for question, _ in kept]
        self.shown: list[Shown] = [shown for _, shown in kept]
        self.arms = np.array([arm_of(question) for question, _ in kept])
        self._unit = np.array([units[question.unit] for question, _ in kept], dtype=np.int64)
        self._of_arm: dict[str, NDArray[np.bool_]] = {}
        self._units = len(units)
        clusters = [question.cluster for question, _ in kept if question.parent is None]
        names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
        self._cluster = np.array([names[name] for name in clusters], dtype=np.int64)
        self._gold = _places(question.gold for question, _ in kept)
        self._old = _places(question.old for question, _ in kept)
        self._sham = _places(question.sham for question, _ in kept)

    def chances(self, placebo: Placebo) -> Values:
        """The chances of each letter, a row for each question."""
        return np.array([placebo.chances(shown) for shown in self.shown], dtype=np.float64).reshape(-1, len(LETTERS))

    def right(self, chances: Values) -> Values:
        """The chance of the right answer to each question."""
        return _taken(chances, self._gold)

    def accuracy(self, chances: Values, arm: str) -> float | None:
        """The mean over originals of an arm's chance of right answers; None where the set has no such arm."""
        means = self._means(self.right(chances), arm)
        return None if np.isnan(means).all() else float(np.nanmean(means))

    def by_original(self, chances: Values) -> dict[str, Values]:
        """Each figure that the set has, with a value for each original (nan where an arm is missing)."""
        right = self.right(chances)
        means = {arm: self._means(right, arm) for arm in ("original", CHANGED, "stand_in", *_CONTROLS)}
        o, v = means["original"], means[CHANGED]
        base = "reshuffled" if np.isnan(means["reoptioned"]).all() else "reoptioned"
        kept = _taken(chances, self._old) - _taken(chances, self._sham)
        figures = {
            GAP: o - v,
            EXCESS: means[base] - v,
            KEPT: self._means(kept, "lure"),
            control_gap("stand_in"): means["stand_in"] - v,
            **{control_gap(name): o - means[name] for name in _CONTROLS},
        }
        return {name: values for name, values in figures.items() if not np.isnan(values).all()}

    def leanings(self, placebos: Sequence[Placebo] = ZOO) -> list[Leaning]:
        """What each placebo shows of each figure."""
        return [
            self._leaning(placebo.name, figure, values)
            for placebo in placebos
            for figure, values in self.by_original(self.chances(placebo)).items()
        ]

    def _leaning(self, placebo: str, figure: str, values: Values) -> Leaning:
        there = ~np.isnan(values)
        mean = float(values[there].mean())
        sums = np.bincount(self._cluster[there], values[there] - mean)
        clusters = len(np.unique(self._cluster[there]))
        spread = clusters / (clusters - 1) * (sums**2).sum() if clusters > 1 else 1.0
        error = float(np.sqrt(spread) / there.sum())
        return Leaning(placebo=placebo, figure=figure, value=mean, error=error, clusters=clusters)

    def _means(self, values: Values, arm: str) -> Values:
        """The mean of an arm for each original; nan where it has none."""
        mine = self._of_arm.get(arm)
        if mine is None:
            mine = np.isin(self.arms, ("level 1", "level 2")) if arm == CHANGED else self.arms == arm
            self._of_arm[arm] = mine
        counts = np.bincount(self._unit[mine], minlength=self._units)
        sums = np.bincount(self._unit[mine], values[mine], minlength=self._units)
        with np.errstate(invalid="ignore"):
            return np.where(counts > 0, sums / counts, np.nan)


def arm_of(question: Question) -> str:
    """Original, level or control; changed questions whose gold nothing confirms are an arm of their own."""
    if question.parent is None:
        return "original"
    if question.control is not None:
        return question.control
    return f"level {question.level}" if question.status == "verified" else question.status


def _places(letters: Iterable[str | None]) -> NDArray[np.int64]:
    """The place of each letter; −1 for none."""
    places: dict[str, int] = {letter: place for place, letter in enumerate(LETTERS)}
    return np.array([-1 if letter is None else places[letter] for letter in letters], dtype=np.int64)


def _taken(chances: Values, places: NDArray[np.int64]) -> Values:
    """The chance of the letter at each place; 0 where there is none."""
    rows = np.arange(len(places))
    return np.where(places >= 0, chances[rows, places], 0.0)
