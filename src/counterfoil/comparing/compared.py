"""From differences to what is said of them: families of tests, adjusted p, a word, and who can't be told apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import msgspec

from counterfoil.stats.estimate import Interval
from counterfoil.stats.metric import Metric
from counterfoil.stats.multiplicity import cliques, holm
from counterfoil.stats.pairing import Difference
from counterfoil.stats.power import LEVEL, is_equivalent
from counterfoil.stats.signflips import out_of_reach


class ComparedFigure(msgspec.Struct, kw_only=True):
    """One metric in one group: both sides, and b − a.

    `p_adjusted` is p after Holm: over the metric's groups, or, of overall figures, over all pairs of three or more
    sides. `detectable` and `smallest_p` are to be seen against that family. `equivalent`: whether the difference was
    shown to be smaller than the margin, where one was given.
    """

    metric: str
    a: str
    b: str
    group: dict[str, str | int]
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    smallest_p: float
    detectable: float | None
    equivalent: bool | None
    pairs: int
    clusters: int
    verdict: str
    method: str
    note: str | None


class FigureDifference(NamedTuple):
    """The difference of a metric between two sides in one group, and why it is withheld if it is.

    `overall`: it is no part of the family of the figure's groups.
    """

    metric: Metric
    a: str
    b: str
    group: dict[str, str | int]
    overall: bool
    withheld: str | None
    difference: Difference


def compared_figures(differences: Sequence[FigureDifference], margin: float | None = None) -> list[ComparedFigure]:
    """A row for each difference, with p adjusted within its family."""
    contests = _contests(differences)
    families: dict[Hashable, list[int]] = {}
    for place, one in enumerate(differences):
        families.setdefault(_family(one, contests), []).append(place)
    rows: dict[int, ComparedFigure] = {}
    for places in families.values():
        adjusted = holm([differences[place].difference.test.p for place in places])
        tests = sum(p is not None for p in adjusted)
        for place, p in zip(places, adjusted, strict=True):
            rows[place] = _row(differences[place], p, LEVEL / max(tests, 1), margin)
    return [rows[place] for place in range(len(differences))]


def tied_groups(rows: Sequence[ComparedFigure], differences: Sequence[FigureDifference]) -> dict[str, list[list[str]]]:
    """For each metric, of three or more sides that were all compared: the groups that can't be told apart."""
    groups: dict[str, list[list[str]]] = {}
    for contest in dict.fromkeys(_contests(differences).values()):
        for metric in dict.fromkeys(row.metric for row in rows):
            mine = [row for row in rows if row.metric == metric and not row.group and {row.a, row.b} <= set(contest)]
            tested = [row for row in mine if row.p_adjusted is not None]
            defined = {side for row in tested for side in (row.a, row.b)}
            apart = [(row.a, row.b) for row in tested if is_apart(row.p_adjusted)]
            if defined:
                of_contest = cliques([side for side in contest if side in defined], apart)
                groups.setdefault(metric, []).extend(map(list, of_contest))
    return groups


def is_apart(p: float | None) -> bool:
    """Whether a test at the level says that the sides differ."""
    return p is not None and p <= LEVEL


def _contests(differences: Sequence[FigureDifference]) -> dict[str, tuple[str, ...]]:
    """For each side that was compared with all others of three or more, these; a side in two such sets is in none."""
    near: dict[str, set[str]] = {}
    for one in differences:
        near.setdefault(one.a, {one.a}).add(one.b)
        near.setdefault(one.b, {one.b}).add(one.a)
    order = list(near)
    return {
        side: tuple(sorted(others, key=order.index))
        for side, others in near.items()
        if len(others) > 2 and all(near[other] == others for other in others)
    }


def _family(one: FigureDifference, contests: dict[str, tuple[str, ...]]) -> Hashable:
    figure = one.metric.name, one.metric.label
    return (*figure, contests.get(one.a, (one.a, one.b))) if one.overall else (*figure, one.a, one.b)


def _wider(interval: Interval, p: float | None) -> str | None:
    """Where the two do not say the same: the interval is made to hold with few clusters, and the test is sharper."""
    if not is_apart(p) or interval.low is None or interval.high is None or not interval.low <= 0 <= interval.high:
        return None
    return "the interval, which is the wider of the two, holds 0, and the test tells them apart"


def _row(one: FigureDifference, p_adjusted: float | None, level: float, margin: float | None) -> ComparedFigure:
    difference, interval, test = one.difference, one.difference.interval, one.difference.test
    notes = [one.withheld or one.metric.note]
    if not one.withheld:
        reach = out_of_reach(test.smallest_p, test.differing, level) if test.differing else None
        notes += [interval.note, test.note, reach, _wider(interval, p_adjusted)]
    equivalent = None
    if margin is not None and one.overall and interval.value is not None:
        equivalent = is_equivalent(interval.value, difference.error, difference.df, margin, level=level)
    return ComparedFigure(
        metric=one.metric.name,
        a=one.a,
        b=one.b,
        group=one.group,
        value_a=difference.value_a,
        value_b=difference.value_b,
        difference=interval.value,
        low=interval.low,
        high=interval.high,
        p=test.p,
        p_adjusted=p_adjusted,
        smallest_p=test.smallest_p,
        detectable=difference.detectable(level),
        equivalent=equivalent,
        pairs=difference.pairs,
        clusters=interval.clusters,
        verdict=_verdict(interval.value, p_adjusted, margin if equivalent else None),
        method=f"{interval.method}; {test.method}",
        note="; ".join(dict.fromkeys(note for note in notes if note)) or None,
    )


def _verdict(difference: float | None, p: float | None, within: float | None) -> str:
    """In plain words. Not told apart is not equal, unless a margin was given and the difference lies within."""
    if difference is None or p is None:
        return "not defined"
    if is_apart(p):
        word = "higher" if difference > 0 else "lower"
        return word if within is None else f"{word}, by less than {within:g}"
    return "can't be told apart" if within is None else f"equal within {within:g}"


def group_text(group: dict[str, str | int]) -> str:
    """A group as text; empty for overall."""
    return ", ".join(f"{name} {value}" for name, value in group.items())
