"""Two sides by figures that people's labels correct: paired by clusters, where both sides were rated.

A rating study leaves, beside the run's summary, what each cluster adds to the error of each corrected figure. The
difference of two sides has in each cluster the difference of both: of the questions, and of the labels of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from counterfoil.comparing.compared import FigureDifference
from counterfoil.comparing.sides import Side
from counterfoil.files import write_json
from counterfoil.running.folder import readable
from counterfoil.stats.estimate import BASIS, CORRECTED
from counterfoil.stats.metric import Metric
from counterfoil.stats.pairing import Arms, Case, differences_of

FILE = "corrected.json"


class CorrectedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """An overall figure as labels correct it, and what each cluster adds to its error; these add up to 0."""

    metric: str
    model: str
    variant: str
    value: float
    # By the clusters' names.
    influence: dict[str, float]


def write_corrected(folder: Path, figures: Sequence[CorrectedFigure]) -> None:
    write_json(folder / FILE, figures)


def read_corrected(side: Side) -> dict[str, list[CorrectedFigure]]:
    """The corrected figures of a side, by metric, one for each of its variants; those that its summary still has."""
    path = side.run.folder / FILE
    if not path.is_file():
        return {}
    with readable(path):
        figures = msgspec.json.decode(path.read_bytes(), type=list[CorrectedFigure])
    there = {
        (one.metric, one.model, one.variant, one.value) for one in side.run.estimates if one.group == {BASIS: CORRECTED}
    }
    found: dict[str, list[CorrectedFigure]] = {}
    for one in figures:
        is_mine = one.model == side.model and one.variant in side.variants
        if is_mine and (one.metric, one.model, one.variant, one.value) in there:
            found.setdefault(one.metric, []).append(one)
    return {metric: some for metric, some in found.items() if len(some) == len(side.variants)}


def corrected_differences(metrics: Mapping[str, Metric], a: Side, b: Side) -> list[FigureDifference]:
    """b − a in every metric that labels correct on both sides; of several variants, in their means."""
    one, other = read_corrected(a), read_corrected(b)
    shared = [metrics[name] for name in one if name in other and name in metrics]
    cases = [corrected_case(metric, one[metric.name], other[metric.name]) for metric in shared]
    group: dict[str, str | int] = {BASIS: CORRECTED}
    # Each case has clusters of its own.
    found = [differences_of([case])[0] for case in cases]
    return [
        FigureDifference(metric, a.label, b.label, group, True, None, case, difference)
        for metric, case, difference in zip(shared, cases, found, strict=True)
    ]


def corrected_case(metric: Metric, a: Sequence[CorrectedFigure], b: Sequence[CorrectedFigure]) -> Case:
    """Each cluster as one pair: the figure of a side is the mean of its values, and strays as they do."""
    names = list(dict.fromkeys(name for one in (*a, *b) for name in one.influence))
    arms = (_values(side, names) / metric.scale for side in (a, b))
    return Case([Arms(metric.scale, *arms)], np.arange(len(names)), low=metric.low / metric.scale)


def _values(side: Sequence[CorrectedFigure], names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    value = sum(one.value for one in side) / len(side)
    added = [sum(one.influence.get(name, 0.0) for one in side) / len(side) for name in names]
    return value + len(names) * np.array(added)


def only_one_is_rated(a: Side, b: Side) -> Iterable[str]:
    """That corrected figures are not compared, since one side has none."""
    rated = [bool(read_corrected(side)) for side in (a, b)]
    if rated[0] != rated[1]:
        with_labels, without = (a, b) if rated[0] else (b, a)
        yield (
            f"Labels correct figures of {with_labels.label}, and none of {without.label}: rate both to compare what is "
            "corrected."
        )
