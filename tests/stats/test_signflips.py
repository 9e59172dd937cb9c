"""Sign flips and label swaps: against all flips written out, McNemar's test, and data in which nothing differs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest

from counterfoil.stats import signflips
from counterfoil.stats.signflips import Term, out_of_reach, sign_flip_tests, swap_tests

Floats = NDArray[np.float64]
Ratio = tuple[Floats, Floats, Floats, Floats]

# Multiples of 0.1, which are no binary fractions: sums that are equal on paper differ by rounding.
TENTHS = st.integers(-30, 30).map(lambda tenths: tenths / 10)
FEW = st.lists(TENTHS, min_size=1, max_size=8).map(np.array)
MANY = st.lists(TENTHS.filter(bool), min_size=15, max_size=30).map(np.array)


def floats(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def sign_flip_test(sums: Floats, pairs: NDArray[np.int64] | None = None) -> signflips.Test:
    [test] = sign_flip_tests(sums[:, None], None if pairs is None else pairs[:, None])
    return test


def swap_test(terms: list[Term]) -> signflips.Test:
    [test] = swap_tests([terms])
    return test


def p_of(test: signflips.Test) -> float:
    assert test.p is not None
    return test.p


# Sign flips, by hand


def test_all_flips_of_three_clusters() -> None:
    # 3, 1, −1 add up to 3. Of the eight sums ±3±1±1, those of size 3 or more: 5, 3, 3 and their negatives: 6/8.
    test = sign_flip_test(floats(3, 1, -1))
    assert test.p == 6 / 8
    assert (test.smallest_p, test.differing, test.method) == (2 / 8, 3, "sign flips, complete")
    reach = out_of_reach(test.smallest_p, test.differing, 0.05)
    assert reach == "only 3 clusters differ: no p below 0.25 can come out, the level 0.05 is out of reach"


def test_clusters_that_all_point_one_way_give_the_smallest_p() -> None:
    # Only the observed signs and their reverse give a sum this large, whatever the sizes: 2/2^10.
    test = sign_flip_test(np.arange(1.0, 11.0))
    assert test.p == test.smallest_p == 2 / 2**10
    assert test.note is None


def test_sums_equal_on_paper_count_as_equal() -> None:
    # 0.1 + 0.2 − 0.3 is 0, so p = 1; in floating point it is 5.6e-17.
    assert sign_flip_test(floats(0.1, 0.2, -0.3)).p == 1
    # Observed 0.6. Where the last two cancel out (2 of 4 ways), ±0.1 ± 0.2 ± 0.3 reaches 0.6 in 2 of 8; where they add
    # up to ±1.4 (2 of 4), it always stays at 0.8 or above: (2·2 + 2·8)/32.
    assert sign_flip_test(floats(0.1, 0.2, 0.3, 0.7, -0.7)).p == 20 / 32


def test_14_clusters_are_flipped_in_all_ways_and_15_are_drawn() -> None:
    fourteen, fifteen = sign_flip_test(np.ones(14)), sign_flip_test(np.ones(15))
    assert (fourteen.p, fourteen.method) == (2 / 2**14, "sign flips, complete")
    assert (fifteen.smallest_p, fifteen.method) == (1 / 10_000, "sign flips, 9,999 drawn")
    # Fifty signs that are all the same are not among 9,999 draws: b = 0.
    assert sign_flip_test(np.ones(50)).p == 1 / 10_000


def test_no_cluster_differs() -> None:
    for sums in (np.zeros(20), np.zeros(0), np.full(20, 0.1 + 0.2 - 0.3)):
        test = sign_flip_test(sums)
        assert (test.p, test.smallest_p, test.differing, test.note) == (1, 1, 0, "no cluster differs")


def test_a_level_for_a_family_may_be_out_of_reach() -> None:
    # 2/2^6 = 0.031 reaches 0.05, not 0.05/10.
    test = sign_flip_test(np.ones(6))
    assert (test.note, out_of_reach(test.smallest_p, test.differing, 0.05)) == (None, None)
    assert (
        out_of_reach(test.smallest_p, test.differing, 0.005)
        == "only 6 clusters differ: no p below 0.031 can come out, the level 0.005 is out of reach"
    )
    assert out_of_reach(1.0, 1, 0.05) == (
        "only 1 cluster differs: no p below 1 can come out, the level 0.05 is out of reach"
    )


# McNemar


@pytest.mark.parametrize(("b", "c"), [(1, 0), (3, 3), (9, 2), (30, 14), (700, 620)])
def test_one_pair_per_cluster_is_mcnemars_exact_test(b: int, c: int) -> None:
    sums = np.concatenate([np.ones(b), -np.ones(c), np.zeros(5)])
    test = sign_flip_test(sums, np.ones(len(sums), dtype=np.int64))
    assert test.p == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)
    assert (test.method, test.differing) == ("McNemar, exact", b + c)
    assert test.smallest_p == pytest.approx(2 / 2 ** (b + c))


def test_mcnemar_by_hand() -> None:
    # Six against one: (1 + 7)/2^7 on each side, 16/128.
    assert sign_flip_test(floats(1, 1, 1, 1, 1, 1, -1), np.ones(7, dtype=np.int64)).p == 0.125


def test_only_one_pair_per_cluster_is_called_mcnemar() -> None:
    sums, pairs = floats(1, 1, -1, 0), np.array([1, 1, 1, 2])
    # With clusters of different sizes it is the quotient by the standard error that is held against the others.
    assert sign_flip_test(sums).method == "sign flips, complete"
    assert sign_flip_test(sums, pairs).method == "sign flips, complete"
    assert sign_flip_test(sums, np.minimum(pairs, 1)).method == "McNemar, exact"
    assert sign_flip_test(sums / 2, np.minimum(pairs, 1)).method == "sign flips, complete"


def test_mcnemar_without_a_difference() -> None:
    test = sign_flip_test(np.zeros(4), np.ones(4, dtype=np.int64))
    assert (test.p, test.smallest_p, test.note) == (1, 1, "no cluster differs")


def test_columns_of_all_kinds_keep_their_places() -> None:
    sums = np.zeros((20, 4))
    sums[:, 0] = 1
    sums[:3, 1] = (3, 1, -1)
    sums[:, 2] = np.tile((1, 1, 1, -1), 5)
    pairs = np.ones((20, 4), dtype=np.int64)
    pairs[:, 0] = 2
    tests = sign_flip_tests(sums, pairs)
    assert [test.method for test in tests] == [
        "sign flips, 9,999 drawn",
        "sign flips, complete",
        "McNemar, exact",
        "McNemar, exact",
    ]
    assert tests[1].p == 6 / 8
    assert tests[2].p == pytest.approx(binomtest(5, 20).pvalue)


# Sign flips: what must hold


@given(FEW)
def test_agrees_with_all_flips_written_out(sums: Floats) -> None:
    whole = np.rint(sums * 10).astype(np.int64)
    reached = [abs(np.dot(signs, whole)) >= abs(whole.sum()) for signs in product((1, -1), repeat=len(whole))]
    assert sign_flip_test(sums).p == np.mean(reached)


@given(st.one_of(FEW, MANY), st.lists(st.integers(0, 30), max_size=5))
@settings(max_examples=50)
def test_signs_and_clusters_without_a_difference_do_not_matter(sums: Floats, places: list[int]) -> None:
    test = sign_flip_test(sums)
    assert sign_flip_test(-sums) == test
    padded = np.insert(sums, [min(place, len(sums)) for place in places], 0.0)
    assert sign_flip_test(padded) == test
    assert test.smallest_p <= p_of(test) <= 1


@given(MANY)
@settings(max_examples=25)
def test_drawn_flips_come_close_to_all_flips(sums: Floats) -> None:
    # The exact distribution of the sum, by adding one cluster after the other, in whole tenths.
    counts = {0: 1}
    for step in np.rint(sums * 10).astype(int).tolist():
        moved: dict[int, int] = {}
        for total, ways in counts.items():
            for after in (total + step, total - step):
                moved[after] = moved.get(after, 0) + ways
        counts = moved
    observed = abs(round(sums.sum() * 10))
    exact = sum(ways for total, ways in counts.items() if abs(total) >= observed) / 2 ** len(sums)
    # Five standard errors of a share among 9,999, and the 1/10,000 that is added.
    assert p_of(sign_flip_test(sums)) == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 9_999) + 2e-4)


def test_all_columns_share_the_flips(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    sums = rng.normal(size=(70, 3))
    together = sign_flip_tests(sums)
    assert together == [sign_flip_test(column) for column in sums.T]
    # A column that is another's multiple has the same p only if it met the same flips.
    assert sign_flip_tests(np.stack([sums[:, 0], -4 * sums[:, 0]], axis=1))[1].p == together[0].p
    # However the work is cut up.
    monkeypatch.setattr(signflips, "_NUMBERS_AT_ONCE", 7_000)
    assert sign_flip_tests(sums) == together


def test_flips_are_fair_and_independent() -> None:
    [signs] = signflips._drawn_signs(130, 9_999)
    assert signs.shape == (9_999, 130)
    assert set(np.unique(signs)) == {-1, 1}
    # Means and products of pairs of clusters: five standard errors of 1/sqrt(9,999).
    products = signs.T @ signs / 9_999 - np.eye(130)
    assert np.abs(signs.mean(axis=0)).max() < 0.05
    assert np.abs(products).max() < 0.05


@pytest.mark.parametrize("sums", [floats(1, np.nan), floats(1, np.inf)])
def test_refuses_sums_that_are_no_numbers(sums: Floats) -> None:
    with pytest.raises(ValueError, match="finite"):
        sign_flip_test(sums)


# Label swaps


def test_swaps_by_hand() -> None:
    # Arm a: 1/1 and 1/2, together 2/3; arm b: 0/1 and 1/1, together 1/2: 1/6 apart. Swapping the second cluster:
    # a has 1/1 and 1/1, so 1; b 0/1 and 1/2, so 1/3: 2/3 apart. The other two swaps are the reverses: p = 1.
    ratio = (floats(1, 1), floats(1, 2), floats(0, 1), floats(1, 1))
    assert swap_test([Term(1, *ratio)]).p == 1
    # The second cluster as observed now is the one that gave 2/3: of the four, two reach it.
    swapped = (floats(1, 1), floats(1, 1), floats(0, 1), floats(1, 2))
    test = swap_test([Term(1, *swapped)])
    assert (test.p, test.smallest_p, test.differing, test.method) == (0.5, 0.5, 2, "label swaps, complete")


def random_ratio(rng: np.random.Generator, clusters: int, most: int = 6) -> Ratio:
    below_a, below_b = rng.integers(1, most, clusters), rng.integers(1, most, clusters)
    above_a, above_b = rng.binomial(below_a, 0.6), rng.binomial(below_b, 0.4)
    first_a, first_b, second_a, second_b = (part.astype(np.float64) for part in (above_a, below_a, above_b, below_b))
    return first_a, first_b, second_a, second_b


def written_out(terms: list[Term], clusters: int) -> float:
    """All swaps by a plain loop, metric by metric, each difference as a multiple of its standard error by the influence
    of each cluster on it; an undefined one counts as reached.
    """

    def size(swaps: tuple[bool, ...]) -> float:
        difference, influence = 0.0, [0.0] * clusters
        for arm, sign in ((0, 1.0), (1, -1.0)):
            for coefficient, *ratio in terms:
                chosen = [2 * (arm != swaps[g]) for g in range(clusters)]
                above, below = ([float(ratio[chosen[g] + part][g]) for g in range(clusters)] for part in (0, 1))
                if not sum(below):
                    return np.nan
                value = sum(above) / sum(below)
                difference += sign * coefficient * value
                for g in range(clusters):
                    influence[g] += sign * coefficient * (above[g] - value * below[g]) / sum(below)
        spread = sum(one**2 for one in influence)
        return difference**2 / (difference**2 + spread) if difference**2 + spread > 1e-24 else 0.0

    observed = size((False,) * clusters)
    return float(np.mean([not size(swaps) < observed - 1e-12 for swaps in product((False, True), repeat=clusters)]))


@pytest.mark.parametrize("seed", range(8))
def test_swaps_agree_with_all_swaps_written_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two, three = (random_ratio(rng, 6) for _ in range(3))
    metrics = [
        [Term(1.0, *one)],
        [Term(1.0, *one), Term(-1.0, *two)],
        [Term(1 / 3, *one), Term(1 / 3, *two), Term(1 / 3, *three)],
        [Term(2.0, *two), Term(-1.0, *one)],
    ]
    tests = swap_tests(metrics)
    assert [test.p for test in tests] == [written_out(terms, 6) for terms in metrics]


def test_a_swap_that_leaves_no_denominator_counts_as_reached() -> None:
    # Only cluster 0 of arm a and cluster 1 of arm b have anything: as observed 1 − 0; one of the two distinct swaps
    # puts both into one arm, and the other has nothing. Counted as reached: p = 1.
    ratio = (floats(1, 0), floats(1, 0), floats(0, 0), floats(0, 1))
    terms = [Term(1.0, *ratio)]
    assert swap_test(terms).p == written_out(terms, 2) == 1


def test_a_denominator_of_rounding_is_none() -> None:
    # Each cluster has values in one arm only, so two of the sixteen swaps leave an arm without any: counted as
    # reached. As observed a has (0.1 + 0.3)/(0.1 + 0.3) = 1 and b 0/(0.2 + 0.7) = 0, the largest difference there is;
    # only its reverse reaches it otherwise: 4/16.
    weights = floats(0.1, 0.2, 0.3, 0.7)
    of_a = np.array([True, False, True, False])
    ratio = (weights * of_a, weights * of_a, np.zeros(4), weights * ~of_a)
    assert swap_test([Term(1.0, *ratio)]).p == 4 / 16
    # How such weights cancel out differs between machines: what is left of 1.3 after 1.3 may be 0 or 1.1e-16.
    left = signflips._terms(np.ones(1), np.array([[0.0, 0.2], [1.1e-16, 0.4]]), np.array([[0.2], [0.65]]))
    assert np.array_equal(left, [[np.nan, 0.5]], equal_nan=True)


@given(FEW)
def test_swaps_equal_on_paper_count_as_equal(sums: Floats) -> None:
    ratio = (np.maximum(sums, 0), np.full(len(sums), 0.3), np.maximum(-sums, 0), np.full(len(sums), 0.3))
    assert swap_test([Term(1.0, *ratio)]).p == sign_flip_test(sums).p


def test_equal_denominators_are_sign_flips() -> None:
    rng = np.random.default_rng(5)
    for clusters in (10, 40):
        size = rng.integers(1, 8, clusters)
        above = rng.binomial(size, 0.5, (2, clusters)).astype(np.float64)
        below = size.astype(np.float64)
        swaps = swap_test([Term(1.0, above[0], below, above[1], below)])
        assert swaps.p == sign_flip_test(above[0] - above[1]).p


def test_swaps_are_symmetric_and_shared() -> None:
    rng = np.random.default_rng(6)
    one, two = random_ratio(rng, 50), random_ratio(rng, 50)
    terms = [Term(1.0, *one), Term(-1.0, *two)]
    reverse = [Term(coefficient, *ratio[2:], *ratio[:2]) for coefficient, *ratio in terms]
    alone = swap_test(terms)
    tests = swap_tests([terms, [Term(1.0, *one)], reverse])
    assert (tests[0], tests[2]) == (alone, alone)
    assert alone.method == "label swaps, 9,999 drawn"


def test_arms_that_are_the_same() -> None:
    above, below = floats(1, 2, 3), floats(2, 2, 4)
    test = swap_test([Term(1.0, above, below, above, below)])
    assert (test.p, test.differing, test.note) == (1, 0, "no cluster differs")


def test_an_arm_without_values() -> None:
    nothing = np.zeros(3)
    test = swap_test([Term(1.0, floats(1, 0, 1), np.ones(3), nothing, nothing)])
    assert (test.p, test.note) == (None, "not defined: one side has no values")


def test_refuses_swaps_of_bad_sums() -> None:
    one = np.ones(2)
    with pytest.raises(ValueError, match="below 0"):
        swap_test([Term(1.0, one, one, one, -one)])
    with pytest.raises(ValueError, match="finite"):
        swap_test([Term(1.0, one, one, one, one * np.nan)])


# Data in which nothing differs

TRIALS = 400
MOST_FALSE_ALARMS = 0.085


def clustered_arms(rng: np.random.Generator, clusters: int) -> tuple[Floats, Floats, Floats]:
    """Right answers of two arms and the number of pairs, trials × clusters: each arm is good at clusters of its own."""
    size = rng.integers(1, 25, (TRIALS, clusters))
    right = [rng.binomial(size, rng.beta(0.6, 0.4, size.shape)).astype(np.float64) for _ in range(2)]
    return right[0], right[1], size.astype(np.float64)


def alarms(tests: list[signflips.Test]) -> float:
    return float(np.mean([p_of(test) <= 0.05 for test in tests]))


@pytest.mark.parametrize("clusters", [10, 30, 88])
def test_false_alarms_of_sign_flips_on_items_within_clusters(clusters: int) -> None:
    rng = np.random.default_rng(2024)
    first, second, _ = clustered_arms(rng, clusters)
    rate = alarms(sign_flip_tests((first - second).T))
    assert 0.02 <= rate <= MOST_FALSE_ALARMS


def test_mcnemar_on_items_within_clusters_raises_false_alarms() -> None:
    # What the sign flips of whole clusters are for: the same data, item by item.
    rng = np.random.default_rng(2024)
    size = 12
    shares = rng.beta(0.6, 0.4, (2, TRIALS, 30, 1))
    first, second = (rng.random((2, TRIALS, 30, size)) < shares).astype(np.float64)
    differences = first - second
    items = differences.reshape(TRIALS, -1).T
    assert alarms(sign_flip_tests(items, np.ones(items.shape, dtype=np.int64))) > 0.25
    assert alarms(sign_flip_tests(differences.sum(axis=-1).T)) <= MOST_FALSE_ALARMS


def test_false_alarms_of_swaps_with_unequal_denominators() -> None:
    # Both arms lose a share of their answers that differs from cluster to cluster.
    rng = np.random.default_rng(2024)
    size = rng.integers(1, 25, (TRIALS, 30))
    read = [rng.binomial(size, rng.beta(4, 1, size.shape)) for _ in range(2)]
    right = [rng.binomial(count, rng.beta(0.6, 0.4, size.shape)) for count in read]
    sums = [part.astype(np.float64) for arm in zip(right, read, strict=True) for part in arm]
    tests = swap_tests([[Term(1.0, *(part[trial] for part in sums))] for trial in range(TRIALS)])
    assert 0.02 <= alarms(tests) <= MOST_FALSE_ALARMS


def test_a_real_difference_is_found() -> None:
    rng = np.random.default_rng(2024)
    size = rng.integers(1, 25, (TRIALS, 88))
    first, second = (rng.binomial(size, rng.beta(*shape, size.shape)).astype(np.float64) for shape in ((3, 1), (2, 2)))
    assert alarms(sign_flip_tests((first - second).T)) >= 0.9
