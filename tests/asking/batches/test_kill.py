"""Killed between any two steps and started again: nothing is lost, and nothing is submitted twice."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from batch_server import ANTHROPIC_MODEL, OPENAI_MODEL, BatchServer, Fault, Made
from commands import SUITE, ended
from counterfoil import Run
from quick_batches import quick, start_quick
from waiting import wait_until

pytestmark = pytest.mark.heavy

QUESTIONS = 60
LEDGER = Path(".counterfoil") / "ledger.sqlite"

# A request, and whether it has been handled when the process is killed.
Moment = tuple[str, bool]
OF_OPENAI: list[list[Moment]] = [
    [("POST /files", False)],
    [("POST /files", True)],
    [("POST /batches", False)],
    [("POST /batches", True)],
    [("GET /batches/batch_0", False)],
    [("GET /batches/batch_0", True)],
    [("GET /files/output-batch_0/content", False)],
    [("GET /files/output-batch_0/content", True)],
    # While finding out about what the first one left, too.
    [("POST /batches", True), ("GET /batches", False), ("GET /batches", True), ("GET /batches/batch_0", True)],
    [("POST /batches", False), ("GET /batches", True), ("POST /files", True), ("POST /batches", True)],
]
OF_ANTHROPIC: list[list[Moment]] = [
    [("POST /messages/batches", False)],
    [("POST /messages/batches", True)],
    [("GET /messages/batches/msgbatch_0", True)],
    [("GET /messages/batches/msgbatch_0/results", True)],
    [("POST /messages/batches", True), ("GET /messages/batches", True), ("GET /messages/batches/msgbatch_0", True)],
]


def arguments(server: BatchServer, model: str, *more: str) -> tuple[str, ...]:
    return ("run", SUITE, "--model", model, "--base-url", server.url(model), "--batch", "--out", "out", *more)


def kill_at(server: BatchServer, process: subprocess.Popen[str], is_now: Callable[[str, bool], bool]) -> None:
    """Kill it when the server sees that it is now, and wait until it is dead."""
    killed = False

    def fault(method: str, path: str, after: bool) -> Fault | None:
        nonlocal killed
        if killed or not is_now(f"{method} {path}", after):
            return None
        killed = True
        process.kill()
        process.wait()
        return Fault(reset=True)

    server.fault = fault
    ended(process)
    server.fault = lambda method, path, after: None
    assert process.returncode == -signal.SIGKILL, "it ended before that moment"


def _is_at(moment: Moment, request: str, after: bool) -> bool:
    return (request, after) == moment


def check(server: BatchServer, model: str, tmp_path: Path) -> None:
    """The last run ends well, and each ask was submitted once in all."""
    done = quick(*arguments(server, model, "--data", str(QUESTIONS)), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(server.times_submitted.values()) == {1}
    assert len(server.times_submitted) == QUESTIONS
    records = Run(tmp_path / "out").records
    assert records["question_id"].n_unique() == len(records) == QUESTIONS
    connection = sqlite3.connect(tmp_path / LEDGER)
    assert connection.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone() == (QUESTIONS, QUESTIONS)
    assert connection.execute("SELECT count(*) FROM batch_asks").fetchone() == (0,)
    assert connection.execute("SELECT DISTINCT state FROM batches").fetchall() == [("collected",)]
    connection.close()


def kills(model: str, moments: list[Moment]) -> Any:
    """One kill is tried with every `make test`, several in a row with `make test-all`."""
    name = " then ".join(f"{request} {after:d}" for request, after in moments)
    return pytest.param(model, moments, id=f"{model}-{name}", marks=pytest.mark.slow if len(moments) > 1 else ())


@pytest.mark.parametrize(
    ("model", "moments"),
    [
        *(kills(OPENAI_MODEL, moments) for moments in OF_OPENAI),
        *(kills(ANTHROPIC_MODEL, moments) for moments in OF_ANTHROPIC),
    ],
)
def test_killed_between_two_steps(model: str, moments: list[Moment], tmp_path: Path) -> None:
    with BatchServer() as server:
        for moment in moments:
            process = start_quick(*arguments(server, model, "--data", str(QUESTIONS)), cwd=tmp_path)
            kill_at(server, process, partial(_is_at, moment))
        check(server, model, tmp_path)
        assert len(server.batches) == 1


@pytest.mark.parametrize("model", [OPENAI_MODEL, ANTHROPIC_MODEL])
def test_killed_with_half_of_the_replies_in_the_ledger(model: str, tmp_path: Path) -> None:
    with BatchServer() as server:
        process = start_quick(*arguments(server, model, "--data", str(QUESTIONS)), cwd=tmp_path)

        def stored() -> int:
            connection = sqlite3.connect(tmp_path / LEDGER)
            (number,) = connection.execute("SELECT count(*) FROM replies").fetchone()
            connection.close()
            return int(number)

        def half_sent() -> None:
            wait_until(lambda: stored() >= 20)
            process.kill()
            process.wait()
            server.half_sent = None

        server.half_sent = half_sent
        ended(process)
        assert 20 <= stored() < QUESTIONS
        check(server, model, tmp_path)
        assert len(server.batches) == 1


@pytest.mark.slow
@pytest.mark.parametrize("model", [OPENAI_MODEL, ANTHROPIC_MODEL])
def test_killed_at_any_request_again_and_again(model: str, tmp_path: Path) -> None:
    chance = random.Random(20261116)
    with BatchServer(ends=lambda made: "completed" if made.looks > 3 else None) as server:
        for _ in range(6):
            number = len(server.requests) + chance.randint(1, 6)
            after_it = chance.random() < 0.5
            process = start_quick(*arguments(server, model, "--data", str(QUESTIONS)), cwd=tmp_path)
            killed = len(server.requests)

            def is_now(request: str, after: bool, number: int = number, after_it: bool = after_it) -> bool:
                return len(server.requests) >= number and after == after_it

            try:
                kill_at(server, process, is_now)
            except AssertionError:  # it was complete before that
                assert process.returncode == 0
                break
            assert len(server.requests) > killed
        check(server, model, tmp_path)


@pytest.mark.parametrize(("ours_was_made", "foreign_first"), [(False, True), (True, False)])
def test_anothers_batch_of_the_same_size_is_not_taken_for_ours(
    ours_was_made: bool, foreign_first: bool, tmp_path: Path
) -> None:
    # Anthropic's batches carry no mark of ours: only their lines tell.
    body = {"messages": [{"content": "A: 1\nB: 2\nC: 3"}]}
    foreign = {f"{number:064x}": body for number in range(QUESTIONS)}

    def made_by_others() -> None:
        made = Made("msgbatch_foreign", dict(foreign), {}, time.time())
        server.batches[made.id] = made

    with BatchServer() as server:
        if foreign_first:
            made_by_others()
        process = start_quick(*arguments(server, ANTHROPIC_MODEL, "--data", str(QUESTIONS)), cwd=tmp_path)
        kill_at(server, process, lambda request, after: (request, after) == ("POST /messages/batches", ours_was_made))
        if not foreign_first:
            made_by_others()
        done = quick(*arguments(server, ANTHROPIC_MODEL, "--data", str(QUESTIONS)), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        del server.batches["msgbatch_foreign"]
        assert len(server.batches) == 1
        check(server, ANTHROPIC_MODEL, tmp_path)
