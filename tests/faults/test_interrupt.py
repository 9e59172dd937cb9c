"""Ctrl-C: once, and what is there is scored; twice, and it leaves at once. Neither loses a reply."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import SUITE, counterfoil, ended, start, wait_for_line
from counterfoil import Run
from mock_server import Answer, MockServer, completion, held
from waiting import wait_until

pytestmark = pytest.mark.heavy

QUESTIONS = 400


STOPPING = "Ctrl-C again leaves at once"


def has_stored(tmp_path: Path) -> bool:
    with suppress(sqlite3.OperationalError):  # there is no ledger, or nothing in it, yet
        return stored(tmp_path) > 0
    return False


def stored(tmp_path: Path) -> int:
    connection = sqlite3.connect(tmp_path / ".counterfoil" / "ledger.sqlite")
    (number,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    connection.close()
    return int(number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_keeps_and_scores_what_is_there(number: signal.Signals, tmp_path: Path) -> None:
    interrupted = threading.Event()

    def behave(request: dict[str, Any]) -> Answer:
        return completion() if len(server.requests) <= 40 else held(interrupted)

    with MockServer(behave) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--concurrency", "8", "--out", "out")
        process = start(*arguments, cwd=tmp_path)
        wait_until(lambda: len(server.requests) == 48)
        process.send_signal(number)
        wait_for_line(process, STOPPING)
        interrupted.set()
        first = ended(process)
        sent = len(server.requests)
        assert first.returncode == 1, first.stderr
        assert "not_asked" in first.stdout
        assert stored(tmp_path) == sent == 48, "every ask that was in flight was waited for, and its reply kept"
        run = Run(tmp_path / "out")
        outcomes = dict(run.records["outcome"].value_counts().iter_rows())
        assert outcomes == {"answered": sent, "not_asked": QUESTIONS - sent}
        accuracy = next(estimate for estimate in run.estimates if estimate.metric == "accuracy")
        assert accuracy.n == sent
        done = counterfoil(*arguments, cwd=tmp_path)
        assert done.returncode == 0
        assert len(server.requests) == QUESTIONS, "the same command goes on where it stopped"


def test_twice_leaves_at_once_and_loses_nothing(tmp_path: Path) -> None:
    def behave(request: dict[str, Any]) -> Answer:
        return completion() if len(server.requests) <= 20 else Answer(hang=True)

    with MockServer(behave) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--concurrency", "8", "--timeout", "3000", "--out", "out")
        first = counterfoil(*arguments, "--limit", "20", cwd=tmp_path)
        before = (tmp_path / "out" / "records.parquet").read_bytes()
        assert first.returncode == 0
        process = start(*arguments, cwd=tmp_path)
        wait_until(lambda: len(server.requests) == 28)
        process.send_signal(signal.SIGINT)
        wait_for_line(process, STOPPING)
        assert process.poll() is None, "eight asks are in flight, and it waits for them"
        process.send_signal(signal.SIGINT)
        done = ended(process)
    assert done.returncode == 130
    assert "Left at once" in done.stderr
    assert "Traceback" not in done.stderr
    assert stored(tmp_path) == 20
    assert (tmp_path / "out" / "records.parquet").read_bytes() == before, "the old records are whole"
    assert pl.read_parquet(tmp_path / "out" / "records.parquet").height == 20


@contextmanager
def asking(repeats: int, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run of 2,000 questions that has begun, and is over in any case when the test is."""
    arguments = ("run", SUITE, "--model", "planted/three_choice:suite", "--data", "2000", "--out", "out")
    process = start(*arguments, "--repeats", str(repeats), cwd=tmp_path)
    try:
        wait_until(lambda: has_stored(tmp_path))
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
        wait_for_line(process, STOPPING)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(number)
        done = ended(process)
    assert done.returncode == 130
    assert "Left at once" in done.stderr


def test_once_is_enough_where_all_that_is_left_could_never_be_written_down(tmp_path: Path) -> None:
    # 2,000 x 1,000,000,000 records: nothing may be made for each of them.
    with asking(1_000_000_000, tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        done = ended(process)
    assert done.returncode == 130
    assert "2,000,000,000,000 records are too many to write down which of them were not asked" in done.stderr
    assert "Left at once" in done.stderr
    assert stored(tmp_path) > 0
