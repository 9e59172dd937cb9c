"""Batches that outlive their run, and processes that share a ledger."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from batch_server import ANTHROPIC_MODEL, OPENAI_MODEL, BatchServer, Fault
from commands import SUITE, counterfoil, ended
from counterfoil.asking.batches import submitting
from quick_batches import quick, start_quick
from waiting import wait_until

pytestmark = pytest.mark.heavy

MODELS = [OPENAI_MODEL, ANTHROPIC_MODEL]


def arguments(server: BatchServer, model: str, *more: str) -> tuple[str, ...]:
    return ("run", SUITE, "--model", model, "--base-url", server.url(model), "--batch", *more)


@pytest.mark.parametrize("model", MODELS)
def test_ctrl_c_leaves_the_batch_to_another_run(model: str, tmp_path: Path) -> None:
    with BatchServer(ends=lambda made: None) as server:
        process = start_quick(*arguments(server, model, "--data", "30", "--out", "out"), cwd=tmp_path)
        wait_until(lambda: server.is_looked_at)
        process.send_signal(signal.SIGINT)
        first = ended(process)
        assert first.returncode == 1, first.stderr
        (made,) = server.batches.values()
        provider = model.partition("/")[0]
        sentence = f"{model}: 30 asks are with {provider} in {made.id}: run the same command again to collect them."
        assert first.stderr.count(sentence) == 1
        assert not [request for request in server.requests if "cancel" in request]
        assert dict(cf.Run(tmp_path / "out").records["outcome"].value_counts().iter_rows()) == {"not_asked": 30}
        told = counterfoil("ledger", "info", cwd=tmp_path).stdout
        assert "It holds no replies." in told
        assert [line.split()[:3] for line in told.splitlines() if made.id in line] == [[model, made.id, "30"]]
        server.ends = lambda made: "completed"
        done = quick(*arguments(server, model, "--data", "30", "--out", "out"), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"{model}: 30 asks are under way in {made.id}." in done.stderr
        assert made.id not in counterfoil("ledger", "info", cwd=tmp_path).stdout
        assert list(server.batches) == [made.id]


def test_another_run_with_some_of_the_same_asks_waits_for_them(tmp_path: Path) -> None:
    with BatchServer(ends=lambda made: None) as server:
        process = start_quick(*arguments(server, OPENAI_MODEL, "--data", "30", "--out", "one"), cwd=tmp_path)
        wait_until(lambda: server.is_looked_at)
        process.kill()
        process.communicate()
        server.ends = lambda made: "completed"
        done = quick(*arguments(server, OPENAI_MODEL, "--data", "50", "--out", "two"), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [len(made.asks) for made in server.batches.values()] == [30, 20]
        # It has brought the replies of the first run home, too.
        requests = len(server.requests)
        again = quick(*arguments(server, OPENAI_MODEL, "--data", "30", "--out", "one"), cwd=tmp_path)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == requests


@pytest.mark.parametrize("model", MODELS)
def test_two_processes_at_once(model: str, tmp_path: Path) -> None:
    def slow(method: str, path: str, after: bool) -> Fault | None:
        if method == "POST" and not after:
            time.sleep(1.0)  # the other process finds the first at it
        return None

    with BatchServer(ends=lambda made: "completed" if made.looks > 5 else None, fault=slow) as server:
        sizes = {"one": 40, "two": 60, "three": 60}
        processes = [
            start_quick(*arguments(server, model, "--data", str(size), "--out", out), cwd=tmp_path)
            for out, size in sizes.items()
        ]
        for process in processes:
            done = ended(process)
            assert done.returncode == 0, done.stderr
        assert set(server.times_submitted.values()) == {1}
        assert len(server.times_submitted) == 60
    for out, size in sizes.items():
        assert len(cf.Run(tmp_path / out).records) == size


def test_one_of_two_dies_and_the_other_does_its_part(tmp_path: Path) -> None:
    # The second waits for a batch of the first, which dies before it knows the id.
    first_is_dead = False

    def fault(method: str, path: str, after: bool) -> Fault | None:
        nonlocal first_is_dead
        if (method, path, after) == ("POST", "/batches", True) and not first_is_dead:
            first_is_dead = True
            time.sleep(2.0)
            first.kill()
            first.wait()
            return Fault(reset=True)
        return None

    with BatchServer(fault=fault) as server:
        first = start_quick(*arguments(server, OPENAI_MODEL, "--data", "30", "--out", "one"), cwd=tmp_path)
        wait_until(lambda: server.requests)
        second = start_quick(*arguments(server, OPENAI_MODEL, "--data", "30", "--out", "two"), cwd=tmp_path)
        done = ended(second)
        assert ended(first).returncode == -signal.SIGKILL
        assert done.returncode == 0, done.stderr
        assert len(cf.Run(tmp_path / "two").records) == 30
        assert server.times_submitted.total() == 30
        assert set(server.times_submitted.values()) == {1}


def test_a_batch_of_another_account_is_neither_lost_nor_asked_again(tmp_path: Path) -> None:
    with BatchServer(ends=lambda made: None) as server:
        command = arguments(server, OPENAI_MODEL, "--data", "10", "--out", "out")
        process = start_quick(*command, cwd=tmp_path)
        wait_until(lambda: server.is_looked_at)
        process.kill()
        process.communicate()
        hidden = dict(server.batches)
        server.batches.clear()
        done = quick(*command, cwd=tmp_path)
        assert done.returncode == 1
        assert "openai does not know batch_0, in which 10 asks are under way: set the key of the account" in done.stderr
        assert not server.batches
        # The results of old batches are thrown away: what was in them is asked again.
        connection = sqlite3.connect(tmp_path / ".counterfoil" / "ledger.sqlite")
        connection.execute("UPDATE batches SET since = since - 31 * 86400")
        connection.commit()
        connection.close()
        server.ends = lambda made: "completed"
        done = quick(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [len(made.asks) for made in server.batches.values()] == [10]
        assert len(hidden) == 1


def test_what_can_not_be_found_out_is_left_to_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The batch is made, its answer is lost, and then the provider is away for long.
    monkeypatch.setattr(submitting, "MOST_ATTEMPTS", 2)
    is_away = False

    def fault(method: str, path: str, after: bool) -> Fault | None:
        nonlocal is_away
        is_away = is_away or (method, path, after) == ("POST", "/batches", True)
        return Fault(503, "away") if is_away else None

    with BatchServer(fault=fault) as server:
        options: dict[str, Any] = {
            "model": OPENAI_MODEL,
            "base_url": server.url(OPENAI_MODEL),
            "data": "10",
            "batch": True,
        }
        first = cf.run(SUITE, **options)
        assert set(first.records["outcome"]) == {"not_asked"}
        server.fault = lambda method, path, after: None
        assert cf.run(SUITE, **options).is_complete
        assert len(server.batches) == 1


def test_the_temporary_folder_is_left_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with BatchServer(ends=lambda made: None) as server:
        process = start_quick(*arguments(server, OPENAI_MODEL, "--data", "10"), cwd=tmp_path)
        wait_until(lambda: server.is_looked_at)
        process.kill()
        process.communicate()
    assert list(temporary.iterdir()) == []
