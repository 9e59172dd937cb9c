"""Ctrl-C: once, and what is there is scored; twice, and it leaves at once. Neither loses a reply."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


def wait_for_stored(tmp_path: Path) -> None:
    """Until the run has asked, and has its answers."""
    for _ in range(1_000):
        with suppress(sqlite3.OperationalError):  # there is no ledger, or nothing in it, yet
            if stored(tmp_path):
                return
        time.sleep(0.02)
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


@contextmanager
def asking(repeats: int, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run of 2,000 questions that has begun, and is over in any case when the test is."""
    arguments = ("run", SUITE, "--model", "planted/three_choice:suite", "--data", "2000", "--out", "out")
    process = start(*arguments, "--repeats", str(repeats), cwd=tmp_path)
    try:
        wait_for_stored(tmp_path)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_twice_leaves_at_once_however_many_are_left(number: signal.Signals, tmp_path: Path) -> None:
    # Four million records: that most of them were not asked takes minutes to write down, and none of that waits for
    # anything.
    with asking(2_000, tmp_path) as process:
        process.send_signal(number)
        assert process.stderr is not None
        while "Ctrl-C again leaves at once" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Left at once" in err


def test_once_is_enough_where_all_that_is_left_could_never_be_written_down(tmp_path: Path) -> None:
    # 2,000 x 1,000,000,000 records: nothing may be made for each of them.
    with asking(1_000_000_000, tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "2,000,000,000,000 records are too many to write down which of them were not asked" in err
    assert "Left at once" in err
    assert stored(tmp_path) > 0
