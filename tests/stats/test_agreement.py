"""Agreement of two raters: values worked out by hand, other implementations, what must hold for any data, coverage."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchmark_modules import benchmark
from counterfoil.stats import Estimate, cohen_kappa, pearson, spearman

pytestmark = pytest.mark.heavy

NAMES: dict[str, Any] = {"metric": "agreement", "model": "planted/x", "variant": "plain"}
CFE = Path(__file__).parents[2].parent / "shared" / "data" / "cfe"

# Pairs of two raters' labels, how often each.
FIFTY = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15


def bounds(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def unzipped(pairs: list[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


# Kappa


def test_kappa_by_hand() -> None:
    #              second yes   second no
    # first yes        20            5       25      p_o = (20 + 15)/50 = 0.7
    # first no         10           15       25      p_e = 0.5·0.6 + 0.5·0.4 = 0.5
    #                  30           20       50      κ = (0.7 − 0.5)/(1 − 0.5) = 0.4
    #
    # One pair in each cluster: V = σ²/49, so n_eff = 49. The influences are 0.48, −1.52, −1.28, 0.72 with Σe² = 40.32,
    # Σe⁴ = 58.626, so 2/(58.626/40.32² − 1/50) = 124 degrees of freedom, at most 49: c = 2.009575.
    # 49/50 of each count and a quarter: 19.85, 5.15, 10.05, 14.95; again 50. p_o' = 0.696, p_e' = 0.5, κ' = 0.392.
    # Influences 2([i=j] − 0.696) ∓ 4·0.304·0.098: 0.488832, −1.511168, −1.272832, 0.727168; mean square 0.813823.
    # half = 2.009575·sqrt(0.813823/50)/(1 − 0.392²) = 0.302929; atanh 0.392 = 0.414161.
    estimate = cohen_kappa(*unzipped(FIFTY), **NAMES)
    assert estimate.value == pytest.approx(0.4, abs=1e-12)
    assert bounds(estimate) == pytest.approx((math.tanh(0.111232), math.tanh(0.717090)), abs=2e-6)
    assert (estimate.n, estimate.clusters, estimate.confidence, estimate.note) == (50, 50, 0.95, None)
    assert estimate.method == "Cohen's kappa, atanh, cluster-robust"
    assert (estimate.metric, estimate.model, estimate.variant, estimate.group) == (*NAMES.values(), {})


def test_kappa_of_three_labels_by_hand() -> None:
    # Six pairs: a a, a a, b b, b c, c c, c a. p_o = 4/6. First: a 2, b 2, c 2; second: a 3, b 1, c 2.
    # p_e = (2·3 + 2·1 + 2·2)/36 = 1/3. κ = (2/3 − 1/3)/(2/3) = 1/2.
    estimate = cohen_kappa(list("aabbcc"), list("aabcca"), **NAMES)
    assert estimate.value == pytest.approx(0.5)
    assert estimate.note == "only 6 clusters: the interval is rough"


def test_pairs_with_a_missing_label_are_left_out() -> None:
    first, second = unzipped([*FIFTY, (None, True), (False, None), (None, None)])
    estimate = cohen_kappa(first, second, group={"labels": "threshold, judge"}, **NAMES)
    expected = cohen_kappa(*unzipped(FIFTY), **NAMES)
    expected.group = {"labels": "threshold, judge"}
    assert estimate == expected


def test_kinds_of_columns_do_not_matter() -> None:
    first, second = unzipped(FIFTY)
    expected = cohen_kappa(first, second, **NAMES)
    assert cohen_kappa(np.array(first), pl.Series(second), np.arange(50), **NAMES) == expected
    assert cohen_kappa(pl.Series(first, dtype=pl.Int8), np.array(second), pl.Series(range(50)), **NAMES) == expected


def test_pairs_of_one_cluster_know_less() -> None:
    first, second = unzipped(FIFTY)
    alone = cohen_kappa(first, second, **NAMES)
    tenfold = cohen_kappa(first * 10, second * 10, list(range(50)) * 10, **NAMES)
    assert tenfold.value == pytest.approx(alone.value)
    assert (tenfold.n, tenfold.clusters) == (500, 50)
    assert bounds(tenfold) == pytest.approx(bounds(alone), abs=0.01)


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        ([], [], "no values"),
        ([None, True], [True, None], "no values"),
        ([True] * 9, [True] * 9, "both raters give one and the same label throughout"),
    ],
)
def test_kappa_that_is_not_defined(first: list[Any], second: list[Any], note: str) -> None:
    estimate = cohen_kappa(first, second, **NAMES)
    assert (estimate.value, estimate.low, estimate.high, estimate.note) == (None, None, None, note)


def test_kappa_at_its_limits() -> None:
    same = cohen_kappa([True, False] * 20, [True, False] * 20, **NAMES)
    assert same.value == same.high == 1
    assert 0.5 < bounds(same)[0] < 0.95
    assert same.note == "all clusters agree: each counts as one record"
    opposite = cohen_kappa([True, False] * 20, [False, True] * 20, **NAMES)
    assert opposite.value == opposite.low == -1
    one_never_varies = cohen_kappa([True] * 40, [True, False] * 20, **NAMES)
    assert one_never_varies.value == 0
    assert bounds(one_never_varies)[0] < -0.05 < 0.05 < bounds(one_never_varies)[1]
    few = cohen_kappa([True, False] * 2, [True, False, True, True], **NAMES)
    assert (few.value, few.low, few.note) == (0.5, None, "no interval: fewer than 5 clusters (4)")


def naive_kappa(first: list[Any], second: list[Any]) -> float | None:
    """Expected agreement is the share of all combinations of a first and a second label that are the same."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    expected = sum(a == b for a in first for b in second) / n**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


