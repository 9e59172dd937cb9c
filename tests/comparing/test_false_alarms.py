"""Two respondents that are alike: how often a whole comparison shows something."""

from __future__ import annotations

import pytest

from benchmark_modules import benchmark

TRIALS = 200


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["bias", "explain", "memorization"])
def test_at_most_one_comparison_in_twenty_shows_something(suite: str) -> None:
    # The largest cell of the self-test in which two respondents are alike; questions and replies are drawn anew in
    # each trial. 5 % of 200 trials are 10, with a standard error of sqrt(200 · 0.05 · 0.95) = 3.1: at most 19.
    simulation = benchmark("false_alarms")
    *_, (planting, cell) = simulation.compared_cells(suite)
    found = simulation.false_alarms(planting, cell, TRIALS)
    assert found.trials == TRIALS
    assert not found.too_many, found
    assert found.either <= 19, found
    # Without a correction it would be three times as many and more.
    assert found.uncorrected > 2 * found.either, found
