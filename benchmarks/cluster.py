"""Runs on a Ray cluster of three nodes on this machine: a node killed in the middle, and the rate by workers.

    .venv-extras/bin/python -m benchmarks cluster

The server answers after a fixed time and counts what it is asked. A worker's concurrency and that time set how fast it
can be, so that workers are the limit and not the two cores; rates are the server's, from the first tenth of its
requests to the last. Prints one line for each thing that must hold, and exits with 1 if one does not.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.asking import HERE, SUPPORT, Report

ASKS, CONCURRENCY, LATENCY = 20_000, 32, 0.1
ASKS_PER_WORKER, SLOW_CONCURRENCY = 1_000, 6
NODES = 3
# Of what workers could do by latency and concurrency, less is lost in messages.
LEAST_GROWTH = {2: 1.8, 3: 2.6}


def rate(times: list[float]) -> float:
    """Requests a second, without the first and the last tenth."""
    inner = times[len(times) // 10 : -len(times) // 10]
    return (len(inner) - 1) / (inner[-1] - inner[0])


def growth(report: Report, address: str) -> None:
    """The same work for each worker, with one, two and three of them."""
    from commands import counterfoil
    from mock_server import Answer, MockServer, completion

    times: list[float] = []

    def behave(request: dict[str, Any]) -> Answer:
        times.append(time.perf_counter())
        return completion()

    alone = 0.0
    for workers in range(1, NODES + 1):
        times.clear()
        with MockServer(behave, latency=LATENCY) as server, tempfile.TemporaryDirectory(dir=HERE) as folder:
            command = run_command(server.url, ASKS_PER_WORKER * workers, SLOW_CONCURRENCY, address)
            done = counterfoil(*command, "--workers", str(workers), cwd=Path(folder), timeout=600)
            assert done.returncode == 0, done.stderr
        found = rate(times)
        alone = alone or found
        least = LEAST_GROWTH.get(workers)
        note = f"{found:,.0f} a second, {SLOW_CONCURRENCY * workers / LATENCY:,.0f} by the latency"
        report.line(f"rate of 1 worker / {workers}", alone / found, 1 / least if least else None, "x", note)


def a_node_dies(report: Report, nodes: Any) -> None:
    """All asks, one node killed after a third of them: what was lost, what was asked twice, what is stored."""
    from commands import counterfoil
    from mock_server import Answer, MockServer, completion

    times: list[float] = []
    killing = threading.Thread(target=nodes.kill_one)

    def behave(request: dict[str, Any]) -> Answer:
        times.append(time.perf_counter())
        if len(times) == ASKS // 3:
            killing.start()
        return completion()

    with MockServer(behave, latency=LATENCY) as server, tempfile.TemporaryDirectory(dir=HERE) as name:
        folder = Path(name)
        command = run_command(server.url, ASKS, CONCURRENCY, nodes.address)
        started_at = time.perf_counter()
        done = counterfoil(*command, "--shards", "shards", "--workers", str(NODES), cwd=folder, timeout=900)
        seconds = time.perf_counter() - started_at
        killing.join()
        assert done.returncode == 0, done.stderr
        asked = Counter(server.prompts)
        report.line(f"{ASKS:,} asks, a node killed: lost", ASKS - len(asked), 0, "", f"{seconds:.0f} s in all")
        twice = sum(asked.values()) - len(asked)
        note = f"{CONCURRENCY} were with the server at a time, the others on their way home"
        report.line("asked twice, in flight on that node", twice, 2 * CONCURRENCY, "", note)
        report.line("requests a second with the node's death", rate(times), None)
        ledger = (folder / ".counterfoil" / "ledger.sqlite").stat().st_size
        shards = [path.stat().st_size for path in (folder / "shards").glob("*.parquet")]
        letters = sum(len(prompt) for prompt in asked) / len(asked)
        note = f"{letters:.0f} letters asked, one answered; {len(shards)} shards"
        report.line("bytes of a reply in the ledger", ledger / ASKS, None, "", note)
        report.line("bytes of a reply in the shards", sum(shards) / ASKS, None)


def run_command(url: str, asks: int, concurrency: int, address: str) -> list[str]:
    command = ["run", "three_choice:suite", "--model", "vllm/m", "--base-url", url, "--data", str(asks)]
    return [*command, "--concurrency", str(concurrency), "--engine", "ray", "--address", address]


def main() -> int:
    sys.path.insert(0, str(SUPPORT))
    from ray_nodes import RayNodes

    report = Report()
    with RayNodes(NODES) as nodes:
        growth(report, nodes.address)
        a_node_dies(report, nodes)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
