"""From differences to what is said of them: families of tests, adjusted p, a word, and who can't be told apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import msgspec

from counterfoil.stats.multiplicity import cliques, holm
from counterfoil.stats.pairing import Difference
from counterfoil.stats.power import LEVEL, equivalence_p
from counterfoil.stats.signflips import out_of_reach


class Compared(msgspec.Struct, kw_only=True):
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


class Found(NamedTuple):
    """A difference, and what it is of. `label`: the part of the group that makes it another figure of the metric;
    `overall`: it is no part of the family of the figure's groups.
    """

    metric: str
    a: str
    b: str
    group: dict[str, str | int]
    label: tuple[tuple[str, str | int], ...]
    overall: bool
    withheld: str | None
    note: str | None
    difference: Difference


def judged(found: Sequence[Found], margin: float | None = None) -> list[Compared]:
    """A row for each difference, with p adjusted within its family."""
    contests = _contests(found)
    families: dict[Hashable, list[int]] = {}
    for place, it in enumerate(found):
        families.setdefault(_family(it, contests), []).append(place)
    rows: dict[int, Compared] = {}
    for places in families.values():
        adjusted = holm([found[place].difference.test.p for place in places])
        tests = sum(p is not None for p in adjusted)
        for place, p in zip(places, adjusted, strict=True):
            rows[place] = _row(found[place], p, LEVEL / max(tests, 1), margin)
    return [rows[place] for place in range(len(found))]


def tied(rows: Sequence[Compared], found: Sequence[Found]) -> dict[str, list[list[str]]]:
    """For each metric, of three or more sides that were all compared: the groups that can't be told apart."""
    groups: dict[str, list[list[str]]] = {}
    for contest in dict.fromkeys(_contests(found).values()):
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


def _contests(found: Sequence[Found]) -> dict[str, tuple[str, ...]]:
    """For each side that was compared with all others of three or more, these; a side in two such sets is in none."""
    near: dict[str, set[str]] = {}
    for it in found:
        near.setdefault(it.a, {it.a}).add(it.b)
        near.setdefault(it.b, {it.b}).add(it.a)
    order = list(near)
    return {
        side: tuple(sorted(others, key=order.index))
        for side, others in near.items()
        if len(others) > 2 and all(near[other] == others for other in others)
    }


def _family(it: Found, contests: dict[str, tuple[str, ...]]) -> Hashable:
    if not it.overall:
        return it.metric, it.label, it.a, it.b
    return it.metric, it.label, contests.get(it.a, (it.a, it.b))


def _wider(it: Difference, p: float | None) -> str | None:
    """Where the two do not say the same: the interval is made to hold with few clusters, and the test is sharper."""
    low, high = it.interval.low, it.interval.high
    if p is None or low is None or high is None or p > LEVEL or not low <= 0 <= high:
        return None
    return "the interval, which is the wider of the two, holds 0, and the test tells them apart"


def _row(found: Found, p_adjusted: float | None, level: float, margin: float | None) -> Compared:
    it = found.difference
    reach = out_of_reach(it.test.smallest_p, it.test.differing, level) if it.test.differing else None
    notes = [found.withheld or found.note]
    if not found.withheld:
        notes += [it.interval.note, it.test.note, reach, _wider(it, p_adjusted)]
    equivalent = None
    if margin is not None and found.overall and it.interval.value is not None:
        p = equivalence_p(it.interval.value, it.error, it.df, margin)
        equivalent = None if p is None else p <= level
    return Compared(
        metric=found.metric,
        a=found.a,
        b=found.b,
        group=found.group,
        value_a=it.value_a,
        value_b=it.value_b,
        difference=it.interval.value,
        low=it.interval.low,
        high=it.interval.high,
        p=it.test.p,
        p_adjusted=p_adjusted,
        smallest_p=it.test.smallest_p,
        detectable=it.detectable(level),
        equivalent=equivalent,
        pairs=it.pairs,
        clusters=it.interval.clusters,
        verdict=_verdict(it.interval.value, p_adjusted, margin if equivalent else None),
        method=f"{it.interval.method}; {it.test.method}",
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
