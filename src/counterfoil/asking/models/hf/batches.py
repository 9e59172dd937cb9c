"""The plan of a batch: asks that share it, tokens that their prompts share. Lists, no tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

# A row this many times longer than another waits for another batch: padding costs as much as tokens.
MOST_UNEVEN = 2
# Shorter common beginnings are not worth a row of their own.
LEAST_SHARED = 8
MOST_LEVELS = 4


class Edge(NamedTuple):
    """Tokens that follow those of the row `parent`, one level up."""

    parent: int
    tokens: tuple[int, ...]


class PrefixPlan(NamedTuple):
    """Several prompts, level by level, each level in one or more passes. Common beginnings are computed once.

    The parent of the first level is the row without tokens, level -1. `places`: level and row of each prompt; equal
    prompts have one place.
    """

    levels: list[list[Edge]]
    places: list[tuple[int, int]]


def choose(rooms: Sequence[int], live: Sequence[int], most_rows: int, most_tokens: int) -> list[int]:
    """The places in the queue that go next.

    `rooms`: the most tokens of each waiting ask, prompt and reply together, in the order they came; `live`: the same of
    those under way. The first goes, then those nearest to it in length, as long as all rows, padded to the longest, fit
    in `most_tokens`. Where the first does not fit beside those under way, nobody goes until they end: nobody waits
    forever.
    """
    chosen: list[int] = []
    longest, shortest = max(live, default=0), rooms[0]
    for place in sorted(range(len(rooms)), key=lambda place: (abs(rooms[place] - rooms[0]), place)):
        rows = len(live) + len(chosen) + 1
        longer, shorter = max(longest, rooms[place]), min(shortest, rooms[place])
        # Rows under way may be shorter still: they end soon.
        uneven = longer > MOST_UNEVEN * shorter or (longest and longer > MOST_UNEVEN * longest)
        if rows > 1 and (rows > most_rows or rows * longer > most_tokens or uneven):
            break
        chosen.append(place)
        longest, shortest = longer, shorter
    return sorted(chosen)


def divide(order: Sequence[int], sizes: Sequence[int], most: int) -> list[list[int]]:
    """Passes of at most so many tokens, padding included."""
    passes: list[list[int]] = []
    longest = 0
    for place in order:
        longest = max(longest, sizes[place])
        if not passes or (len(passes[-1]) + 1) * longest > most:
            passes.append([])
            longest = sizes[place]
        passes[-1].append(place)
    return passes


def plan_prefixes(prompts: Sequence[Sequence[int]], pass_cost: int) -> PrefixPlan:
    """The cheapest plan, where a level costs `pass_cost` tokens on top of its own."""
    different = sorted({tuple(prompt) for prompt in prompts})
    # Another level is worth nothing where it costs more than all that it could save.
    worth = sum(map(len, different)) // max(1, pass_cost)
    plans = [_plan(different, levels) for levels in range(1, min(MOST_LEVELS, 1 + worth) + 1)]
    levels, places = min(
        plans, key=lambda plan: sum(pass_cost + sum(len(edge.tokens) for edge in level) for level in plan[0])
    )
    return PrefixPlan(levels, [places[tuple(prompt)] for prompt in prompts])


def _plan(
    different: list[tuple[int, ...]], most_levels: int
) -> tuple[list[list[Edge]], dict[tuple[int, ...], tuple[int, int]]]:
    """The tree of common beginnings of sorted prompts, with at most so many levels; the place of each prompt in it."""
    levels: list[list[Edge]] = [[] for _ in range(most_levels)]
    places: dict[tuple[int, ...], tuple[int, int]] = {}
    # The prompts of a group share their first `start` tokens, which are in the row `parent` of the level before.
    groups = [(different, 0, 0, 0)]
    while groups:
        group, start, level, parent = groups.pop()
        if len(group) == 1 or level == most_levels - 1:
            for prompt in group:
                if len(prompt) == start:
                    places[prompt] = (level - 1, parent)
                    continue
                levels[level].append(Edge(parent, prompt[start:]))
                places[prompt] = (level, len(levels[level]) - 1)
        else:
            # They are sorted: all share what the first and the last share.
            common, end = start, min(len(group[0]), len(group[-1]))
            while common < end and group[0][common] == group[-1][common]:
                common += 1
            if common - start >= LEAST_SHARED:
                levels[level].append(Edge(parent, group[0][start:common]))
                parent, start, level = len(levels[level]) - 1, common, level + 1
            parts = [list(part) for _, part in groupby(group, key=lambda prompt: prompt[common : common + 1])]
            groups += [(part, start, level, parent) for part in parts]
    return [level for level in levels if level], places
