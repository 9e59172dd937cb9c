"""Speed, memory and bytes written of a whole run, beside a bare aiohttp loop, in one go on one machine.

    python -m benchmarks.asking

Everything is a process from its start to its end against a mock server in a process of its own. Times are the best of
a few, taken in turns. Prints one line for each thing that must hold, and exits with 1 if one does not.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import uvloop

HERE = Path(__file__).parent
SUPPORT = HERE.parent / "tests" / "support"
ASKS, MANY_ASKS, CONCURRENCY, ROUNDS = 6_840, 200_000, 64, 5


class Cost(NamedTuple):
    """What a process took: seconds, bytes of memory at its peak, bytes written to disk, and seconds of processors."""

    seconds: float
    peak: int
    written: int
    processor: float


@contextmanager
def server(latency: float = 0.0) -> Iterator[str]:
    """A mock server in a process of its own; gives its address."""
    process = subprocess.Popen(
        [sys.executable, str(SUPPORT / "mock_server.py"), "--latency", str(latency)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def measured(command: list[str], cwd: Path) -> Cost:
    """Run a command to its end, and read what it took from /proc just before that."""
    started_at, before = time.perf_counter(), os.times()
    paths = os.pathsep.join(filter(None, (str(SUPPORT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": paths}
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = written = 0
    proc = Path("/proc") / str(process.pid)
    while process.poll() is None:
        try:
            status, io = (proc / "status").read_text(), (proc / "io").read_text()
            peak = max(peak, int(status.split("VmHWM:")[1].split()[0]) * 1024)
            written = max(written, int(io.split("\nwrite_bytes:")[1].split()[0]))
        except (IndexError, OSError):  # it has just ended
            pass
        time.sleep(0.02)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(time.perf_counter() - started_at, peak, written, processor)


def run_command(url: str, asks: int) -> list[str]:
    command = [sys.executable, "-m", "counterfoil", "run", "three_choice:suite", "--model", "vllm/m", "--base-url", url]
    return [*command, "--data", str(asks), "--concurrency", str(CONCURRENCY)]


def script(name: str, url: str, asks: int) -> list[str]:
    return [sys.executable, str(HERE / name), url, str(asks), str(CONCURRENCY)]


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Report:
    """Lines of what was measured against what must hold."""

    def __init__(self) -> None:
        self.failed = False

    def line(self, what: str, value: float, limit: float | None, unit: str = "", note: str = "") -> None:
        missed = limit is not None and value > limit
        self.failed = self.failed or missed
        bound = f"at most {limit:g}{unit}" if limit is not None else ""
        print(f"{what:<52} {value:>9.2f}{unit:<3} {bound:<16} {'MISSED ' if missed else ''}{note}", flush=True)


def throughput(report: Report, latency: float, limit: float) -> None:
    """A run against the bare loop, in turns; the best of each. On a machine that others use, too, processor time says
    more than the clock.
    """
    ours, bare = [], []
    with server(latency) as url:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(dir=HERE) as folder:
                bare.append(measured(script("bare_aiohttp.py", url, ASKS), Path(folder)))
                ours.append(measured(run_command(url, ASKS), Path(folder)))
    seconds, seconds_bare = (min(cost.seconds for cost in costs) for costs in (ours, bare))
    processor, processor_bare = (min(cost.processor for cost in costs) for costs in (ours, bare))
    note = f"{seconds:.2f} s against {seconds_bare:.2f} s for {ASKS:,} asks"
    report.line(f"{latency * 1000:.0f} ms latency: run / bare aiohttp", seconds / seconds_bare, limit, "x", note)
    note = f"{processor:.2f} s against {processor_bare:.2f} s"
    report.line("the same in processor time", processor / processor_bare, limit if not latency else None, "x", note)


def resources(report: Report) -> None:
    """Memory, bytes written, and the same command again."""
    peaks = []
    for asks, most_written in ((ASKS, 3.0), (MANY_ASKS, 5.0)):
        with server() as url, tempfile.TemporaryDirectory(dir=HERE) as name:
            folder = Path(name)
            cost = measured(run_command(url, asks), folder)
            peaks.append(cost.peak)
            stays = size_of(folder)
            note = f"{cost.written / 1e6:.1f} MB for {stays / 1e6:.1f} MB, {asks / cost.seconds:,.0f} asks/s"
            report.line(f"{asks:,} asks: written / what stays", cost.written / stays, most_written, "x", note)
            if asks == ASKS:
                report.line(f"{asks:,} asks: peak memory", cost.peak / 2**20, 200, " MB")
                again = min(measured(run_command(url, asks), folder).seconds for _ in range(ROUNDS))
                report.line(f"{asks:,} asks again, all answered", again, 0.7, " s")
    report.line(f"{MANY_ASKS:,} asks: peak memory above that", (peaks[1] - peaks[0]) / 2**20, 60, " MB")


def small_run(report: Report) -> None:
    """What a run takes whatever it asks: 3 questions."""
    costs = []
    with server() as url:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(dir=HERE) as folder:
                costs.append(measured(run_command(url, 3), Path(folder)))
    note = f"{min(cost.processor for cost in costs):.2f} s of processor time"
    report.line("3 asks, start to summary and report", min(cost.seconds for cost in costs), 0.4, " s", note)


def start_up(report: Report) -> None:
    """`counterfoil --help` against a bare start of Python."""
    helped, bare = [], []
    for _ in range(3 * ROUNDS):
        helped.append(measured([sys.executable, "-m", "counterfoil", "--help"], HERE).seconds)
        bare.append(measured([sys.executable, "-c", "pass"], HERE).seconds)
    note = f"{min(helped) * 1000:.0f} ms against {min(bare) * 1000:.0f} ms"
    report.line("--help / bare start of Python", min(helped) / min(bare), 10, "x", note)


async def server_rate(url: str) -> float:
    """Requests per second that the mock server answers to a client that does nothing else."""
    left = 40_000
    host, port = url.removeprefix("http://").split("/")[0].split(":")
    body = b'{"model":"m","messages":[{"role":"user","content":"Which number is the largest?"}]}'
    request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    done = asyncio.get_running_loop().create_future()

    class Client(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport
            transport.write(request)  # type: ignore[attr-defined]

        def data_received(self, data: bytes) -> None:
            nonlocal left
            left -= 1
            if left > 0:
                self.transport.write(request)  # type: ignore[attr-defined]
            elif not done.done():
                done.set_result(None)

    started_at = time.perf_counter()
    for _ in range(CONCURRENCY):
        await asyncio.get_running_loop().create_connection(Client, host, int(port))
    await done
    return 40_000 / (time.perf_counter() - started_at)


def main() -> int:
    report = Report()
    with server() as url:
        rate = uvloop.run(server_rate(url))
    report.line("20,000 / requests a second of the mock server", 20_000 / rate, 1, "x", f"{rate:,.0f} a second")
    start_up(report)
    small_run(report)
    throughput(report, 0.0, 1.5)
    throughput(report, 0.05, 1.2)
    resources(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
