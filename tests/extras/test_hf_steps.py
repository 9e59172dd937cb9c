"""Passes of fixed shape, as a GPU replays them: the same replies as by passes that grow. Here they are not recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'")

from counterfoil.asking.models.hf import steps
from hf_asks import GREEDY, many, plainly, replies
from tiny_model import make_model

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Fixed passes on the processor, too, with few columns, so that rows outgrow them; the sizes that were made."""
    monkeypatch.setattr(steps, "DEVICES", {"cpu"})
    monkeypatch.setattr(steps, "COLUMNS", 16)
    sizes: list[tuple[int, int]] = []
    init = steps.FixedPass.__init__

    def noting(self: Any, network: Any, stores: Any, layout: Any) -> None:
        sizes.append((stores[0].shape[1], stores[0].shape[3]))
        init(self, network, stores, layout)

    monkeypatch.setattr(steps.FixedPass, "__init__", noting)
    return sizes


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_replies_are_those_of_plain_generate(kind: str, made: list[tuple[int, int]], tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", kind=kind)
    asks = [
        (messages, {**params, "max_tokens": 3 + 12 * place}, sample)
        for place, (messages, params, sample) in enumerate(many(GREEDY))
    ]
    expected = plainly(path, asks)
    assert [reply.text for reply in replies(path, asks)] == expected
    assert made
    assert [reply.text for reply in replies(path, asks, concurrency=3)] == expected


def test_a_sliding_window_is_not_recorded(made: list[tuple[int, int]], tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", kind="sliding")
    asks = many(GREEDY)
    assert [reply.text for reply in replies(path, asks)] == plainly(path, asks)
    assert made == []


def test_a_network_that_can_not_be_recorded_goes_on_without(
    made: list[tuple[int, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(steps.FixedPass, "__init__", broken)
    path = make_model(tmp_path / "model")
    asks = many(GREEDY)
    assert [reply.text for reply in replies(path, asks)] == plainly(path, asks)


def test_a_pass_that_is_there_serves_fewer_rows_too(made: list[tuple[int, int]], tmp_path: Path) -> None:
    path = make_model(tmp_path / "model")
    replies(path, many({**GREEDY, "max_tokens": 40}))
    replies(path, many({**GREEDY, "max_tokens": 2}))
    # 15 prompts in 16 rows, and columns for the longest prompt; the rows that end leave, and need no other pass.
    assert len(set(made)) <= 3, made