LABELLED = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 12)), min_size=1, max_size=60
)


@given(LABELLED, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_what_holds_for_any_labels(records: list[tuple[str, str, int]], random: Any) -> None:
    first, second, clusters = (list(column) for column in zip(*records, strict=True))
    estimate = cohen_kappa(first, second, clusters, **NAMES)
    assert estimate.value == pytest.approx(naive_kappa(first, second), abs=1e-12)
    check_bounds(estimate)

    other_names = {"a": 7, "b": True, "c": "none"}
    random.shuffle(records)
    shuffled = [list(column) for column in zip(*records, strict=True)]
    for again in (
        cohen_kappa(second, first, clusters, **NAMES),
        cohen_kappa([other_names[a] for a in first], [other_names[b] for b in second], clusters, **NAMES),
        cohen_kappa(*shuffled, **NAMES),
    ):
        check_same(again, estimate)


def check_bounds(estimate: Estimate) -> None:
    if estimate.value is None:
        assert (estimate.low, estimate.high) == (None, None)
        assert estimate.note
    elif estimate.low is None:
        assert estimate.high is None
        assert estimate.note
        assert -1 <= estimate.value <= 1
    else:
        assert estimate.high is not None
        assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1


def check_same(again: Estimate, estimate: Estimate) -> None:
    for name in ("value", "low", "high"):
        assert getattr(again, name) == pytest.approx(getattr(estimate, name), abs=1e-9)
    assert (again.n, again.clusters, again.note) == (estimate.n, estimate.clusters, estimate.note)


# Spearman and Pearson


def test_spearman_by_hand() -> None:
    # Rank differences −1, 1, −1, 1, 0: r = 1 − 6·4/(5·24) = 0.8.
    estimate = spearman([10, 20, 30, 40, 50], [0.2, 0.1, 0.4, 0.3, 0.5], range(5), **NAMES)
    assert estimate.value == pytest.approx(0.8)
    # Without the first, 1, 3, 2, 4 (r = 1 − 6·2/60 = 0.8), and so without the second, third and fourth; without the
    # last 2, 1, 4, 3 (r = 1 − 6·4/60 = 0.6). Σ(r_g − 0.76)² = 4·0.04² + 0.16² = 0.032, s = sqrt(4/5·0.032)/0.36 =
    # 0.444444, but at least 1/sqrt(4) = 0.5. c = t(0.975, 4) = 2.776445; atanh 0.8 = 1.098612.
    assert bounds(estimate) == pytest.approx((math.tanh(-0.289611), math.tanh(2.486835)), abs=1e-5)
    assert estimate.note == "only 5 clusters: the interval is rough"
    assert estimate.method == "Spearman, cluster jackknife, atanh"


def test_spearman_takes_mean_ranks_for_ties_by_hand() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5/sqrt(4.5·5) = 0.948683.
    estimate = spearman([0, 5, 5, 9], [1, 2, 3, 4], range(4), **NAMES)
    assert estimate.value == pytest.approx(0.948683, abs=1e-6)
    assert (estimate.low, estimate.high, estimate.note) == (None, None, "no interval: fewer than 5 clusters (4)")


def naive_spearman(x: Any, y: Any, clusters: Any) -> tuple[float, float, float]:
    value = stats.spearmanr(x, y).statistic
    names, sizes = np.unique(clusters, return_counts=True)
    rest = [stats.spearmanr(x[clusters != name], y[clusters != name]).statistic for name in names]
    variance = (len(names) - 1) ** 2 / len(names) * np.var(rest, ddof=1) / (1 - value**2) ** 2
    half = math.sqrt(max(variance, 1 / (len(x) - 1))) * stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1)
    return value, math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


