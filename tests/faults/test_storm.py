"""Bad weather: the run finishes, and every ask is answered."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import SUITE, counterfoil
from counterfoil import Run
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

QUESTIONS = 1_500


@pytest.mark.slow
def test_a_storm_of_every_kind_of_fault(tmp_path: Path) -> None:
    chance = random.Random(7)

    def behave(request: dict[str, Any]) -> Answer:
        draw = chance.random()
        for share, answer in (
            (0.10, error(429, "slow down", {"Retry-After": "0.1"})),
            (0.05, error(500, "oops")),
            (0.02, Answer(reset=True)),
            (0.01, Answer(completion().body[:70])),
            (0.002, Answer(hang=True)),
        ):
            if draw < share:
                return answer
            draw -= share
        return completion()

    with MockServer(behave) as server:
        done = counterfoil(
            *("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(QUESTIONS)),
            *("--timeout", "5", "--out", "out"),
            cwd=tmp_path,
        )
        sent = len(server.requests)
    assert done.returncode == 0, done.stderr
    run = Run(tmp_path / "out")
    assert run.records.filter(pl.col("outcome") == "answered").height == QUESTIONS
    (model,) = run.manifest["models"]
    # A share of 0.182 fails, so about 0.182 / (1 - 0.182) = 0.22 retries for each question: 334 of 1,500, give or take.
    assert 220 < model["retries"] < 460
    # Every request beyond the first of each question is a retry.
    assert sent - QUESTIONS == model["retries"]


def test_a_server_that_asks_for_a_short_wait_gets_it(tmp_path: Path) -> None:
    # Everything is refused until ten complaints were made; then all is well.
    refused = 0

    def behave(request: dict[str, Any]) -> Answer:
        nonlocal refused
        if refused < 10:
            refused += 1
            return error(429, "slow down", {"Retry-After": "0.2"})
        return completion()

    with MockServer(behave) as server:
        done = counterfoil(
            *("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "50", "--out", "out"), cwd=tmp_path
        )
    assert done.returncode == 0, done.stderr
    assert Run(tmp_path / "out").records.filter(pl.col("outcome") == "answered").height == 50
