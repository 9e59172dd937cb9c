"""The test that exchanges answers within items: by hand, against all exchanges, and where nothing is remembered."""

from __future__ import annotations

from itertools import product
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.stats.estimate import Interval
from counterfoil.stats.estimates import signed_means
from counterfoil.stats.metric import Metric
from counterfoil.stats.multiplicity import discoveries
from counterfoil.stats.summary import summarize
from counterfoil.stats.tested.exchange import Item, exchange_test
from counterfoil.stats.tested.means import no_surer_than

GAP = Metric(
    name="gap", formula="", says="", range=(-1.0, 1.0), mean="gap", tested=True, draws="draws", answers="answers"
)


def items_of(originals: list[int], draws: list[list[int]], per_cluster: int = 1) -> list[Item]:
    pairs = zip(originals, draws, strict=True)
    return [
        Item((float(original),), tuple(map(float, some)), place // per_cluster)
        for place, (original, some) in enumerate(pairs)
    ]


def share_as_far(items: list[Item]) -> float:
    """Twice the smaller tail over every exchange, each item a cluster; first arms of one answer."""

    def w(differences: tuple[float, ...]) -> float:
        mean = np.mean(differences)
        error = np.std(differences, ddof=1) / np.sqrt(len(differences))
        return float(mean / np.hypot(mean, error)) if mean or error else 0.0

    def outcomes(item: Item) -> list[float]:
        answers = item.first + item.second
        return [answer - (sum(answers) - answer) / (len(answers) - 1) for answer in answers]

    observed = w(tuple(item.first[0] - float(np.mean(item.second)) for item in items))
    every = np.array([w(some) for some in product(*map(outcomes, items))])
    return min(1.0, 2 * min((every >= observed - 1e-9).mean(), (every <= observed + 1e-9).mean()))


def test_by_hand() -> None:
    # Six questions, each right in the original and wrong in both draws: each original is the only right one of three
    # answers with chance 1/3, all six with 1/729. The drawn p is twice that, but for the luck of the draw.
    items = items_of([1] * 6, [[0, 0]] * 6)
    test = exchange_test(items)
    assert test.p == pytest.approx(2 / 729, abs=0.002)
    # All differ by the same: there is no error, and the interval is the mean itself.
    assert (test.low, test.high) == (1.0, 1.0)


def test_nothing_differs() -> None:
    test = exchange_test(items_of([1, 0, 1], [[1, 1], [0, 0], [1, 1]]))
    assert (test.p, test.low, test.high) == (1.0, 0.0, 0.0)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.lists(st.integers(0, 1), min_size=2, max_size=2)), min_size=3, max_size=7)
)
def test_it_is_the_share_of_all_exchanges(drawn: list[tuple[int, list[int]]]) -> None:
    items = items_of([original for original, _ in drawn], [some for _, some in drawn])
    # Twice a share of 9,999 draws: its standard error is at most 0.01.
    assert exchange_test(items).p == pytest.approx(share_as_far(items), abs=0.06)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.lists(st.integers(0, 1), min_size=3, max_size=3)), min_size=5, max_size=25
    ),
    st.integers(1, 3),
)
def test_p_and_interval_agree(drawn: list[tuple[int, list[int]]], per_cluster: int) -> None:
    items = items_of([original for original, _ in drawn], [some for _, some in drawn], per_cluster)
    test = exchange_test(items)
    mean = float(np.mean([item.first[0] - np.mean(item.second) for item in items]))
    assert (test.p <= 0.05) == (test.low > 0 or test.high < 0)
    assert test.low - 1e-12 <= mean <= test.high + 1e-12 or test.p <= 0.05
    # Whoever is called the first arm changes the sign and nothing else.
    turned = exchange_test([Item(item.second, item.first, item.cluster) for item in items])
    # Both are drawn, so the standard error of their difference is at most 0.014.
    assert turned.p == pytest.approx(test.p, abs=0.09)


