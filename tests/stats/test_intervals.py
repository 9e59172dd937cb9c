"""The four intervals: values worked out by hand, and what must hold for any data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.stats import Estimate, difference, proportion, ratio, signed_mean

pytestmark = pytest.mark.heavy

NAMES: dict[str, Any] = {"metric": "accuracy", "model": "planted/x", "variant": "plain"}


def bounds(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


# With 20 clusters of one record, V = σ²/19 (robust, 1/(1−h) = 20/19), so n_eff = 19, and c = t(0.975, 19) = 2.093024.


def test_proportion_with_one_record_in_each_cluster_is_wilson_with_t() -> None:
    # m = 0.25; c²/19 = 0.2305658; centre (0.25 + 0.1152829)/1.2305658 = 0.2968414;
    # half sqrt(0.2305658·(0.1875 + 0.0576414))/1.2305658 = 0.1931972.
    estimate = proportion([1] * 5 + [0] * 15, range(20), **NAMES)
    assert estimate.value == 0.25
    assert bounds(estimate) == pytest.approx((0.103644, 0.490039), abs=1e-5)
    assert (estimate.n, estimate.clusters, estimate.note) == (20, 20, None)
    assert estimate.method == "Wilson, cluster-robust"


def test_signed_mean_by_hand() -> None:
    # Six +1, two −1, twelve 0: m = 0.2, Q = 0.4. m' = 3.8/21 = 0.180952, Q' = (7.6 + 2·0.25)/21 = 0.385714,
    # half 2.093024·sqrt((0.385714 − 0.032744)/21) = 0.271352.
    estimate = signed_mean([1] * 6 + [-1] * 2 + [0] * 12, range(20), **NAMES)
    assert estimate.value == pytest.approx(0.2)
    assert bounds(estimate) == pytest.approx((-0.090400, 0.452304), abs=1e-5)
    assert estimate.method == "Bonett–Price, cluster-robust"


def test_signed_mean_with_a_limit_per_cluster() -> None:
    # As above with n_eff = 20/2 = 10: m' = 2/12, Q' = 4.5/12, half 2.093024·sqrt((0.375 − 0.027778)/12) = 0.356032.
    estimate = signed_mean([1] * 6 + [-1] * 2 + [0] * 12, range(20), most_per_cluster=0.5, **NAMES)
    assert bounds(estimate) == pytest.approx((-0.189365, 0.522699), abs=1e-5)


def test_difference_by_hand() -> None:
    # Ten records of each kind, 8 and 5 right, influences ±2(x − m): Σu² = 8·0.16 + 2·2.56 + 10 = 16.4,
    # V = 16.4/0.95/400, deff = V/(0.016 + 0.025) = 20/19, n_i = 9.5. p₁ = 8.6/11.5 = 0.747826, p₂ = 5.75/11.5,
    # half 2.093024·sqrt((0.188582 + 0.25)/11.5) = 0.408744.
    values = [1] * 8 + [0] * 2 + [1] * 5 + [0] * 5
    estimate = difference(values, [True] * 10 + [False] * 10, range(20), **NAMES)
    assert estimate.value == pytest.approx(0.3)
    assert bounds(estimate) == pytest.approx((-0.160918, 0.656570), abs=1e-5)
    assert estimate.method == "Agresti–Caffo, cluster-robust"


def test_ratio_by_hand() -> None:
    # Pairs (y, x): ten (1, 1), six (0, 1), four (0, 0); n_eff = 19. With the pseudo-pairs (½, 0) and (0, ½), of 21:
    # ȳ = 10/21, x̄ = 15.7/21; v_yy = 0.237528, v_xx = 0.176780, v_xy = 0.096372; c²/21 = 4.380750/21 = 0.208607.
    # 0.522056·R² − 2·0.335905·R + 0.177207 = 0: R = (0.335905 ∓ 0.142548) ÷ 0.522056.
    estimate = ratio([1] * 10 + [0] * 10, [1] * 16 + [0] * 4, range(20), **NAMES)
    assert estimate.value == pytest.approx(0.625)
    assert bounds(estimate) == pytest.approx((0.370376, 0.916478), abs=1e-5)
    assert estimate.method == "Fieller, cluster-robust"


def test_exactly_1_takes_each_cluster_as_one_record() -> None:
    # n_eff = G_eff = 10, c = t(0.975, 9) = 2.262157: low = 1/(1 + c²/10) = 0.661492.
    estimate = proportion([1] * 30, [k % 10 for k in range(30)], **NAMES)
    assert bounds(estimate) == pytest.approx((0.661492, 1), abs=1e-5)
    assert estimate.note == "only 10 clusters: the interval is rough; all clusters agree: each counts as one record"


def test_clusters_that_agree_halfway_take_each_cluster_as_one_record() -> None:
    # Twenty clusters, half right in each: n_eff = 20, df = 19. c²/20 = 0.2190375,
    # half sqrt(0.2190375·(0.25 + 0.0547594))/1.2190375 = 0.211943.
    estimate = proportion([1, 0] * 20, [k // 2 for k in range(40)], **NAMES)
    assert bounds(estimate) == pytest.approx((0.288057, 0.711943), abs=1e-5)


def test_ratio_whose_denominators_agree_counts_each_cluster_at_most_once() -> None:
    # Thirty clusters of 4 with x = 1 throughout, y alternating: without the rule n_eff would be near 120.
    values, clusters = [1, 0, 0, 1, 1, 0, 1, 1] * 15, [k // 4 for k in range(120)]
    low, high = bounds(ratio(values, [1] * 120, clusters, **NAMES))
    few_low, few_high = bounds(ratio(([1] * 5 + [0] * 3) * 4, [1] * 32, range(32), **NAMES))
    assert high - low == pytest.approx(few_high - few_low, rel=0.1)


@pytest.mark.parametrize("values", [[], [None, None]])
def test_no_values(values: list[None]) -> None:
    clusters = range(len(values))
    for estimate in (
        proportion(values, clusters, **NAMES),
        signed_mean(values, clusters, **NAMES),
        difference(values, [True] * len(values), clusters, **NAMES),
        ratio(values, values, clusters, **NAMES),
    ):
        assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
        assert (estimate.n, estimate.clusters, estimate.note) == (0, 0, "no values")


@pytest.mark.parametrize("clusters", [1, 4])
def test_fewer_than_5_clusters_get_no_interval(clusters: int) -> None:
    values, labels = [1, 0, 1] * 8, [k % clusters for k in range(24)]
    for estimate in (
        proportion(values, labels, **NAMES),
        signed_mean(values, labels, **NAMES),
        difference(values, [k < 12 for k in range(24)], labels, **NAMES),
        ratio(values, [1] * 24, labels, **NAMES),
    ):
        assert estimate.value is not None
        assert (estimate.low, estimate.high, estimate.clusters) == (None, None, clusters)
        assert estimate.note == f"no interval: fewer than 5 clusters ({clusters})"


def test_fewer_than_15_clusters_are_flagged() -> None:
    assert proportion([1, 0] * 7, range(14), **NAMES).note == "only 14 clusters: the interval is rough"
    assert proportion([1, 0, 1] * 5, range(15), **NAMES).note is None


def test_a_difference_is_judged_by_the_side_with_fewer_clusters() -> None:
    first = [True] * 4 + [False] * 26
    estimate = difference([1, 0] * 15, first, range(30), **NAMES)
    assert (estimate.low, estimate.clusters) == (None, 30)
    assert estimate.note == "no interval: fewer than 5 clusters (4)"
    one_sided = difference([1, 0] * 15, [True] * 30, range(30), **NAMES)
    assert (one_sided.value, one_sided.note) == (None, "no values on one side")


def test_arms_that_rise_and_fall_together_are_compared_more_sharply() -> None:
    # 40 clusters, half easy and half hard, with 10 records of each kind. Together: both kinds are mostly right in easy
    # clusters, mostly wrong in hard ones. Apart: what is easy for one kind is hard for the other.
    # Variance of a cluster's difference of means: 2·0.09/10 = 0.018 together; apart it gains (2·0.8)²/4 = 0.64.
    rng = np.random.default_rng(3)
    clusters = np.arange(800) // 20
    first = np.arange(800) % 2 == 0
    easy = clusters % 2 == 0
    together = rng.random(800) < np.where(easy, 0.9, 0.1)
    apart = rng.random(800) < np.where(easy == first, 0.9, 0.1)
    low, high = bounds(difference(together, first, clusters, **NAMES))
    wide_low, wide_high = bounds(difference(apart, first, clusters, **NAMES))
    assert high - low < 0.3 * (wide_high - wide_low)
    # Unrelated records would have 2·0.25/10 = 0.05 in each cluster: with endless clusters, together
    # is sharper by sqrt(0.018/0.05) = 0.6. With 40, V is the larger of two noisy estimates, hence the room.
    shuffled = rng.permutation(800)
    loose_low, loose_high = bounds(difference(together[shuffled], first[shuffled], range(800), **NAMES))
    assert 0.5 < (high - low) / (loose_high - loose_low) < 0.8


def test_ratio_without_a_denominator() -> None:
    nothing = ratio([1] * 20, [0] * 20, range(20), **NAMES)
    assert (nothing.value, nothing.n, nothing.note) == (None, 20, "the denominator is 0")
    nearly = ratio([1] * 20, [1] + [0] * 19, range(20), **NAMES)
    assert (nearly.value, nearly.low, nearly.high) == (20, None, None)
    assert nearly.note == "no interval: the denominator can't be told from 0"


def test_inverted_ratio_has_inverted_bounds() -> None:
    rng = np.random.default_rng(4)
    y, x, clusters = rng.random(90), rng.random(90), np.arange(90) // 3
    low, high = bounds(ratio(y, x, clusters, **NAMES))
    assert bounds(ratio(x, y, clusters, **NAMES)) == pytest.approx((1 / high, 1 / low))


@pytest.mark.parametrize(
    ("values", "clusters", "weights"),
    [
        ([1.2] * 9, range(9), None),
        ([-0.1] * 9, range(9), None),
        ([float("nan")] * 9, range(9), None),
        ([1.0] * 9, [None] * 9, None),
        ([1.0] * 9, range(9), [-1] + [1] * 8),
        ([1.0] * 9, range(9), [None] * 9),
        ([1.0] * 9, range(9), [float("inf")] * 9),
    ],
)
def test_refuses_what_it_cannot_use(values: list[float], clusters: Any, weights: list[float] | None) -> None:
    with pytest.raises(ValueError, match=r"must lie in|is missing|must be 0 or more"):
        proportion(values, clusters, weights=weights, **NAMES)


# What must hold for any data: clusters of 1 to 6 records, 5 to 12 of them.

binary = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=5, max_size=12)
scores = st.lists(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=6), min_size=5, max_size=12)


def flat(groups: list[list[float]]) -> tuple[list[float], list[int]]:
    values = [value for group in groups for value in group]
    return values, [number for number, group in enumerate(groups) for _ in group]


@given(st.one_of(binary, scores))
def test_proportion_lies_in_its_interval_in_0_to_1(groups: list[list[float]]) -> None:
    estimate = proportion(*flat(groups), **NAMES)
    low, high = bounds(estimate)
    assert 0 <= low <= estimate.value <= high <= 1
    assert low < high


@given(binary)
def test_proportion_of_the_contrary_is_mirrored(groups: list[list[float]]) -> None:
    values, clusters = flat(groups)
    low, high = bounds(proportion(values, clusters, **NAMES))
    mirrored = bounds(proportion([1 - value for value in values], clusters, **NAMES))
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(binary, st.randoms(use_true_random=False))
def test_neither_order_nor_labels_matter(groups: list[list[float]], random: Any) -> None:
    values, clusters = flat(groups)
    order = list(range(len(values)))
    random.shuffle(order)
    labels = [f"c{number}" for number in random.sample(range(1000), len(groups))]
    shuffled = [values[k] for k in order], [labels[clusters[k]] for k in order]
    assert bounds(proportion(*shuffled, **NAMES)) == pytest.approx(bounds(proportion(values, clusters, **NAMES)))


@given(st.one_of(binary, scores))
def test_twice_the_clusters_narrow_the_interval(groups: list[list[float]]) -> None:
    low, high = bounds(proportion(*flat(groups), **NAMES))
    twice_low, twice_high = bounds(proportion(*flat(groups + groups), **NAMES))
    assert twice_high - twice_low < high - low


@given(st.lists(st.booleans(), min_size=5, max_size=30), st.integers(2, 20))
def test_copies_of_a_record_within_its_cluster_change_nothing(values: list[float], copies: int) -> None:
    plain = bounds(proportion(values, range(len(values)), **NAMES))
    assert bounds(proportion(*flat([[value] * copies for value in values]), **NAMES)) == pytest.approx(plain)


@given(binary, st.floats(0.01, 100))
def test_weights_of_0_leave_out_and_the_scale_does_not_matter(groups: list[list[float]], scale: float) -> None:
    values, clusters = flat(groups)
    plain = proportion(values, clusters, **NAMES)
    weights = [scale] * len(values) + [0, 0]
    weighted = proportion([*values, 1, 0], [*clusters, 0, 99], weights=weights, **NAMES)
    assert bounds(weighted) == pytest.approx(bounds(plain), abs=1e-9)
    assert (weighted.n, weighted.clusters) == (plain.n, plain.clusters)


@given(scores)
def test_signed_mean_lies_in_its_interval_and_flips_with_its_sign(groups: list[list[float]]) -> None:
    values, clusters = flat(groups)
    values = [2 * value - 1 for value in values]
    estimate = signed_mean(values, clusters, **NAMES)
    low, high = bounds(estimate)
    assert -1 <= low <= estimate.value <= high <= 1
    flipped = bounds(signed_mean([-value for value in values], clusters, **NAMES))
    assert flipped == pytest.approx((-high, -low), abs=1e-9)


@given(binary, binary)
def test_difference_lies_in_its_interval_and_flips_with_its_sides(
    one: list[list[float]], other: list[list[float]]
) -> None:
    (values, clusters), (more_values, more_clusters) = flat(one), flat(other)
    first = [True] * len(values) + [False] * len(more_values)
    values, clusters = values + more_values, clusters + more_clusters
    estimate = difference(values, first, clusters, **NAMES)
    low, high = bounds(estimate)
    assert -1 <= low <= estimate.value <= high <= 1
    flipped = bounds(difference(values, [not f for f in first], clusters, **NAMES))
    assert flipped == pytest.approx((-high, -low), abs=1e-9)


@settings(max_examples=200)
@given(st.lists(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=6), min_size=5, max_size=12))
def test_ratio_lies_in_its_interval(groups: list[list[Any]]) -> None:
    pairs, clusters = flat(groups)
    estimate = ratio([y for y, _ in pairs], [x for _, x in pairs], clusters, **NAMES)
    if estimate.low is None:
        assert estimate.note
    else:
        assert 0 <= estimate.low <= estimate.value <= estimate.high
        assert estimate.low < estimate.high


# What no sample can rule out: with 20 clusters c = t(0.975, 19), hidden = c²/(20 + c²) = 4.380750/24.380750 = 0.179681.


def test_no_share_is_surer_than_one_of_which_nothing_else_was_seen() -> None:
    clusters = [i // 10 for i in range(200)]
    for errors in range(12):
        estimate = proportion([0] * errors + [1] * (200 - errors), clusters[::-1], **NAMES)
        assert bounds(estimate)[0] <= 1 - 0.179681 + 1e-6
    perfect = proportion([1] * 200, clusters, **NAMES)
    assert bounds(perfect) == pytest.approx((1 - 0.179681, 1), abs=1e-6)
    # 198 of 200, in two clusters: without the limit low would be above 0.9.
    scattered = proportion([0] + [1] * 100 + [0] + [1] * 98, clusters, **NAMES)
    assert bounds(scattered)[0] == pytest.approx(1 - 0.179681, abs=1e-6)


def test_a_mean_near_0_leaves_most_of_that_open() -> None:
    # One −1 in 200: Q = 0.005, m = −0.005. 0.6·hidden = 0.107809; high is at least that − 0.005, low at most 0 − that.
    estimate = signed_mean([-1] + [0] * 199, [i // 10 for i in range(200)], **NAMES)
    assert bounds(estimate) == pytest.approx((-0.107809, 0.102809), abs=1e-6)


def test_what_cancels_out_in_every_cluster_is_known_to_cancel_out() -> None:
    # Five +1 and five −1 in each of 20 clusters: each is one value, 0, so Q' = 2·0.25/22 and half
    # 2.093024·sqrt(0.022727/22) = 0.067272. With Q = 1 nothing more can hide: ½ − 0.6·hidden is above 0.
    estimate = signed_mean([1, -1] * 100, [i // 10 for i in range(200)], **NAMES)
    assert bounds(estimate) == pytest.approx((-0.067272, 0.067272), abs=1e-6)


@given(st.lists(st.integers(0, 12), min_size=8, max_size=40))
@settings(max_examples=300, deadline=None)
def test_errors_never_bring_a_better_bound_than_none(errors: list[int]) -> None:
    clusters = [i for i in range(len(errors)) for _ in range(12)]
    values = [int(j >= wrong) for wrong in errors for j in range(12)]
    flawed = bounds(proportion(values, clusters, **NAMES))
    perfect = bounds(proportion([1] * len(values), clusters, **NAMES))
    assert flawed[0] <= perfect[0] + 1e-12
    assert flawed[1] <= perfect[1] + 1e-12
    # Two sides that agree in everything are known no better than two that do not.
    same = bounds(signed_mean([0] * len(values), clusters, **NAMES))
    differing = bounds(signed_mean([value - 1 for value in values], clusters, **NAMES))
    assert differing[0] <= same[0] + 1e-12
