"""Many tests at once: p-values adjusted so that one false alarm in the whole family is as rare as claimed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of one family, adjusted after Holm (1979), in the order given.

    Of m p-values in ascending order the i-th becomes max over j ≤ i of (m − j + 1)·p_j, at most 1. Tests without a
    p-value (None or nan) are no part of the family and stay as they are.
    """
    tested = [(p, place) for place, p in enumerate(p_values) if p is not None and not math.isnan(p)]
    if any(not 0 <= p <= 1 for p, _ in tested):
        raise ValueError("a p-value lies in 0…1; a test without one has None")
    adjusted = list(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(sorted(tested)):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = largest
    return adjusted


def holm_levels(p_values: Sequence[float | None], level: float) -> list[float]:
    """The level at which Holm's method tests each p-value: level/m the smallest, level/(m − 1) the next, and so on.

    It ends with the first that does not reach its level; all that are larger are held against that level as well. A
    p-value is at most its level exactly if the adjusted one is at most `level`. Without a p-value: that of the last.
    """
    adjusted = holm(p_values)
    tested = sorted((p, place) for place, p in enumerate(p_values) if adjusted[place] is not None)
    reached = sum((adjusted[place] or 0.0) <= level for _, place in tested)
    levels = [level / max(len(tested) - reached, 1)] * len(p_values)
    for rank, (_, place) in enumerate(tested[:reached]):
        levels[place] = level / (len(tested) - rank)
    return levels


def discoveries(p_values: Sequence[float], share: float) -> list[bool]:
    """Which tests reject after Benjamini and Hochberg (1995): at most this share of them, on average, is false.

    Of m p-values in ascending order, the first k are rejected, with the largest k for which p_k ≤ share·k/m.
    """
    ordered = sorted(p_values)
    reached = [p for rank, p in enumerate(ordered, 1) if p <= share * rank / len(ordered)]
    return [bool(reached) and p <= reached[-1] for p in p_values]


def cliques(models: Sequence[str], told_apart: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """All largest groups in which no two models are told apart; a model told apart from all others is a group.

    `told_apart` holds the pairs whose test rejected, in either order. Models keep their order within a group, and the
    groups are sorted by it: in the order of the models, by first member, then by second, and so on.
    """
    place = {model: number for number, model in enumerate(models)}
    near = [set(range(len(models))) - {number} for number in range(len(models))]
    for pair in told_apart:
        one, other = (place[model] for model in pair)
        near[one].discard(other)
        near[other].discard(one)
    found = sorted(sorted(group) for group in _maximal_cliques(near)) if models else []
    return [tuple(models[number] for number in group) for group in found]


def _maximal_cliques(near: list[set[int]]) -> list[set[int]]:
    """Bron and Kerbosch (1973), with the pivot of Tomita, Tanaka and Takahashi (2006)."""
    found: list[set[int]] = []

    def extend(clique: set[int], candidates: set[int], seen: set[int]) -> None:
        if not candidates:
            if not seen:
                found.append(clique)
            return
        pivot = max(candidates | seen, key=lambda number: len(near[number] & candidates))
        for number in sorted(candidates - near[pivot]):
            extend(clique | {number}, candidates & near[number], seen & near[number])
            candidates = candidates - {number}
            seen = seen | {number}

    extend(set(), set(range(len(near))), set())
    return found
