"""The intervals cover the truth as often as they say: the benchmark's simulation on a reduced grid."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def load_benchmark() -> Any:
    path = Path(__file__).parents[2] / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


benchmark = load_benchmark()
SIZES = ("1 to 24", "skewed")
SHARES = [(0.02, 0.98), (0.3, 0.7), (0.98, 0.02)]
SIGNS = [(0.1, 0.85, 0.05), (0.5, 0.4, 0.1), (0.95, 0.03, 0.02)]
PAIRS = [(0.25, 0.25, 0.25, 0.25), (0.49, 0.01, 0.01, 0.49), (0.85, 0.05, 0.04, 0.06)]
RATIOS = [(0.25, 0.25, 0.25, 0.25), (0.5, 0.05, 0.35, 0.1), (0.85, 0.05, 0.06, 0.04)]


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("proportion", benchmark.grid((30, 88, 269), SIZES, SHARES)),
        ("score", benchmark.grid((30, 88), SIZES[:1], SHARES)),
        ("signed", benchmark.grid((30, 88), SIZES, SIGNS)),
        ("difference", benchmark.grid((30, 88), SIZES, PAIRS)),
        ("ratio", benchmark.grid((30, 88), SIZES, RATIOS)),
    ],
    ids=["proportion", "score", "signed", "difference", "ratio"],
)
def test_coverage(kind: str, cells: list[Any]) -> None:
    rng = np.random.default_rng(2024)
    simulated = benchmark.Kind(kind, getattr(benchmark, kind), cells, 0.90)
    coverage = [benchmark.measure(simulated, cell, 400, rng).coverage for cell in cells]
    assert 0.94 <= np.mean(coverage) <= 0.98
    assert min(coverage) >= 0.90


def test_coverage_with_few_clusters() -> None:
    rng = np.random.default_rng(2024)
    cells = benchmark.grid((8,), SIZES[:1], SHARES)
    simulated = benchmark.Kind("proportion", benchmark.proportion, cells, 0.85)
    assert min(benchmark.measure(simulated, cell, 400, rng).coverage for cell in cells) >= 0.85
