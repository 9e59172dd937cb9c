"""Sums are the same to the last digit in whatever order records come to them."""

from __future__ import annotations

import random

import polars as pl
import pytest

from counterfoil.stats.sums import Columns, arm_sums, mean_sums, ratio_sums


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_order_of_records_does_not_matter(weight: str | None) -> None:
    # Thirds and sevenths: their floating-point sums depend on the order in which they are added.
    chance = random.Random(15)
    frame = pl.DataFrame(
        {
            "model": [f"m{i % 2}" for i in range(5_000)],
            "cluster": [f"c{i % 7}" for i in range(5_000)],
            "x": [chance.random() / 3 for _ in range(5_000)],
            "y": [chance.random() / 7 for _ in range(5_000)],
            "first": [i % 3 == 0 for i in range(5_000)],
            "w": [chance.random() * 30 for _ in range(5_000)],
        }
    )
    columns = Columns(["model"], "cluster", weight)

    def sums(rows: pl.DataFrame) -> list[list[float]]:
        made = [*mean_sums(rows, columns, "x", 0.0)[2:], *arm_sums(rows, columns, "x", "first")[2:]]
        made += ratio_sums(rows, columns, "y", "x")[2:]
        return [array.tolist() for part in made for array in part]

    expected = sums(frame)
    for seed in range(5):
        assert sums(frame.sample(fraction=1.0, shuffle=True, seed=seed)) == expected


def test_sums_are_as_good_as_those_of_floating_point() -> None:
    # 1,000 tenths and no weights: 100, within the last digits of a double.
    frame = pl.DataFrame({"cluster": ["c"] * 1_000, "x": [0.1] * 1_000})
    _, _, sums = mean_sums(frame, Columns([], "cluster", None), "x", 0.0)
    assert sums.s.tolist() == [pytest.approx(100.0, rel=1e-14)]
    assert sums.n.tolist() == [1_000.0]
