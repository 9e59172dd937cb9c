"""Intervals of paired differences cover the truth as often as they say: the benchmark's simulation, reduced."""

from __future__ import annotations

import numpy as np
import pytest

from benchmark_modules import benchmark

simulation = benchmark("pairing")
RIGHT, LEAPS, SIGNED = simulation.answers, simulation.leaps, simulation.signed


@pytest.mark.parametrize(
    ("draw", "settings"),
    [
        (RIGHT, (0.5, 0.5)),
        (RIGHT, (0.95, 1)),
        (LEAPS, (0.5, 0.1, 0.02, 0.05, True)),
        (SIGNED, (0.6, 0.3)),
    ],
    ids=["alike", "rarely different", "leaps", "signed"],
)
@pytest.mark.parametrize("sizes", ["one in each", "four in each"])
def test_coverage(draw: object, settings: tuple[float, ...], sizes: str) -> None:
    kind = simulation.SIGNED if draw is SIGNED else simulation.RIGHT
    cell = simulation.Cell(30, sizes, kind, draw, settings)
    found = simulation.measure(cell, 400, np.random.default_rng(7))
    assert found[simulation.SHIPPED].coverage >= 0.91
    assert found[simulation.SHIPPED].width <= found[simulation.BEFORE].width


def test_no_true_difference_is_covered_less_often(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulation.at_any_difference(simulation.QUICK) == []
    assert capsys.readouterr().out.count("%") == len(simulation.QUICK.clusters)
