"""Figures that labels correct: what they are by hand, and what must hold of any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.rating.correcting import CERTAIN, Corrected, Sample, Term, corrected


def share(
    machine: list[float], said: dict[int, float], clusters: list[int], strata: list[int] | None = None
) -> Corrected:
    """The share of ones, of which people have said these."""
    strata = strata or [0] * len(machine)
    rated = np.array(list(said))
    of = np.array(strata)
    weight = np.array([np.sum(of == of[place]) / np.sum(of[rated] == of[place]) for place in rated])
    one = np.ones(len(machine))
    term = Term(1.0, np.array(machine), one, np.array(list(said.values())), one[rated])
    return corrected([term], Sample(np.array(clusters), of, rated, weight), (0.0, 1.0))


def test_a_machine_that_tells_nothing_leaves_what_people_say() -> None:
    # 1 for every reply: 6 of 8 labels are 1.
    found = share([1.0] * 40, {place: float(place % 4 != 0) for place in range(8)}, list(range(40)))
    assert found.corrected.value == pytest.approx(0.75)
    assert found.corrected[1:3] == found.people[1:3]
    assert found.power == 0
    # Reported is 1.
    assert found.shift.value == pytest.approx(-0.25)


def test_where_all_replies_are_rated_people_have_the_last_word() -> None:
    machine = [float(place % 3 == 0) for place in range(30)]
    said = {place: float(place % 2 == 0) for place in range(30)}
    found = share(machine, said, [place // 2 for place in range(30)])
    # λ·mean f + mean of (y − λf) over the same replies: 15 of 30 whatever λ is.
    assert found.corrected.value == pytest.approx(0.5)


def test_the_value_by_hand() -> None:
    # 40 replies, one in each cluster: the machine says 1 for 20 of them. Rated: 8 of these and 8 of the others. Of the
    # first 6 are 1, of the others 1. The share is by hand, with the best λ for it: cov(y, f)/var(f) over the labels is
    # 6/8 − 1/8 = 0.625, times (1 − 16/40) less noise of f: labels are as good as all of them here, since f̄ is the same
    # in both, 0.5. So the value does not depend on λ: 7/16 = 0.4375.
    machine = [1.0] * 20 + [0.0] * 20
    said = {**{place: float(place < 6) for place in range(8)}, **{20 + place: float(place < 1) for place in range(8)}}
    found = share(machine, said, list(range(40)))
    assert found.corrected.value == pytest.approx(0.4375)
    assert 0.3 < found.power < 0.7
    # With 16 labels of which 10 are of the first kind, 7.5 of which are 1 in 10, the sample has too many of them:
    # λ moves it from 8/16 towards 0.5·0.7 + 0.5·1/6.
    said = {**{place: float(place < 7) for place in range(10)}, **{20 + place: float(place < 1) for place in range(6)}}
    found = share(machine, said, list(range(40)))
    moved = 8 / 16 + found.power * (20 / 40 - 10 / 16)
    assert found.corrected.value == pytest.approx(moved)


def test_labels_of_a_stratum_stand_for_all_its_replies() -> None:
    # 30 replies of which 10 are rated, 8 of them 1; 10 of which 10 are rated, 2 of them 1: (30·0.8 + 10·0.2)/40.
    strata = [0] * 30 + [1] * 10
    said = {**{place: float(place < 8) for place in range(10)}, **{30 + place: float(place < 2) for place in range(10)}}
    found = share([1.0] * 40, said, list(range(40)), strata)
    assert found.people.value == pytest.approx(0.65)


def test_what_people_can_not_rate_stands() -> None:
    # 10 replies without a text, all 0 to the machine; the other 30 are 1 to 9 of 10 people: (10·0 + 30·0.9)/40.
    strata = [CERTAIN] * 10 + [0] * 30
    said = {10 + place: float(place < 9) for place in range(10)}
    found = share([0.0] * 10 + [1.0] * 30, said, list(range(40)), strata)
    assert found.people.value == pytest.approx(0.675)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    right=st.floats(0.01, 0.99),
    judge=st.floats(0.5, 1.0),
    clusters=st.integers(5, 40),
    labels=st.integers(5, 60),
)
def test_it_is_never_wider_than_people_alone(seed: int, right: float, judge: float, clusters: int, labels: int) -> None:
    luck = np.random.default_rng(seed)
    of = luck.integers(0, clusters, 200)
    truth = (luck.random(200) < right).astype(float)
    machine = np.where(luck.random(200) < judge, truth, 1 - truth)
    rated = luck.choice(200, labels, replace=False)
    _, numbers = np.unique(of, return_inverse=True)
    found = share(machine.tolist(), {int(place): truth[place] for place in rated}, numbers.tolist())
    for interval in found[:3]:
        if interval.low is not None and interval.high is not None and interval.value is not None:
            assert interval.low <= interval.value <= interval.high
    if found.people.low is not None and found.people.high is not None:
        assert found.corrected.low is not None
        assert found.corrected.high is not None
        assert 0 <= found.corrected.low <= found.corrected.high <= 1
        assert found.corrected.high - found.corrected.low <= found.people.high - found.people.low + 1e-12
    assert abs(found.influence.sum()) < 1e-9
