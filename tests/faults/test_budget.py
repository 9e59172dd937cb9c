"""A budget over several models and judges: used up before it is said to be, and nobody waits for ever."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil
from counterfoil import Run
from mock_server import Answer, MockServer, completion

pytestmark = pytest.mark.heavy

QUESTIONS = 40
# Of each reply: 60 in and 2 out.
TOKENS = 62


def behave(request: dict[str, Any]) -> Answer:
    return completion("yes" if request["model"] == "judge" else "B")


@pytest.mark.parametrize("limit", [30, 100, 500, 3_000])
@pytest.mark.parametrize("concurrency", [(), ("--concurrency", "2")], ids=["adapts", "two"])
def test_models_and_judges_share_it_to_the_end(limit: int, concurrency: tuple[str, ...], tmp_path: Path) -> None:
    with MockServer(behave, latency=0.005) as server:
        arguments = ["run", SUITE, "--model", "vllm/a", "--model", "vllm/b", "--judge", "vllm/judge"]
        arguments += ["--base-url", server.url, "--data", str(QUESTIONS), "--out", "out", *concurrency]
        done = counterfoil(*arguments, "--max-tokens-total", str(limit), cwd=tmp_path)
        sent = len(server.requests)
    assert done.returncode == 1, done.stderr
    assert f"the budget of {limit:,} tokens is reached" in done.stderr
    assert Run(tmp_path / "out").records.height == 2 * QUESTIONS
    # An ask has less than 200 letters: by the estimate under 50 + 4 tokens in, and at most 16 out. So while 70 are left
    # and nothing is in flight, another one is sent.
    told = [int(used.replace(",", "")) for used in re.findall(r"is reached \(([0-9,]+) used\)", done.stderr)]
    assert told
    assert all(limit - 70 < used <= sent * TOKENS for used in told)


def test_a_budget_that_is_enough_for_all_asks_all(tmp_path: Path) -> None:
    # 40 replies of 62 tokens are 2,480. Before the first comes, 16 asks at a time would set aside hundreds each.
    with MockServer(behave, latency=0.01) as server:
        arguments = ("run", SUITE, "--model", "vllm/a", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--out", "out", "--max-tokens", "256", "--max-tokens-total", "2500")
        done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == QUESTIONS
