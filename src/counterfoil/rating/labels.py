"""How many labels correct a figure to which width, and the minutes that they take: for `counterfoil plan --labels`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.rating.correcting import ADDED
from counterfoil.rating.correction import FEWEST
from counterfoil.rating.store import Study
from counterfoil.rating.study import studies_of
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import BASIS, CORRECTED, PEOPLE_ALONE, Estimate
from counterfoil.stats.metric import Metric, by_name
from counterfoil.suite.form import Form
from counterfoil.suite.options import nearest

LABELS = (50, 100, 200, 400, 800)
# How often a machine may be right, where no study says how often it is.
RIGHT = (0.9, 0.95, 0.99)
NORMAL = 1.96
# Seconds to read a reply, and for each answer, where no study says how long people take.
TO_READ, TO_ANSWER = 20.0, 8.0
# Who leaves for longer than this between two answers was doing something else.
LONGEST_PAUSE = 300.0


class LabelDesign(msgspec.Struct, kw_only=True):
    """So many labels that count in the metric, the minutes of one person, and the expected widths of the interval: by
    people alone, with a machine that is right in so many of a hundred replies, and, if there was a study, as it was
    there.
    """

    labels: int
    minutes: float
    people: float
    machine: dict[str, float]
    as_before: float | None = None


class LabelPlan(msgspec.Struct, kw_only=True):
    """Widths for one figure, and what they rest on."""

    run: str
    metric: str
    model: str
    variant: str
    reported: float
    designs: list[LabelDesign]
    assumptions: list[str]


def plan_labels(run: Run, metric: str | None) -> LabelPlan:
    """For the metric, else the suite's first headline, of the run's first model and variant."""
    suite = suite_of(run)
    if suite.form is None:
        raise UserError(f"The suite {suite.name} has no form for people: nobody can label its replies.")
    declared = by_name(suite.metrics)
    known = {one.metric: one for one in reversed(run.estimates) if not one.group and one.value is not None}
    known = {name: one for name, one in known.items() if name in declared}
    name = metric or next((name for name in known if declared[name].headline), "")
    if name not in known:
        raise UserError(f"The run has no figure {name}{nearest(name, known)}: it has {', '.join(sorted(known))}.")
    told, before = known[name], _earlier(run, known[name])
    seconds, where = _seconds(run, suite.form)
    designs = [_design(labels, told, declared[name], seconds, before) for labels in LABELS if labels >= FEWEST]
    words = [
        f"Widths have two parts: what other questions would change, {_half(told) * 2:.3f} as reported, and what other "
        "labels would.",
        "A machine that is right in 95 % of the replies is taken to be so with right and wrong ones alike.",
        where,
    ]
    assert told.value is not None
    return LabelPlan(
        run=str(run.folder),
        metric=name,
        model=told.model,
        variant=told.variant,
        reported=told.value,
        designs=designs,
        assumptions=words,
    )


def _design(
    labels: int, told: Estimate, metric: Metric, seconds: float, before: tuple[Estimate, Estimate] | None
) -> LabelDesign:
    low, high = metric.range if math.isfinite(metric.range[1]) else (metric.range[0], metric.most or 1.0)
    size = high - low
    share = min(max(((told.value or 0.0) - low) / size, 1 / (labels + 2)), 1 - 1 / (labels + 2))
    questions = (_half(told) / size) ** 2
    unseen = 2 * (NORMAL * ADDED / (labels + 2)) ** 2

    def width(left: float) -> float:
        """With this part of a label's variance left."""
        alone = questions + NORMAL**2 * share * (1 - share) / labels
        with_machine = questions + NORMAL**2 * share * (1 - share) * left / labels + unseen
        return 2 * size * math.sqrt(alone if left == 1 else min(alone, with_machine))

    as_before = None
    if before is not None:
        corrected, people = before
        rest = max(_half(corrected) ** 2 - _half(told) ** 2, 0.0) * people.n / labels
        as_before = 2 * math.sqrt(_half(told) ** 2 + rest)
    return LabelDesign(
        labels=labels,
        minutes=labels * seconds / 60,
        people=width(1.0),
        machine={f"{right:.0%}": width(1 - _explained(share, right)) for right in RIGHT},
        as_before=as_before,
    )


def _explained(share: float, right: float) -> float:
    """The squared correlation of what people say with a machine that is right so often."""
    said = share * right + (1 - share) * (1 - right)
    return share * (1 - share) * (2 * right - 1) ** 2 / (said * (1 - said))


def _half(one: Estimate) -> float:
    return 0.0 if one.low is None or one.high is None else (one.high - one.low) / 2


def _earlier(run: Run, told: Estimate) -> tuple[Estimate, Estimate] | None:
    """The figure as an earlier study has corrected it, and by its people alone."""
    found: dict[Any, Estimate] = {
        one.group[BASIS]: one
        for one in run.estimates
        if (one.metric, one.model, one.variant) == (told.metric, told.model, told.variant) and set(one.group) == {BASIS}
    }
    if CORRECTED in found and PEOPLE_ALONE in found:
        return found[CORRECTED], found[PEOPLE_ALONE]
    return None


def _seconds(run: Run, form: Form) -> tuple[float, str]:
    """How long a person takes for a reply: as in the run's studies, or as assumed."""
    pauses: list[float] = []
    for path in studies_of(run.folder):
        with Study(path) as study:
            pauses += _pauses(study)
    if len(pauses) >= FEWEST:
        seconds = median(pauses)
        return seconds, f"In the studies of the run a person takes {seconds:.0f} seconds for a reply."
    seconds = TO_READ + TO_ANSWER * len([one for one in form.questions if one.when != "no_options"])
    return seconds, f"A person is taken to need {seconds:.0f} seconds for a reply; a pilot study would tell."


def _pauses(study: Study) -> Sequence[float]:
    """The seconds from the last answer on a reply to the last on the next, of each rater."""
    last: dict[str, dict[int, datetime]] = {}
    for rating in study.history():
        last.setdefault(rating.rater, {})[rating.task] = datetime.fromisoformat(rating.at)
    gaps = [
        (after - before).total_seconds()
        for times in last.values()
        for before, after in pairwise(sorted(times.values()))
    ]
    # What takes no time at all was not done by a person.
    return [gap for gap in gaps if 1.0 < gap <= LONGEST_PAUSE]
