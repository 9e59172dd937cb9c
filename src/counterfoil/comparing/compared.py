"""From differences to what is said of them: families of tests, one decision for each, a word, and who is tied.

One decision: two sides are told apart if the test says so, adjusted for its family, and the interval says so too. The
interval has the confidence at which Holm's method tests its row, and reaches to 0 where the test tells nothing apart.
The word, the interval and the gate follow from that (docs/compare.md).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from counterfoil.figures.population import narrowed, narrowed_p
from counterfoil.stats.estimate import BASES, BASIS, CORRECTED, Interval
from counterfoil.stats.metric import Metric
from counterfoil.stats.multiplicity import cliques, holm, holm_levels
from counterfoil.stats.pairing import Arms, Case, Difference, intervals_at
from counterfoil.stats.power import LEVEL
from counterfoil.stats.signflips import out_of_reach

SAME = "can't be told apart"
UNDEFINED = "not defined"


class ComparedFigure(msgspec.Struct, kw_only=True):
    """One metric in one group: both sides, and b − a.

    `p_adjusted` is p after Holm: over the overall figures of all metrics and of all pairs of three or more sides, or
    over the figures of groups. `low` and `high` have the `confidence` that goes with it, and hold 0 unless the sides
    are `told_apart`. `detectable` and `smallest_p` are to be seen against that family. `equivalent`: whether the
    interval lies within the margin, where one was given. `same_as`: the figure of which this one is a repetition.
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
    confidence: float = 1 - LEVEL
    told_apart: bool = False
    same_as: str | None = None

    @property
    def name(self) -> str:
        """The metric, with its group."""
        return figure_name(self.metric, self.group)


class FigureDifference(NamedTuple):
    """The difference of a metric between two sides in one group, and why it is withheld if it is.

    `overall`: it is over all items that the metric counts, whatever label it has.
    """

    metric: Metric
    a: str
    b: str
    group: dict[str, str | int]
    overall: bool
    withheld: str | None
    case: Case
    difference: Difference
    # Of the dataset's questions, where the figures are about these alone.
    share: float = 0.0


def of_these_alone(one: FigureDifference, share: float) -> FigureDifference:
    """The difference on the questions of the dataset, of which this share was asked; not of what labels correct."""
    if not share or one.group.get(BASIS) in BASES:
        return one
    difference, left = one.difference, math.sqrt(1 - share)
    value, p = difference.interval.value, difference.test.p
    test = difference.test._replace(
        p=None if p is None or value is None else narrowed_p(p, value, share),
        smallest_p=narrowed_p(difference.test.smallest_p, 1.0, share),
    )
    return one._replace(
        share=share,
        difference=difference._replace(
            interval=narrowed(difference.interval, share), test=test, error=left * difference.error
        ),
    )


def compared_figures(
    differences: Sequence[FigureDifference], margin: float | None = None, whole: float = LEVEL
) -> list[ComparedFigure]:
    """A row for each difference, with p adjusted within its family. A figure and its repetitions are one test. Where
    the `whole` level of a family is below 5 %, p is larger in that proportion.
    """
    contests = _contests(differences)
    first = _first_of_its_kind(differences)
    families: dict[Hashable, list[int]] = {}
    for place, one in enumerate(differences):
        if first[place] == place:
            families.setdefault(_family(one, contests), []).append(place)
    rows: dict[int, ComparedFigure] = {}
    for places in families.values():
        tests = [differences[place].difference.test for place in places]
        # A test that could reach the level in no case can raise no false alarm, and takes nothing from the others.
        able = [test.p if test.smallest_p <= whole else None for test in tests]
        adjusted, levels = (
            holm([None if p is None else min(1.0, p * LEVEL / whole) for p in able]),
            holm_levels(able, whole),
        )
        smallest_level = whole / max(sum(p is not None for p in able), 1)
        others = [place for place, level in zip(places, levels, strict=True) if level != LEVEL]
        wanted = [1 - level for level in levels if level != LEVEL]
        intervals = dict(zip(others, intervals_at([differences[place].case for place in others], wanted), strict=True))
        for place, test, p, level in zip(places, tests, adjusted, levels, strict=True):
            interval = differences[place].difference.interval
            if place in intervals:
                interval = narrowed(intervals[place], differences[place].share)
            p_adjusted = test.p if p is None else p
            rows[place] = _row(differences[place], interval, p_adjusted, level, smallest_level, margin)
    for place, original in enumerate(first):
        if place != original:
            one, same = differences[place], rows[original]
            rows[place] = msgspec.structs.replace(
                same, metric=one.metric.name, group=one.group, same_as=same.name, note=one.metric.note or same.note
            )
    return [rows[place] for place in range(len(differences))]


def tied_groups(rows: Sequence[ComparedFigure], differences: Sequence[FigureDifference]) -> dict[str, list[list[str]]]:
    """For each metric, of three or more sides that were all compared: the groups that can't be told apart."""
    groups: dict[str, list[list[str]]] = {}
    for contest in dict.fromkeys(_contests(differences).values()):
        for metric in dict.fromkeys(row.metric for row in rows):
            mine = [row for row in rows if row.metric == metric and not row.group and {row.a, row.b} <= set(contest)]
            tested = [row for row in mine if row.p_adjusted is not None]
            defined = {side for row in tested for side in (row.a, row.b)}
            apart = [(row.a, row.b) for row in tested if row.told_apart]
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
    """The figures without a group of all metrics, over all pairs of a contest; those that labels correct, the same; all
    other figures of a pair.
    """
    contest = contests.get(one.a, (one.a, one.b))
    if one.group.get(BASIS) == CORRECTED:
        return CORRECTED, contest
    return ("groups", one.a, one.b) if one.group else contest


