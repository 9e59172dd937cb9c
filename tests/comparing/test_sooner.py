"""What a plan says of runs that stop early, and of the hours that asking takes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from counterfoil.asking.ledger import Ledger
from counterfoil.comparing.sooner import Pace, pace_of, until_decided
from counterfoil.stats.stopping.expected import course, larger

USUAL = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)


class Cents:
    """One cent for each ask."""

    def of(self, asks: int) -> dict[str, Any]:
        return {"cost": asks / 100}


def test_a_single_look_asks_all_and_finds_what_it_finds() -> None:
    """A drift of 1.96 + 0.84 is found with a chance of 80 %; of 0, falsely, with 5 %."""
    assert course((1.0,), 2.8016, 0.0) == pytest.approx((0.8, 1.0), abs=1e-4)
    assert course((1.0,), 0.0, 0.1) == pytest.approx((0.05, 1.0), abs=1e-6)
    assert larger((1.0,), 0.0) == pytest.approx(1.0, abs=1e-3)


def test_false_alarms_over_all_looks_are_five_percent_and_fewer_with_futility() -> None:
    assert course(USUAL, 0.0, 0.0).power == pytest.approx(0.05, abs=1e-6)
    assert course(USUAL, 0.0, 0.1).power < 0.05


def test_the_larger_the_difference_the_fewer_asks() -> None:
    """As simulated: 400,000 Brownian paths gave 0.735, 0.346 and 0.185 of the asks, and 0.648 where nothing differs."""
    assert course(USUAL, 2.8, 0.0).share == pytest.approx(0.735, abs=0.003)
    assert course(USUAL, 5.6, 0.0).share == pytest.approx(0.346, abs=0.003)
    assert course(USUAL, 8.4, 0.0).share == pytest.approx(0.185, abs=0.003)
    assert course(USUAL, 0.0, 0.1).share == pytest.approx(0.648, abs=0.003)


def test_a_plan_until_it_is_decided() -> None:
    """100 clusters of 4 questions in two orders; at 36 asks an hour, 100 seconds for each."""
    sizes = {f"c{number}": 8 for number in range(150)}
    found = until_decided(100, 600, sizes, 1, Cents(), Pace(100.0))
    assert 110 < found.clusters < 125
    assert found.in_dataset
    assert found.questions == 4 * found.clusters
    assert found.asks_per_model == 8 * found.clusters
    asks = [one.asks_per_model for one in found.expected]
    assert [one.multiple for one in found.expected] == [0, 1, 2, 3]
    assert asks[0] < found.asks_per_model
    assert asks[1] > asks[2] > asks[3]
    for one in found.expected:
        assert one.cost == one.asks_per_model / 100
        assert one.hours == pytest.approx(one.asks_per_model / 36)


def test_the_pace_is_that_of_the_latest_replies(tmp_path: Path) -> None:
    """Replies of 2 s that came every half second; a night in between counts as ten latencies: (3 · 0.5 + 20) ÷ 4."""
    path = tmp_path / "ledger.sqlite"
    assert pace_of(path, ["a"]).hours(1) is None
    with Ledger(path):
        pass
    assert pace_of(path, ["a"]).hours(1) is None
    times = (0.0, 0.5, 1.0, 30_000.0, 30_000.5)
    row = "INSERT INTO replies (key, model, status, received_at, ask, text, latency, attempts)"
    with closing(sqlite3.connect(path)) as connection:
        for number, time in enumerate(times):
            connection.execute(f"{row} VALUES (?, 'a', 'ok', ?, '{{}}', '', 2.0, 1)", (bytes([number]), time))
        connection.commit()
    assert pace_of(path, ["a"]).hours(3_600) == pytest.approx((3 * 0.5 + 20) / 4)
    assert pace_of(path, ["a", "b"]).hours(1) is None
