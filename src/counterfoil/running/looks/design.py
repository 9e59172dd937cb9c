"""What is declared before a run that stops early: what is to be decided, and when it is looked at."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import msgspec

from counterfoil.errors import UserError
from counterfoil.stats.estimate import FEWEST_CLUSTERS
from counterfoil.stats.metric import Metric
from counterfoil.suite.options import nearest

FRACTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
FUTILITY = 0.1
WAYS = "accuracy ± 0.03, accuracy > 0.9, or compare accuracy"
_ROUNDING = 1e-9
_NAME = r"(?P<metric>[A-Za-z_][\w.-]*)"
_FORMS = {
    "width": re.compile(rf"{_NAME}\s*(?:±|\+-|\+/-)\s*(?P<number>\S+)"),
    "threshold": re.compile(rf"{_NAME}\s*[<>]\s*(?P<number>\S+)"),
    "compare": re.compile(rf"compare\s+{_NAME}"),
}


class Condition(msgspec.Struct, frozen=True):
    """Of every model: its interval reaches no further than `number` to either side (width); it is above or below
    `number` (threshold). Of every pair of models: they are told apart, or shown equal (compare).
    """

    text: str
    kind: Literal["width", "threshold", "compare"]
    metric: str
    number: float | None = None


class Design(msgspec.Struct, frozen=True):
    """The conditions, the fractions of the clusters at which they are looked at, within which margin two models are
    equal, and below which chance of ever being decided a question is given up.
    """

    conditions: tuple[Condition, ...]
    fractions: tuple[float, ...]
    margin: float | None
    futility: float

    @property
    def spends(self) -> bool:
        """Whether looking spends error. Whether an interval is narrow says nothing of where it lies."""
        return any(condition.kind != "width" for condition in self.conditions)

    @property
    def confidence(self) -> float:
        """At which the figures of such a run have their intervals. Where looks spend error its level is the geometric
        mean of those of a single look and of the last one: by simulation, so that after stopping 95 % of the intervals
        hold the truth, and nowhere under 93 % (docs/deciding.md).
        """
        from counterfoil.stats.power import LEVEL
        from counterfoil.stats.stopping.levels import levels_of

        return 1 - (math.sqrt(LEVEL * levels_of(self.fractions, LEVEL)[-1]) if self.spends else LEVEL)

    def over(self, clusters: int) -> Design:
        """The design for so many clusters: without looks at fewer than an interval needs, which would spend error on
        nothing, and without a second look at the same ones.
        """
        numbers = {at(fraction, clusters): fraction for fraction in reversed(self.fractions)}
        kept = tuple(sorted(numbers[number] for number in numbers if number >= FEWEST_CLUSTERS))
        return msgspec.structs.replace(self, fractions=kept or (1.0,))

    @property
    def declared(self) -> list[Any]:
        """What tells it from other designs."""
        return [[each.text for each in self.conditions], list(self.fractions), self.margin, self.futility]


def at(fraction: float, clusters: int) -> int:
    """So many of all clusters, rounded up."""
    return min(clusters, math.ceil(fraction * clusters - _ROUNDING))


def design_of(values: Mapping[str, Any]) -> Design | None:
    """The design that the options declare; None where nothing is to be decided."""
    if not values["until"]:
        for key in ("looks", "margin", "futility"):
            if values[key] is not None:
                raise UserError(f"--{key} is for --until CONDITION: name one, or leave it out.")
        return None
    conditions = tuple(dict.fromkeys(parsed(text) for text in values["until"]))
    if values["margin"] is not None and not any(condition.kind == "compare" for condition in conditions):
        raise UserError("--margin is for --until 'compare METRIC': name one, or leave it out.")
    for option, given in (("--batch", values["batch"]), ("--engine ray", values["engine"] == "ray")):
        if given:
            raise UserError(f"--until asks a part and looks at it before the next, and {option} sends all: choose one.")
    futility = FUTILITY if values["futility"] is None else values["futility"]
    return Design(conditions, _fractions(values["looks"]), values["margin"], futility)


def parsed(text: str) -> Condition:
    """The condition that the text says."""
    for kind, form in _FORMS.items():
        if (found := form.fullmatch(text.strip())) is None:
            continue
        metric = found["metric"]
        if kind == "compare":
            return Condition(f"compare {metric}", "compare", metric)
        number = _number(found["number"], text)
        if kind == "width":
            if number <= 0:
                raise UserError(f"--until {text!r}: an interval reaches further than {number:g}: name a width above 0.")
            return Condition(f"{metric} ± {number:g}", "width", metric, number)
        sign = "<" if "<" in text else ">"
        return Condition(f"{metric} {sign} {number:g}", "threshold", metric, number)
    raise UserError(f"--until {text!r} is no condition: write {WAYS}.")


def _number(text: str, condition: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"--until {condition!r}: {text} is no number: write {WAYS}.")
    return number


def _fractions(given: Sequence[str] | None) -> tuple[float, ...]:
    if given is None:
        return FRACTIONS
    found = []
    for text in (part for each in given for part in re.split(r"[,\s]+", each) if part):
        try:
            fraction = float(Fraction(text))
        except (ValueError, ZeroDivisionError):
            fraction = math.nan
        if not 0 < fraction <= 1:
            raise UserError(f"--looks {text}: a look is at a fraction of the clusters, such as 1/4, up to 1.")
        found.append(fraction)
    return tuple(sorted({*found, 1.0}))


def check(design: Design, metrics: Sequence[Metric], models: int) -> None:
    """Refuse what the suite can't tell, or can't be decided of so many models."""
    known = {metric.name for metric in metrics if metric.is_overall}
    for condition in design.conditions:
        if condition.metric not in known:
            raise UserError(
                f"--until {condition.text!r}: there is no metric {condition.metric}"
                f"{nearest(condition.metric, known)}: there are {', '.join(sorted(known))}."
            )
        if condition.kind == "compare" and models < 2:
            raise UserError(f"--until {condition.text!r} compares models, and there is one: name another --model.")
        metric = next(one for one in metrics if one.is_overall and one.name == condition.metric)
        low, high = metric.range
        if condition.kind == "threshold" and condition.number is not None and not low < condition.number < high:
            raise UserError(
                f"--until {condition.text!r}: {metric.name} lies between {low:g} and {high:g}: name a value within."
            )
