from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.stats.multiplicity import cliques


def test_overlapping_groups() -> None:
    # Only the ends of the row are told apart.
    groups = cliques(["A", "B", "C"], [("C", "A")])
    assert groups == [("A", "B"), ("B", "C")]


def test_nobody_is_told_apart() -> None:
    assert cliques(["B", "A"], []) == [("B", "A")]


def test_everybody_is_told_apart() -> None:
    groups = cliques(["A", "B", "C"], [("A", "B"), ("B", "C"), ("A", "C")])
    assert groups == [("A",), ("B",), ("C",)]


def test_groups_follow_the_order_of_the_models() -> None:
    # A row of four, neighbours not told apart, named backwards.
    told_apart = [("D", "B"), ("D", "A"), ("C", "A")]
    assert cliques(["D", "C", "B", "A"], told_apart) == [("D", "C"), ("C", "B"), ("B", "A")]


def test_one_model_and_none() -> None:
    assert cliques(["A"], []) == [("A",)]
    assert cliques([], []) == []


def test_fifty_models_in_two_camps() -> None:
    models = [f"m{number:02}" for number in range(50)]
    told_apart = [(one, other) for one in models[:25] for other in models[25:]]
    assert cliques(models, told_apart) == [tuple(models[:25]), tuple(models[25:])]


@st.composite
def contests(draw: st.DrawFn) -> tuple[list[str], set[tuple[str, str]]]:
    models = list("ABCDEFG"[: draw(st.integers(1, 7))])
    pairs = list(combinations(models, 2))
    return models, draw(st.sets(st.sampled_from(pairs))) if pairs else set()


@given(contests())
def test_agrees_with_all_subsets_tried(contest: tuple[list[str], set[tuple[str, str]]]) -> None:
    models, told_apart = contest
    subsets = [subset for size in range(1, len(models) + 1) for subset in combinations(models, size)]
    alike = [subset for subset in subsets if not told_apart & set(combinations(subset, 2))]
    largest = [subset for subset in alike if not any(set(subset) < set(other) for other in alike)]
    assert cliques(models, told_apart) == sorted(largest)


@given(contests())
def test_models_share_a_group_exactly_if_they_are_not_told_apart(
    contest: tuple[list[str], set[tuple[str, str]]],
) -> None:
    models, told_apart = contest
    groups = cliques(models, told_apart)
    assert {model for group in groups for model in group} == set(models)
    for pair in combinations(models, 2):
        assert any(set(pair) <= set(group) for group in groups) == (pair not in told_apart)
