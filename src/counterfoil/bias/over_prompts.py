"""What several prompts say together: mean and range. No interval over them would speak for one more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterfoil.stats import Estimate

ALL = "all"


def over_prompts(estimates: Iterable[Estimate]) -> list[Estimate]:
    """For each model, metric and group with a value in more than one variant: mean, lowest and highest of these,
    original and debiased prompts apart.
    """
    values: dict[tuple[Any, ...], list[Estimate]] = {}
    for it in estimates:
        # 1-debiased, and those of a user's 0_evaluation_prompts_debiased.tsv.
        prompts = "debiased" if "debiased" in it.variant else "original"
        key = it.model, it.metric, prompts, *it.group.items()
        values.setdefault(key, []).append(it)
    made = []
    for (model, metric, prompts, *group), found in values.items():
        numbers = [it.value for it in found if it.value is not None]
        if len(found) < 2 or not numbers:
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
                confidence=found[0].confidence,
                n=len(numbers),
                clusters=len(numbers),
                method=f"{statistic} over {len(numbers)} prompts",
                note=None if len(numbers) == len(found) else f"not defined in {len(found) - len(numbers)} prompts",
            )
            for statistic, value in statistics.items()
        ]
    return made
