"""The rules by which a look decides: evidence in, decisions out.

The interval of look k has the confidence 1 − α_k, with the levels α_k of `levels_of`: all looks together raise a false
alarm with a chance of 5 %. Over the questions of one condition the rule is Holm's: while m of them are not told apart,
each is tested with α = 5 % ÷ m, at this look and at later ones (Maurer and Bretz, 2013). A pair is told apart where
interval and test both say so. Whether an interval is narrow enough spends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from counterfoil.running.looks.design import Condition
from counterfoil.running.looks.log import ABOVE, BELOW, EQUAL, GIVEN_UP, NARROW, UNDECIDED, Decision
from counterfoil.running.looks.questions import Look, Open
from counterfoil.stats.estimate import Interval
from counterfoil.stats.power import LEVEL
from counterfoil.stats.stopping.levels import chance_to_decide, critical, levels_of


class Evidence(NamedTuple):
    """Of a model's figure, or of the difference between two: its interval at any confidence, and p of the test where
    there is one, made if it is asked for.
    """

    at: Callable[[float], Interval]
    p: Callable[[], float | None] | None = None


def decided(look: Look, evidence: Mapping[Open, Evidence]) -> list[Decision]:
    """What this look decides. At the last one nothing stays open."""
    decisions: list[Decision] = []
    for condition in look.design.conditions:
        mine = [one for one in look.open if one.condition == condition]
        if condition.kind == "width":
            decisions += _narrow(look, mine, evidence)
        else:
            decisions += _told(look, condition, mine, evidence)
    return decisions


def _narrow(look: Look, questions: Sequence[Open], evidence: Mapping[Open, Evidence]) -> list[Decision]:
    confidence = look.design.confidence
    found = []
    for one in questions:
        interval = evidence[one].at(confidence)
        width = None if interval.low is None or interval.high is None else (interval.high - interval.low) / 2
        if width is not None and width <= (one.condition.number or 0):
            found.append(_decision(one, NARROW, interval, confidence))
        elif look.is_last:
            found.append(_decision(one, UNDECIDED, interval, confidence))
    return found


def _told(
    look: Look, condition: Condition, questions: Sequence[Open], evidence: Mapping[Open, Evidence]
) -> list[Decision]:
    """First who is told apart, as Holm does it; then who is equal, and who is given up."""
    open_ = list(questions)
    alphas = LEVEL / (look.family[condition.text] - look.told_apart[condition.text])
    found: list[Decision] = []
    while True:
        level = levels_of(look.design.fractions, alphas)[look.number - 1]
        told = [(one, verdict) for one in open_ if (verdict := _side(one, evidence[one], level)) is not None]
        if not told:
            break
        found += [_decision(one, verdict, evidence[one].at(1 - level), 1 - level) for one, verdict in told]
        open_ = [one for one in open_ if one not in dict(told)]
        if not open_:
            return found
        alphas = LEVEL / (look.family[condition.text] - look.told_apart[condition.text] - len(found))
    last = critical(levels_of(look.design.fractions, alphas)[-1])
    for one in open_:
        interval = evidence[one].at(1 - level)
        verdict, chance = _not_told(look, one, interval, level, last)
        if verdict is not None:
            found.append(_decision(one, verdict, interval, 1 - level, chance))
    return found


def _side(one: Open, evidence: Evidence, level: float) -> str | None:
    """On which side of the value the figure is shown to lie; of a difference, of 0."""
    interval, value = evidence.at(1 - level), one.condition.number or 0.0
    if interval.low is None or interval.high is None:
        return None
    side = ABOVE if interval.low > value else BELOW if interval.high < value else None
    if side is None or evidence.p is None:
        return side
    p = evidence.p()
    return side if p is not None and p <= level else None


def _not_told(look: Look, one: Open, interval: Interval, level: float, last: float) -> tuple[str | None, float | None]:
    """What becomes of a question that is not told apart, and the chance that later looks would decide it."""
    margin = look.design.margin if one.condition.kind == "compare" else None
    if interval.value is None or interval.low is None or interval.high is None:
        return (UNDECIDED if look.is_last else None), None
    if margin is not None and -margin <= interval.low and interval.high <= margin:
        return EQUAL, None
    if look.is_last:
        return UNDECIDED, None
    distance = interval.value - (one.condition.number or 0.0)
    reach = interval.value - interval.low if distance > 0 else interval.high - interval.value
    if not reach > 0:
        return None, None
    error = reach / critical(level)
    in_errors = None if margin is None else margin / ((interval.high - interval.low) / 2 / critical(level))
    chance = chance_to_decide(abs(distance) / error, look.fraction, last, in_errors)
    return (GIVEN_UP, chance) if chance < look.design.futility else (None, None)


def _decision(one: Open, verdict: str, interval: Interval, confidence: float, chance: float | None = None) -> Decision:
    return Decision(
        condition=one.condition.text,
        models=list(one.models),
        variant=one.variant,
        verdict=verdict,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        confidence=confidence,
        chance=chance,
        sentence=sentence_of(one, verdict, interval, confidence, chance),
    )


def sentence_of(one: Open, verdict: str, interval: Interval, confidence: float, chance: float | None) -> str:
    """What was decided, without a full stop."""
    figure = "not defined" if interval.value is None else f"{interval.value:z.3f}"
    if interval.low is not None and interval.high is not None:
        figure += f" [{interval.low:z.3f}, {interval.high:z.3f}] at {confidence:.1%}"
    if one.condition.kind == "compare":
        figure = f"difference {figure}"
    left = "" if chance is None else f"; with all clusters it would be decided with a chance of {chance:.0%}"
    return f"{_words(one, verdict)}: {figure}{left}"


def _words(one: Open, verdict: str) -> str:
    condition, number = one.condition, f"{one.condition.number or 0:g}"
    if condition.kind == "compare":
        first, second = one.models
        said = {
            ABOVE: f"is higher than that of {first}",
            BELOW: f"is lower than that of {first}",
            EQUAL: f"is equal to that of {first} within the margin",
            UNDECIDED: f"can't be told from that of {first}",
            GIVEN_UP: f"is not told from that of {first}, and hardly would be",
        }
        return f"{condition.metric} of {second} {said[verdict]}"
    what = f"{condition.metric} of {one.models[0]}" + (f", {one.variant}," if one.variant else "")
    if condition.kind == "width":
        return f"{what} is{'' if verdict == NARROW else ' not'} known to ± {number}"
    said = {
        ABOVE: f"is above {number}",
        BELOW: f"is below {number}",
        UNDECIDED: f"is not told from {number}",
        GIVEN_UP: f"is not told from {number}, and hardly would be",
    }
    return f"{what} {said[verdict]}"
