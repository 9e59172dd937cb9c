"""What is said where there is no cluster."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from commands import SUITE, counterfoil

COMMAND = ("run", SUITE, "--model", "vllm/m", "--base-url", "http://127.0.0.1:9/v1", "--data", "3", "--engine", "ray")


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is here")
def test_without_ray_it_is_one_sentence(tmp_path: Path) -> None:
    done = counterfoil(*COMMAND, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "counterfoil: --engine ray needs Ray: pip install 'counterfoil[ray]', then run again.\n"


def test_ray_client_is_refused(tmp_path: Path) -> None:
    done = counterfoil(*COMMAND, "--address", "ray://head:10001", cwd=tmp_path)
    assert done.returncode == 2
    assert "ray://head:10001 is an address of Ray Client" in done.stderr
    assert len(done.stderr.splitlines()) == 1
