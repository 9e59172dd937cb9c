"""The order of asks: random, whole clusters together, and little is held of a dataset that makes its questions."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import groupby

import pytest

from counterfoil.running import sampling
from counterfoil.running.sampling import Order
from three_choice import Numbers

pytestmark = pytest.mark.heavy


def test_each_question_comes_once_with_its_place_and_clusters_stay_together() -> None:
    numbers = list(Numbers(1_000))
    asked = list(Order(numbers, 3))
    assert sorted(place for place, _ in asked) == list(range(1_000))
    assert all(numbers[place] is question for place, question in asked)
    clusters = [cluster for cluster, _ in groupby(question.cluster for _, question in asked)]
    assert len(clusters) == len(set(clusters)) == 300


def test_each_cluster_may_be_the_first_of_them() -> None:
    # 20 clusters, the first 9 of 4,000 seeds: 1,800 times each, with a standard error of 31.5.
    numbers = list(Numbers(20))
    among_nine = Counter(question.id for seed in range(4_000) for _, question in list(Order(numbers, seed))[:9])
    assert max(abs(among_nine[question.id] - 1_800) for question in numbers) < 4.5 * 31.5


def test_the_order_does_not_depend_on_the_parts_it_is_made_in(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(Order(Numbers(1_000), 0))
    monkeypatch.setattr(sampling, "HELD", 100)
    assert list(Order(Numbers(1_000), 0)) == whole
    assert list(Order(Numbers(1_000), 1)) != whole


def test_of_a_large_dataset_places_alone_are_kept() -> None:
    def memory(count: int) -> int:
        """The most that was held while going through so many questions that are made as they are needed."""
        tracemalloc.start()
        try:
            in_order = Order(Numbers(count), 0)
            tracemalloc.reset_peak()
            for _ in in_order:
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # A question takes more than 400 bytes here: all 60,000 would be 24 MB more than 16,384.
    assert memory(76_384) - memory(16_384) < 2e6
