"""Weights in process, by transformers and torch: `hf/PATH-OR-NAME`, a folder, a .gguf file or a name on the hub."""

from __future__ import annotations

import asyncio
from importlib import metadata

from counterfoil.asking.ask import Ask
from counterfoil.asking.models.base import BaseModel, ModelSpec, Sent, TimedOut
from counterfoil.asking.models.hf.tokens import read_settings
from counterfoil.asking.models.hf.weights import find_weights, hash_of, load
from counterfoil.asking.models.hf.worker import Worker
from counterfoil.errors import UserError

# How many rows are computed together, and of what kind, where the user does not say.
ROWS = {"cpu": 16, "cuda": 256}
DTYPE = {"cpu": "float32", "cuda": "bfloat16"}


class HfModel(BaseModel):
    """One network. Asks that wait share batches; what their prompts begin with in common is computed once.

    `--concurrency` sets how many rows a batch has at the most. Twice as many asks are taken otherwise, so that the
    next ones are there when rows become free.
    """

    def __init__(self, spec: ModelSpec) -> None:
        if not spec.rest:
            raise UserError(f"{spec.name} names no model: write hf/PATH, or hf/NAME for a model on the hub.")
        versions = _versions(spec)
        try:
            settings = read_settings(spec.params)
        except ValueError as error:
            raise UserError(f"{spec.name}: {error}; correct --param, or leave it out.") from error
        self._path = find_weights(spec.name, spec.rest)
        self._device = settings.device or _device()
        self._dtype = settings.dtype or DTYPE[self._device]
        runtime = f"{versions} {self._device} {self._dtype}"
        super().__init__(spec, model=f"sha256:{hash_of(self._path)}", runtime=runtime)
        self._rows = spec.concurrency or ROWS[self._device]
        self.slots = spec.concurrency or 2 * self._rows
        self._worker: Worker | None = None
        self._plain = False
        self._loading = asyncio.Lock()

    async def send(self, ask: Ask, timeout: float) -> Sent:
        async with self._loading:
            if self._worker is None:
                self._worker = await asyncio.to_thread(self._load)
        try:
            reply = await asyncio.wait_for(self._worker.submit(ask), timeout)
        except TimeoutError as error:
            raise TimedOut(f"no reply within {timeout:g} seconds") from error
        return Sent(reply)

    async def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await asyncio.to_thread(worker.stop)

    @property
    def adjustments(self) -> list[str]:
        return ["messages are sent as plain text: the model has no chat template"] if self._plain else []

    def _load(self) -> Worker:
        network = load(self._path, self._device, self._dtype)
        self._plain = not network.tokenizer.chat_template
        return Worker(network, self._rows)


def _versions(spec: ModelSpec) -> str:
    """The packages whose versions can change an answer. What torch was built for shows in the device."""
    needed = ["transformers", "torch"]
    try:
        said = [f"{name} {metadata.version(name).partition('+')[0]}" for name in needed]
        if spec.rest.endswith(".gguf"):
            metadata.version("gguf")
    except metadata.PackageNotFoundError as error:
        raise UserError(
            f"{spec.name} runs in process and needs torch and transformers: "
            "pip install 'counterfoil[hf]', then run again."
        ) from error
    return " ".join(said)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
