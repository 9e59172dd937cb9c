"""Commands of pages that do not end: they are started as they stand there, looked at, and stopped.

Two sites are looked at at once. A machine of a cluster stays until the end of its page, since what follows runs on it.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from commands import start
from sites import Client, up

WAIT_SECONDS = 300
LOOK_SECONDS = 0.2
RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0"}
SMALL_NODE = ("--num-cpus", "1", "--object-store-memory", "80000000")


def free_port() -> int:
    """One that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def look_at_site(arguments: list[str]) -> None:
    """`counterfoil serve`: its first page, by the link that it prints. Ctrl-C ends it."""
    with start("serve", *arguments, "--port", "0", cwd=Path.cwd()) as process:
        try:
            site = up(process)
            client, token = Client(site), re.search(r"\?token=\S+", site.said)
            if token:
                assert client.get("/").status == 401, "without its token the site is open to others"
                assert client.get(f"/{token[0]}").status == 303
            assert client.get("/").status == 200
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=WAIT_SECONDS)
            assert process.returncode == 0, said
        finally:
            process.kill()


def look_at_viewer(arguments: list[str], environment: Mapping[str, str]) -> None:
    """`inspect view`: the viewer, and the logs that it lists."""
    port = free_port()
    with _Process([*arguments, "--port", str(port)], environment) as process:
        _wait_for(f"http://127.0.0.1:{port}/", process)
        listed = _wait_for(f"http://127.0.0.1:{port}/api/logs", process)
    assert ".eval" in listed, f"the viewer has no logs: {listed}"


def start_node(arguments: list[str], environment: Mapping[str, str], until: ExitStack) -> None:
    """`ray start`, in the foreground, as a small node."""
    line = [*arguments, *SMALL_NODE, "--block"]
    process = until.enter_context(_Process(line, {**environment, **RAY}))
    assert process.stdout is not None
    said = ""
    while "Ray runtime started" not in said:
        part = process.stdout.readline()
        assert part, f"the node did not start: {said}"
        said += part


class _Process:
    """While it lasts, a process with all that it starts; it must still be running at the end."""

    def __init__(self, line: list[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )

    def __enter__(self) -> subprocess.Popen[str]:
        return self._process

    def __exit__(self, *_: object) -> None:
        ended = self._process.poll()
        if ended is None:
            os.killpg(self._process.pid, signal.SIGTERM)
        said, _ = self._process.communicate(timeout=WAIT_SECONDS)
        assert ended is None, f"{self._process.args!r} ended by itself with {ended}: {said}"


def _wait_for(address: str, process: subprocess.Popen[str]) -> str:
    """What is there, as soon as somebody listens."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=WAIT_SECONDS) as response:
                text: str = response.read().decode()
                return text
        except urllib.error.URLError:
            if process.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(LOOK_SECONDS)
