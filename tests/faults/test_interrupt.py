"""Ctrl-C: once, and what is there is scored; twice, and it leaves at once. Neither loses a reply."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path

import polars as pl
import pytest

from commands import SUITE, counterfoil, start
from counterfoil import Run
from mock_server import MockServer

QUESTIONS = 400


def wait_for_requests(server: MockServer, number: int) -> None:
    for _ in range(1_000):
        if len(server.requests) >= number:
            return
        time.sleep(0.01)
    raise AssertionError("the run does not ask")


def stored(tmp_path: Path) -> int:
    connection = sqlite3.connect(tmp_path / ".counterfoil" / "ledger.sqlite")
    (number,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    connection.close()
    return int(number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_keeps_and_scores_what_is_there(number: signal.Signals, tmp_path: Path) -> None:
    with MockServer(latency=0.1) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--concurrency", "8", "--out", "out")
        process = start(*arguments, cwd=tmp_path)
        wait_for_requests(server, 40)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        sent = len(server.requests)
        assert process.returncode == 1, err
        assert "Ctrl-C again leaves at once" in err
        assert "not_asked" in out
        assert stored(tmp_path) == sent, "every ask that was in flight was waited for, and its reply kept"
        run = Run(tmp_path / "out")
        outcomes = dict(run.records["outcome"].value_counts().iter_rows())
        assert outcomes == {"answered": sent, "not_asked": QUESTIONS - sent}
        accuracy = next(estimate for estimate in run.estimates if estimate.metric == "accuracy")
        assert accuracy.n == sent
        done = counterfoil(*arguments, cwd=tmp_path)
        assert done.returncode == 0
        assert len(server.requests) == QUESTIONS, "the same command goes on where it stopped"


def test_twice_leaves_at_once_and_loses_nothing(tmp_path: Path) -> None:
    with MockServer(latency=0.05) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--concurrency", "8", "--out", "out")
        first = counterfoil(*arguments, "--limit", "20", cwd=tmp_path)
        before = (tmp_path / "out" / "records.parquet").read_bytes()
        assert first.returncode == 0
        server._behave = lambda request: __import__("mock_server").Answer(hang=True)  # type: ignore[assignment]
        process = start(*arguments, cwd=tmp_path)
        wait_for_requests(server, 28)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None, "eight asks are in flight, and it waits for them"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Left at once" in err
    assert "Traceback" not in err
    assert stored(tmp_path) == 20
    assert (tmp_path / "out" / "records.parquet").read_bytes() == before, "the old records are whole"
    assert pl.read_parquet(tmp_path / "out" / "records.parquet").height == 20
