"""GGUF weights in process, by llama.cpp: `gguf/PATH`, and `smollm2`, the small real model that is the default."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

from counterfoil.asking.ask import Ask
from counterfoil.asking.models.base import Hopeless, Model, ModelSpec, ModelUnusable, Sent, TimedOut, TryAgain
from counterfoil.asking.models.openai import read_completion, request_body
from counterfoil.asking.models.weights import check_gguf, smollm2_is_here, smollm2_path, weights_hash
from counterfoil.errors import UserError

TOKENS_PER_SLOT = 4_096
DEFAULT_SLOTS = 4


class LlamaModel(Model):
    """One file of weights. `--concurrency` sets how many asks share a batch; each slot keeps its prompt's cache."""

    def __init__(self, spec: ModelSpec) -> None:
        try:
            runtime = f"xllamacpp {metadata.version('xllamacpp')}"
        except metadata.PackageNotFoundError as error:
            raise UserError(
                f"{spec.name} runs in process and needs llama.cpp: pip install 'counterfoil[local]', then run again."
            ) from error
        self._path = _weights(spec)
        super().__init__(spec, provider="gguf", model=f"sha256:{weights_hash(self._path)}", runtime=runtime)
        self.slots: int = spec.concurrency or DEFAULT_SLOTS
        self._server: Any = None
        self._loading = asyncio.Lock()
        self._threads = ThreadPoolExecutor(self.slots, thread_name_prefix="llama")

    async def send(self, ask: Ask, timeout: float) -> Sent:
        loop = asyncio.get_running_loop()
        async with self._loading:
            if self._server is None:
                self._server = await loop.run_in_executor(self._threads, self._load)
        body = request_body(ask, set())
        body["messages"] = [{"role": message.role, "content": message.content} for message in ask.messages]
        body.setdefault("seed", ask.sample)
        if "structured_outputs" in body:
            body["grammar"] = _grammar(body.pop("structured_outputs")["choice"])
        call = loop.run_in_executor(self._threads, self._server.handle_chat_completions, body)
        try:
            answer = await asyncio.wait_for(call, timeout)
        except TimeoutError as error:
            raise TimedOut(f"no reply within {timeout:g} seconds") from error
        except (ValueError, TypeError) as error:
            raise Hopeless(f"llama.cpp does not take this ask: {error}") from error
        if "error" in answer:
            said = str(answer["error"].get("message"))
            raise (Hopeless if answer["error"].get("code") == 400 else TryAgain)(said)
        answer["model"] = None  # a path of this machine
        return Sent(read_completion(answer))

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._server = None

    def _load(self) -> Any:
        # Its threads wait for one another many times a token. OpenMP, which is told only before it is loaded, would let
        # them spin meanwhile: where others use the cores, that takes several times as long as giving way.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_parallel = self.slots
        params.n_ctx = TOKENS_PER_SLOT * self.slots
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _cores()
        params.cache_prompt = True
        params.warmup = False
        params.verbosity = 0
        # The library opens a port on the loopback interface that nobody asked for: nobody gets in.
        params.api_keys = [secrets.token_urlsafe()]
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise ModelUnusable(f"{self._path} can't be loaded: {error}") from error


def _weights(spec: ModelSpec) -> Path:
    if spec.name == "smollm2":
        if not smollm2_is_here():
            raise UserError("The weights of smollm2 are not here yet: `counterfoil models get smollm2` fetches them.")
        return smollm2_path()
    path = Path(spec.rest)
    if spec.provider != "gguf" or not spec.rest:
        raise UserError(f"{spec.name} is no model: write smollm2, or gguf/PATH.")
    if not path.is_file():
        raise UserError(f"{spec.name}: there is no file {path}.")
    check_gguf(spec.name, path)
    return path


def _cores() -> int:
    """Those that this process may use: fewer than the machine's in a container, or where $OMP_NUM_THREADS says so."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return min(available, max(1, int(wanted))) if wanted.isdigit() else available


def _grammar(choices: Sequence[str]) -> str:
    """A grammar of llama.cpp that allows these texts and nothing else."""
    return "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
