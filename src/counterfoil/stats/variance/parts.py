"""How much of a figure's uncertainty comes from the questions, the prompts, the repeats and the judges.

The figure is the mean over all prompts (and judges) in which it was asked. An item's influence u on it is (x − m)/N for
a mean m of N items, and (y − R·x)/Σx for a ratio R; with C arms (prompts × judges) each counts 1/C. With G clusters

    all      = G/(G − 1) · Σ over clusters (Σ u)²
    repeats  = Σ over questions in an arm R/(R − 1) · Σ (u − ū)²,    R ≥ 2 repeats
    questions = all − repeats, at least 0
    prompts  = max(0, s² − e)/V,   s² the variance of the V prompts' means, e what chance among the questions adds to it
    judges   = the same of the judges' means

e is half the mean variance of the difference between two prompts, on the same questions. What suits some prompts and
some questions only is part of `questions`: more questions narrow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from counterfoil.stats.estimate import FEWEST_CLUSTERS
from counterfoil.stats.metric import Items, Metric, by_name
from counterfoil.stats.spread import confidence_in_force
from counterfoil.stats.student import t_quantile
from counterfoil.stats.variance.explained import FIXED, SAMPLE, SOURCES, Explained

if TYPE_CHECKING:
    from numpy.typing import NDArray


def explained(metrics: Iterable[Metric], items: Items, prompts_are: str = FIXED) -> list[Explained]:
    """For each model, of each headline metric that has an overall figure."""
    wanted = [one for one in by_name(metrics).values() if one.headline and () in one.groups and one.is_there(items)]
    found: list[Explained] = []
    for metric in wanted:
        frame = items[metric.of].filter(pl.col("item").is_not_null(), ~pl.col("left_out"))
        for (model,), part in frame.partition_by("model", as_dict=True, maintain_order=True).items():
            if (
                not _is_withheld(metric, part)
                and (one := _explained(metric, str(model), part, prompts_are)) is not None
            ):
                found.append(one)
    return found


def _is_withheld(metric: Metric, frame: pl.DataFrame) -> bool:
    """Whether no figure is given, since too much is missing."""
    if metric.limit is None or metric.limit.metric.mean not in frame.columns:
        return False
    share = frame[str(metric.limit.metric.mean)].cast(pl.Float64).mean()
    return isinstance(share, float) and share > metric.limit.most


class _Arm(NamedTuple):
    """A prompt and a judge: the figure's value, and of each item its cluster, its question and its influence."""

    prompt: str
    judge: str
    value: float
    clusters: NDArray[np.int64]
    questions: NDArray[np.int64]
    influence: NDArray[np.float64]


def _explained(metric: Metric, model: str, frame: pl.DataFrame, prompts_are: str) -> Explained | None:
    arms = list(_arms(metric, frame))
    clusters = len(np.unique(np.concatenate([arm.clusters for arm in arms]))) if arms else 0
    if clusters < FEWEST_CLUSTERS:
        return None
    count = frame["cluster"].n_unique()
    sums = np.array([np.bincount(arm.clusters, weights=arm.influence, minlength=count) for arm in arms])
    whole = clusters / (clusters - 1)
    every = whole * float((sums.mean(axis=0) ** 2).sum())
    noise = [_repeats(arm) for arm in arms]
    repeats = None if None in noise else sum(filter(None, noise)) / len(arms) ** 2
    parts: dict[str, float | None] = {
        "questions": max(0.0, every - (repeats or 0.0)),
        "prompts": _between([arm.prompt for arm in arms], arms, sums, whole),
        "repeats": repeats,
        "judges": _between([arm.judge for arm in arms], arms, sums, whole),
    }
    total = sum(part for part in parts.values() if part is not None)
    value = float(np.mean([arm.value for arm in arms]))
    low, high = _interval(value, parts, clusters, len({arm.prompt for arm in arms}), prompts_are)
    return Explained(
        metric=metric.name,
        model=model,
        label=dict(metric.label),
        prompts=len({arm.prompt for arm in arms}),
        repeats=frame["repeat"].n_unique() if "repeat" in frame.columns else 1,
        judges=len({arm.judge for arm in arms}),
        clusters=clusters,
        value=value,
        low=max(low, metric.range[0]),
        high=min(high, metric.range[1]),
        prompts_are=prompts_are,
        shares={name: None if part is None or not total else part / total for name, part in parts.items()},
        narrower={name: None if parts[name] is None else _narrower(name, parts, total) for name in SOURCES},
    )


