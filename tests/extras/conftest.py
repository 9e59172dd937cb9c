"""What the tests of hf/ share: one thread, a cache of their own, a small network on disk."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch takes one thread, and hashes of weights are kept where nobody else looks."""
    import torch

    torch.set_num_threads(1)
    monkeypatch.setenv("COUNTERFOIL_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights that nobody has trained."""
    from tiny_model import make_model

    return make_model(tmp_path_factory.mktemp("model"))
