"""Kills, stops, failing writes and several processes: what was sent, stored and recorded fits together."""

from __future__ import annotations

import queue
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import SUITE, counterfoil, ended, start
from counterfoil import Run
from failing import FailingWrites
from history import History, stored_prompts
from mock_server import MockServer
from waiting import SECONDS, wait_until

pytestmark = pytest.mark.heavy

QUESTIONS, PLACES = 1_500, 32
MOST_AT_ONCE = 70  # twelve times that, and what is in flight, is less than all questions


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / ".counterfoil" / "ledger.sqlite", PLACES)


def command(server: MockServer, *, questions: int = QUESTIONS, out: str = "out") -> tuple[str, ...]:
    asked = ("--data", str(questions), "--concurrency", str(PLACES), "--out", out)
    return ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, *asked)


def finish(history: History, server: MockServer, tmp_path: Path, questions: int = QUESTIONS) -> None:
    """The same command again ends well, and asks only what is missing; another time it asks nothing."""
    with history.life():
        done = counterfoil(*command(server, questions=questions), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    history.check_records(tmp_path / "out", questions)
    sent = len(history.sent)
    assert counterfoil(*command(server, questions=questions), cwd=tmp_path).stdout == done.stdout
    assert len(history.sent) == sent


@pytest.fixture
def hangs_up() -> Iterator[None]:
    """Children take SIGHUP for what it is, also where the tests themselves were started by nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangs_up")
@pytest.mark.parametrize("lives", [4, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_ended_at_random_requests(number: signal.Signals, lives: int, history: History, tmp_path: Path) -> None:
    chance = random.Random(15)
    lives_on = queue.Queue[subprocess.Popen[str]]()
    last = 0

    def end(request: int) -> None:
        if request == last:
            # The process may ask before the test holds it.
            lives_on.get(timeout=SECONDS).send_signal(number)

    history.on_request = end
    with MockServer(history.behave, latency=0.02) as server:
        for _ in range(lives):
            with history.life():
                last = len(history.sent) + chance.randint(1, MOST_AT_ONCE)
                process = start(*command(server), cwd=tmp_path)
                lives_on.put(process)
                done = ended(process)
            assert lives_on.empty()
            if number == signal.SIGHUP:
                # As with Ctrl-C: what was in flight is waited for, kept and scored.
                assert done.returncode == 1, done.stderr
                assert stored_prompts(history.ledger) == set(history.sent)
            else:
                assert done.returncode == -number
        finish(history, server, tmp_path)
    assert sum(Counter(history.sent).values()) <= QUESTIONS + (lives * PLACES if number == signal.SIGKILL else 0)


def test_a_process_that_nohup_started_ignores_a_closed_terminal(history: History, tmp_path: Path) -> None:
    started = queue.Queue[subprocess.Popen[str]]()

    def hang_up(request: int) -> None:
        if request == 40:
            started.get(timeout=SECONDS).send_signal(signal.SIGHUP)

    history.on_request = hang_up
    with MockServer(history.behave, latency=0.02) as server, history.life():
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does: children inherit it
        try:
            process = start(*command(server, questions=200), cwd=tmp_path)
        finally:
            signal.signal(signal.SIGHUP, before)
        started.put(process)
        done = ended(process)
    assert done.returncode == 0, done.stderr
    history.check_records(tmp_path / "out", 200)


@pytest.mark.parametrize("processes", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_several_processes_on_one_ledger(processes: int, history: History, tmp_path: Path) -> None:
    with MockServer(history.behave, latency=0.02) as server:
        with history.life(processes):
            started = [start(*command(server, out=f"out{i}"), cwd=tmp_path) for i in range(processes)]
            for process in started:
                done = ended(process)
                assert done.returncode == 0, done.stderr
        first = Run(tmp_path / "out0").records
        for i in range(processes):
            history.check_records(tmp_path / f"out{i}", QUESTIONS)
            assert Run(tmp_path / f"out{i}").records.equals(first), "the first reply is everybody's"
        finish(history, server, tmp_path)
    assert len(history.sent) <= QUESTIONS * processes


@pytest.mark.parametrize("kills", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_one_of_two_processes_is_killed(kills: int, history: History, tmp_path: Path) -> None:
    with MockServer(history.behave, latency=0.02) as server:
        with history.life(processes=1 + kills):
            other = start(*command(server), cwd=tmp_path)
            for i in range(kills):
                sent = len(history.sent)
                killed = start(*command(server, out=f"killed{i}"), cwd=tmp_path)
                wait_until(lambda sent=sent: len(history.sent) > sent + 5 or other.poll() is not None)
                killed.kill()
                ended(killed)
            assert ended(other).returncode == 0
        finish(history, server, tmp_path)


def test_stopped_for_longer_than_the_time_limit_of_an_ask(history: History, tmp_path: Path) -> None:
    process: subprocess.Popen[str] | None = None
    stopped_at: list[int] = []

    def stop(request: int) -> None:
        if process is not None and request == 100:
            process.send_signal(signal.SIGSTOP)
            stopped_at.append(request)

    history.on_request = stop
    with MockServer(history.behave, latency=0.05) as server:
        with history.life():  # in which no ask is sent twice: the answers wait in the sockets
            process = start(*command(server, questions=400), "--timeout", "2", cwd=tmp_path)
            wait_until(lambda: stopped_at)
            time.sleep(2.5)  # no assertion: longer than the limit
            process.send_signal(signal.SIGCONT)
            assert ended(process).returncode == 0
        finish(history, server, tmp_path, questions=400)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("word", ["ledger.sqlite", "/out/"])
@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_each_write_fails_once_in_turn(word: str, every: int, history: History, tmp_path: Path) -> None:
    # 40 questions: a ledger of a few dozen writes, a run folder of a few dozen more.
    failing = FailingWrites(tmp_path)
    with MockServer(history.behave) as server:
        arguments = command(server, questions=40)
        at = 1
        while True:
            shutil.rmtree(tmp_path / "out", ignore_errors=True)
            shutil.rmtree(tmp_path / ".counterfoil", ignore_errors=True)
            with history.life():
                done = ended(start(*arguments, cwd=tmp_path, **failing.environment(word, at)))
            assert "Traceback" not in done.stderr, (at, done.stderr)
            assert done.returncode in (0, 2), (at, done.stderr)
            finish(history, server, tmp_path, questions=40)
            if not failing.has_failed:
                break
            at += every
    assert at > every, "no write was made to fail"
