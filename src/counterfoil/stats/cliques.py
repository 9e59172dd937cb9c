"""Models that can't be told apart, instead of ranks.

"Not told apart" is no equality: A and B may not be told apart, nor B and C, while A and C are. So the groups overlap.
"""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def cliques(models: Sequence[str], told_apart: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """All largest groups in which no two models are told apart; a model told apart from all others is a group.

    `told_apart` holds the pairs whose test rejected, in either order. Models keep their order within a group, and the
    groups are sorted by it: in the order of the models, by first member, then by second, and so on.
    """
    place = {model: number for number, model in enumerate(models)}
    if len(place) < len(models):
        raise ValueError("a model is named twice")
    near = [set(range(len(models))) - {number} for number in range(len(models))]
    for pair in told_apart:
        if not place.keys() >= set(pair) or len(set(pair)) < 2:
            raise ValueError(f"{pair!r} are not two of the models")
        one, other = (place[model] for model in pair)
        near[one].discard(other)
        near[other].discard(one)
    found = sorted(sorted(group) for group in _maximal_cliques(near)) if models else []
    return [tuple(models[number] for number in group) for group in found]


def letters(models: Sequence[str], groups: Sequence[Sequence[str]]) -> dict[str, str]:
    """The compact letter display: each group has a letter, and a model those of all its groups.

    With the groups of `cliques`, two models share a letter exactly if they can't be told apart. After z come A to Z,
    then a2, b2 and so on.
    """
    names = [_letter(number) for number in range(len(groups))]
    return {
        model: "".join(name for name, group in zip(names, groups, strict=True) if model in group) for model in models
    }


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(turn + 1) if turn else "")


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
