"""What the summary of `bias` says beside the declared figures: how often to ask again, and several prompts together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from counterfoil.bias.metrics import POSITION_BIAS
from counterfoil.bias.questions import ORDERS
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Items, Metric
from counterfoil.stats.summary import summarize as summary_of

ALL = "all"
CONTROL = "control"
MORE_REPEATS = f"asking again needs --repeats {ORDERS} or more here: as many answers as there are orders"


def summarize(metrics: Sequence[Metric], items: Items, records: pl.DataFrame) -> list[Estimate]:
    """All estimates. What was asked and has no reply is in no figure, but its model, variant and groups have theirs."""
    repeats = records.group_by("model", "variant").agg(pl.col("repeat").n_unique()).rows()
    too_few = {(model, variant) for model, variant, times in repeats if times < ORDERS}
    estimates = summary_of(metrics, items)
    for it in estimates:
        if CONTROL in it.group:
            it.group = {CONTROL: it.group[CONTROL], **it.group}
            if it.metric == POSITION_BIAS.name and (it.model, it.variant) in too_few:
                it.note = MORE_REPEATS
    return [*estimates, *over_prompts(estimates)]


def over_prompts(estimates: Iterable[Estimate]) -> list[Estimate]:
    """For each model, metric and group with a value in more than one variant: mean, lowest and highest of these,
    original and debiased prompts apart. An interval over some prompts would not speak for one more.
    """
    found: dict[tuple[Any, ...], list[Estimate]] = {}
    for it in estimates:
        # 1-debiased, and those of a user's 0_evaluation_prompts_debiased.tsv.
        prompts = "debiased" if "debiased" in it.variant else "original"
        found.setdefault((it.model, it.metric, prompts, *it.group.items()), []).append(it)
    made = []
    for (model, metric, prompts, *group), some in found.items():
        numbers = [it.value for it in some if it.value is not None]
        if len(some) < 2 or not numbers:
            continue
        statistics = {"mean": sum(numbers) / len(numbers), "lowest": min(numbers), "highest": max(numbers)}
        made += [
            Estimate(
                metric=metric,
                model=model,
                variant=ALL,
                group={**dict(group), "prompts": prompts, "statistic": statistic},
                value=value,
                low=None,
                high=None,
                confidence=some[0].confidence,
                n=len(numbers),
                clusters=len(numbers),
                method=f"{statistic} over {len(numbers)} prompts",
                note=None if len(numbers) == len(some) else f"not defined in {len(some) - len(numbers)} prompts",
            )
            for statistic, value in statistics.items()
        ]
    return made
