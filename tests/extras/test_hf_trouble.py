"""What can go wrong while a network runs: memory, weights, time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'")

import torch
import transformers

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.base import Hopeless, ModelSpec, ModelUnusable, TimedOut
from counterfoil.asking.models.hf.job import Job
from counterfoil.asking.models.hf.model import HfModel
from hf_asks import GREEDY, many, replies, send, user
from tiny_model import make_model

pytestmark = pytest.mark.usefixtures("alone")


def test_memory_that_runs_out_halves_the_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = transformers.LlamaModel.forward
    params = {"temperature": 1.0, "max_tokens": 12}
    asks = [(user(f"Question {number}"), params, 0) for number in range(12)]
    expected = [reply.text for reply in replies(folder, asks)]
    rows: list[int] = []

    def small(self: Any, input_ids: Any = None, **more: Any) -> Any:
        # From some token on more than four rows are too much; so is any prompt of more than 100 tokens.
        if (len(input_ids) > 4 and len(rows) > 6) or more["attention_mask"].shape[1] > 100:
            raise torch.OutOfMemoryError("CUDA out of memory")
        rows.append(len(input_ids))
        return forward(self, input_ids=input_ids, **more)

    monkeypatch.setattr(transformers.LlamaModel, "forward", small)
    *got, too_long = send(folder, [*asks, (user("x" * 150), params, 0)])
    assert [one.text if isinstance(one, Reply) else str(one) for one in got] == expected
    assert max(rows) > 4  # it was tried
    assert type(too_long) is Hopeless
    # "<s>user: ", 150, a line break and "<s>assistant: " are 7 + 150 + 1 + 12, and 12 for the reply.
    assert str(too_long) == "182 tokens of prompt and reply do not fit in memory"


def test_a_network_that_breaks_makes_the_model_unusable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, **more: Any) -> Any:
        if more["input_ids"].numel() > 1:
            raise RuntimeError("CUDA error: an illegal memory access\nand much more")
        return forward(self, **more)

    forward = transformers.LlamaModel.forward
    monkeypatch.setattr(transformers.LlamaModel, "forward", broken)
    for error in send(folder, many(GREEDY)):
        assert type(error) is ModelUnusable
        assert str(error) == "the model broke down: CUDA error: an illegal memory access"


def test_a_reply_that_was_ended_is_not_lost_with_the_next(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Job, token: int) -> None:
        if "second" in self.text:
            raise RuntimeError("no such token")
        write(self, token)

    write = Job.write
    monkeypatch.setattr(Job, "write", broken)
    first, second = send(folder, [(user(text), {"max_tokens": 1}, 0) for text in ("first", "second")])
    assert isinstance(first, Reply)
    assert type(second) is ModelUnusable
    assert str(second) == "the model broke down: no such token"


def test_who_took_too_long_makes_room(folder: Path) -> None:
    async def sending() -> Reply:
        model = HfModel(ModelSpec(name=f"hf/{folder}", concurrency=1))
        await model.send(model.ask(user("Hm."), GREEDY, 0), 60)
        long = model.ask(user("Hm."), {"temperature": 2.0, "max_tokens": 300, "stop": "not in it"}, 0)
        with pytest.raises(TimedOut, match=r"no reply within 0\.001 seconds"):
            await model.send(long, 0.001)
        reply = (await model.send(model.ask(user("Hm, again."), GREEDY, 0), 60)).reply
        await model.close()
        return reply

    assert asyncio.run(sending()).status == "truncated"


def test_who_is_not_answered_when_the_model_closes_is_told_so(tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", context=100_000)

    async def closing() -> list[Reply | BaseException]:
        model = HfModel(ModelSpec(name=f"hf/{path}", concurrency=1))
        await model.send(model.ask(user("Hm."), GREEDY, 0), 60)
        # The second has no row, since the first never ends.
        asks = [model.ask(user("Hm."), {"max_tokens": 90_000, "temperature": 1.0, "top_k": 1}, n) for n in range(2)]
        waiting = [asyncio.ensure_future(model.send(ask, 60)) for ask in asks]
        await asyncio.sleep(0)
        await model.close()
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(one) for one in asyncio.run(closing())] == [asyncio.CancelledError] * 2


def test_broken_weights_make_the_model_unusable(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    (got,) = send(tmp_path, [(user("Hm."), GREEDY, 0)])
    assert type(got) is ModelUnusable
    assert str(got).startswith(f"{tmp_path} can't be loaded: ")
    assert "\n" not in str(got)
