"""The intervals cover the truth as often as they say: the benchmark's simulation on a reduced grid."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from benchmark_modules import benchmark

pytestmark = pytest.mark.heavy

simulation = benchmark("coverage")
SIZES = ("1 to 24", "skewed")
SHARES = [(0.02, 0.98), (0.3, 0.7), (0.98, 0.02)]
SIGNS = [(0.1, 0.85, 0.05), (0.5, 0.4, 0.1), (0.95, 0.03, 0.02)]
PAIRS = [(0.25, 0.25, 0.25, 0.25), (0.49, 0.01, 0.01, 0.49), (0.85, 0.05, 0.04, 0.06)]
RATIOS = [(0.25, 0.25, 0.25, 0.25), (0.5, 0.05, 0.35, 0.1), (0.85, 0.05, 0.06, 0.04)]
# Few clusters are quite unlike the rest: a sample may hold none of them.
ODD = [
    simulation.Cell(*parts, 0.9, (p, 1 - p)) for parts in product((15, 30, 88), SIZES) for p in (0.8, 0.9, 0.95, 0.99)
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("proportion", simulation.grid((30, 88, 269), SIZES, SHARES)),
        ("proportion_with_odd_clusters", ODD),
        ("signed_with_odd_clusters", ODD),
        ("score", simulation.grid((30, 88), SIZES[:1], SHARES)),
        ("signed", simulation.grid((30, 88), SIZES, SIGNS)),
        ("difference", simulation.grid((30, 88), SIZES, PAIRS)),
        ("ratio", simulation.grid((30, 88), SIZES, RATIOS)),
    ],
    ids=["proportion", "proportion, odd clusters", "signed, odd clusters", "score", "signed", "difference", "ratio"],
)
def test_coverage(kind: str, cells: list[Any]) -> None:
    rng = np.random.default_rng(2024)
    simulated = simulation.Kind(kind, getattr(simulation, kind), cells, 0.90)
    coverage = [simulation.measure(simulated, cell, 400, rng).coverage for cell in cells]
    assert np.mean(coverage) >= 0.94
    # Near 0 and 1, and where clusters are unlike the rest, intervals may cover more.
    regular = [
        covered for covered, cell in zip(coverage, cells, strict=True) if max(cell.truth) < 0.9 and cells is not ODD
    ]
    assert not regular or np.mean(regular) <= 0.98
    assert min(coverage) >= 0.90


@pytest.mark.slow
def test_coverage_with_few_clusters() -> None:
    rng = np.random.default_rng(2024)
    cells = simulation.grid((8,), SIZES[:1], SHARES)
    simulated = simulation.Kind("proportion", simulation.proportion, cells, 0.85)
    assert min(simulation.measure(simulated, cell, 400, rng).coverage for cell in cells) >= 0.85
