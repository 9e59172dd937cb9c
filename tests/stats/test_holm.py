from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.stats.multiplicity import holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def numbers(p_values: list[float | None]) -> list[float]:
    return [p for p in p_values if p is not None]


def test_by_hand() -> None:
    # In order 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, and 0.04, which the one before lifts to 0.06.
    assert numbers(holm([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_never_above_1() -> None:
    assert holm([0.6, 0.7]) == [1, 1]


def test_what_has_no_p_is_no_part_of_the_family() -> None:
    # Two tests, not four: 0.02·2 and 0.5·1.
    first, missing, nan, last = holm([0.5, None, math.nan, 0.02])
    assert (first, missing, last) == (0.5, None, 0.04)
    assert nan is not None
    assert math.isnan(nan)


def test_nothing_to_adjust() -> None:
    assert holm([]) == []
    assert holm([None]) == [None]
    assert holm([0.2]) == [0.2]


@pytest.mark.parametrize("p", [-0.01, 1.5])
def test_refuses_what_is_no_p(p: float) -> None:
    with pytest.raises(ValueError, match=r"0…1"):
        holm([0.5, p])


@given(P_VALUES)
def test_is_the_closed_test_by_bonferroni(p_values: list[float]) -> None:
    # A hypothesis falls when every family it belongs to falls, each tested by its smallest p times its size.
    members = range(len(p_values))
    families = [family for size in range(1, len(p_values) + 1) for family in combinations(members, size)]
    closed = [
        max(min(1, len(family) * min(p_values[i] for i in family)) for family in families if member in family)
        for member in members
    ]
    assert numbers(holm(p_values)) == pytest.approx(closed)


@given(P_VALUES)
def test_keeps_the_order_and_never_helps(p_values: list[float]) -> None:
    adjusted = numbers(holm(p_values))
    assert all(p <= after <= 1 for p, after in zip(p_values, adjusted, strict=True))
    ordered = [after for _, after in sorted(zip(p_values, adjusted, strict=True))]
    assert ordered == sorted(adjusted)


@given(P_VALUES, st.randoms())
def test_the_order_of_the_tests_does_not_matter(p_values: list[float], random: Random) -> None:
    shuffled = list(enumerate(p_values))
    random.shuffle(shuffled)
    adjusted = holm([p for _, p in shuffled])
    back = {place: after for (place, _), after in zip(shuffled, adjusted, strict=True)}
    assert [back[place] for place in range(len(p_values))] == holm(p_values)
