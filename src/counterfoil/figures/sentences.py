"""Estimates in plain sentences: how large, who has most and least, and what can't be told."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from counterfoil.figures.numbers import between, cell, listed, naming, side_of, with_interval, without_interval
from counterfoil.stats.estimate import Estimate

# More names than these make a sentence unreadable: the rest is counted.
NAMED = 4


def extremes(what: str, estimates: Sequence[Estimate]) -> list[str]:
    """Lowest and highest; nothing where there are no estimates. Whether they differ is for a paired test to say."""
    names = naming(estimates)
    defined = [(one.value, one) for one in estimates if one.value is not None]
    undefined = [one for one in estimates if one.value is None]
    if not defined:
        return [f"{what} is {with_interval(one)}{_for_all(names.values())}." for one in estimates[:1]]
    low, high = (pick(defined, key=lambda pair: pair[0])[1] for pick in (min, max))
    first, last = (f"{with_interval(one)} for {names[one.model, one.variant]}" for one in (low, high))
    rest = ""
    if undefined:
        who = _who([names[one.model, one.variant] for one in undefined])
        rest = f" For {who} it is {with_interval(undefined[0])}."
    if len(defined) == 1:
        return [f"{what} is {first}.{rest}"]
    if low.value == high.value:
        all_of = _who([names[one.model, one.variant] for _, one in defined]) if undefined else "every model and prompt"
        return [f"{what} is {cell(low.value)} for {all_of}.{_widest([one for _, one in defined])}{rest}"]
    return [f"{what} goes from {first} to {last}.{rest}"]


def apart(one: Estimate, other: Estimate) -> str:
    """What two intervals say of a difference. They are not paired, so it is less than a test says."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return "without both intervals nothing can be said of the difference"
    if one.high < other.low or other.high < one.low:
        return "the intervals lie apart"
    return "the intervals overlap, so which is higher can't be told from them"


def sides(what: str, estimates: Sequence[Estimate], above: str, below: str) -> list[str]:
    """Of how many models and prompts the interval lies above 0, below 0, or holds it; and of how many that can't be
    told, because there is no interval.
    """
    names = naming(estimates)
    found: dict[int | None, list[Estimate]] = {}
    for one in estimates:
        found.setdefault(side_of(one), []).append(one)
    who = {side: _who([names[one.model, one.variant] for one in some]) for side, some in found.items()}
    words = {1: f"above 0 ({above})", -1: f"below 0 ({below})", 0: "on both sides of 0 (it can't be told)"}
    parts = [f"{words[side]} for {who[side]}" for side in (1, -1, 0) if side in found]
    sentences = [f"The interval of {what} lies {'; '.join(parts)}."] if parts else []
    if None in found:
        sentences.append(f"On which side of 0 {what} lies can't be told for {who[None]}: {missing(found[None][0])}.")
    return sentences


def missing(estimate: Estimate) -> str:
    """What an estimate without an interval lacks, and why."""
    if estimate.value is None:
        return "there is no value" + (f" ({estimate.note})" if estimate.note else "")
    return f"there is {without_interval(estimate)}"


def _widest(estimates: Sequence[Estimate]) -> str:
    known = [(one.low, one.high) for one in estimates if one.low is not None and one.high is not None]
    if not known:
        return ""
    low, high = max(known, key=lambda bounds: bounds[1] - bounds[0])
    return f" The widest interval is{between(low, high)}."


def _for_all(names: Collection[str]) -> str:
    """Nothing where it is clear who is meant."""
    return f" for {_who(list(names))}" if len(names) > 1 else ""


def _who(names: Sequence[str]) -> str:
    return listed(names, NAMED)
