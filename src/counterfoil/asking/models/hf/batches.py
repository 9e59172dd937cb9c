"""Which asks share a batch, and which tokens of their prompts are computed once for several: lists, no tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

# A row that is this many times longer than another waits for a batch of its own: padding costs as much as tokens.
MOST_UNEVEN = 2
# Shorter common beginnings are not worth a row of their own.
LEAST_SHARED = 8
MOST_LEVELS = 4


class Edge(NamedTuple):
    """Tokens that follow those of the row `parent`, one level up."""

    parent: int
    tokens: tuple[int, ...]


class PrefixPlan(NamedTuple):
    """How to compute several prompts, common beginnings once: level by level, each of one or more passes.

    The parents of the first level are the one row without tokens, which is level -1. `places`: the level and the row
    that hold each prompt; two equal prompts are in one place.
    """

    levels: list[list[Edge]]
    places: list[tuple[int, int]]

    @property
    def tokens(self) -> int:
        """How many tokens are computed."""
        return sum(len(edge.tokens) for level in self.levels for edge in level)


def choose(rooms: Sequence[int], live: Sequence[int], most_rows: int, most_tokens: int) -> list[int]:
    """Which of those that wait go next, by their place in the queue.

    `rooms`: the tokens that each may come to, prompt and reply together, the first come first; `live`: the same of
    those under way. The first is always among the chosen, then those nearest to it in length, as long as all rows
    padded to the longest have room in `most_tokens`. Where the first does not fit to those under way, nobody goes:
    they end, and then it is its turn. Nobody waits forever.
    """
    chosen: list[int] = []
    longest, shortest = max(live, default=0), rooms[0]
    for place in sorted(range(len(rooms)), key=lambda place: (abs(rooms[place] - rooms[0]), place)):
        rows = len(live) + len(chosen) + 1
        longer, shorter = max(longest, rooms[place]), min(shortest, rooms[place])
        # The oldest of those under way may be shorter still: they are on their way out.
        uneven = longer > MOST_UNEVEN * shorter or (longest and longer > MOST_UNEVEN * longest)
        if rows > 1 and (rows > most_rows or rows * longer > most_tokens or uneven):
            break
        chosen.append(place)
        longest, shortest = longer, shorter
    return sorted(chosen)


def passes(order: Sequence[int], sizes: Sequence[int], most: int) -> list[list[int]]:
    """Cut into passes of at most so many tokens, padding included."""
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
    # A level more is not worth it where it costs more than all that could be saved.
    worth = sum(map(len, different)) // max(1, pass_cost)
    plans = [_plan(different, levels) for levels in range(1, min(MOST_LEVELS, 1 + worth) + 1)]
    levels, places = min(plans, key=lambda plan: _cost(plan[0], pass_cost))
    return PrefixPlan(levels, [places[tuple(prompt)] for prompt in prompts])


def _cost(levels: Sequence[Sequence[Edge]], pass_cost: int) -> int:
    return sum(pass_cost + sum(len(edge.tokens) for edge in level) for level in levels)


def _plan(
    different: list[tuple[int, ...]], most_levels: int
) -> tuple[list[list[Edge]], dict[tuple[int, ...], tuple[int, int]]]:
    """The tree of common beginnings of sorted prompts, of at most so many levels; the place of each prompt in it."""
    levels: list[list[Edge]] = [[] for _ in range(most_levels)]
    places: dict[tuple[int, ...], tuple[int, int]] = {}
    # A group has its first `start` tokens in common, and they are in the row `parent` of the level before.
    groups = [(different, 0, 0, 0)]
    while groups:
        group, start, level, parent = groups.pop()
        if len(group) == 1 and len(group[0]) == start:
            places[group[0]] = (level - 1, parent)
        elif len(group) == 1 or level == most_levels - 1:
            for prompt in group:
                if len(prompt) == start:
                    places[prompt] = (level - 1, parent)
                    continue
                levels[level].append(Edge(parent, prompt[start:]))
                places[prompt] = (level, len(levels[level]) - 1)
        else:
            # They are sorted: what the first and the last have in common, all have.
            common = _common(group[0], group[-1], start)
            if common - start >= LEAST_SHARED:
                levels[level].append(Edge(parent, group[0][start:common]))
                parent, start, level = len(levels[level]) - 1, common, level + 1
            parts = [list(part) for _, part in groupby(group, key=lambda prompt: prompt[common : common + 1])]
            groups += [(part, start, level, parent) for part in parts]
    return [level for level in levels if level], places


def _common(first: Sequence[int], last: Sequence[int], start: int) -> int:
    """How many tokens two prompts have in common from their beginning, of which `start` are known."""
    end = min(len(first), len(last))
    while start < end and first[start] == last[start]:
        start += 1
    return start
