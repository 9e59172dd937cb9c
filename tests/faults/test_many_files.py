"""Few open files: the limit is raised where it may be, and running out of them is told as what it is."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from commands import SUITE, environment
from counterfoil import Run
from mock_server import MockServer
from waiting import SECONDS

pytestmark = pytest.mark.heavy


def run_with_limit(soft: int, hard: int, url: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "counterfoil", "run", SUITE, "--model", "vllm/m", "--base-url", url]
    return subprocess.run(
        [*command, "--data", "600", "--concurrency", "200", "--out", "out"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)),
    )


def test_a_low_limit_that_may_be_raised(tmp_path: Path) -> None:
    with MockServer(latency=0.05) as server:
        done = run_with_limit(64, 1024, server.url, tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_low_limit_that_may_not(tmp_path: Path) -> None:
    with MockServer(latency=0.05) as server:
        done = run_with_limit(100, 100, server.url, tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert Run(tmp_path / "out").outcomes[0]["answered"] == 600