def frames(rng: np.random.Generator, questions: int, skill: float, memorized: float) -> dict[str, pl.DataFrame]:
    """200 models that answer an original and five draws of each question; they differ in difficulty alone."""
    made: dict[str, list[pl.DataFrame]] = {"question": [], "draws": [], "answers": []}
    for model in range(200):
        chance = rng.beta(skill, 1 - skill, questions)
        draws = (rng.random((questions, 5)) < chance[:, None]).astype(float)
        original = ((rng.random(questions) < chance) | (rng.random(questions) < memorized)).astype(float)
        names = np.arange(questions).astype(str)
        about = {"model": str(model), "variant": "plain", "left_out": False}
        gap = original - draws.mean(axis=1)
        made["question"].append(pl.DataFrame({"cluster": names, "item": names, "gap": gap}).with_columns(**lits(about)))
        six = np.repeat(names, 6)
        values = np.column_stack([original, draws]).ravel()
        first = np.tile([True, *[False] * 5], questions)
        answers = pl.DataFrame({"cluster": six, "item": six, "value": values, "first": first})
        made["answers"].append(answers.with_columns(**lits(about)))
        five = np.repeat(names, 5)
        gaps = (original[:, None] - draws).ravel()
        drawn = pl.DataFrame({"cluster": five, "item": five, "gap": gaps, "weight": 0.2})
        made["draws"].append(drawn.with_columns(**lits(about)))
    return {kind: pl.concat(some) for kind, some in made.items()}


def lits(values: dict[str, object]) -> dict[str, pl.Expr]:
    return {name: pl.lit(value) for name, value in values.items()}


@pytest.mark.heavy
@pytest.mark.parametrize(("questions", "skill"), [(15, 0.9), (30, 0.95), (50, 0.97), (111, 0.97), (30, 0.5)])
def test_an_able_model_without_memory_is_not_accused(questions: int, skill: float) -> None:
    # Sign flips gave p ≤ 0.05 in 12 to 15 % of such data, and intervals above 0 in as many.
    estimates = summarize([GAP], frames(np.random.default_rng(questions), questions, skill, 0.0))
    # 5 % of 200 is 10; more than 20 come by chance in less than one of 500 such tests.
    assert sum(one.p is not None and one.p <= 0.05 for one in estimates) <= 20
    for one in estimates:
        assert one.p is not None
        assert one.low is not None
        assert one.high is not None
        assert (one.p <= 0.05) == (one.low > 0 or one.high < 0)


@pytest.mark.heavy
def test_memory_is_found_and_its_size_is_held() -> None:
    # The gap is the memorized share of what goes wrong: 0.6 · 0.5.
    estimates = summarize([GAP], frames(np.random.default_rng(1), 60, 0.5, 0.6))
    assert sum(one.p is not None and one.p <= 0.05 for one in estimates) >= 180
    assert sum(one.low <= 0.3 <= one.high for one in estimates if one.low is not None and one.high is not None) >= 180


def test_flipped_signs_agree_with_the_interval() -> None:
    # Twelve clusters of which one differs by 1 and eleven by 0.05: all flips but one are smaller, p = 2/2^12; but such
    # a sample may hide clusters below 0, and the interval holds 0. What is reported is the more cautious.
    frame = pl.DataFrame({"x": [1.0] + [0.05] * 11, "cluster": range(12)}).with_columns(
        model=pl.lit("m"), variant=pl.lit("v")
    )
    [one] = signed_means(frame, "x", metric="gap", tested=True)
    assert one.p is not None
    assert one.low is not None
    assert (one.p <= 0.05) == (one.low > 0)
    [plain] = signed_means(frame, "x", metric="gap")
    assert plain.low is not None
    assert plain.low <= 0
    assert one.p > 0.05


def test_a_p_above_the_level_is_left_alone() -> None:
    def never(places: list[int], confidences: list[float]) -> list[Interval]:
        raise AssertionError("an interval was asked for")

    assert no_surer_than([0.2, None, 0.051], never) == [0.2, None, 0.051]


def test_a_p_is_no_surer_than_its_interval() -> None:
    def normal(places: list[int], confidences: list[float]) -> list[Interval]:
        # 1 ± z: 0 is left out from a two-sided level of 0.3173 on.
        halves = [NormalDist().inv_cdf((1 + confidence) / 2) for confidence in confidences]
        return [Interval(1.0, 1.0 - half, 1.0 + half, 9, 9, "by hand", None) for half in halves]

    assert no_surer_than([0.01, 0.4], normal) == [pytest.approx(0.3173, rel=0.01), 0.4]


def test_discoveries_by_hand() -> None:
    # 0.05·k/4 are 0.0125, 0.025, 0.0375, 0.05: the largest k that holds is 3.
    assert discoveries([0.03, 0.001, 0.9, 0.02], 0.05) == [True, True, False, True]
    assert discoveries([], 0.05) == []
    assert discoveries([0.06, 0.2], 0.05) == [False, False]
