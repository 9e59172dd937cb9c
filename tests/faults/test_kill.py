"""Killed at any moment and started again: every question answered once, nothing that was stored asked again."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import SUITE, counterfoil, ended, start
from counterfoil import Run
from mock_server import Answer, MockServer, completion

pytestmark = pytest.mark.heavy

QUESTIONS, CONCURRENCY = 3_000, 16
MOST_AT_ONCE = 130  # twenty times that, and what is in flight, is less than all questions


def stored_prompts(ledger: Path) -> set[str]:
    """The prompts whose replies are durable, as another process sees them."""
    if not ledger.exists():
        return set()
    connection = sqlite3.connect(ledger)
    try:
        rows = connection.execute("SELECT json_extract(ask, '$.messages[0].content') FROM replies").fetchall()
    except sqlite3.OperationalError:  # killed before the tables were made
        rows = []
    connection.close()
    return {row[0] for row in rows}


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_kill_at_random_moments_again_and_again(kills: int, tmp_path: Path) -> None:
    chance = random.Random(20261115)
    ledger = tmp_path / ".counterfoil" / "ledger.sqlite"
    last = 0  # the number of the request at which the process is killed
    process: subprocess.Popen[str] | None = None

    def behave(request: dict[str, Any]) -> Answer:
        if process is not None and len(server.requests) >= last:
            process.kill()
        return completion()

    with MockServer(behave, latency=0.02) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url)
        arguments += ("--data", str(QUESTIONS), "--concurrency", str(CONCURRENCY), "--out", "out")
        for kill in range(kills):
            asked_before, stored_before = len(server.requests), stored_prompts(ledger)
            last = asked_before + chance.randint(1, MOST_AT_ONCE)
            process = start(*arguments, cwd=tmp_path)
            if kill % 4 == 3:  # at any moment, perhaps before it asks; the others in the middle of asking
                time.sleep(chance.uniform(0, 0.5))
                process.kill()
            assert ended(process).returncode == -signal.SIGKILL
            asked_now = server.prompts[asked_before:]
            assert not stored_before & set(asked_now), "an ask whose reply was stored was sent again"
            assert stored_before <= stored_prompts(ledger), "a stored reply is gone"
        process = None
        asked_before, stored_before = len(server.requests), stored_prompts(ledger)
        assert 0 < len(stored_before) < QUESTIONS, "the kills must fall into the middle of the work"
        done = counterfoil(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert not stored_before & set(server.prompts[asked_before:])
        times_asked = Counter(server.prompts)
        again = counterfoil(*arguments, cwd=tmp_path)
        assert Counter(server.prompts) == times_asked, "a complete run asks nothing"
    assert again.stdout == done.stdout
    records = Run(tmp_path / "out").records
    assert records.height == QUESTIONS
    assert records["question_id"].n_unique() == QUESTIONS
    assert records.filter(pl.col("outcome") != "answered").is_empty()
    # Each kill can waste what was in flight: a place is held until its reply is stored.
    wasted = sum(times - 1 for times in times_asked.values())
    assert wasted <= kills * CONCURRENCY, wasted
    assert max(times_asked.values()) <= kills + 1
    connection = sqlite3.connect(ledger)
    assert connection.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone() == (QUESTIONS, QUESTIONS)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
