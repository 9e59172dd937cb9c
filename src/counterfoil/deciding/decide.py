"""Deciding at a look from the records so far: with the items, intervals and tests of the summary and of `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from counterfoil.comparing.items import (
    Frames,
    differences_between,
    joined_items,
    named_by_variant,
    told_by,
    with_partners,
)
from counterfoil.deciding.rules import Evidence, decided
from counterfoil.running.looks.log import Decision
from counterfoil.running.looks.questions import Look, Open
from counterfoil.stats.estimate import Interval
from counterfoil.stats.metric import Metric
from counterfoil.stats.pairing import interval_at
from counterfoil.stats.spread import at_confidence
from counterfoil.stats.summary import summarize
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import polars as pl


def decide(suite: AnySuite, look: Look, records: pl.DataFrame) -> list[Decision]:
    """What this look decides."""
    frames = suite.items(records)
    metrics = {
        condition.metric: next(one for one in suite.metrics if one.is_overall and one.name == condition.metric)
        for condition in look.design.conditions
    }
    figures = _figures(frames, list(dict.fromkeys(metrics.values())))
    evidence = {one: figures(one) for one in look.open if one.condition.kind != "compare"}
    pairs = [one for one in look.open if one.condition.kind == "compare"]
    if pairs:
        sides = _sides(frames, list(metrics.values()))
        evidence |= {one: _difference(sides, one, metrics[one.condition.metric]) for one in pairs}
    return decided(look, evidence)


def _figures(frames: Mapping[str, pl.DataFrame], metrics: Sequence[Metric]) -> Callable[[Open], Evidence]:
    """The evidence on a model's figure. The figures of all models are made together, once for each confidence."""
    limits = [metric.limit.metric for metric in metrics if metric.limit is not None]
    overall = [metric.changed(groups=((),)) for metric in dict.fromkeys((*limits, *metrics))]

    @cache
    def at(confidence: float) -> dict[tuple[str, str, str], Interval]:
        with at_confidence(confidence):
            made = summarize(overall, frames)
        return {
            (one.metric, one.model, one.variant): Interval(
                one.value, one.low, one.high, one.n, one.clusters, one.method, one.note
            )
            for one in made
            if not one.group
        }

    def of(one: Open) -> Evidence:
        key = one.condition.metric, one.models[0], one.variant or ""
        nothing = Interval(None, None, None, 0, 0, "", "no values")
        return Evidence(lambda confidence: at(confidence).get(key, nothing))

    return of


def _sides(frames: Mapping[str, pl.DataFrame], metrics: Sequence[Metric]) -> dict[str, Frames]:
    """The items of each model, over all its variants."""
    paired = named_by_variant(with_partners(frames, metrics))
    made: dict[str, dict[str, pl.DataFrame]] = {}
    for kind, frame in paired.items():
        for (model,), part in frame.partition_by("model", as_dict=True, maintain_order=True).items():
            made.setdefault(str(model), {})[kind] = part
    return {**made}


def _difference(sides: Mapping[str, Frames], one: Open, metric: Metric) -> Evidence:
    """The evidence on the difference between two models, as `compare` has it."""
    a, b = one.models
    overall = metric.changed(groups=((),))
    nothing = Evidence(lambda confidence: Interval(None, None, None, 0, 0, "", "no values"))
    if a not in sides or b not in sides:
        return nothing
    joined = joined_items(sides[a], sides[b], [overall])
    joined = {kind: frame.filter(~(frame["left_out"] | frame["left_out b"])) for kind, frame in joined.items()}
    metrics = list(told_by(sides[a], [overall]))
    if not metrics or not joined[overall.of].height:
        return nothing
    [figure] = differences_between({overall.of: joined[overall.of]}, metrics, a, b)
    if figure.withheld or figure.difference.interval.value is None:
        return nothing
    case, p = figure.case, figure.difference.test.p
    return Evidence(lambda confidence: interval_at(case, confidence), lambda: p)
