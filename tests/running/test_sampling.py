"""The sample: each stratum with its share, by the seed alone, whatever the dataset's order."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.running.sampling import Sample, chosen_units


class Item(NamedTuple):
    id: str
    stratum: str
    cluster: str = "c"

    @property
    def unit(self) -> str:
        return self.id

    @property
    def family(self) -> str:
        return self.id


def items(**sizes: int) -> list[Item]:
    return [Item(f"{stratum}{number}", stratum) for stratum, size in sizes.items() for number in range(size)]


def test_each_stratum_gets_its_share() -> None:
    # 60, 30 and 10 questions, 20 wanted: 12, 6 and 2.
    chosen = chosen_units(items(a=60, b=30, c=10), 20, seed=1)
    assert Counter(name[0] for name in chosen) == {"a": 12, "b": 6, "c": 2}


def test_what_is_left_over_goes_to_the_largest_remainders() -> None:
    # 5 of 7, 3 and 2: shares 2.92, 1.25 and 0.83, so 2, 1 and 0 whole ones, and the other two to a and c.
    counts = Counter(name[0] for name in chosen_units(items(a=7, b=3, c=2), 5, seed=0))
    assert counts == {"a": 3, "b": 1, "c": 1}


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 30), min_size=1),
    st.integers(1, 200),
    st.integers(0, 5),
    st.randoms(use_true_random=False),
)
def test_the_sample_is_of_the_right_size_and_does_not_depend_on_the_order(
    sizes: dict[str, int], limit: int, seed: int, chance: random.Random
) -> None:
    questions = items(**sizes)
    chosen = chosen_units(questions, limit, seed)
    assert len(chosen) == min(limit, len(questions))
    counts = Counter(name[0] for name in chosen)
    for stratum, size in sizes.items():
        share = min(limit, len(questions)) * size / len(questions)
        assert abs(counts[stratum] - share) < 1
    shuffled = list(questions)
    chance.shuffle(shuffled)
    assert chosen_units(shuffled, limit, seed) == chosen


def test_it_is_not_the_first_n_and_another_seed_is_another_sample() -> None:
    questions = items(a=1_000)
    one, other = chosen_units(questions, 50, seed=0), chosen_units(questions, 50, seed=1)
    assert one != other
    assert one != {question.id for question in questions[:50]}
    # Of one stratum, a larger sample holds the smaller one: a run can be made longer and keeps its replies.
    assert one < chosen_units(questions, 80, seed=0)


def test_a_sample_can_be_gone_through_again_in_the_datasets_order() -> None:
    questions = items(a=20)
    sample = Sample(questions, {"a3", "a1", "a17"})
    assert [question.id for question in sample] == ["a1", "a3", "a17"]
    assert [question.id for question in sample] == ["a1", "a3", "a17"]
