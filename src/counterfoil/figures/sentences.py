"""Estimates in plain sentences: how large, who has most and least, and what can't be told."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.figures.numbers import between, cell, listed, naming, side_of, with_interval
from counterfoil.stats.estimate import Estimate

# Names of more than these make a sentence unreadable.
NAMED = 4


def extremes(what: str, estimates: Sequence[Estimate]) -> list[str]:
    """Lowest and highest, and whether their intervals lie apart; nothing where there are no estimates."""
    names = naming(estimates)
    defined = [(one.value, one) for one in estimates if one.value is not None]
    if not defined:
        return [f"{what} is {with_interval(one)}." for one in estimates[:1]]
    low, high = (pick(defined, key=lambda pair: pair[0])[1] for pick in (min, max))
    first, last = (f"{with_interval(one)} for {names[one.model, one.variant]}" for one in (low, high))
    if len(defined) == 1:
        return [f"{what} is {first}."]
    if low.value == high.value:
        return [f"{what} is {cell(low.value)} for every model and prompt.{_widest([one for _, one in defined])}"]
    return [f"{what} goes from {first} to {last}: {apart(low, high)}."]


def apart(one: Estimate, other: Estimate) -> str:
    """What two intervals say of a difference. They are not paired, so it is less than a test says."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return "without both intervals nothing can be said of the difference"
    if one.high < other.low or other.high < one.low:
        return "the intervals lie apart"
    return "the intervals overlap, so which is higher can't be told from them"


def sides(what: str, estimates: Sequence[Estimate], above: str, below: str) -> list[str]:
    """Of how many models and prompts the interval lies above 0, below 0, or holds it."""
    names = naming(estimates)
    found: dict[int | None, list[str]] = {}
    for one in estimates:
        found.setdefault(side_of(one), []).append(names[one.model, one.variant])
    words = {1: f"above 0 ({above})", -1: f"below 0 ({below})", 0: "on both sides of 0 (it can't be told)"}
    parts = [f"{words[side]} for {_who(found[side])}" for side in (1, -1, 0) if side in found]
    if None in found:
        parts.append(f"there is none for {_who(found[None])}")
    return [f"The interval of {what} lies {'; '.join(parts)}."] if parts else []


def _widest(estimates: Sequence[Estimate]) -> str:
    known = [(one.low, one.high) for one in estimates if one.low is not None and one.high is not None]
    if not known:
        return ""
    low, high = max(known, key=lambda bounds: bounds[1] - bounds[0])
    return f" The widest interval is{between(low, high)}."


def _who(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= NAMED else f"{len(names)} combinations of model and prompt"
