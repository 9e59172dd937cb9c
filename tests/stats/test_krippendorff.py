"""Krippendorff's alpha: published examples, values worked out by hand, a second way to compute it, coverage."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from statistics import fmean, pvariance
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from counterfoil.stats.krippendorff import Level, alpha_difference, krippendorff_alpha

pytestmark = pytest.mark.heavy

NAMES: dict[str, Any] = {"metric": "alpha", "model": "all", "variant": "all"}
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
NA: Any = None
# Four observers, twelve units, values missing: the example of Krippendorff's "Computing Krippendorff's
# alpha-reliability" (2011), section C. The last unit has one value only.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3],
    [NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA],
]
TWELVE = [list(unit) for unit in zip(*OBSERVERS, strict=True)]


def alpha(units: list[list[Any]], level: Level = "nominal", clusters: list[Any] | None = None) -> Any:
    return krippendorff_alpha(units, clusters, level=level, **NAMES)


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example_with_missing_values(level: Level, published: float) -> None:
    found = alpha(TWELVE, level)
    assert found.value == pytest.approx(published, abs=0.0005)
    assert (found.n, found.clusters) == (11, 11)


def test_the_published_example_of_two_observers_and_two_values() -> None:
    # Section A: o_01 = 4, n_0 = 14, n_1 = 6, n = 20, so α = 1 − 19·4/(14·6) = 8/84 = 0.095.
    one, other = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert alpha([list(unit) for unit in zip(one, other, strict=True)]).value == pytest.approx(8 / 84)


def test_the_published_example_of_two_observers_and_five_names() -> None:
    # Section B: three units disagree; n_a = 4, n_b = n_c = n_d = 6, n_e = 2, n = 24; Σ n_c·n_k = (576 − 128)/2 = 224.
    # α = 1 − 23·3/224 = 0.692.
    units = [list(unit) for unit in ("ab", "aa", "bb", "bb", "db", "cc", "cc", "cc", "ee", "dd", "dd", "ad")]
    assert alpha(units).value == pytest.approx(1 - 69 / 224)


def test_by_hand_on_each_level() -> None:
    # Units 1 1, 1 3, 3 3 with a lone 9 that does not count: o_13 = o_31 = 1, n_1 = n_3 = 3, n = 6.
    # nominal: 1 − 5·(1 + 1)/(2·3·3) = 4/9. One pair of values only, so its distance cancels: the same on all levels.
    # With 1 2, 2 3, 3 3 (o_12 = o_23 = 1, o_33 = 2; n_1 = 1, n_2 = 2, n_3 = 3):
    #   nominal  1 − 5·(1 + 1)/(1·2 + 1·3 + 2·3) = 1/11
    #   interval δ² = 1, 4, 1: 1 − 5·(1 + 1)/(2 + 12 + 6) = 1/2
    #   ordinal  δ_12 = 1/2 + 2/2 = 1.5, δ_23 = 2/2 + 3/2 = 2.5, δ_13 = 1/2 + 2 + 3/2 = 4:
    #            1 − 5·(2.25 + 6.25)/(2·2.25 + 3·16 + 6·6.25) = 1 − 42.5/90
    for level in LEVELS:
        assert alpha([[1, 1], [1, 3], [3, 3], [9]], level).value == pytest.approx(4 / 9)
    units = [[1, 2], [2, 3], [3, 3]]
    found = [alpha(units, level).value for level in LEVELS]
    assert found == pytest.approx([1 / 11, 1 - 42.5 / 90, 1 / 2])


values_of_units = st.lists(st.lists(st.sampled_from([None, 0, 1, 2, 5, 9]), max_size=5), min_size=1, max_size=12)


def naive(units: list[list[Any]], level: Level) -> float:
    """By pairs of values, without a table: disagreement within units over disagreement of all values with all."""
    units = [[value for value in unit if value is not None] for unit in units]
    units = [unit for unit in units if len(unit) > 1]
    pool = [value for unit in units for value in unit]

    def apart(c: float, k: float) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = sum(low <= value <= high for value in pool)
        return float(between - (pool.count(c) + pool.count(k)) / 2) ** 2 if c != k else 0.0

    within = [fmean(apart(*pair) for pair in permutations(unit, 2)) for unit in units]
    observed = sum(mean * len(unit) for mean, unit in zip(within, units, strict=True)) / len(pool)
    expected = fmean(apart(*pair) for pair in permutations(pool, 2))
    return 1 - observed / expected


@given(values_of_units, st.sampled_from(LEVELS))
def test_a_second_way_to_compute_it(units: list[list[Any]], level: Level) -> None:
    found = alpha(units, level)
    pool = [v for unit in units if sum(v is not None for v in unit) > 1 for v in unit if v is not None]
    if len(set(pool)) < 2:
        assert found.value is None
        assert found.note == ("one and the same value throughout" if pool else "no values")
    else:
        assert found.value == pytest.approx(naive(units, level), abs=1e-9)
        assert -1 < found.value <= 1


@given(values_of_units, st.randoms(use_true_random=False))
def test_who_said_it_does_not_matter_nor_do_scale_and_names(units: list[list[Any]], chance: Any) -> None:
    shuffled = [chance.sample(unit, len(unit)) for unit in units]
    chance.shuffle(shuffled)
    for level in LEVELS:
        assert alpha(shuffled, level).value == pytest.approx(alpha(units, level).value)
    named = [[None if v is None else "aceiz"[[0, 1, 2, 5, 9].index(v)] for v in unit] for unit in units]
    assert alpha(named).value == pytest.approx(alpha(units).value)
    scaled = [[None if v is None else 3 * v - 7 for v in unit] for unit in units]
    assert alpha(scaled, "interval").value == pytest.approx(alpha(units, "interval").value)
    cubed = [[None if v is None else v**3 for v in unit] for unit in units]
    assert alpha(cubed, "ordinal").value == pytest.approx(alpha(units, "ordinal").value)


def test_the_interval_is_the_jackknife_on_the_scale_of_atanh() -> None:
    # Sixteen questions with two units each; left out one after the other, all computed anew.
    rng = np.random.default_rng(5)
    latent = np.repeat(rng.normal(size=16), 2)
    units = [[round(v) for v in latent[i] * 20 + rng.normal(size=3) * 10 + 50] for i in range(32)]
    clusters = [f"q{i // 2}" for i in range(32)]
    found = alpha(units, "interval", clusters)
    rest = [naive([u for u, c in zip(units, clusters, strict=True) if c != f"q{g}"], "interval") for g in range(16)]
    error = math.sqrt(15 * pvariance(rest)) / (1 - found.value**2)
    half = stats.t.ppf(0.975, 15) * error
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - half))
    assert found.high == pytest.approx(math.tanh(math.atanh(found.value) + half))
    assert (found.n, found.clusters, found.note) == (32, 16, None)
    assert found.method == "Krippendorff's alpha, cluster jackknife, atanh"


def test_units_of_one_cluster_are_not_independent() -> None:
    units = [[i % 2, (i % 2) ^ (i % 5 == 0)] for i in range(40)]
    apart = alpha(units)
    repeated = alpha([unit for unit in units for _ in range(3)], "nominal", [i for i in range(40) for _ in range(3)])
    # The value moves by n − 1 over n alone; the interval is as wide as that of the forty.
    assert repeated.value == pytest.approx(apart.value, abs=0.01)
    assert repeated.high - repeated.low == pytest.approx(apart.high - apart.low, abs=0.01)


def test_where_no_interval_can_be_given_it_is_said_why() -> None:
    assert alpha([]).note == "no values"
    assert alpha([[1, 1]] * 20).note == "one and the same value throughout"
    assert alpha([[1, 1], [2, 2]] * 10).note == "no interval: all raters agree throughout"
    few = alpha([[1, 1], [1, 2], [2, 2]])
    assert few.value is not None
    assert few.low is None
    rare = alpha([[0, 0]] * 50 + [[0, 1]] * 2 + [[1, 1]] * 2)
    assert rare.note == "no interval: fewer than 5 clusters with other than the commonest value (4)"
    assert alpha(TWELVE).note == "only 9 clusters: the interval is rough"


def test_wrong_use() -> None:
    with pytest.raises(ValueError, match="units and clusters differ in length: 2 and 1"):
        alpha([[1, 2], [1, 1]], "nominal", ["q"])
    with pytest.raises(ValueError, match="a cluster is missing"):
        alpha([[1, 2]], "nominal", [None])
    with pytest.raises(ValueError, match="a value is nan"):
        alpha([[1, math.nan]], "interval")
    with pytest.raises(ValueError, match="not a finite number"):
        alpha([[1, math.inf]], "interval")


def difference(first: Any, second: Any, a: list[Any], b: list[Any], level: Level) -> Any:
    return alpha_difference(first, second, a, b, level=level, **NAMES)


def test_the_difference_leaves_a_cluster_out_of_both() -> None:
    rng = np.random.default_rng(8)
    truth = rng.normal(size=20) * 20 + 50
    first = [[float(v) for v in t + rng.normal(size=2) * 5] for t in truth]
    second = [[float(v) for v in t + rng.normal(size=2) * 15] for t in truth]
    names = list(range(20))
    found = difference(first, second, names, names, "interval")
    assert found.value == pytest.approx(naive(first, "interval") - naive(second, "interval"))
    rest = [
        naive(first[:g] + first[g + 1 :], "interval") - naive(second[:g] + second[g + 1 :], "interval") for g in names
    ]
    half = stats.t.ppf(0.975, 19) * math.sqrt(19 * pvariance(rest))
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert (found.n, found.clusters) == (40, 20)
    other_way = difference(second, first, names, names, "interval")
    assert (other_way.value, other_way.low) == pytest.approx((-found.value, -found.high))


def test_a_difference_that_is_not_defined() -> None:
    units = [[i % 2, i % 3 % 2] for i in range(20)]
    names = list(range(20))
    assert difference(units, [], names, [], "nominal").note == "no values"
    assert difference(units, [[1, 1]] * 20, names, names, "nominal").note == "one and the same value throughout"
    same = difference(units, units, names, names, "nominal")
    assert (same.value, same.low) == (0.0, None)
    one_only = difference(units, [[1, 1]] * 19 + [[1, 2]], names, names, "nominal")
    assert one_only.note == "no interval: without one of the clusters, one and the same value throughout"
    agreed = [[i % 2, i % 2] for i in range(20)]
    few = difference([[0, 1]] * 4 + agreed[4:], agreed, names, names, "nominal")
    assert few.note == "no interval: fewer than 5 clusters with a disagreement (4)"


@pytest.mark.slow
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_coverage_of_the_difference(level: Level) -> None:
    """Three people and a judge who sees as they do: the true difference is 0. 45 questions, 400 trials."""
    rng = np.random.default_rng(12)

    def drawn() -> Any:
        said = rng.normal(size=(45, 1)) + 0.8 * rng.normal(size=(45, 4))
        scores = ((said > 0.3) if level == "nominal" else np.round(said * 20)).astype(int).tolist()
        with_judge = [(row[3], row[person]) for row in scores for person in range(3)]
        people = [pair for row in scores for pair in combinations(row[:3], 2)]
        clusters = [question for question in range(45) for _ in range(3)]
        return difference(with_judge, people, clusters, clusters, level)

    found = [drawn() for _ in range(400)]
    assert all(it.low is not None for it in found)
    assert 0.90 <= fmean(it.low <= 0 <= it.high for it in found) <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize(("level", "noise"), [("nominal", 0.6), ("interval", 1.0)])
def test_coverage(level: Level, noise: float) -> None:
    """Three raters of 30 questions, drawn anew in each of 400 trials; the truth is that of very many questions."""
    rng = np.random.default_rng(11)

    def drawn(questions: int) -> list[list[Any]]:
        said = rng.normal(size=(questions, 1)) + noise * rng.normal(size=(questions, 3))
        scores = (said > 0.3).astype(int) if level == "nominal" else np.clip(np.round(said * 2), -5, 5).astype(int)
        rows: list[list[Any]] = scores.tolist()
        return rows

    truth = alpha(drawn(100_000), level, [i % 40 for i in range(100_000)]).value
    found = [alpha(drawn(30), level) for _ in range(400)]
    held = [it.low <= truth <= it.high for it in found if it.low is not None]
    assert len(held) > 380
    assert 0.92 <= fmean(held) <= 0.985
