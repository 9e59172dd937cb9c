"""The sample: each question with the same chance, by the seed alone, whatever the dataset's order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.adapters.bench import open_bench
from counterfoil.running.sampling import Sample, Sampled, chosen_units

pytestmark = pytest.mark.heavy

SHARED = Path(__file__).parents[3] / "shared" / "data"
KOBBQ, CFE = SHARED / "kobbq" / "KoBBQ_test_samples.tsv", SHARED / "cfe" / "questions_88.json"
needs_kobbq = pytest.mark.skipif(
    not KOBBQ.exists(), reason="../shared/data/kobbq is not here: it holds KoBBQ's samples"
)
needs_cfe = pytest.mark.skipif(not CFE.exists(), reason="../shared/data/cfe is not here: it holds the 88 questions")


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


def inclusion(questions: Sequence[Sampled], limit: int, seeds: int) -> Counter[str]:
    """How often each stratum's questions were drawn, over so many seeds."""
    stratum = {question.unit: question.stratum for question in questions}
    drawn: Counter[str] = Counter()
    for seed in range(seeds):
        chosen = chosen_units(questions, limit, seed)
        assert len(chosen) == min(limit, len(stratum))
        drawn.update(stratum[unit] for unit in chosen)
    return drawn


def assert_equal_chances(questions: Sequence[Sampled], limit: int, seeds: int, most_kin: int = 1) -> None:
    """Each stratum is drawn as often as it is large, within 4.5 standard errors of independent draws of families."""
    sizes = Counter({question.unit: question.stratum for question in questions}.values())
    drawn = inclusion(questions, limit, seeds)
    total = sum(sizes.values())
    for stratum, size in sizes.items():
        expected = seeds * limit * size / total
        assert abs(drawn[stratum] - expected) < 4.5 * (expected * most_kin) ** 0.5 + 1e-9, stratum


def test_each_stratum_gets_its_share() -> None:
    # 60, 30 and 10 questions, 20 wanted: 12, 6 and 2, give or take one at either end of the stretch.
    for seed in range(50):
        counts = Counter(name[0] for name in chosen_units(items(a=60, b=30, c=10), 20, seed))
        assert abs(counts["a"] - 12) <= 2
        assert abs(counts["b"] - 6) <= 2
        assert abs(counts["c"] - 2) <= 1


def test_with_more_strata_than_places_each_question_still_has_its_chance() -> None:
    # 40 strata of 1 to 5 questions, 10 wanted: the largest are not drawn more often than they are large.
    sizes = {f"{chr(97 + number // 10)}{number}_": 1 + number % 5 for number in range(40)}
    assert_equal_chances(items(**sizes), 10, 3_000)


def test_each_question_of_a_stratum_has_the_same_chance() -> None:
    # 5 of 23 over 4,600 seeds: each is expected 1,000 times, with a standard error of 28.
    drawn = Counter(name for seed in range(4_600) for name in chosen_units(items(a=20, b=3), 5, seed))
    assert max(abs(count - 1_000) for count in drawn.values()) < 4.5 * 28
    assert len(drawn) == 23


class Twin(Item):
    @property
    def family(self) -> str:
        """Two and two belong together in a, three in b; in c each is alone."""
        number = int(self.id[1:])
        return {"a": f"a{number // 2}", "b": f"b{number // 3}"}.get(self.stratum, self.id)


def test_families_stay_together_and_have_no_better_chance() -> None:
    twins = [Twin(*item) for item in items(a=40, b=30, c=35)]
    family = {twin.unit: twin.family for twin in twins}
    size = Counter(family.values())
    for limit in (10, 21):
        assert_equal_chances(twins, limit, 3_000, most_kin=3)
        for seed in range(100):
            counts = Counter(family[unit] for unit in chosen_units(twins, limit, seed))
            torn = [name for name, count in counts.items() if count < size[name]]
            assert len(torn) <= 1, "only the last family may have more members than places are left"


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
    assert chosen <= chosen_units(questions, limit + 3, seed), "a larger sample holds the smaller one"
    counts = Counter(name[0] for name in chosen)
    for stratum, size in sizes.items():
        share = min(limit, len(questions)) * size / len(questions)
        assert abs(counts[stratum] - share) < 3
    shuffled = list(questions)
    chance.shuffle(shuffled)
    assert chosen_units(shuffled, limit, seed) == chosen


@pytest.mark.parametrize(
    ("suite", "data"),
    [
        ("explain", "english"),
        ("explain", "korean"),
        ("bias", "english"),
        ("bias", "korean"),
        ("memorization", "bank"),
        pytest.param("bias", str(KOBBQ), marks=needs_kobbq),
        pytest.param("explain", str(CFE), marks=needs_cfe),
    ],
)
def test_every_stratum_of_every_dataset_has_its_chance(suite: str, data: str) -> None:
    questions = list({question.unit: question for question in open_bench(suite, {"data": data}).plan.dataset}.values())
    for limit in (5, min(20, len(questions))):
        assert_equal_chances(questions, limit, 400, most_kin=2)


@needs_kobbq
def test_twenty_of_kobbq_hold_contexts_of_every_kind() -> None:
    """Of each kind of context, ambiguous or not and biased or counter-biased, the dataset has a quarter."""
    questions = {question.unit: question for question in open_bench("bias", {"data": str(KOBBQ)}).plan.dataset}
    drawn: Counter[tuple[bool, bool]] = Counter()
    categories = set()
    for seed in range(200):
        units = chosen_units(list(questions.values()), 20, seed)
        drawn.update((questions[unit].ambiguous, questions[unit].biased_context) for unit in units)
        categories |= {questions[unit].category for unit in units}
    assert len(categories) == 12
    # 1,000 of each, with a standard error below that of 500 independent pairs: 19 pairs, 39 questions.
    assert max(abs(count - 1_000) for count in drawn.values()) < 3 * 39


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
