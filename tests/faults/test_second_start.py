"""The same command started twice: the first one ends its work, the second is told, and neither harms the other."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil, ended, start
from counterfoil import Run
from mock_server import Answer, MockServer, completion
from waiting import SECONDS, wait_until

pytestmark = pytest.mark.heavy

QUESTIONS = 60


def test_a_second_start_while_the_first_asks_leaves_it_alone(tmp_path: Path) -> None:
    second_has_ended = threading.Event()

    def behave(request: dict[str, Any]) -> Answer:
        second_has_ended.wait(SECONDS)
        return completion()

    with MockServer(behave) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--concurrency", "2", "--out", "out")
        first = start(*arguments, cwd=tmp_path)
        wait_until(lambda: server.requests or first.poll() is not None)
        second = counterfoil(*arguments, cwd=tmp_path)
        second_has_ended.set()
        done = ended(first)
    assert second.returncode == 2
    assert "Another process is at work on out" in second.stderr
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == QUESTIONS
    assert Run(tmp_path / "out").records.height == QUESTIONS


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3])
def test_of_two_starts_at_the_same_time_one_or_both_end_well(delay: float, tmp_path: Path) -> None:
    arguments = ("run", SUITE, "--model", "planted/three_choice:suite", "--data", "3000", "--out", "out")
    processes = [start(*arguments, cwd=tmp_path)]
    time.sleep(delay)
    processes.append(start(*arguments, cwd=tmp_path))
    done = [ended(process) for process in processes]
    codes, said = [process.returncode for process in done], [process.stderr for process in done]
    assert sorted(codes) in ([0, 0], [0, 2]), said
    for code, err in zip(codes, said, strict=True):
        assert code == 0 or "Another process is at work on out" in err
    assert Run(tmp_path / "out").records.height == 3000
