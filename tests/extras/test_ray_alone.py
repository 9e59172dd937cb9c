"""Runs on a machine that is part of no Ray cluster."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

pytest.importorskip("ray")

from commands import SUITE
from commands import counterfoil_process as counterfoil
from mock_server import MockServer, completion

RUN = ("run", SUITE, "--model", "vllm/m", "--data", "6", "--engine", "ray", "--out", "run")


def test_a_cluster_that_has_died_leaves_an_address_and_the_run_starts_its_own(tmp_path: Path) -> None:
    # Paths of sockets are short, so this can't lie in the test's own folder.
    with tempfile.TemporaryDirectory() as folder, MockServer(lambda _: completion("A")) as server:
        (Path(folder) / "ray").mkdir()
        (Path(folder) / "ray" / "ray_current_cluster").write_text("127.0.0.1:1")
        done = counterfoil(*RUN, "--base-url", server.url, cwd=tmp_path, RAY_TMPDIR=folder, RAY_ADDRESS="")
    assert done.returncode == 0, done.stderr
    assert "Ray: 1 node" in done.stderr


def test_an_address_in_the_environment_is_the_users_and_must_answer(tmp_path: Path) -> None:
    done = counterfoil(*RUN, cwd=tmp_path, RAY_ADDRESS="127.0.0.1:1")
    assert done.returncode == 2
    assert "There is no Ray cluster at 127.0.0.1:1" in done.stderr
    client = counterfoil(*RUN, cwd=tmp_path, RAY_ADDRESS="ray://127.0.0.1:10001")
    assert (client.returncode, "an address of Ray Client" in client.stderr) == (2, True)
