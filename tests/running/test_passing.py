"""The second reader's sample: whole families of what comes by, each with the same chance, whatever the order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.running.sampling import Passing

FAMILIES = st.dictionaries(st.text(max_size=4), st.integers(1, 5), max_size=40)
Thing = tuple[str, int]


def things_of(families: Mapping[str, int]) -> list[Thing]:
    return [(name, number) for name, size in families.items() for number in range(size)]


def passed(things: list[Thing], size: int, seed: int) -> tuple[list[Thing], list[Thing]]:
    """What was drawn, and all that was not."""
    sample: Passing[Thing] = Passing(size, seed)
    out = [other for thing in things for other in sample.add(thing[0], thing)]
    drawn, others = sample.drawn()
    return drawn, out + others


@given(FAMILIES, st.integers(1, 60), st.integers(0, 5), st.randoms())
def test_families_are_whole_nothing_is_lost_and_the_order_does_not_matter(
    families: dict[str, int], size: int, seed: int, luck: random.Random
) -> None:
    things = things_of(families)
    drawn, others = passed(things, size, seed)
    assert sorted([*drawn, *others]) == sorted(things)
    assert Counter(name for name, _ in drawn) == {name: families[name] for name, _ in drawn}
    luck.shuffle(things)
    assert sorted(passed(things, size, seed)[0]) == sorted(drawn)


@given(FAMILIES, st.integers(1, 60), st.integers(0, 5))
def test_how_many_families_are_drawn_is_known_before(families: dict[str, int], size: int, seed: int) -> None:
    """size · families ÷ things, rounded down; one at the least, all where there are no more things than that."""
    things = things_of(families)
    drawn, _ = passed(things, size, seed)
    expected = min(len(families), max(1, size * len(families) // max(1, len(things))))
    assert len({name for name, _ in drawn}) == expected
    if len(things) <= size:
        assert sorted(drawn) == sorted(things)


@given(FAMILIES, st.integers(1, 30), st.integers(1, 30), st.integers(0, 5))
def test_a_larger_sample_holds_the_smaller_one(families: dict[str, int], size: int, more: int, seed: int) -> None:
    things = things_of(families)
    assert set(passed(things, size, seed)[0]) <= set(passed(things, size + more, seed)[0])


@pytest.mark.heavy
def test_large_and_small_families_have_the_same_chance() -> None:
    # 30 families of 1, 2 and 6 things: 90 things, of which about 18 are drawn, 18 · 30 ÷ 90 = 6 families of 30. Over
    # 4,000 seeds each family is drawn 800 times, give or take √(4,000 · 0.2 · 0.8) = 25; within 4.5 of these.
    families = {f"{size}-{number}": size for size in (1, 2, 6) for number in range(10)}
    drawn: Counter[str] = Counter()
    for seed in range(4_000):
        drawn.update({name for name, _ in passed(things_of(families), 18, seed)[0]})
    assert set(drawn) == set(families)
    assert all(abs(number - 800) < 4.5 * 25.3 for number in drawn.values()), drawn
    # A size is 10 families: 8,000 times, give or take at the most √10 · 25.3 = 80.
    of_size = Counter({size: sum(drawn[f"{size}-{number}"] for number in range(10)) for size in (1, 2, 6)})
    assert all(abs(number - 8_000) < 4.5 * 80 for number in of_size.values()), of_size