@pytest.mark.parametrize("levels", [3, 5, 1000])
@pytest.mark.parametrize("clusters", [8, 40])
@pytest.mark.parametrize("at_once", [1_000_000, 1000, 1])
def test_spearman_and_pearson_against_scipy(
    levels: int, clusters: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterfoil.stats.agreement._RANKS_AT_ONCE", at_once)
    rng = np.random.default_rng(levels + clusters)
    cluster = rng.integers(0, clusters, 10 * clusters)
    x = rng.normal(size=clusters)[cluster] + rng.normal(size=len(cluster))
    x, y = (np.round(score * levels / 6) for score in (x, x + rng.normal(size=len(cluster))))
    estimate = spearman(x, y, cluster, **NAMES)
    assert (estimate.value, *bounds(estimate)) == pytest.approx(naive_spearman(x, y, cluster), abs=1e-9)
    assert (estimate.n, estimate.clusters) == (10 * clusters, clusters)
    assert pearson(x, y, **NAMES).value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)


def test_missing_scores_are_left_out_pairwise() -> None:
    x, y, cluster = [1, 3, 2, 5, 4, 6], [2, 1, 3, 4, 6, 5], [0, 1, 2, 3, 4, 5]
    expected = spearman(x, y, cluster, **NAMES)
    assert spearman([*x, None, 9.0], [*y, 0.0, None], [*cluster, 7, 8], **NAMES) == expected
    assert pearson([*x, None], [*y, 1], **NAMES) == pearson(x, y, **NAMES)


def test_pearson_by_hand_has_no_interval() -> None:
    # Of FIFTY: (20·15 − 5·10)/sqrt(25·25·30·20) = 250/612.372 = 0.408248.
    estimate = pearson(*unzipped(FIFTY), [k % 10 for k in range(50)], **NAMES)
    assert estimate.value == pytest.approx(0.408248, abs=1e-6)
    assert (estimate.low, estimate.high, estimate.n, estimate.clusters) == (None, None, 50, 10)
    assert estimate.method == "Pearson over all pairs"
    assert estimate.note == "no interval: labels belong to questions, and replies to one question are not independent"


@pytest.mark.parametrize("correlation", [spearman, pearson])
def test_correlations_that_are_not_defined(correlation: Any) -> None:
    for first, second, note in (([], [], "no values"), ([0.1] * 9, range(9), "one side has one value only")):
        estimate = correlation(first, second, range(len(first)), **NAMES)
        assert (estimate.value, estimate.low, estimate.high, estimate.note) == (None, None, None, note)


def test_spearman_of_orders_that_are_the_same_or_reversed() -> None:
    x = [0.1, 0.1, 0.5, 0.9, 2, 3, 3, 7]
    same = spearman(x, [v**3 for v in x], range(8), **NAMES)
    assert (same.value, same.low, same.high) == (1, None, None)
    assert same.note == "no interval: both orders are exactly the same"
    reverse = spearman(x, [-v for v in x], range(8), **NAMES)
    assert (reverse.value, reverse.low, reverse.high) == (-1, None, None)
    assert reverse.note == "no interval: one order is exactly the reverse of the other"