def _first_of_its_kind(differences: Sequence[FigureDifference]) -> list[int]:
    """For each the place of the one that it repeats: a figure of the same name, columns or numbers, whose values are
    all the same, as where all replies were read and both ways to count unread ones agree, or where a dataset has its
    own name for one of our scores. Else its own.
    """
    kinds: dict[Hashable, list[int]] = {}
    first = []
    for place, one in enumerate(differences):
        # Under another label or as another metric: groups of one figure are never the same.
        values = (one.difference.value_a, one.difference.value_b)
        keys: list[Hashable] = [(one.a, one.b, one.metric.name), (one.a, one.b, one.metric.of, one.metric.columns)]
        # Where both sides are alike, as where nothing leans and everything was read, equal numbers say nothing.
        if values[0] != values[1]:
            keys.append((one.a, one.b, one.metric.of, *one.group.items(), one.difference.pairs, *values))
        earlier = [it for key in keys for it in kinds.setdefault(key, [])]
        found = next((it for it in earlier if _same_values(differences[it], one)), place)
        first.append(found)
        if found == place:
            for key in keys:
                kinds[key].append(place)
    return first


def _same_values(one: FigureDifference, other: FigureDifference) -> bool:
    if one.metric is other.metric or one.difference.pairs != other.difference.pairs:
        return False
    if one.difference.interval.value is None or other.difference.interval.value is None:
        return False
    if bool(one.withheld) != bool(other.withheld) or len(one.case.arms) != len(other.case.arms):
        return False
    sides = list(zip(one.case.arms, other.case.arms, strict=True))
    if (one.case.over is None) != (other.case.over is None):
        return False
    if one.case.over is not None and other.case.over is not None:
        sides.append((one.case.over, other.case.over))
    return np.array_equal(one.case.clusters, other.case.clusters) and all(_same_arms(*pair) for pair in sides)


def _same_arms(one: Arms, other: Arms) -> bool:
    return one.coefficient == other.coefficient and all(
        np.array_equal(values, others, equal_nan=True) for values, others in zip(one[1:], other[1:], strict=True)
    )


def _row(
    one: FigureDifference,
    interval: Interval,
    p_adjusted: float | None,
    level: float,
    smallest_level: float,
    margin: float | None,
) -> ComparedFigure:
    difference, test = one.difference, one.difference.test
    by_test = is_apart(p_adjusted)
    apart = by_test and without_0(interval)
    notes = [one.withheld or one.metric.note]
    if not one.withheld:
        reach = out_of_reach(test.smallest_p, test.differing, smallest_level) if test.differing else None
        notes += [interval.note, test.note, reach, _only_one_says_so(interval, by_test, p_adjusted)]
    if not apart and interval.low is not None and interval.high is not None:
        interval = interval._replace(low=min(interval.low, 0.0), high=max(interval.high, 0.0))
    equivalent = None
    if margin is not None and one.overall and interval.low is not None and interval.high is not None:
        equivalent = -margin <= interval.low and interval.high <= margin
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
        detectable=difference.detectable(smallest_level),
        equivalent=equivalent,
        pairs=difference.pairs,
        clusters=interval.clusters,
        verdict=_verdict(one, p_adjusted, apart, margin if equivalent else None),
        method=f"{interval.method}; {test.method}",
        note="; ".join(dict.fromkeys(note for note in notes if note)) or None,
        confidence=1 - level,
        told_apart=apart,
    )


def without_0(interval: Interval) -> bool:
    return interval.low is not None and interval.high is not None and (interval.low > 0 or interval.high < 0)


def _only_one_says_so(interval: Interval, by_test: bool, p: float | None) -> str | None:
    """Where test and interval don't say the same. Both must tell the sides apart; a clear interval is widened then."""
    if p is None or interval.value is None or by_test == without_0(interval):
        return None
    if by_test:
        return f"the test alone would tell them apart (p = {p:.2g}), but the interval holds 0"
    return f"the interval alone would leave 0 out, but the test tells nothing apart (p = {p:.2g}): it is drawn up to 0"


def _verdict(one: FigureDifference, p: float | None, apart: bool, within: float | None) -> str:
    """In plain words. Not told apart is not equal, unless a margin was given and the interval lies within."""
    if one.difference.interval.value is None or p is None:
        return UNDEFINED
    if apart:
        word = _direction(one)
        return word if within is None else f"{word}, by less than {within:g}"
    return SAME if within is None else f"equal within {within:g}"


def _direction(one: FigureDifference) -> str:
    """Better or worse where the metric says which way is better, else higher or lower.

    Where 0 is best: the nearer to it the better, if both sides lie on the same side of it. If they don't, which of them
    is nearer was not tested.
    """
    a, b = one.difference.value_a or 0.0, one.difference.value_b or 0.0
    higher = b > a
    best = one.metric.better
    if best is None or (best == "zero" and a * b < 0):
        return "higher" if higher else "lower"
    better = higher == (best == "higher") if best != "zero" else abs(b) < abs(a)
    return "better" if better else "worse"


def figure_name(metric: str, group: dict[str, str | int]) -> str:
    return metric + (f" ({', '.join(map(str, group.values()))})" if group else "")


def group_text(group: dict[str, str | int]) -> str:
    """A group as text; empty for overall."""
    return ", ".join(f"{name} {value}" for name, value in group.items())
