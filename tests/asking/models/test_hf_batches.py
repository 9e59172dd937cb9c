"""Batches by length and common beginnings: every prompt comes out whole, nothing is computed twice, nobody waits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.models.hf.batches import LEAST_SHARED, PrefixPlan, choose, plan_prefixes

pytestmark = pytest.mark.heavy


def prompt_at(plan: PrefixPlan, place: tuple[int, int]) -> list[int]:
    """The tokens on the way from the row without tokens to that one."""
    level, row = place
    tokens: list[int] = []
    while level >= 0:
        edge = plan.levels[level][row]
        tokens = [*edge.tokens, *tokens]
        level, row = level - 1, edge.parent
    assert row == 0
    return tokens


def tokens_in(plan: PrefixPlan) -> int:
    """The number of computed tokens."""
    return sum(len(edge.tokens) for level in plan.levels for edge in level)


# Few different tokens, and beginnings that repeat: trees with several levels.
stems = st.lists(st.lists(st.integers(0, 1), max_size=20), min_size=1, max_size=3)
prompts = stems.flatmap(
    lambda known: st.lists(
        st.lists(st.sampled_from(known), max_size=3).flatmap(
            lambda parts: st.lists(st.integers(0, 2), max_size=4).map(lambda end: [*chain(*parts), *end])
        ),
        min_size=1,
        max_size=12,
    )
)


@given(prompts, st.integers(0, 100))
def test_every_prompt_is_whole_at_its_place(prompts: Sequence[Sequence[int]], pass_cost: int) -> None:
    plan = plan_prefixes(prompts, pass_cost)
    assert [prompt_at(plan, place) for place in plan.places] == [list(prompt) for prompt in prompts]


@given(prompts, st.integers(0, 100))
def test_no_more_is_computed_than_without_sharing(prompts: Sequence[Sequence[int]], pass_cost: int) -> None:
    plan = plan_prefixes(prompts, pass_cost)
    assert tokens_in(plan) <= sum(map(len, {tuple(prompt) for prompt in prompts}))
    assert all(edge.tokens for level in plan.levels for edge in level)


def test_what_is_common_is_computed_once() -> None:
    instruction, context = [1] * 50, [2] * 30
    asks = [[*instruction, *context, 3, order] for order in range(3)] + [[*instruction, 9, 9]]
    plan = plan_prefixes(asks, 0)
    # 50 of all, 30 and one more 3 of three, one each of these, two of the last.
    assert tokens_in(plan) == 50 + 31 + 3 + 2
    assert [len(level) for level in plan.levels] == [1, 2, 3]


def test_a_pass_that_costs_more_than_it_saves_is_not_made() -> None:
    # Sharing saves 20 of 42 tokens, for one pass more.
    asks = [[*[1] * 20, 2], [*[1] * 20, 3]]
    assert [len(plan_prefixes(asks, cost).levels) for cost in (19, 21)] == [2, 1]


def test_short_beginnings_are_not_shared() -> None:
    for shared in (LEAST_SHARED - 1, LEAST_SHARED):
        plan = plan_prefixes([[*[1] * shared, 2], [*[1] * shared, 3]], 0)
        assert len(plan.levels) == (2 if shared >= LEAST_SHARED else 1)


def test_the_same_prompt_twice_is_one_row() -> None:
    plan = plan_prefixes([[1, 2, 3], [1, 2, 3], []], 10)
    assert plan.places == [(0, 0), (0, 0), (-1, 0)]


rooms = st.lists(st.integers(1, 1000), min_size=1, max_size=20)


@given(rooms, st.lists(st.integers(1, 1000), max_size=5), st.integers(1, 16), st.integers(1, 5000))
def test_the_chosen_fit_and_the_first_is_among_them(
    rooms: list[int], live: list[int], most_rows: int, most_tokens: int
) -> None:
    chosen = choose(rooms, live, most_rows, most_tokens)
    assert chosen == sorted(set(chosen))
    if not live:
        assert chosen  # whatever its size: alone it must be tried
    if chosen:
        assert chosen[0] == 0
    rows = len(live) + len(chosen)
    if rows > 1 and chosen:
        assert rows <= most_rows
        assert rows * max(rooms[place] for place in chosen) <= most_tokens


def test_batches_are_of_about_one_length() -> None:
    assert choose([100, 900, 110, 90, 50, 49], [], 16, 10**6) == [0, 2, 3]  # with 50, 110 would be more than twice it
    assert choose([100, 900, 190], [], 16, 10**6) == [0, 2]
    assert choose([100], [900], 16, 10**6) == []
    assert choose([900], [100], 16, 10**6) == []
    assert choose([100], [190], 16, 10**6) == [0]
    assert choose([100, 100, 100], [100], 3, 10**6) == [0, 1]
    assert choose([100, 100, 100], [100], 16, 300) == [0, 1]
