"""Of whom intervals speak: of new questions of the same kind, or of the questions of the dataset alone.

Of a dataset of which the share f was asked, what is not known is what the rest would show. So the distance of a bound
from its value is √(1 − f) of what it is for new questions (the finite population correction), and nothing is left open
where all were asked. That holds where asking again gives the same reply. Where a reply is a draw of many (a temperature
above 0), how much of the spread is chance is not known, and intervals stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import msgspec

from counterfoil.stats.estimate import BASIS, NEW, Estimate, Interval, Population

# Figures that are uncertain since people or a second reader saw some replies only.
_OF_LABELS = ("human_", "reading_")
_NORMAL = NormalDist()


def shares_asked(manifest: Mapping[str, Any]) -> dict[str, float]:
    """For each model, which share of the dataset's questions has a reply; 0 where replies are drawn by chance."""
    data = manifest["data"]
    # Older runs counted each order and draw.
    of_all = data.get("answered", data.get("asked", 0))
    replied = [(str(row["model"]), row["answered"]) for row in manifest.get("answered", ())]
    drawn = {str(one["name"]): is_drawn(one.get("params")) for one in manifest.get("models", ())}
    return shares_of(drawn, replied, of_all, data["questions"])


def shares_of(
    drawn: Mapping[str, bool], replied: Iterable[tuple[str, int]], of_all: int, questions: int
) -> dict[str, float]:
    """The same from whose replies are drawn by chance, to how many questions each model has replied in each prompt (the
    fewest count: a model may have stopped before others), and how many any has replied to.
    """
    fewest: dict[str, int] = {}
    for model, number in replied:
        fewest[model] = min(fewest.get(model, number), number)
    shares = {model: min(1.0, fewest.get(model, of_all) / max(1, questions)) for model in drawn}
    return {model: 0.0 if drawn[model] else share for model, share in shares.items()} or {
        "": min(1.0, of_all / max(1, questions))
    }


def is_drawn(params: object) -> bool:
    """Whether replies differ from ask to ask, as far as the parameters tell."""
    return isinstance(params, Mapping) and bool(params.get("temperature"))


def of_these(estimates: Sequence[Estimate], shares: Mapping[str, float]) -> list[Estimate]:
    """The estimates for the questions of the dataset alone; those of labels as they are."""
    return [_narrowed(one, _share(shares, one.model)) for one in estimates]


def _share(shares: Mapping[str, float], model: str) -> float:
    return shares.get(model, min(shares.values(), default=0.0))


def narrowed(interval: Interval, share: float) -> Interval:
    """The interval where this share of all questions was asked."""
    if interval.value is None:
        return interval
    left, value = math.sqrt(1 - share), interval.value
    low, high = (None if bound is None else value + left * (bound - value) for bound in (interval.low, interval.high))
    return interval._replace(low=low, high=high)


def _narrowed(one: Estimate, share: float) -> Estimate:
    if one.value is None or BASIS in one.group or one.metric.startswith(_OF_LABELS):
        return one
    left = math.sqrt(1 - share)
    low, high = (None if bound is None else one.value + left * (bound - one.value) for bound in (one.low, one.high))
    p = None if one.p is None else narrowed_p(one.p, one.value, share)
    return msgspec.structs.replace(one, low=low, high=high, p=p)


def narrowed_p(p: float, difference: float, share: float) -> float:
    """p of a statistic whose standard error is √(1 − share) of what it was."""
    if share >= 1:
        return float(difference == 0)
    z = -_NORMAL.inv_cdf(max(min(p, 1.0), 1e-300) / 2)
    return 2 * _NORMAL.cdf(-z / math.sqrt(1 - share))


def population_sentence(population: Population, shares: Mapping[str, float]) -> str:
    """Of whom the intervals speak, in words."""
    if population == NEW:
        return "Intervals are about new questions of this kind."
    text = "Intervals are about these questions alone, not about new ones"
    if all(share >= 1 for share in shares.values()):
        return f"{text}: all were asked, so there is nothing between the bounds."
    if drawn := [model for model, share in shares.items() if share == 0]:
        return f"{text}; replies of {', '.join(drawn)} are drawn by chance, so theirs are no narrower."
    return f"{text}: {min(shares.values()):.0%} of them were asked."
