"""Responders without memory on many sets of questions: every figure that speaks of memory must be 0 for them.

The mean of a figure is computed from the chances of each letter. Intervals are those of the summary, on letters drawn
with these chances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from counterfoil.datasets.fetch import dataset_path
from counterfoil.errors import UserError
from counterfoil.memorization import metrics
from counterfoil.memorization.items import items
from counterfoil.memorization.options import DRAWS
from counterfoil.memorization.questions import BANK, Source, questions_of, source_of
from counterfoil.perturbing.balance import EXCESS, GAP, KEPT, MOST, Figures, control_gap
from counterfoil.perturbing.placebos import ZOO
from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.perturbing.symbolic.sources import GSM8K
from counterfoil.stats.summary import summarize
from counterfoil.suite.habits import PlaceboSets, PlaceboTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

# So many sets of a dataset, drawn with as many seeds.
SETS = 10
# A mean is off where it is more than MOST from 0 by so many standard errors; coverage where it is under this share.
_ERRORS = 2.0
_LEAST_COVERED = 0.9
_STAND_IN = next(one for one in metrics.OF_CONTROLS if ("control", metrics.STAND_IN) in one.label)
# Figures that speak of memory, with the metric whose intervals are held against 0.
_CLAIMED = {KEPT: metrics.KEPT_OLD_EXCESS, EXCESS: metrics.EXCESS_GAP, control_gap(metrics.STAND_IN): _STAND_IN}
# As users know them. What is printed in the originals stays in the gap: it is shown, and not claimed.
NAMES = {
    KEPT: metrics.KEPT_OLD_EXCESS.name,
    EXCESS: metrics.EXCESS_GAP.name,
    control_gap(metrics.STAND_IN): f"{_STAND_IN.name} {metrics.STAND_IN}",
    GAP: metrics.MEMORIZATION_GAP.name,
}
_SETTINGS: dict[str, Any] = {"levels": [1, 2], "controls": True, "lure": True, "noise": False, "draws": DRAWS}
Tell = Callable[[str, int, int], None]


def placebo_sets(data: Sequence[str], sets: int, seed: int, tell: Tell | None) -> PlaceboSets:
    """The placebos on so many sets of each dataset; without a name on the bank, and on what was fetched of the public
    questions.
    """
    if sets < 1:
        raise UserError(f"--trials {sets}: there is nothing to test; at least 1 set is drawn.")
    found = PlaceboSets(
        suite="memorization",
        sets=sets,
        seed=seed,
        claimed=[NAMES[figure] for figure in _CLAIMED],
        tables=[],
        failures=[],
    )
    named = list(data) or list(_at_hand())
    sources = [(name, source_of(name)) for name in named]
    for place, (name, source) in enumerate(sources):

        def done(number: int, name: str = name, place: int = place) -> None:
            if tell is not None:
                tell(name, place * sets + number, len(sources) * sets)

        _add(found, Path(name).name, source, done)
    return found


def _at_hand() -> Iterator[str]:
    yield BANK
    for name, dataset in (("cfa-easy", "cfa"), (GSM8K, GSM8K)):
        try:
            dataset_path(dataset)
        except UserError:
            continue
        yield name


class _Tally(NamedTuple):
    """Of each figure and placebo the mean of every set; of each figure, whether the intervals hold 0."""

    means: dict[tuple[str, str], list[float]]
    errors: dict[tuple[str, str], list[float]]
    held: dict[str, list[bool]]


def _add(found: PlaceboSets, name: str, source: Source, done: Callable[[int], None]) -> None:
    """The table of a dataset, and what does not hold on it."""
    tally, questions, originals = _Tally({}, {}, {}), 0, 0
    for number in range(found.sets):
        done(number)
        drawn = questions_of(source, _SETTINGS | {"set_seed": found.seed + number})
        questions += len(drawn)
        originals = sum(question.parent is None for question in drawn)
        _look(drawn, found.seed + number, tally)
    # Originals of public questions are the same in every set: what they have printed does not average out over sets.
    drawn_anew = all(template.source == "bank" for template in source.templates)
    means: dict[str, dict[str, float]] = {placebo.name: {} for placebo in ZOO}
    errors: dict[str, dict[str, float]] = {placebo.name: {} for placebo in ZOO}
    for (placebo, figure), values in tally.means.items():
        mean = means[placebo][figure] = float(np.mean(values))
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        if drawn_anew or len(values) == 1:
            # A few sets may happen to agree: the error over the templates of a set says how far others would lie.
            spread = max(spread, float(np.mean(tally.errors[placebo, figure])))
        error = errors[placebo][figure] = spread / len(values) ** 0.5
        allowed = MOST + (_ERRORS * error if drawn_anew or len(values) == 1 else 0.0)
        if figure != NAMES[GAP] and abs(mean) > allowed:
            found.failures.append(
                f"{name}, {placebo}: {figure} is {mean:+.3f} (standard error {error:.3f}), more than {MOST:g} from 0"
            )
    covered = {figure: float(np.mean(held)) for figure, held in tally.held.items() if held}
    found.failures += [
        f"{name}: {share:.1%} of the intervals of {figure} hold 0, less than {_LEAST_COVERED:.0%}"
        for figure, share in covered.items()
        if share < _LEAST_COVERED
    ]
    found.tables.append(
        PlaceboTable(
            data=name,
            questions=questions // found.sets,
            originals=originals,
            means={one: figures for one, figures in means.items() if figures},
            errors={one: figures for one, figures in errors.items() if figures},
            covered=covered,
        )
    )


def _look(questions: Sequence[Question], seed: int, tally: _Tally) -> None:
    """What every placebo shows on a set."""
    figures = Figures(questions)
    chances = {placebo.name: figures.chances(placebo) for placebo in ZOO}
    for one in figures.leanings():
        if one.figure in NAMES:
            tally.means.setdefault((one.placebo, NAMES[one.figure]), []).append(one.value)
            tally.errors.setdefault((one.placebo, NAMES[one.figure]), []).append(one.error)
    frames = items(_records(figures.questions, chances, seed))
    for figure, metric in _CLAIMED.items():
        held = tally.held.setdefault(NAMES[figure], [])
        for estimate in summarize([metric.changed(groups=((),))], frames) if metric.is_there(frames) else ():
            if estimate.low is not None and estimate.high is not None:
                held.append(estimate.low <= 0 <= estimate.high)


def _records(questions: Sequence[Question], chances: dict[str, Values], seed: int) -> pl.DataFrame:
    """The records of a run in which each placebo is a model."""
    about = pl.DataFrame(
        [
            {
                "question_id": question.id, "cluster": question.cluster, "gold": question.gold, "old": question.old,
                "sham": question.sham, **question.columns,
            }
            for question in questions
        ],
        infer_schema_length=None,
    )  # fmt: skip
    draws = np.random.default_rng(seed)
    letters = np.array(LETTERS)
    parts = []
    for name, of_letters in chances.items():
        taken = (draws.random((len(of_letters), 1)) > of_letters.cumsum(axis=1)[:, :-1]).sum(axis=1)
        parts.append(about.with_columns(model=pl.lit(name), answer=pl.Series(letters[taken])))
    is_lure = pl.col("control").eq_missing("lure")
    return pl.concat(parts).with_columns(
        variant=pl.lit("mcq"),
        repeat=pl.lit(0),
        outcome=pl.lit("answered"),
        correct=pl.col("answer") == pl.col("gold"),
        kept_old=pl.when(is_lure).then(pl.col("answer") == pl.col("old")),
        took_sham=pl.when(is_lure).then(pl.col("answer") == pl.col("sham")),
    )
