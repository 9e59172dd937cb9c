"""What goes together in one process, and what the tests of hf/ share: one thread, a cache, a small network on disk."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in this hook, too
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files stay together. What starts a Ray cluster is one group: a run joins whatever cluster its machine has.

    What wants no cluster comes first, since the processes of one that has ended take a while to go.
    """
    items.sort(key=lambda item: item.path.name != "test_ray_alone.py")
    for item in items:
        has_cluster = item.path.name.startswith("test_ray") or "scale.md" in item.name
        item.add_marker(pytest.mark.xdist_group("ray" if has_cluster else item.path.name))


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
