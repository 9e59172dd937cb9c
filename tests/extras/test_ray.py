"""Runs on a real Ray cluster: nothing lost, nothing asked twice but what was in flight on a node that died."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest.importorskip("torch")

from commands import SUITE, start
from commands import counterfoil_process as counterfoil
from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.cluster.shards import read_shards, write_shard
from counterfoil.asking.ledger.replies import reply_row
from counterfoil.asking.models.weights import smollm2_is_here
from history import rows_of
from mock_server import Answer, MockServer, completion, error
from ray_nodes import RayNodes
from tiny_model import make_model

ASKS, CONCURRENCY = 1_500, 8


@pytest.fixture(scope="module")
def nodes() -> Iterator[RayNodes]:
    with RayNodes(3) as made:
        yield made


def on(nodes: RayNodes) -> tuple[str, ...]:
    return ("--engine", "ray", "--address", nodes.address)


def letter(request: dict[str, Any]) -> Answer:
    """A reply that the messages decide."""
    return completion("ABC"[sum(request["messages"][-1]["content"].encode()) % 3])


def asked(server: MockServer, *more: str, count: int = ASKS) -> tuple[str, ...]:
    return ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", str(count), *more)


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text())


def tally(folder: Path) -> dict[str, Any]:
    (model,) = json.loads((folder / "manifest.json").read_text())["models"]
    assert isinstance(model, dict)
    return model


def eventually(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("it never came to that")


def test_a_refused_key_stops_the_model_with_one_sentence(nodes: RayNodes, tmp_path: Path) -> None:
    with MockServer(lambda request: error(401, "no such key")) as server:
        done = counterfoil(*asked(server, "--out", "r", "--json", *on(nodes), count=500), cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("the server said 401: no such key") == 1
    assert json.loads(done.stdout), "nothing but the result is on standard output"
    # Each of three workers had begun with its first sixteen.
    assert len(server.requests) <= 3 * 16
    (row,) = summary(tmp_path / "r")["outcomes"]
    assert row["failed"] + row["not_asked"] == 500


def test_the_budget_holds_over_all_workers(nodes: RayNodes, tmp_path: Path) -> None:
    limits = ("--max-tokens-total", "12400", "--concurrency", "2")
    with MockServer(letter, latency=0.05) as server:
        done = counterfoil(*asked(server, "--out", "r", *limits, *on(nodes)), cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("the budget of 12,400 tokens is reached") == 1
    # 62 tokens a reply: 200 of them, and those that were in flight when the last of these came.
    assert 180 <= len(server.requests) <= 240
    assert tally(tmp_path / "r")["asked"] == len(server.requests)


@pytest.mark.parametrize("kind", ["smollm2", "hf"])
def test_weights_run_in_the_workers_under_the_same_keys(kind: str, nodes: RayNodes, tmp_path: Path) -> None:
    if kind == "smollm2" and not smollm2_is_here():
        pytest.skip("smollm2 is not here: counterfoil models get smollm2")
    model = kind if kind == "smollm2" else f"hf/{make_model(tmp_path / 'weights')}"
    command = ("run", SUITE, "--model", model, "--data", "6", "--max-tokens", "3", "--out", "r")
    done = counterfoil(*command, "--worker-cores", "1", "--workers", "2", *on(nodes), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert tally(tmp_path / "r")["asked"] == 6
    dry = counterfoil(*command, "--dry-run", "--json", cwd=tmp_path)
    assert [(row["in_ledger"], row["to_ask"]) for row in json.loads(dry.stdout)] == [(6, 0)]


def test_a_cluster_that_is_started_here_and_has_no_such_node(tmp_path: Path) -> None:
    command = ("run", SUITE, "--model", "smollm2", "--data", "6", "--max-tokens", "3", "--out", "r")
    done = counterfoil(*command, "--worker-cores", "999", "--engine", "ray", "--address", "local", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("no node of the cluster has 999 cores for a worker") == 1


def test_interrupted_on_a_cluster_and_resumed_without_one(nodes: RayNodes, tmp_path: Path) -> None:
    with MockServer(letter, latency=0.05) as server:
        process = start(*asked(server, "--out", "r", "--concurrency", "4", *on(nodes)), cwd=tmp_path)
        eventually(lambda: len(server.requests) > 200)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 1, said
        # Three workers with four asks at a time each; they hold as many again, and more wait here: not in flight.
        stopping = re.search(r"Stopping: (\d+) asks are still in flight", said)
        assert stopping is not None
        assert 0 < int(stopping[1]) <= 12
        first = len(server.requests)
        assert 200 < first < ASKS
        (row,) = summary(tmp_path / "r")["outcomes"]
        assert (row["answered"], row["not_asked"]) == (first, ASKS - first), "what was in flight was waited for"
        done = counterfoil(*asked(server, "--out", "r"), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert len(server.requests) == len(set(server.prompts)) == ASKS


def test_a_node_dies_in_the_middle(nodes: RayNodes, tmp_path: Path) -> None:
    half, dead = ASKS // 2, threading.Event()
    killing: list[threading.Thread] = []

    def kill() -> None:
        """Kill a node when all that was answered is home: what the node has in flight is then with the server."""
        eventually(lambda: len(rows_of(tmp_path / "ledger.sqlite")) == half)
        nodes.kill_one()
        dead.set()

    def behave(request: dict[str, Any]) -> Answer:
        if len(server.requests) == half:
            killing.append(threading.Thread(target=kill))
            killing[0].start()
        answer = letter(request)
        answer.hold = dead if len(server.requests) > half else None
        return answer

    with MockServer(behave) as server:
        command = asked(server, "--concurrency", str(CONCURRENCY), "--out", "r", "--ledger", "ledger.sqlite")
        done = counterfoil(*command, "--shards", "shards", *on(nodes), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        (killed,) = killing
        killed.join()
        times = Counter(server.prompts)
        assert len(times) == ASKS, "nothing is lost"
        assert 0 < sum(times.values()) - ASKS <= CONCURRENCY, "asked again is what was in flight on the node"
        assert set(times.values()) == {1, 2}
        assert tally(tmp_path / "r")["asked"] == ASKS

        before = len(server.requests)
        fresh = tmp_path / "fresh"
        fresh.mkdir()
        # What the dead worker had brought home and not yet written to a shard was written by the run.
        taken = counterfoil("ledger", "import", str(tmp_path / "shards"), "--ledger", "ledger.sqlite", cwd=fresh)
        assert taken.stdout.startswith(f"{ASKS:,} replies were taken in"), taken.stderr
        again = counterfoil(*command, cwd=fresh)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == before

        plain = counterfoil(*asked(server, "--out", "plain", "--ledger", "plain.sqlite"), cwd=tmp_path)
        assert plain.returncode == 0, plain.stderr
    assert summary(tmp_path / "r") == summary(tmp_path / "plain") == summary(fresh / "r")


def test_shards_that_can_not_be_written_at_the_end_are_missing(tmp_path: Path) -> None:
    shards = tmp_path / "shards"

    def behave(request: dict[str, Any]) -> Answer:
        if len(server.requests) == 60:
            shards.rmdir()  # it was found writable at the start, and nothing has been written in these seconds
            shards.write_text("in the way")
        return letter(request)

    with MockServer(behave) as server:
        command = asked(server, "--out", "r", "--shards", "shards", "--engine", "ray", "--address", "local", count=60)
        done = counterfoil(*command, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (row,) = summary(tmp_path / "r")["outcomes"]
    assert row["answered"] == 60
    assert done.stderr.count("shards can't be written") == 1
    said = f"60 replies could not be written to shards at {shards} ("
    assert f"vllm/m: {said}" in done.stderr
    assert "counterfoil ledger export --to FILE" in done.stderr
    assert [it for it in tally(tmp_path / "r")["adjustments"] if it.startswith(said)]
    # Nothing is lost: the same without shards is complete, from the ledger.
    assert counterfoil(*asked(server, "--out", "r", count=60), cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("address", ["127.0.0.1:1", "head"])
def test_an_address_without_a_cluster_is_one_sentence(address: str, tmp_path: Path) -> None:
    with MockServer() as server:
        done = counterfoil(*asked(server, "--engine", "ray", "--address", address), cwd=tmp_path)
    assert done.returncode == 2
    assert address in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_shards_at_an_address(tmp_path: Path) -> None:
    ask = Ask(provider="vllm", model="m", messages=(Message("user", "1?"),))
    rows = [reply_row(ask, "vllm/m", 1.0, Reply(status="ok", text="B"))]
    name = write_shard("memory://bucket/shards", rows)
    assert [read.ask.key for read in read_shards("memory://bucket/shards")] == [ask.key]
    assert [read.reply.text for read in read_shards(f"memory://bucket/shards/{name}")] == ["B"]
    write_shard(f"file://{tmp_path}/shards", rows)
    taken = counterfoil("ledger", "import", f"file://{tmp_path}/shards", cwd=tmp_path)
    assert taken.stdout == "1 replies were taken in, 0 were there.\n", taken.stderr
    missing = counterfoil("ledger", "import", f"file://{tmp_path}/none", cwd=tmp_path)
    assert missing.returncode == 2
    assert "can't be read" in missing.stderr