def test_spearman_where_one_cluster_holds_all_disagreement() -> None:
    # Without it the order is exactly the same, and atanh has no end.
    estimate = spearman(range(40), [1, 0, *range(2, 40)], [k // 2 for k in range(40)], **NAMES)
    low, high = bounds(estimate)
    assert 0.99 < low < 1 - 6 * 2 / (40 * 1599) < high < 1


def test_spearman_where_one_cluster_holds_all_variation() -> None:
    estimate = spearman([0] * 19 + [1], range(20), range(20), **NAMES)
    assert estimate.value == pytest.approx(0.377964, abs=1e-6)
    assert estimate.low is None
    assert estimate.note == "no interval: without one of the clusters, one side has one value only"


def test_spearman_where_all_clusters_agree() -> None:
    # 20 clusters with ranks 1, 3, 2 against 1, 2, 3: r = 0.5. s = 1/sqrt(19), c = t(0.975, 19) = 2.093024.
    estimate = spearman([1, 2, 3] * 20, [1, 3, 2] * 20, [k // 3 for k in range(60)], **NAMES)
    half = 2.093024 / math.sqrt(19)
    expected = math.tanh(math.atanh(0.5) - half), math.tanh(math.atanh(0.5) + half)
    assert bounds(estimate) == pytest.approx(expected, abs=1e-6)
    assert estimate.note == "all clusters agree: each counts as one record"


SCORED = st.lists(
    st.tuples(st.integers(-5, 5), st.floats(-1e6, 1e6), st.integers(0, 9).map(str)), min_size=1, max_size=40
)


@given(SCORED, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_what_holds_for_any_scores(records: list[tuple[int, float, str]], random: Any) -> None:
    x, y, clusters = (list(column) for column in zip(*records, strict=True))
    estimate = spearman(x, y, clusters, **NAMES)
    check_bounds(estimate)
    check_same(spearman(y, x, clusters, **NAMES), estimate)
    check_same(spearman([math.exp(v) for v in x], [3 * v for v in y], clusters, **NAMES), estimate)
    mirrored = spearman([-v for v in x], y, clusters, **NAMES)
    if estimate.value is not None:
        assert mirrored.value == pytest.approx(-estimate.value, abs=1e-12)
    if estimate.low is not None:
        assert bounds(mirrored) == pytest.approx([-bound for bound in reversed(bounds(estimate))], abs=1e-9)
    linear = pearson(x, y, clusters, **NAMES)
    check_bounds(linear)
    check_same(pearson(y, x, clusters, **NAMES), linear)

    random.shuffle(records)
    shuffled = [list(column) for column in zip(*records, strict=True)]
    check_same(spearman(*shuffled, **NAMES), estimate)


@pytest.mark.parametrize(
    ("measure", "arguments", "message"),
    [
        (cohen_kappa, ([1, 0], [1]), "differ in length: 2, 1 and 2"),
        (cohen_kappa, ([1, 0], [1, 0], ["a"]), "differ in length: 2, 2 and 1"),
        (cohen_kappa, ([1, 0], [1, 0], ["a", None]), "a cluster is missing"),
        (cohen_kappa, ([1, math.nan], [1, 0]), "a label is nan"),
        (spearman, ([1, 2], [1, 2, 3], [1, 2]), "differ in length: 2, 3 and 2"),
        (spearman, ([1, math.nan], [1, 2], [1, 2]), "not a finite number"),
        (pearson, ([1, math.inf], [1, 2]), "not a finite number"),
    ],
)
def test_bad_input_is_refused(measure: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure(*arguments, **NAMES)


# Real data


@pytest.mark.skipif(not CFE.is_dir(), reason=f"the CFE study's data are not in {CFE}")
def test_labels_of_the_cfe_study() -> None:
    """The CFE study's figure: Pearson of the threshold label and the judge's label over 956 replies."""
    labels = json.loads((CFE / "expected_labels_88.json").read_text(encoding="utf-8"))["labels"]
    with (CFE / "responses_dev.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    questions = [row["id"] for row in rows]
    threshold = [labels[question]["threshold_confusing"] for question in questions]
    judge = [float(row["gpt_conf_score"]) > 50 for row in rows]

    over_replies = pearson(threshold, judge, questions, **NAMES)
    assert over_replies.value is not None
    assert round(over_replies.value, 4) == -0.1060
    assert (over_replies.n, over_replies.low) == (956, None)

    # Over questions: the table counted from the same two files, and kappa by the naive implementation.
    by_question = dict(zip(questions, zip(threshold, judge, strict=True), strict=True))
    first, second = unzipped(list(by_question.values()))
    over_questions = cohen_kappa(first, second, **NAMES)
    assert over_questions.value == pytest.approx(naive_kappa(first, second))
    assert over_questions.n == over_questions.clusters == over_replies.clusters
    check_bounds(over_questions)


# Coverage: the benchmark's simulation on a reduced grid


simulation = benchmark("agreement")
TABLES = simulation.binary_tables(((0.5, 0.5), (0.1, 0.1), (0.5, 0.3)))


@pytest.mark.parametrize(
    ("kind", "cells", "trials"),
    [
        ("kappa", simulation.grid((30, 88), ("1",), (0,), TABLES), 400),
        ("kappa", simulation.grid((30,), ("1 to 24",), (0.3,), TABLES), 400),
        ("spearman", simulation.score_cells((30,), ("1 to 24",), (0, 0.6), (-0.3, 0.9), ("fine", "three")), 200),
    ],
    ids=["kappa", "kappa in clusters", "spearman"],
)
def test_coverage(kind: str, cells: list[Any], trials: int) -> None:
    rng = np.random.default_rng(2024)
    simulated = simulation.Kind(kind, getattr(simulation, kind), cells, trials, 0.90)
    coverage = [simulation.measure(simulated, cell, trials, rng).coverage for cell in cells]
    assert 0.94 <= np.mean(coverage) <= 0.98
    assert min(coverage) >= 0.90
