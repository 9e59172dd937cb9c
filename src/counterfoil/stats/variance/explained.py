"""What is told of where a figure's uncertainty comes from; `parts.py` says how it is found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Metric

FIXED, SAMPLE = PROMPTS_ARE = ("fixed", "sample")
# Sources, in the order in which they are told.
SOURCES = ("questions", "prompts", "repeats", "judges")


class Explained(msgspec.Struct, kw_only=True):
    """Of a headline figure of a model, over all its prompts: where its uncertainty comes from.

    `shares` of the variance, by source, add up to 1, prompts taken for a sample of all that could have been; None where
    a source was asked once, so that nothing is known of it. `narrower`: by which share twice as many of a source would
    narrow the interval. `low` and `high` are an interval of the figure, over these prompts or over prompts like them,
    as `prompts_are` says.
    """

    metric: str
    model: str
    label: dict[str, str | int] = {}
    prompts: int
    repeats: int
    judges: int
    clusters: int
    value: float
    low: float
    high: float
    prompts_are: str
    shares: dict[str, float | None]
    narrower: dict[str, float | None]

    @property
    def is_mixed(self) -> bool:
        """Whether it could come from elsewhere than the questions."""
        return max(self.prompts, self.repeats, self.judges) > 1

    @property
    def name(self) -> str:
        return ", ".join([self.metric, *map(str, self.label.values())])


def of_questions_alone(
    metrics: Iterable[Metric], estimates: Iterable[Estimate], prompts_are: str = FIXED
) -> list[Explained]:
    """Of figures that were asked once, in one prompt: all that is known of their uncertainty comes from the questions,
    and twice as many narrow the interval by 1 − √½.
    """
    headline = {metric.name for metric in metrics if metric.headline}
    alone: dict[str, float | None] = dict.fromkeys(SOURCES)
    return [
        Explained(
            metric=one.metric,
            model=one.model,
            prompts=1,
            repeats=1,
            judges=1,
            clusters=one.clusters,
            value=one.value,
            low=one.low,
            high=one.high,
            prompts_are=prompts_are,
            shares=alone | {"questions": 1.0},
            narrower=alone | {"questions": 1 - math.sqrt(0.5)},
        )
        for one in estimates
        if one.metric in headline and not one.group
        if one.value is not None and one.low is not None and one.high is not None
    ]


def sentence(one: Explained) -> str:
    """Without a full stop: where the figure's uncertainty comes from, and what twice as much would bring."""
    known = [source for source in SOURCES if one.shares[source] is not None]
    shares = ", ".join(f"{source} {share_of(one.shares, source)}" for source in known)
    twice = ", ".join(f"twice the {source} by {share_of(one.narrower, source)}" for source in known)
    return (
        f"The uncertainty of {one.name} of {one.model} comes from {shares}; its interval would be narrower with {twice}"
    )


def share_of(shares: Mapping[str, float | None], source: str, sign: str = "") -> str:
    """As text; empty where nothing is known of it."""
    share = shares[source]
    if share is None:
        return ""
    return f"{sign if round(share, 2) else ''}{share:.0%}"
