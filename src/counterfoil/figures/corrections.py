"""Figures beside what people's labels make of them: a plot and a sentence for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from counterfoil.figures.numbers import cell, listed, naming, side_of, with_interval
from counterfoil.figures.plots import Axis, Dot, Dots
from counterfoil.stats.estimate import BASIS, CORRECTED, PEOPLE_ALONE, SHIFT, Estimate

SERIES: dict[object, str] = {None: "reported", CORRECTED: "corrected", PEOPLE_ALONE: "people alone"}


class Correction(NamedTuple):
    """One figure as reported, corrected, by people alone, and corrected − reported; None where labels are too few."""

    reported: Estimate
    corrected: Estimate
    people: Estimate | None
    shift: Estimate | None


def corrections_of(estimates: Iterable[Estimate]) -> list[Correction]:
    """The figures of a summary that labels correct: without a group but their own label."""
    by_key: dict[tuple[object, ...], dict[object, Estimate]] = {}
    for one in estimates:
        rest = frozenset((name, value) for name, value in one.group.items() if name != BASIS)
        by_key.setdefault((one.metric, one.model, one.variant, rest), {})[one.group.get(BASIS)] = one
    return [
        Correction(some[None], some[CORRECTED], some.get(PEOPLE_ALONE), some.get(SHIFT))
        for some in by_key.values()
        if CORRECTED in some and None in some
    ]


def correction_plot(corrections: Sequence[Correction]) -> Dots | None:
    """Overall figures from 0 to 1, or from −1 to 1, in all three ways."""
    shown = [one for one in corrections if not one.reported.group and one.people is not None]
    names = naming([one.reported for one in shown])
    several = len(names) > 1
    rows = [
        Dot(
            label=f"{one.metric}, {names[one.model, one.variant]}" if several else one.metric,
            series=SERIES[one.group.get(BASIS)],
            value=one.value,
            low=one.low,
            high=one.high,
        )
        for each in shown
        for one in (each.reported, each.corrected, each.people)
        if one is not None and _is_small(one)
    ]
    if not rows:
        return None
    return Dots(
        title="Reported, corrected, people alone",
        description="Each figure as the reader or the judge has it, over all replies; as people's labels correct it, "
        "over all replies; and by the rated replies alone. Where the first lies outside of the second's interval, the "
        "instrument is off.",
        x=Axis("value"),
        rows=tuple(rows),
        label_name="figure",
        series_name="by",
    )


def _is_small(one: Estimate) -> bool:
    """Whether it is on a scale from 0 or −1 to 1, as most figures are: others would not fit beside them."""
    return all(value is None or -1 <= value <= 1 for value in (one.value, one.low, one.high))


def correction_sentences(corrections: Sequence[Correction]) -> list[str]:
    """One for each overall figure; and for each model and prompt one on those that are not corrected, and why."""
    shown = [one for one in corrections if not one.reported.group]
    names = naming([one.reported for one in shown])
    sentences = [_sentence(one, names) for one in shown if one.corrected.value is not None]
    not_yet: dict[tuple[str, str | None], list[str]] = {}
    for one in shown:
        if one.corrected.value is None:
            who = names[one.reported.model, one.reported.variant]
            not_yet.setdefault((who, one.corrected.note), []).append(one.reported.metric)
    return [*sentences, *(f"{who}: {listed(some)}: {why}." for (who, why), some in not_yet.items())]


def _sentence(one: Correction, names: Mapping[tuple[str, str], str]) -> str:
    reported, found = one.reported, one.corrected
    who = names[reported.model, reported.variant]
    numbers = f"{who}: {reported.metric} is {cell(reported.value)} as reported and {with_interval(found)} corrected"
    if one.people is None or one.shift is None:
        return f"{numbers}."
    alone = f"people alone say {with_interval(one.people)}"
    side = side_of(one.shift)
    moved = with_interval(one.shift)
    if not side:
        return f"{numbers}; {alone}. The difference, {moved}, can't be told from 0."
    return f"{numbers}; {alone}. The reported figure is too {'low' if side > 0 else 'high'}: the difference is {moved}."
