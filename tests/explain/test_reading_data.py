"""The figures that reading must reach on real replies whose mentions people have judged."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "cfe"

pytestmark = [pytest.mark.heavy, pytest.mark.skipif(not DATA.is_dir(), reason=f"the CFE replies are not there: {DATA}")]


def load_benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("mentions_benchmark", ROOT / "benchmarks" / "mentions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def benchmark() -> Any:
    return load_benchmark()


@pytest.fixture(scope="module")
def replies(benchmark: Any) -> list[Any]:
    found: list[Any] = benchmark.load(DATA)
    assert len(found) == 956
    return found


def test_mentions(benchmark: Any, replies: list[Any]) -> None:
    found = benchmark.agreement(replies, benchmark.found_by_reading)
    assert found.f1 >= 0.985
    assert found.precision >= 0.98
    assert found.recall >= 0.98
    # The data is what it is said to be: a plain search does much worse.
    assert benchmark.agreement(replies, benchmark.found_by_plain_search).f1 < 0.94


def test_answers(benchmark: Any, replies: list[Any]) -> None:
    assert benchmark.share_right(replies) >= 0.98
    assert benchmark.share_right_with_wrong_gold(replies) <= 0.03
    # Those left over still give the gold answer in another form than the one that was replaced.
    assert benchmark.share_right_with_gold_replaced(replies) <= 0.08
