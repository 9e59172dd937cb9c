"""Weights in process, by transformers and torch: `hf/PATH-OR-NAME`, a folder, a .gguf file or a name on the hub."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.asking.ask import Ask
from counterfoil.asking.models.base import Model, ModelSpec, Sent, TimedOut
from counterfoil.asking.models.hf.job import read_settings
from counterfoil.asking.models.weights import check_gguf, weights_hash
from counterfoil.errors import UserError

if TYPE_CHECKING:
    from counterfoil.asking.models.hf.worker import Worker

# Rows in a batch and the kind of their numbers, where the user names none.
ROWS = {"cpu": 16, "cuda": 256}
DTYPE = {"cpu": "float32", "cuda": "bfloat16"}
# Files of a folder that can change an answer. Of two kinds of weights, the first is read.
WEIGHTS = (".safetensors", ".bin")
OTHERS = (".json", ".jinja", ".model", ".tiktoken", "merges.txt", "vocab.txt")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


class HfModel(Model):
    """One network. Waiting asks share batches; the common beginning of their prompts is computed once.

    `--concurrency` sets the most rows of a batch. Without it, twice as many asks as rows are taken, so that the next
    ones are there when rows become free.
    """

    def __init__(self, spec: ModelSpec) -> None:
        if not spec.rest:
            raise UserError(f"{spec.name} names no model: write hf/PATH, or hf/NAME for a model on the hub.")
        versions = _versions(spec)  # before all else: without the packages, nothing below works
        try:
            settings = read_settings(spec.params)
        except ValueError as error:
            raise UserError(f"{spec.name}: {error}; correct --param, or leave it out.") from error
        self._path = _find_weights(spec.name, spec.rest)
        self._device = settings.device or _device()
        self._dtype = settings.dtype or DTYPE[self._device]
        super().__init__(
            spec, model=f"sha256:{_hash_of(self._path)}", runtime=f"{versions} {self._device} {self._dtype}"
        )
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
        # Torch and transformers take seconds to load.
        from counterfoil.asking.models.hf.network import load
        from counterfoil.asking.models.hf.worker import Worker

        network = load(self._path, self._device, self._dtype)
        self._plain = not network.tokenizer.chat_template
        return Worker(network, self._rows)


def _versions(spec: ModelSpec) -> str:
    """Packages whose versions can change an answer. The build of torch shows in the device."""
    try:
        versions = [f"{name} {metadata.version(name).partition('+')[0]}" for name in ("transformers", "torch")]
        if spec.rest.endswith(".gguf"):
            metadata.version("gguf")
    except metadata.PackageNotFoundError as error:
        raise UserError(
            f"{spec.name} runs in process and needs torch and transformers: "
            "pip install 'counterfoil[hf]', then run again."
        ) from error
    return " ".join(versions)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _find_weights(name: str, rest: str) -> Path:
    """A folder or a .gguf file; else the name of a model on the hub, fetched if it is not in the hub's cache."""
    path = Path(rest).expanduser()
    if path.is_file():
        if path.suffix != ".gguf":
            raise UserError(f"{name}: {path} is neither a folder nor a .gguf file.")
        check_gguf(name, path)
        return path
    if path.is_dir():
        if not _is_complete(path):
            raise UserError(f"{name}: {path} is not a model: it must hold config.json and weights ({WEIGHTS[0]}).")
        return path
    if path.is_absolute() or path.suffix == ".gguf" or not _HUB_NAME.fullmatch(rest):
        raise UserError(f"{name}: there is no folder and no file {path}.")
    return _from_hub(name, rest)


def _from_hub(name: str, rest: str) -> Path:
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    wanted = [f"*{end}" for end in (WEIGHTS[0], *OTHERS)]
    try:
        found = Path(huggingface_hub.snapshot_download(rest, allow_patterns=wanted, local_files_only=True))
        if _is_complete(found):
            return found
    except (LocalEntryNotFoundError, HFValidationError):
        pass
    try:
        found = Path(huggingface_hub.snapshot_download(rest, allow_patterns=wanted))
    except Exception as error:  # of several kinds, from several packages
        raise UserError(
            f"{name}: there is no folder {rest} here, and it can't be fetched from the hub "
            f"({first_line(error).rstrip('.')}): correct the path or the name, or fetch it where there is a network."
        ) from error
    if not _is_complete(found):
        raise UserError(f"{name}: the hub has no weights of it in {WEIGHTS[0]} files, so it can't be used.")
    return found


def _is_complete(folder: Path) -> bool:
    """Whether all files are there. Perhaps only the tokenizer was ever fetched, or some of the weights."""
    if not (folder / "config.json").is_file():
        return False
    for index in folder.glob("*.index.json"):
        try:
            files = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (ValueError, KeyError, AttributeError, TypeError):
            return False
        if all((folder / str(file)).is_file() for file in files):
            return True
    return any((folder / file).is_file() for file in ("model.safetensors", "pytorch_model.bin"))


def _hash_of(path: Path) -> str:
    """SHA-256 that names the weights: of a file, or of the names and hashes of the files in a folder."""
    if path.is_file():
        return weights_hash(path)
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    kind = next((end for end in WEIGHTS if any(file.name.endswith(end) for file in files)), WEIGHTS[0])
    lines = [f"{weights_hash(file)} {file.name}\n" for file in files if file.name.endswith((kind, *OTHERS))]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
