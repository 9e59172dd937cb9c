"""Bias by language: a plot for each model, and the accuracy that groups cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfoil.bias.relatives import scores
from counterfoil.bias.relatives.languages import LANGUAGES
from counterfoil.figures.names import short_names
from counterfoil.figures.numbers import dot
from counterfoil.figures.plots import Axis, Dot, Dots, Plot
from counterfoil.stats.estimate import ALL, Estimate

# In the groups of means over prompts.
_STATISTIC, _PROMPTS, _MEAN = "statistic", "prompts", "mean"


def plots(estimates: Sequence[Estimate], by_context: Mapping[str, str]) -> list[Plot]:
    """Those of a run in several languages; `by_context` names the metrics of the lean."""
    of_language = [one for one in estimates if "language" in one.group]
    if len({one.group["language"] for one in of_language}) < 2:
        return []
    names = short_names(dict.fromkeys(one.model for one in of_language))
    leans = [_lean(of_language, by_context, model, names[model]) for model in names]
    return [*leans, *(_cost(of_language, model, names[model]) for model in names)]


def _lean(estimates: Sequence[Estimate], by_context: Mapping[str, str], model: str, name: str) -> Plot:
    rows = [row for context, metric in by_context.items() for row in _rows(estimates, metric, model, context)]
    return Dots(
        title=f"Bias by language, {name}",
        description="Diff-bias in each language with its interval: right of 0 answers lean towards the stereotype. The "
        "mean over prompts has no interval: it would not speak for one prompt more. Intervals don't tell languages "
        "apart: `counterfoil compare RUN --by language` does, in pairs where the questions are parallel.",
        x=Axis("diff-bias"),
        rows=tuple(rows),
        label_name="language",
        series_name="prompt",
        reference=0.0,
    )


def _cost(estimates: Sequence[Estimate], model: str, name: str) -> Plot:
    return Dots(
        title=f"What stereotypes cost, {name}",
        description="Accuracy over the control set, in which names stand in the place of groups, less accuracy where "
        "groups are named, in the same templates.",
        x=Axis(scores.STEREOTYPE_COST.name),
        rows=tuple(_rows(estimates, scores.STEREOTYPE_COST.name, model, "")),
        label_name="language",
        series_name="prompt",
        reference=0.0,
    )


def _rows(estimates: Sequence[Estimate], metric: str, model: str, group: str) -> list[Dot]:
    """The prompts of each language, and their means."""
    mine = [one for one in estimates if one.metric == metric and one.model == model and one.value is not None]
    of_prompts = [(one, one.variant) for one in mine if set(one.group) == {"language"}]
    means = [
        (one, f"mean over {one.group[_PROMPTS]} prompts")
        for one in mine
        if one.variant == ALL
        and set(one.group) == {"language", _PROMPTS, _STATISTIC}
        and one.group[_STATISTIC] == _MEAN
    ]
    labelled = [(f"{LANGUAGES[str(one.group['language'])].name}", series, one) for one, series in (*of_prompts, *means)]
    return [dot(label, series, one, group) for label, series, one in sorted(labelled, key=lambda row: row[0])]