def _arms(metric: Metric, frame: pl.DataFrame) -> Iterator[_Arm]:
    cluster = frame["cluster"].cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    question = question_of(frame).rank("dense").to_numpy().astype(np.int64) - 1
    judge = frame[metric.each].cast(pl.String) if metric.each else pl.repeat("", frame.height, eager=True)
    keys = pl.DataFrame({"prompt": frame["variant"].cast(pl.String), "judge": judge}).with_row_index("place")
    columns = {name: frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in metric.columns}
    there = columns.get(metric.where or "", np.ones(frame.height)) == 1
    for (prompt, by), part in keys.partition_by(["prompt", "judge"], as_dict=True, maintain_order=True).items():
        if by is None:
            continue
        mine = part["place"].to_numpy()
        mine = mine[there[mine]]
        value, influence = _influence(metric, {name: values[mine] for name, values in columns.items()})
        if not math.isnan(value):
            yield _Arm(str(prompt), str(by), value, cluster[mine], question[mine], influence)


def question_of(items: pl.DataFrame) -> pl.Series:
    """The items without their repeat: which question each is of."""
    has_repeats = "repeat" in items.columns and not items["repeat"].null_count()
    repeat = pl.format(" {}", "repeat") if has_repeats else pl.lit("")
    return items.select(pl.col("item").str.strip_suffix(repeat)).to_series()


def _influence(metric: Metric, columns: Mapping[str, NDArray[np.float64]]) -> tuple[float, NDArray[np.float64]]:
    """The figure, and what each item adds to it beyond its mean; nan where it is not defined."""
    size = len(next(iter(columns.values())))
    influence, value = np.zeros(size), 0.0
    for factor, name in metric.terms:
        values = columns[name]
        over = np.ones(size) if metric.over is None else columns[metric.over]
        counts = ~np.isnan(values) & ~np.isnan(over)
        below = float(over[counts].sum())
        if not below:
            return math.nan, influence
        ratio = float(values[counts].sum()) / below
        influence[counts] += factor * (values[counts] - ratio * over[counts]) / below
        value += factor * ratio
    return value, influence


def _repeats(arm: _Arm) -> float | None:
    """The variance that asking again adds; None where nothing was asked twice."""
    counts = arm.influence != 0
    questions, influence = arm.questions[counts], arm.influence[counts]
    times = np.bincount(questions)
    again = times >= 2
    if not again.any():
        return None
    means = np.bincount(questions, weights=influence) / np.maximum(times, 1)
    squares = np.bincount(questions, weights=(influence - means[questions]) ** 2)
    return float((squares[again] * times[again] / (times[again] - 1)).sum())


def _between(levels: Sequence[str], arms: Sequence[_Arm], sums: NDArray[np.float64], whole: float) -> float | None:
    """The variance that another choice of prompts, or of judges, would add; None where there is one."""
    names = list(dict.fromkeys(levels))
    if len(names) < 2:
        return None
    of = [[place for place, level in enumerate(levels) if level == name] for name in names]
    means = np.array([np.mean([arms[place].value for place in places]) for places in of])
    by_cluster = [sums[places].mean(axis=0) for places in of]
    chance = [whole * float(((one - other) ** 2).sum()) / 2 for one, other in combinations(by_cluster, 2)]
    return max(0.0, float(means.var(ddof=1)) - float(np.mean(chance))) / len(names)


def _narrower(source: str, parts: Mapping[str, float | None], total: float) -> float | None:
    """By which share twice as many would narrow the interval. Questions that are asked anew are repeated anew."""
    halved = {"questions": ("questions", "repeats")}.get(source, (source,))
    left = total - sum(parts[name] or 0.0 for name in halved) / 2
    return 1 - math.sqrt(left / total) if total else None


def _interval(
    value: float, parts: Mapping[str, float | None], clusters: int, prompts: int, prompts_are: str
) -> tuple[float, float]:
    """Student's interval; its degrees of freedom after Satterthwaite where prompts are a sample."""
    of_questions = (parts["questions"] or 0.0) + (parts["repeats"] or 0.0)
    of_prompts = (parts["prompts"] or 0.0) if prompts_are == SAMPLE else 0.0
    variance = of_questions + of_prompts
    df = float(clusters - 1)
    if of_prompts:
        df = variance**2 / (of_questions**2 / (clusters - 1) + of_prompts**2 / (prompts - 1))
    half = float(t_quantile((1 + confidence_in_force()) / 2, max(df, 1.0))) * math.sqrt(variance)
    return value - half, value + half
