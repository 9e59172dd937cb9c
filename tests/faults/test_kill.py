"""Killed at any moment and started again: every question answered once, nothing that was stored asked again."""

from __future__ import annotations

import random
import sqlite3
import time
from collections import Counter
from pathlib import Path

import polars as pl

from commands import SUITE, counterfoil, start
from counterfoil import Run
from mock_server import MockServer

QUESTIONS, CONCURRENCY, KILLS = 3_000, 16, 20


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


def wait_for_more(server: MockServer, requests: int) -> None:
    for _ in range(3_000):
        if len(server.requests) > requests:
            return
        time.sleep(0.01)
    raise AssertionError("the run does not ask")


def test_kill_at_random_moments_twenty_times_over(tmp_path: Path) -> None:
    chance = random.Random(20261115)
    ledger = tmp_path / ".counterfoil" / "ledger.sqlite"
    with MockServer(latency=0.05) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url)
        arguments += ("--data", str(QUESTIONS), "--concurrency", str(CONCURRENCY), "--out", "out")
        for kill in range(KILLS):
            asked_before, stored_before = len(server.requests), stored_prompts(ledger)
            process = start(*arguments, cwd=tmp_path)
            if kill % 4:  # in the middle of asking, however slow the machine starts; every fourth at any moment
                wait_for_more(server, asked_before)
            time.sleep(chance.uniform(0, 0.5))
            process.kill()
            process.communicate()
            asked_now = server.prompts[asked_before:]
            assert not stored_before & set(asked_now), "an ask whose reply was stored was sent again"
            assert stored_before <= stored_prompts(ledger), "a stored reply is gone"
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
    # Each kill can waste what was in flight: the places, and replies that had come and were about to be stored.
    wasted = sum(times - 1 for times in times_asked.values())
    gathering = CONCURRENCY  # a batch that was being committed is as large as what arrives in that time
    assert wasted <= KILLS * (CONCURRENCY + gathering), wasted
    assert max(times_asked.values()) <= KILLS
    connection = sqlite3.connect(ledger)
    assert connection.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone() == (QUESTIONS, QUESTIONS)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
